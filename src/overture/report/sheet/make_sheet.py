"""A Prompt becomes a Sheet with the price of its request."""

import hashlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from ...assemble.cache_breakpoints import choose_breakpoints, find_stable_ends
from ...known_models.cache_rules import round_to_steps
from ...known_models.model_facts import ModelFacts
from ...known_models.prices import BilledUsage, cost_of
from ...model.message import Message
from ...model.prompt.block import JOIN, Block, Omission
from ...model.prompt.prompt import Prompt
from ...model.source import Source
from ...model.state.discovery import Look
from ...tokens.counter import share_out
from ..context import Context
from ..stats import count_by_pace
from .sheet import (
    CacheMark,
    Sheet,
    SheetBlock,
    SheetBudget,
    SheetCut,
    SheetOmission,
    SheetPiece,
    SheetPrice,
    SheetProblem,
    SheetSource,
)
from .text_marks import cut_out_spans


def price_marks(marks: tuple[CacheMark, ...], tokens: int, facts: ModelFacts, provider: str) -> SheetPrice:
    """The price of `tokens` tokens, of which those before the last mark can come from the cache."""
    cached_tokens = min(max((mark.tokens for mark in marks), default=0), tokens)
    fresh = cost_of(BilledUsage(fresh=tokens), facts)
    cached = cost_of(BilledUsage(fresh=tokens - cached_tokens, read=cached_tokens), facts)
    at_least = fresh.at_least or cached.at_least
    return SheetPrice(
        provider,
        facts.model,
        facts.known,
        facts.as_known_on,
        fresh.dollars,
        cached.dollars,
        cached_tokens,
        marks,
        at_least,
    )


def _list_cache_marks(prompt: Prompt, tools: str, facts: ModelFacts) -> Iterator[CacheMark]:
    """Where marks are set; of a cache without marks, where what lasts ends."""
    count, text = prompt.counter, prompt.text
    before = count(tools) if tools else 0
    ends = [(block.pace, at + len(block.text)) for block, at in prompt.placed]
    named = {at + len(block.text): block.name for block, at in prompt.placed}
    if facts.way != "marked":
        lasting = max((end for pace, end in find_stable_ends(ends).items() if pace != "turn"), default=0)
        if cached_tokens := round_to_steps(before + count(text[:lasting]), facts):
            yield CacheMark(named.get(lasting, "tools"), lasting, cached_tokens)
        return
    found = choose_breakpoints(ends, text, facts, count, tools)
    if found.tools:
        yield CacheMark("tools", 0, before)
    for end in found.system:
        yield CacheMark(named.get(end, ""), end, before + count(text[:end]))


UNSEEN_OUTCOMES = ("absent", "unreadable", "outside", "off", "unread", "waiting")
"""Outcomes of a look after which there is no text to show."""


class SheetPlace(NamedTuple):
    """Where a project is."""

    cwd: str = ""
    shown: Callable[[str], str] = str
    """A path as a person reads it."""


class SheetDetails(NamedTuple):
    """How a sheet is numbered and dated, and what it stands beside."""

    turn: int = 0
    at: str = ""
    broken: str | None = None
    outside: frozenset[str] = frozenset()
    """Files from outside the repository."""
    files: frozenset[str] = frozenset()
    """Files that can be shown."""
    messages: tuple[Message, ...] | None = None
    """The conversation; None: as it would begin."""
    provider: str | None = None
    """Whose request it is; None: that of the state's model."""

    def looking(self, looks: tuple[Look, ...]) -> "SheetDetails":
        """The same with what is known of the files behind it, each of which can be shown."""
        outside = frozenset(look.path for look in looks if look.outside)
        return self._replace(
            outside=outside, files=frozenset(look.path for look in looks if look.outcome not in UNSEEN_OUTCOMES)
        )


class SheetContext(NamedTuple):
    """What a sheet tells beside the prompt."""

    context: Context
    facts: ModelFacts
    provider: str
    tools: str = ""
    """The tools as they are sent."""
    place: SheetPlace = SheetPlace()
    details: SheetDetails = SheetDetails()


