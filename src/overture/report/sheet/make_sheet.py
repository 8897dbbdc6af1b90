"""A Prompt becomes a Sheet: its blocks cut out by source and mark, and the price of its request."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ...assemble.choose_cache_breakpoints import choose_breakpoints, find_stable_ends
from ...known_models.cache_rules import round_to_steps
from ...known_models.model_facts import ModelFacts
from ...known_models.prices import BilledUsage, cost_of
from ...model.prompt.block import JOIN, Block, Omission, Span
from ...model.prompt.prompt import Prompt
from ...model.source import Source
from ...tokens.counter import share_out
from ..stats_and_cut_notes import count_by_pace
from .sheet import (
    CacheMark,
    Mark,
    Sheet,
    SheetBlock,
    SheetBudget,
    SheetContext,
    SheetCut,
    SheetOmission,
    SheetPiece,
    SheetPrice,
    SheetProblem,
    SheetSource,
)
from .text_marks import TextMark, describe_secret, find_marks_in_block


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
    """The marks of a request; for a cache without marks, the end of the stable part."""
    count, text = prompt.counter, prompt.text
    before = count(tools) if tools else 0
    ends = [(block.pace, at + len(block.text)) for block, at in prompt.placed]
    named = {at + len(block.text): block.name for block, at in prompt.placed}
    if facts.way != "marked":
        lasting = max((end for pace, end in find_stable_ends(ends).items() if pace != "turn"), default=0)
        if cached_tokens := round_to_steps(before + count(text[:lasting]), facts):
            yield CacheMark(named.get(lasting, "tools"), lasting, cached_tokens)
        return
    breakpoints = choose_breakpoints(ends, text, facts, count, tools)
    if breakpoints.tools:
        yield CacheMark("tools", 0, before)
    for end in breakpoints.system:
        yield CacheMark(named.get(end, ""), end, before + count(text[:end]))


def make_sheet(prompt: Prompt, context: SheetContext) -> Sheet:
    """Make the sheet of a prompt."""
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


def file_id(path: str) -> str:
    """The id of a file in requests of the page: always the same, and without the path."""
    return hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:12]


class SheetSources:
    """The sources of a prompt, each once."""

    def __init__(self, prompt: Prompt, context: SheetContext) -> None:
        """List the sources of a prompt for its sheet."""
        self.prompt, self.context = prompt, context
        self.rows: list[SheetSource] = []
        self.known: dict[Source, int] = {}

    def index(self, source: Source) -> int:
        """The index of a source in the sheet's list."""
        if source not in self.known:
            self.known[source] = len(self.rows)
            self.rows.append(self._make_source_row(source))
        return self.known[source]

    def _make_source_row(self, source: Source) -> SheetSource:
        resolved, tier = self.prompt.describe_source(source)
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
        """A line of a file, or the name of another source, as the sheet shows it."""
        if source.kind != "file" or source.path is None:
            return source.name or source.kind
        return f"{self.context.place.shown(source.path)}:{line or 1}"


def _make_sheet_block(
    prompt: Prompt, sources: SheetSources, block: Block, tokens: int, before: str, total: int
) -> SheetBlock:
    """A block of the prompt as the sheet has it."""
    share = tokens / total if total else 0.0
    sizes = (tokens, share, len(block.text))
    pieces = tuple(_list_sheet_pieces(prompt, sources, block, tokens))
    return SheetBlock(block.name, block.section.claim, block.pace, *sizes, block.reads, before, pieces)


def _list_sheet_pieces(prompt: Prompt, sources: SheetSources, block: Block, tokens: int) -> Iterator[SheetPiece]:
    """The text of a block by source; the pieces of one source share its tokens."""
    counter = prompt.counter
    rows = _cut_out_spans(prompt, block, sources.where)
    for row, (_, count) in zip(rows, prompt.count_spans(block, tokens), strict=True):
        counts = share_out(count, [counter.by_lines(each.text) for each in row]) if len(row) > 1 else [count]
        for each, own in zip(row, counts, strict=True):
            yield SheetPiece(each.text, sources.index(each.source), own, each.line, each.mark)


DescribePlace = Callable[[Source, int | None], str]
"""Describes a source and a line of it, for a person."""


class Cutout(NamedTuple):
    """Characters of one source, with or without a mark."""

    text: str
    source: Source
    line: int | None
    mark: Mark | None = None


def _cut_out_spans(prompt: Prompt, block: Block, where: DescribePlace) -> list[list[Cutout]]:
    """The spans of a block, each in pieces."""
    marks = find_marks_in_block(prompt, block)
    rows, at = [], 0
    for span in block.spans:
        first = at
        while at < len(marks) and (marks[at].start < span.end or marks[at].end <= span.end):
            at += 1
        rows.append(list(_cut_out_pieces(prompt, block, span, marks[first:at], where)))
        if at > first and marks[at - 1].end > span.end and marks[at - 1].kind != "cut":
            # The mark continues in the next source: its original text is shown once.
            at -= 1
            marks[at] = marks[at]._replace(start=span.end, was="", lines=0)
    return rows


def _cut_out_pieces(
    prompt: Prompt, block: Block, span: Span, marks: Sequence[TextMark], where: DescribePlace
) -> Iterator[Cutout]:
    """The pieces of one span on the sheet; lines are those of the source, which may have more than the prompt shows."""
    text, source, known = block.text, span.source, prompt.resolved(span.source)
    line, at = known.line, span.start
    moves = source.line is not None and not source.pinned
    for mark in marks:
        start, end = max(mark.start, at), min(mark.end, span.end)
        if at < start:
            yield Cutout(text[at:start], source, line)
            line = line + text.count("\n", at, start) if moves and line else line
        text_part = text[start : max(start, end)]
        note = mark.note or describe_secret(text_part, where(known, line))
        yield Cutout(text_part, source, line, Mark(mark.kind, mark.was, note))
        line = line + mark.lines if moves and line else line
        at = max(start, end)
    if at < span.end:
        yield Cutout(text[at : span.end], source, line)


def _list_omissions(prompt: Prompt) -> Iterator[SheetOmission]:
    """The skipped sections, in their places; and what a block omits, after it."""
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
