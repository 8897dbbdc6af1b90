"""Parts -> the files of a batch and errors.jsonl, with the sums over all parts."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, compress, count, groupby
from math import ceil
from operator import add, itemgetter
from typing import BinaryIO, NamedTuple

import msgspec

from ..jobs.output_folder import OutputFolder, replace_output
from ..model.struct import Frozen
from ..providers.batch_lines import NO_LIMITS
from .build_rows import RowBuilder
from .parts import FailedRow, PartFolder, ResultColumns

COLUMN_NAMES = ResultColumns.__struct_fields__


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
    dropped: frozenset[int]
    """Lines that are not written, counted from the first."""


class Totals:
    """The sums over all parts; each part is added once."""

    def __init__(self, parts: PartFolder, builder: RowBuilder) -> None:
        self.parts, self.builder, self.writer = parts, builder, builder.writer
        self.limits = self.writer.batch if self.writer else NO_LIMITS
        self.minimum = self.writer.facts.minimum if self.writer else 0
        self.errors, self.truncated = Counter[str](), Counter[str]()
        self.sums = dict.fromkeys(("built", "system", "messages", "read", "written", "longest"), 0)
        self.ids, self.keys = set[int](), set[int]()

    def add_part(self, number: int) -> tuple[list[FailedRow], list[LineRun]]:
        """Take in one part: its failed rows, and its lines."""
        record = self.parts.read(number)
        assert record is not None
        results, dropped = record.results, self._find_duplicates(record.results)
        duplicates = [
            FailedRow(results.row[at], results.id[at], "duplicate-id", "An earlier row has the same id.")
            for at in dropped
        ]
        failed = sorted([*record.errors, *duplicates], key=lambda row: row.row)
        self.errors.update([row.code for row in failed])
        self.truncated.update(record.truncated)
        runs = list(_split_part(number, results, dropped, self.parts.by_prefix))
        if dropped:
            kept = [at not in dropped for at in range(len(results.row))]
            results = ResultColumns(*(list(compress(getattr(results, name), kept)) for name in COLUMN_NAMES))
        self._add_tokens(results)
        return failed, runs

    def _find_duplicates(self, results: ResultColumns) -> set[int]:
        """Results that have the id of an earlier row. Only a provider needs ids that differ; made ones do."""
        if not (self.writer and self.builder.setup.columns.id):
            return set()
        hashes, dropped = list(map(hash, results.id)), set[int]()
        for at in sorted(range(len(hashes)), key=results.row.__getitem__):
            if hashes[at] in self.ids:
                dropped.add(at)
            self.ids.add(hashes[at])
        return dropped

    def _add_tokens(self, results: ResultColumns) -> None:
        """Add requests: each reads what an earlier one wrote, and writes what is left."""
        sums, keys, minimum, read, written = self.sums, self.keys, self.minimum, 0, 0
        first = not sums["built"]
        for key, shared, cached in zip(results.key, results.shared_tokens, results.cached_tokens, strict=True):
            if cached >= minimum:
                found = cached if hash(key) in keys else shared if shared >= minimum and not first else 0
                read += found
                written += cached - found
            keys.add(hash(key))
            first = False
        sums["built"] += len(results.row)
        sums["system"] += sum(results.tokens)
        sums["messages"] += sum(results.message_tokens)
        sums["read"] += read
        sums["written"] += written
        sums["longest"] = max(sums["longest"], *map(add, results.tokens, results.message_tokens), 0)


def _split_part(number: int, results: ResultColumns, dropped: set[int], by_prefix: bool) -> Iterator[LineRun]:
    offset = position = 0
    for key, group in groupby(results.key) if by_prefix else [(b"", results.row)] if results.row else []:
        rows = len(list(group))
        end = position + rows
        size, absent = sum(results.size[position:end]), (at - position for at in dropped if position <= at < end)
        yield LineRun(key, number, offset, size, rows, frozenset(absent))
        offset, position = offset + size, end


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
    pieces = filter(itemgetter(1), (_read_run(totals.parts, run) for run in runs))
    piece, limits = next(pieces, None), totals.limits
    max_rows = limits.max_requests
    if limits.min_requests > 1:  # files of about the same size: none is left with a few
        built = totals.sums["built"]
        max_rows = ceil(built / max(ceil(built / max_rows), 1))
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


def _read_run(parts: PartFolder, run: LineRun) -> tuple[bytes, int]:
    """The lines of a run, and how many they are."""
    with open(parts.data_path(run.part), "rb") as file:  # noqa: PTH123
        file.seek(run.offset)
        data = file.read(run.size)
    if not run.dropped:
        return data, run.rows
    kept = [line for at, line in enumerate(data.splitlines(keepends=True)) if at not in run.dropped]
    return b"".join(kept), len(kept)


def order_parts(done: Iterable[int], ready: set[int]) -> Iterator[int]:
    """The numbers of parts from 0 on, each as soon as it and all before it are there. `done` may add to `ready`."""
    following = 0
    for number in chain(done, (-1,)):
        ready.add(number)
        while following in ready:
            yield following
            following += 1
