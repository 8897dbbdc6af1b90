"""Ends a batch: parts become files within the provider's limits; the manifest has counts, tokens and the price."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, count, groupby
from math import ceil
from typing import Annotated, BinaryIO, NamedTuple

import msgspec
from msgspec.structs import replace

from ..known_models.prices import BilledUsage, cost_of
from ..model.state.audience_and_subagents import PRIVATE_FIELDS
from ..model.struct import Frozen, note
from ..providers.batch_lines import DEFAULT_MAX_TOKENS, NO_LIMITS, RequestWriter
from ..providers.render import report_unknown_model
from .build_rows import READ_BY_ALL, PartFolder, PartRecord, RowBuilder
from .job_folder import OutputFolder, replace_output

MANIFEST = "manifest.json"


class BatchFile(Frozen, frozen=True, omit_defaults=False):
    """One file of a batch."""

    name: str
    rows: int
    bytes: int


class BatchTokens(Frozen, frozen=True, omit_defaults=False):
    """Input tokens of all rows."""

    counter: str
    exact: Annotated[bool, note("false: an estimate")]
    system: int
    messages: int
    tools: int
    cache_reads: Annotated[int, note("if each request finds what an earlier one wrote")]
    cache_writes: int


class BatchPrice(Frozen, frozen=True, omit_defaults=False):
    """US dollars for the input of all requests; output comes on top. Null: not known."""

    batch: Annotated[float | None, note("in a batch, with cache reads and writes")]
    batch_without_cache: float | None
    without_batch: Annotated[float | None, note("as single requests, without a cache")]
    output: Annotated[float | None, note("at most, in a batch: each answer as long as the request allows")]
    unknown: Annotated[tuple[str, ...], note("what has no known price")]


class Manifest(Frozen, frozen=True, omit_defaults=False):
    """The files, requests, tokens and price of a batch."""

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


class PartJoiner:
    """Joins parts into files within a provider's limits, and adds up their records."""

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
                cache_hit = cached if hash(key) in keys else shared if shared >= minimum and not first else 0
                read += cache_hit
                written += cached - cache_hit
            keys.add(hash(key))
            first = False
        self.tokens.update({"cache_reads": read, "cache_writes": written})
        self.built += len(record.lines)

    def _write_files(self, folder: OutputFolder, runs: Iterator[LineRun]) -> Iterator[BatchFile]:
        pieces: Iterator[tuple[bytes, int]] = ((self._read_run(run), run.rows) for run in runs)
        piece, limits = next(pieces, None), self.limits
        max_rows = limits.max_requests
        if limits.min_requests > 1:  # files of about the same size: none has just a few
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


def finish_batch(folder: OutputFolder, parts: PartFolder, numbers: Iterable[int], builder: RowBuilder) -> Manifest:
    """Join the parts, then write the manifest."""
    setup, counter, recipe, writer = builder.setup, builder.counter, builder.recipe, builder.writer
    joiner = PartJoiner(parts, builder)
    files = tuple(joiner.join(folder, numbers))
    built, failed, sums = joiner.built, joiner.errors.total(), joiner.tokens
    tokens = BatchTokens(
        counter.name, counter.exact,
        *(sums[name] for name in ("system", "messages", "tools", "cache_reads", "cache_writes")),
    )  # fmt: skip
    price = _find_price(tokens, joiner, writer) if writer else None
    manifest = Manifest(
        recipe.name, setup.provider, setup.model, built + failed, built, failed, dict(joiner.errors), files,
        tokens, price, joiner.truncated.pop("", 0), dict(joiner.truncated), tuple(_list_notes(builder, files, built)),
    )  # fmt: skip
    folder.write(MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")
    return manifest


def _list_notes(builder: RowBuilder, files: Iterable[BatchFile], built: int) -> Iterator[str]:
    """What to check before the batch is sent."""
    setup, writer, roots = builder.setup, builder.writer, builder.setup.columns.roots
    yield from setup.notes
    if writer:
        yield from (f"{each.message}" for each in report_unknown_model(writer.batch.form, setup.model, setup.models))
    if writer and (writer.tools or "tools" in roots) and not writer.batch.tools:
        yield f"Tools are not sent: batches of {setup.provider} take none in this form."
    if writer and writer.tools_tokens and built:
        names = ", ".join(tool.name for tool in writer.tools)
        yield f"Each request offers tools ({names}). If nobody runs them, pass --set 'tools=[]'."
    if writer and any(file.rows < writer.batch.min_requests for file in files):
        yield f"{setup.provider} asks for at least {writer.batch.min_requests} requests in a batch."
    read = {name for section in builder.recipe.sections for name in section.reads}
    yield from (f"{builder.recipe.name} does not read {name}." for name in sorted(roots - read - READ_BY_ALL))
    hidden = roots & PRIVATE_FIELDS.keys() if setup.state.audience == "public" else ()
    yield from (f"{name} is in no prompt: the audience is public." for name in sorted(hidden))


def _find_price(tokens: BatchTokens, joiner: PartJoiner, writer: RequestWriter) -> BatchPrice:
    facts, plain = writer.facts, replace(writer.facts, steps=())  # a step is about one request, and this is the sum
    fresh = tokens.system + tokens.messages + tokens.tools - tokens.cache_reads - tokens.cache_writes
    usage = BilledUsage(fresh, tokens.cache_reads, {facts.ttl(): tokens.cache_writes}, tier="batch")
    batch, uncached, single = (cost_of(u, plain) for u in (usage, usage.uncached, replace(usage.uncached, tier="")))
    long = any(joiner.longest > step.above for step in facts.steps)
    unknown = (*batch.unknown, *(["how much more long requests cost"] if long else []))
    default = DEFAULT_MAX_TOKENS if writer.batch.form == "anthropic" else None
    limit, output = writer.settings.get(writer.batch.output_limit, default), None
    if isinstance(limit, int):
        output = cost_of(BilledUsage(output=limit * joiner.built, tier="batch"), plain).dollars
    return BatchPrice(batch.dollars, uncached.dollars, single.dollars, output, unknown)
