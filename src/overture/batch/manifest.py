"""What a batch is made of: counts, tokens, the price, and what is worth a note."""

from collections.abc import Iterable
from typing import Annotated

import msgspec
from msgspec.structs import replace

from ..jobs.output_folder import OutputFolder
from ..known_models.prices import BilledUsage, cost_of
from ..model.state.state import PRIVATE_FIELDS
from ..model.struct import Frozen, note
from ..providers.batch_lines import DEFAULT_MAX_TOKENS, RequestWriter
from .build_rows import READ_BY_ALL, RowBuilder
from .join_parts import BatchFile, Totals, join_parts
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
    totals = Totals(parts, builder)
    manifest = _make_manifest(totals, tuple(join_parts(folder, totals, numbers)))
    folder.write("manifest.json", msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")
    return manifest


def _make_manifest(totals: Totals, files: tuple[BatchFile, ...]) -> Manifest:
    """The manifest of a batch, once all parts are added up."""
    builder, writer, built, failed = totals.builder, totals.writer, totals.built, totals.errors.total()
    setup, counter = builder.setup, builder.counter
    notes = [*setup.notes]
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
        counter.name, counter.exact, totals.system, totals.messages, tools, totals.cache_reads, totals.cache_writes
    )
    return Manifest(
        builder.recipe.name, setup.provider, setup.model, built + failed, built, failed, dict(totals.errors), files,
        tokens, _find_price(tokens, totals), totals.truncated.pop("", 0), dict(totals.truncated), tuple(notes),
    )  # fmt: skip


def _find_price(tokens: BatchTokens, totals: Totals) -> BatchPrice | None:
    if totals.writer is None:
        return None
    facts = totals.writer.facts
    long = [step for step in facts.steps if totals.longest > step.above]
    fresh = tokens.system + tokens.messages + tokens.tools - tokens.cache_reads - tokens.cache_writes
    usage = BilledUsage(fresh, tokens.cache_reads, {facts.ttl(): tokens.cache_writes}, tier="batch")
    plain = replace(facts, steps=())  # a step is about one request, and this is the sum of all
    batch, uncached, single = (cost_of(u, plain) for u in (usage, usage.uncached, replace(usage.uncached, tier="")))
    unknown = (*batch.unknown, *(["how much more long requests cost"] if long else []))
    output, limit = None, _find_output_limit(totals.writer)
    if limit is not None:
        output = cost_of(BilledUsage(output=limit * totals.built, tier="batch"), plain).dollars
    return BatchPrice(batch.dollars, uncached.dollars, single.dollars, output, unknown)


def _find_output_limit(writer: RequestWriter) -> int | None:
    """How many tokens an answer may have, where a request says so."""
    default = DEFAULT_MAX_TOKENS if writer.batch.form == "anthropic" else None
    limit = writer.settings.get(writer.batch.output_limit, default)
    return limit if isinstance(limit, int) else None
