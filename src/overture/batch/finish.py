"""Parts -> the files of a batch, errors.jsonl and manifest.json."""

import os
from collections import Counter
from collections.abc import Iterator
from itertools import chain, count, groupby
from math import ceil
from typing import Annotated

import msgspec
from msgspec.structs import replace

from ..jobs.output_folder import OutputFolder, replace_output
from ..known_models.prices import BilledUsage, cost_of
from ..model.state.state import PRIVATE_FIELDS
from ..model.struct import Frozen, note
from ..providers.batch_lines import NO_LIMITS
from .build_rows import READ_BY_ALL, RowBuilder
from .parts import FailedRow, PartFolder, PartRecord, ResultRecord


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


class Totals:
    """The sums over all parts, and which lines are written in which order."""

    def __init__(self, parts: PartFolder, builder: RowBuilder) -> None:
        self.parts, self.builder, self.writer = parts, builder, builder.writer
        self.minimum = self.writer.facts.minimum if self.writer else 0
        self.errors, self.truncated = Counter[str](), Counter[str]()
        self.sums = dict.fromkeys(("built", "system", "messages", "read", "written", "longest"), 0)
        self.ids, self.keys = set[int](), set[int]()
        self.dropped = set[tuple[int, int]]()
        """Results that have the id of an earlier one, by part and position."""
        self.runs: list[tuple[bytes, int, int, int, int]] = []
        """Key, part, first byte, first position, and how many: lines that stay together."""
        self.sizes: dict[tuple[int, int], int] = {}
        """Bytes of a run, by part and first position."""

    def add_part(self, number: int) -> list[FailedRow]:
        """Take in one part; its failed rows."""
        record = self.parts.read(number)
        assert record is not None
        failed = sorted([*record.errors, *self._find_duplicates(number, record)], key=lambda row: row.row)
        self.errors.update([row.code for row in failed])
        self.truncated.update(record.truncated)
        offset = position = 0
        for key, group in groupby(record.results, lambda row: row.key if self.parts.by_prefix else b""):
            rows = list(group)
            self.runs.append((key, number, offset, position, len(rows)))
            for at, row in enumerate(rows, position):
                if (number, at) not in self.dropped:
                    self._add_tokens(row)
            self.sizes[number, position] = size = sum([row.size for row in rows])
            offset, position = offset + size, position + len(rows)
        return failed

    def _find_duplicates(self, number: int, record: PartRecord) -> Iterator[FailedRow]:
        """Only a provider needs ids that differ; those made of the row's number do."""
        given = record.results if self.writer and self.builder.setup.columns.id else []
        for position, row in sorted(enumerate(given), key=lambda each: each[1].row):
            if hash(row.id) in self.ids:
                self.dropped.add((number, position))
                yield FailedRow(row.row, row.id, "duplicate-id", "An earlier row has the same id.")
            self.ids.add(hash(row.id))

    def _add_tokens(self, row: ResultRecord) -> None:
        """Add a request: it reads what an earlier one wrote, and writes what is left."""
        sums, key = self.sums, hash(row.key)
        cached = row.cached_tokens if row.cached_tokens >= self.minimum else 0
        shared = row.shared_tokens if row.shared_tokens >= self.minimum and sums["built"] else 0
        read = cached if key in self.keys else shared
        self.keys.add(key)
        sums["built"] += 1
        sums["system"] += row.tokens
        sums["messages"] += row.message_tokens
        sums["read"] += read
        sums["written"] += cached - read
        sums["longest"] = max(sums["longest"], row.tokens + row.message_tokens)

    def write_files(self, folder: OutputFolder) -> Iterator[BatchFile]:
        """Write the files, of about the same number of rows: none is left with a few."""
        if self.parts.form == "parquet":
            for _, number, _, _, rows in self.runs:
                path = self.parts.data_path(number)
                yield BatchFile(os.path.basename(path), rows, os.path.getsize(path))
            return
        limits, built = self.writer.batch if self.writer else NO_LIMITS, self.sums["built"]
        max_rows = ceil(built / ceil(built / limits.max_requests)) if built else 0
        pieces = self._read_pieces()
        piece = next(pieces, None)
        for number in count(1):
            if piece is None:
                return
            name = f"{self.parts.form}-{number:04}.jsonl"
            with replace_output(folder.locate(name)) as file:
                rows = size = 0
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

    def _read_pieces(self) -> Iterator[tuple[bytes, int]]:
        """The lines that stay together, one run at a time, and how many they are."""
        for _, number, offset, position, rows in sorted(self.runs):
            dropped = [at for at in range(position, position + rows) if (number, at) in self.dropped]
            with open(self.parts.data_path(number), "rb") as file:  # noqa: PTH123
                file.seek(offset)
                lines = file.read(self.sizes[number, position])
            if dropped:
                kept = [line for at, line in enumerate(lines.splitlines(keepends=True), position) if at not in dropped]
                lines, rows = b"".join(kept), len(kept)
            if rows:
                yield lines, rows


def finish_batch(folder: OutputFolder, parts: PartFolder, part_count: int, builder: RowBuilder) -> Manifest:
    """Join the parts into files within the provider's limits, and write the manifest last."""
    totals = Totals(parts, builder)
    with replace_output(folder.locate("errors.jsonl")) as file:
        for number in range(part_count):
            file.writelines(msgspec.json.encode(row) + b"\n" for row in totals.add_part(number))
    manifest = _make_manifest(totals, tuple(totals.write_files(folder)))
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
