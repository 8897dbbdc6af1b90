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
from .parts import PartFolder, PartRecord


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


class PartJoiner:
    """Joins parts into files within a provider's limits, and adds up what their records say."""

    def __init__(self, parts: PartFolder, builder: RowBuilder) -> None:
        self.parts, self.builder, self.writer = parts, builder, builder.writer
        self.limits = self.writer.batch if self.writer else NO_LIMITS
        self.errors, self.truncated, self.tokens = Counter[str](), Counter[str](), Counter[str]()
        self.built = self.longest = 0
        self.keys, self.minimum = set[int](), self.writer.facts.minimum if self.writer else 0

    def join(self, folder: OutputFolder, numbers: Iterable[int]) -> Iterator[BatchFile]:
        """Join parts as they come, which this process has time for meanwhile."""
        with replace_output(folder.locate("errors.jsonl")) as errors:
            runs = self._list_runs(numbers, errors)
            if not self.parts.as_parquet:
                yield from self._write_files(folder, runs)
                return
            for run in runs:
                path = self.parts.data_path(run.part)
                yield BatchFile(os.path.basename(path), run.rows, os.path.getsize(path))

    def _list_runs(self, numbers: Iterable[int], errors: BinaryIO) -> Iterator[LineRun]:
        """Lines in the order of the files: at once, unless that depends on all of them."""
        waiting, wait = list[LineRun](), self.parts.by_prefix or self.limits.min_requests > 1
        for number in numbers:
            record = self.parts.read(number)
            assert record is not None
            errors.writelines(msgspec.json.encode(row) + b"\n" for row in record.errors)
            self._add(record)
            offset = 0
            for key, lines in groupby(record.lines, lambda line: line[0] if self.parts.by_prefix else b""):
                sizes = [size for _, size, _, _ in lines]
                run = LineRun(key, number, offset, sum(sizes), len(sizes))
                offset += run.size
                if wait:
                    waiting.append(run)
                else:
                    yield run
        yield from sorted(waiting)

    def _add(self, record: PartRecord) -> None:
        """Add up a part. In a cache, a request reads what an earlier one wrote, and writes what is left."""
        self.errors.update([row.code for row in record.errors])
        self.truncated.update(record.truncated)
        self.tokens.update(record.tokens)
        self.longest = max(self.longest, record.longest)
        minimum, keys, read, written, first = self.minimum, self.keys, 0, 0, not self.built
        for key, _, shared, cached in record.lines if self.writer else ():
            if cached >= minimum:
                found = cached if hash(key) in keys else shared if shared >= minimum and not first else 0
                read += found
                written += cached - found
            keys.add(hash(key))
            first = False
        self.tokens.update({"cache_reads": read, "cache_writes": written})
        self.built += len(record.lines)

    def _write_files(self, folder: OutputFolder, runs: Iterator[LineRun]) -> Iterator[BatchFile]:
        pieces: Iterator[tuple[bytes, int]] = ((self._read_run(run), run.rows) for run in runs)
        piece, limits = next(pieces, None), self.limits
        max_rows = limits.max_requests
        if limits.min_requests > 1:  # files of about the same size: none is left with a few
            max_rows = ceil(self.built / max(ceil(self.built / max_rows), 1))
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

    def _read_run(self, run: LineRun) -> bytes:
        with open(self.parts.data_path(run.part), "rb") as file:  # noqa: PTH123
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
