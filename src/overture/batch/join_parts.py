"""Parts -> the files of a batch and errors.jsonl, with the sums over all parts."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, count, groupby
from math import ceil
from typing import BinaryIO, NamedTuple

import msgspec

from ..jobs.output_folder import OutputFolder, replace_output
from ..model.struct import Frozen
from ..providers.batch_lines import NO_LIMITS
from .build_rows import RowBuilder
from .parts import FailedRow, PartFolder, PartRecord


class BatchFile(Frozen, frozen=True, omit_defaults=False):
    """One file of a batch."""

    name: str
    rows: int
    bytes: int


class LineRun(NamedTuple):
    """Lines of a part that stay together. Sorted, they are in the order of the files."""

    key: bytes
    part: int
    offset: int
    size: int
    rows: int


class Totals:
    """The sums over all parts; each part is added once."""

    def __init__(self, parts: PartFolder, builder: RowBuilder) -> None:
        self.parts, self.builder, self.writer = parts, builder, builder.writer
        self.limits = self.writer.batch if self.writer else NO_LIMITS
        self.errors, self.truncated = Counter[str](), Counter[str]()
        self.built = self.system = self.messages = self.longest = self.cache_reads = self.cache_writes = 0
        self.keys = set[int]()

    def add_part(self, number: int) -> tuple[list[FailedRow], Iterator[LineRun]]:
        """Take in one part: its failed rows, and its lines."""
        record = self.parts.read(number)
        assert record is not None
        self.errors.update([row.code for row in record.errors])
        self.truncated.update(record.truncated)
        if self.writer:
            self._add_cached(record, self.writer.facts.minimum)
        self.built += len(record.lines)
        self.system += record.system
        self.messages += record.messages
        self.longest = max(self.longest, record.longest)
        return record.errors, _split_part(number, record, self.parts.by_prefix)

    def _add_cached(self, record: PartRecord, minimum: int) -> None:
        """Add what requests find in a cache: each reads what an earlier one wrote, and writes what is left."""
        keys, read, written, first = self.keys, 0, 0, not self.built
        for key, _, shared, cached in record.lines:
            if cached >= minimum:
                found = cached if hash(key) in keys else shared if shared >= minimum and not first else 0
                read += found
                written += cached - found
            keys.add(hash(key))
            first = False
        self.cache_reads += read
        self.cache_writes += written


def _split_part(number: int, record: PartRecord, by_prefix: bool) -> Iterator[LineRun]:
    offset = 0
    for key, lines in groupby(record.lines, lambda line: line[0] if by_prefix else b""):
        sizes = [size for _, size, _, _ in lines]
        yield LineRun(key, number, offset, sum(sizes), len(sizes))
        offset += sum(sizes)


def join_parts(folder: OutputFolder, totals: Totals, numbers: Iterable[int]) -> Iterator[BatchFile]:
    """Join parts into files within a provider's limits as they come, which this process has time for meanwhile."""
    with replace_output(folder.locate("errors.jsonl")) as errors:
        runs = _list_runs(totals, numbers, errors)
        if totals.parts.as_parquet:
            for run in runs:
                path = totals.parts.data_path(run.part)
                yield BatchFile(os.path.basename(path), run.rows, os.path.getsize(path))
        else:
            yield from _write_files(folder, totals, runs)


def _list_runs(totals: Totals, numbers: Iterable[int], errors: BinaryIO) -> Iterator[LineRun]:
    """Lines in the order of the files: at once, unless that depends on all of them."""
    waiting, wait = list[LineRun](), totals.parts.by_prefix or totals.limits.min_requests > 1
    for number in numbers:
        failed, runs = totals.add_part(number)
        errors.writelines(msgspec.json.encode(row) + b"\n" for row in failed)
        if wait:
            waiting += runs
        else:
            yield from runs
    yield from sorted(waiting)


def _write_files(folder: OutputFolder, totals: Totals, runs: Iterator[LineRun]) -> Iterator[BatchFile]:
    pieces: Iterator[tuple[bytes, int]] = ((_read_run(totals.parts, run), run.rows) for run in runs)
    piece, limits = next(pieces, None), totals.limits
    max_rows = limits.max_requests
    if limits.min_requests > 1:  # files of about the same size: none is left with a few
        max_rows = ceil(totals.built / max(ceil(totals.built / max_rows), 1))
    for number in count(1):
        if piece is None:
            return
        name, rows, size = f"requests-{number:04}.jsonl", 0, 0
        with replace_output(folder.locate(name)) as file:
            while piece is not None and rows < max_rows:
                data, length = piece
                if rows + length <= max_rows and size + len(data) <= limits.max_bytes:
                    file.write(data)
                    rows, size = rows + length, size + len(data)
                elif length > 1:
                    pieces = chain(((line, 1) for line in data.splitlines(keepends=True)), pieces)
                else:
                    break
                piece = next(pieces, None)
        yield BatchFile(name, rows, size)


def _read_run(parts: PartFolder, run: LineRun) -> bytes:
    with open(parts.data_path(run.part), "rb") as file:  # noqa: PTH123
        file.seek(run.offset)
        return file.read(run.size)


def order_parts(done: Iterable[int], ready: set[int]) -> Iterator[int]:
    """The numbers of parts from 0 on, each as soon as it and all before it are there. `done` may add to `ready`."""
    following = 0
    for number in chain(done, (-1,)):
        ready.add(number)
        while following in ready:
            yield following
            following += 1
