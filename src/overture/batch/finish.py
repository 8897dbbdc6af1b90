"""Parts -> the files of a batch, errors.jsonl and manifest.json."""

import os
from collections.abc import Iterable, Iterator
from itertools import chain, count
from math import ceil
from operator import itemgetter
from typing import BinaryIO

import msgspec

from ..jobs.output_folder import OutputFolder, replace_output
from ..providers.batch_lines import NO_LIMITS
from .build_rows import RowBuilder
from .manifest import BatchFile, Manifest, make_manifest
from .parts import PartFolder
from .totals import LineRun, Totals


class FileWriter:
    """Joins parts into files within a provider's limits, as far as they are made."""

    def __init__(self, folder: OutputFolder, totals: Totals) -> None:
        self.folder, self.totals, self.parts = folder, totals, totals.parts
        self.limits = totals.writer.batch if totals.writer else NO_LIMITS
        self.max_rows = self.limits.max_requests

    def write(self, numbers: Iterable[int], errors: BinaryIO) -> Iterator[BatchFile]:
        """Write the files, and a line for each failed row."""
        runs = self._list_runs(numbers, errors)
        if self.parts.form == "parquet":
            for run in runs:
                path = self.parts.data_path(run.part)
                yield BatchFile(os.path.basename(path), run.rows, os.path.getsize(path))
            return
        pieces: Iterator[tuple[bytes, int]] = filter(itemgetter(1), map(self._read_run, runs))
        piece = next(pieces, None)
        for number in count(1):
            if piece is None:
                return
            name = f"{self.parts.form}-{number:04}.jsonl"
            with replace_output(self.folder.locate(name)) as file:
                rows = size = 0
                while piece is not None and rows < self.max_rows:
                    data, length = piece
                    if rows + length <= self.max_rows and size + len(data) <= self.limits.max_bytes:
                        file.write(data)
                        rows, size = rows + length, size + len(data)
                    elif length > 1:
                        pieces = chain(((line, 1) for line in data.splitlines(keepends=True)), pieces)
                    else:
                        break
                    piece = next(pieces, None)
            yield BatchFile(name, rows, size)

    def _list_runs(self, numbers: Iterable[int], errors: BinaryIO) -> Iterator[LineRun]:
        """Lines in the order of the files: at once, unless that depends on all of them."""
        wait = self.parts.by_prefix or self.limits.min_requests > 1
        waiting = list[LineRun]()
        for number in numbers:
            failed, runs = self.totals.add_part(number)
            errors.writelines(msgspec.json.encode(row) + b"\n" for row in failed)
            if wait:
                waiting += runs
            else:
                yield from runs
        if self.limits.min_requests > 1:  # files of about the same size: none is left with a few
            built = self.totals.sums["built"]
            self.max_rows = ceil(built / max(ceil(built / self.limits.max_requests), 1))
        yield from sorted(waiting)

    def _read_run(self, run: LineRun) -> tuple[bytes, int]:
        """The lines of a run, and how many they are."""
        with open(self.parts.data_path(run.part), "rb") as file:  # noqa: PTH123
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


def finish_batch(folder: OutputFolder, parts: PartFolder, numbers: Iterable[int], builder: RowBuilder) -> Manifest:
    """Join parts as they come, which this process has the time for while others build; write the manifest last."""
    totals = Totals(parts, builder)
    with replace_output(folder.locate("errors.jsonl")) as errors:
        files = tuple(FileWriter(folder, totals).write(numbers, errors))
    manifest = make_manifest(totals, files)
    folder.write("manifest.json", msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")
    return manifest
