"""What a batch is made of: counts, tokens, the price, and what is worth a note."""

from collections.abc import Iterable, Iterator
from typing import Annotated

import msgspec
from msgspec.structs import replace

from ..jobs.output_folder import OutputFolder
from ..known_models.prices import BilledUsage, cost_of
from ..model.state.state import PRIVATE_FIELDS
from ..model.struct import Frozen, note
from ..providers.batch_lines import DEFAULT_MAX_TOKENS, RequestWriter
from .build_rows import READ_BY_ALL, RowBuilder
from .join_parts import BatchFile, PartJoiner
from .parts import PartFolder


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


def read_manifest(folder: OutputFolder) -> Manifest:
    """The manifest of a batch that is finished."""
    with open(folder.locate("manifest.json"), "rb") as file:  # noqa: PTH123
        return msgspec.json.decode(file.read(), type=Manifest)


def finish_batch(folder: OutputFolder, parts: PartFolder, numbers: Iterable[int], builder: RowBuilder) -> Manifest:
    """Join the parts, then write the manifest."""
    setup, counter, recipe, writer = builder.setup, builder.counter, builder.recipe, builder.writer
    joiner = PartJoiner(parts, builder)
    files = tuple(joiner.join(folder, numbers))
    built, failed, sums = joiner.built, joiner.errors.total(), joiner.tokens
    tools = writer.tools_tokens * built if writer else 0
    tokens = BatchTokens(
        counter.name, counter.exact, sums["system"], sums["messages"], tools, sums["cache_reads"], sums["cache_writes"]
    )
    price = _find_price(tokens, joiner, writer) if writer else None
    manifest = Manifest(
        recipe.name, setup.provider, setup.model, built + failed, built, failed, dict(joiner.errors), files,
        tokens, price, joiner.truncated.pop("", 0), dict(joiner.truncated), tuple(_list_notes(builder, files, built)),
    )  # fmt: skip
    folder.write("manifest.json", msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")
    return manifest


def _list_notes(builder: RowBuilder, files: Iterable[BatchFile], built: int) -> Iterator[str]:
    """What is worth a look before somebody sends the batch."""
    setup, writer, roots = builder.setup, builder.writer, builder.setup.columns.roots
    yield from setup.notes
    if writer and writer.tools and not writer.batch.tools:
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
