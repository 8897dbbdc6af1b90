"""Parts -> the files of a batch, errors.jsonl and manifest.json."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, compress, count, groupby
from math import ceil
from operator import add, itemgetter
from typing import Annotated, BinaryIO, NamedTuple

import msgspec
from msgspec.structs import replace

from ..jobs.output_folder import OutputFolder, replace_output
from ..known_models.prices import BilledUsage, cost_of
from ..model.state.state import PRIVATE_FIELDS
from ..model.struct import Frozen, note
from ..providers.batch_lines import NO_LIMITS
from .build_rows import READ_BY_ALL, RowBuilder
from .parts import FailedRow, PartFolder, ResultColumns

COLUMN_NAMES = ResultColumns.__struct_fields__


class BatchFile(Frozen, frozen=True, omit_defaults=False):
    """One file of a batch."""

    name: str
    rows: int
    bytes: int


class BatchTokens(Frozen, frozen=True, omit_defaults=False):
    """Input tokens of all rows."""

    counter: str
    exact: bool
    system: int
    messages: int
    tools: int
    cache_reads: Annotated[int, note("if each request finds what an earlier one wrote")]
    cache_writes: int


class BatchPrice(Frozen, frozen=True, omit_defaults=False):
    """US dollars for the input of all requests; output comes on top. Null: no price is known."""

    batch: Annotated[float | None, note("in a batch, with cache reads and writes")]
    batch_without_cache: float | None
    without_batch: Annotated[float | None, note("as single requests, without a cache")]
    unknown: Annotated[tuple[str, ...], note("what has no known price")]


class Manifest(Frozen, frozen=True, omit_defaults=False):
    """What a batch is made of."""

    recipe: str
    provider: str | None
    model: str | None
    rows: int
    built: int
    failed: int
    errors: Annotated[dict[str, int], note("failed rows, by code; errors.jsonl has each")]
    files: tuple[BatchFile, ...]
    tokens: BatchTokens
    price: BatchPrice | None
    truncated: Annotated[int, note("rows that a budget truncated")]
    truncated_sections: dict[str, int]
    notes: tuple[str, ...]


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
        hashes, before = list(map(hash, results.id)), len(self.ids)
        if self.ids.isdisjoint(hashes):
            self.ids.update(hashes)
            if len(self.ids) == before + len(hashes):
                return set()
            self.ids.difference_update(hashes)
        dropped = set()
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
    manifest = _make_manifest(totals, files)
    folder.write("manifest.json", msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")
    return manifest


def read_manifest(folder: OutputFolder) -> Manifest:
    """The manifest of a batch that is finished."""
    with open(folder.locate("manifest.json"), "rb") as file:  # noqa: PTH123
        return msgspec.json.decode(file.read(), type=Manifest)


def _make_manifest(totals: Totals, files: tuple[BatchFile, ...]) -> Manifest:
    builder, sums, writer = totals.builder, totals.sums, totals.writer
    setup, counter, built, failed = builder.setup, builder.counter, sums["built"], totals.errors.total()
    notes = []
    if writer and writer.tools and not writer.batch.tools:
        notes.append(f"Tools are not sent: batches of {setup.provider} take none in this form.")
    if writer and writer.tools_tokens and built:
        names = ", ".join(tool.name for tool in writer.tools)
        notes.append(f"Each request offers tools ({names}). If nobody runs them, pass --set 'tools=[]'.")
    if writer and any(file.rows < writer.batch.min_requests for file in files):
        notes.append(f"{setup.provider} asks for at least {writer.batch.min_requests} requests in a batch.")
    read = {name for section in builder.recipe.sections for name in section.reads}
    notes += [
        f"{builder.recipe.name} does not read {name}." for name in sorted(setup.columns.roots - read - READ_BY_ALL)
    ]
    if setup.state.audience == "public":
        hidden = sorted(setup.columns.roots & PRIVATE_FIELDS.keys())
        notes += [f"{name} is in no prompt: the audience is public." for name in hidden]
    tools = writer.tools_tokens * built if writer else 0
    tokens = BatchTokens(
        counter.name, counter.exact, sums["system"], sums["messages"], tools, sums["read"], sums["written"]
    )
    return Manifest(
        builder.recipe.name, setup.provider, setup.model, built + failed, built, failed, dict(totals.errors), files,
        tokens, _find_price(tokens, totals), totals.truncated.pop("", 0), dict(totals.truncated), tuple(notes),
    )  # fmt: skip


def _find_price(tokens: BatchTokens, totals: Totals) -> BatchPrice | None:
    if totals.writer is None:
        return None
    facts = totals.writer.facts
    long = [step for step in facts.steps if totals.sums["longest"] > step.above]
    fresh = tokens.system + tokens.messages + tokens.tools - tokens.cache_reads - tokens.cache_writes
    usage = BilledUsage(fresh, tokens.cache_reads, {facts.ttl(): tokens.cache_writes}, tier="batch")
    plain = replace(facts, steps=())  # a step is about one request, and this is the sum of all
    batch, uncached, single = (cost_of(u, plain) for u in (usage, usage.uncached, replace(usage.uncached, tier="")))
    unknown = (*batch.unknown, *(["how much more long requests cost"] if long else []))
    return BatchPrice(batch.dollars, uncached.dollars, single.dollars, unknown)
