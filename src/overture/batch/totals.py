"""The sums over all parts of a batch, and which of their lines are written."""

from collections import Counter
from collections.abc import Iterator
from itertools import compress, groupby
from operator import add
from typing import NamedTuple

from .build_rows import RowBuilder
from .parts import FailedRow, PartFolder, ResultColumns

COLUMN_NAMES = ResultColumns.__struct_fields__


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
        runs = list(_list_runs(number, results, dropped, self.parts.by_prefix))
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


def _list_runs(number: int, results: ResultColumns, dropped: set[int], by_prefix: bool) -> Iterator[LineRun]:
    offset = position = 0
    for key, group in groupby(results.key) if by_prefix else [(b"", results.row)] if results.row else []:
        rows = len(list(group))
        end = position + rows
        size, absent = (
            sum(results.size[position:end]),
            frozenset(at - position for at in dropped if position <= at < end),
        )
        yield LineRun(key, number, offset, size, rows, absent)
        offset, position = offset + size, end