def make_sheet(prompt: Prompt, context: SheetContext) -> Sheet:
    """Write a prompt down."""
    sources, (cwd, shown), details = SheetSources(prompt, context), context.place, context.details
    blocks = tuple(
        _make_sheet_block(prompt, sources, block, tokens, JOIN if index else "", prompt.tokens)
        for index, (block, tokens) in enumerate(zip(prompt.blocks, prompt.block_tokens, strict=True))
    )
    messages = tuple(
        _make_sheet_block(prompt, sources, block, block.tokens(prompt.counter), "", 0) for block in prompt.messages
    )
    fitted, marks = prompt.fitted, tuple(_list_cache_marks(prompt, context.tools, context.facts))
    return Sheet(
        turn=details.turn,
        at=details.at,
        recipe=prompt.recipe.name,
        about=prompt.recipe.about,
        title=prompt.recipe.agent.title if prompt.recipe.agent else prompt.recipe.name,
        lacks_own_prompt=prompt.recipe.agent is not None,
        project=cwd.rstrip("/").rpartition("/")[2] or cwd,
        cwd=cwd,
        fingerprint=prompt.fingerprint,
        chars=len(prompt.text),
        tokens=prompt.tokens,
        tokenizer=prompt.counter.name,
        exact=prompt.counter.exact,
        blocks=blocks,
        messages=messages,
        omitted=tuple(_list_omissions(prompt)),
        sources=tuple(sources.rows),
        cuts=tuple(SheetCut(c.block, shown(c.part), c.from_tokens, c.to_tokens, c.how) for c in prompt.cuts),
        problems=tuple(_list_sheet_problems(prompt, context)),
        paces=count_by_pace(prompt),
        context=context.context,
        price=price_marks(marks, context.context.tokens, context.facts, context.provider),
        inputs=prompt.inputs,
        tools=hashlib.sha256(context.tools.encode("utf-8", "replace")).hexdigest()[:16],
        budget=SheetBudget(fitted.budget.limit, fitted.whole.tokens) if fitted else None,
        broken=details.broken,
    )


def renew_sheet(sheet: Sheet, context: SheetContext) -> Sheet:
    """The sheet of the same prompt on a later turn: only what stands around it is another."""
    price = price_marks(sheet.price.marks, context.context.tokens, context.facts, context.provider)
    turn, at, broken, *_ = context.details
    return replace(sheet, turn=turn, at=at, broken=broken, context=context.context, price=price)


def file_id(path: str) -> str:
    """By which the page asks for a file: the same each time, and no path."""
    return hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:12]


class SheetSources:
    """The sources of a prompt, each once."""

    def __init__(self, prompt: Prompt, context: SheetContext) -> None:
        self.prompt, self.context = prompt, context
        self.rows: list[SheetSource] = []
        self.known: dict[Source, int] = {}

    def index(self, source: Source) -> int:
        """Its place in the list."""
        if source not in self.known:
            self.known[source] = len(self.rows)
            self.rows.append(self._make_source_row(source))
        return self.known[source]

    def _make_source_row(self, source: Source) -> SheetSource:
        resolved, tier = self.prompt.told(source)
        path, details = resolved.path, self.context.details
        known = file_id(path) if path is not None and path in details.files else None
        return SheetSource(
            resolved.kind,
            self.where(resolved, resolved.line),
            path,
            resolved.line,
            resolved.name,
            tier,
            resolved.pinned,
            path in details.outside,
            known,
        )

    def where(self, source: Source, line: int | None) -> str:
        """A line of a file, or what gives the text, for a person."""
        if source.kind != "file" or source.path is None:
            return source.name or source.kind
        return f"{self.context.place.shown(source.path)}:{line or 1}"


def _make_sheet_block(
    prompt: Prompt, sources: SheetSources, block: Block, tokens: int, before: str, total: int
) -> SheetBlock:
    share = tokens / total if total else 0.0
    sizes = (tokens, share, len(block.text))
    pieces = tuple(_list_sheet_pieces(prompt, sources, block, tokens))
    return SheetBlock(block.name, block.section.claim, block.pace, *sizes, block.reads, before, pieces)


def _list_sheet_pieces(prompt: Prompt, sources: SheetSources, block: Block, tokens: int) -> Iterator[SheetPiece]:
    """Its text by sources; the pieces of one source share its tokens."""
    counter = prompt.counter
    rows = cut_out_spans(prompt, block, sources.where)
    for row, (_, count) in zip(rows, prompt.count_spans(block, tokens), strict=True):
        counts = share_out(count, counter.each([each.text for each in row])) if len(row) > 1 else [count]
        for each, own in zip(row, counts, strict=True):
            yield SheetPiece(each.text, sources.index(each.source), own, each.line, each.mark)


def _list_omissions(prompt: Prompt) -> Iterator[SheetOmission]:
    """Sections that say nothing, in their places; and what a block leaves out, behind it."""
    at = -1
    for result in prompt.results:
        if isinstance(result, Omission):
            yield SheetOmission(result.name, result.reason, at)
            continue
        at += result.section.place == "system"
        for reason in result.omits:
            yield SheetOmission(result.name, reason, at)


def _list_sheet_problems(prompt: Prompt, context: SheetContext) -> Iterator[SheetProblem]:
    for each in prompt.diagnostics:
        shown = context.place.shown(each.path) if each.path else each.field or ""
        known = file_id(each.path) if each.path in context.details.files and each.path else None
        yield SheetProblem(each.level, each.code, each.message, each.path, each.line, shown, known)
