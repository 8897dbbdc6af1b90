"""Prompt -> Sheet: the very prompt that is sent, written down for the page."""

import hashlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ...known_models.model_facts import Facts
from ...model.prompt.block import Block, Span
from ...model.prompt.block_tokens import JOIN
from ...model.prompt.cuts_and_omissions import Omission
from ...model.prompt.prompt import Prompt
from ...model.source import Source
from ..budget import budget_note
from ..context import Context
from ..stats import by_pace
from .price import price_of
from .sheet import LeftOut, Piece, Problem, Sheet, SheetBlock, SheetBudget, SheetCut, SheetSource


class Around(NamedTuple):
    """What a sheet tells beside the prompt."""

    context: Context
    facts: Facts
    provider: str
    tools: str = ""
    """The tools as they are sent."""
    cwd: str = ""
    shown: Callable[[str], str] = str
    """A path as a person reads it."""
    outside: frozenset[str] = frozenset()
    """Files from outside the repository."""
    files: frozenset[str] = frozenset()
    """Files that the page can show."""
    turn: int = 1
    at: str = ""
    broken: str | None = None
    least: int | None = None
    """Tokens of its shortest form."""


def make_sheet(prompt: Prompt, around: Around) -> Sheet:
    """Write a prompt down."""
    sources = Sources(prompt, around)
    blocks = tuple(_block(prompt, sources, index, tokens) for index, tokens in enumerate(prompt.block_tokens))
    messages = tuple(_said(prompt, sources, block, block.tokens(prompt.counter), "", 0) for block in prompt.messages)
    fitted = budget_note(prompt)
    return Sheet(
        turn=around.turn,
        at=around.at,
        recipe=prompt.recipe.name,
        about=prompt.recipe.about,
        project=around.cwd.rstrip("/").rpartition("/")[2] or around.cwd,
        cwd=around.cwd,
        fingerprint=prompt.fingerprint,
        chars=len(prompt.text),
        tokens=prompt.tokens,
        tokenizer=prompt.counter.name,
        exact=prompt.counter.exact,
        blocks=blocks,
        messages=messages,
        omitted=tuple(_left_out(prompt)),
        sources=tuple(sources.rows),
        cuts=tuple(SheetCut(c.block, c.part, c.from_tokens, c.to_tokens, c.how) for c in prompt.cuts),
        problems=tuple(_problems(prompt, around)),
        paces=by_pace(prompt),
        context=around.context,
        price=price_of(prompt, around.tools, around.context.tokens, around.facts, around.provider),
        inputs=prompt.inputs,
        tools=hashlib.sha256(around.tools.encode("utf-8", "replace")).hexdigest()[:16],
        budget=SheetBudget(fitted.limit, fitted.whole, fitted.back) if fitted else None,
        least=around.least,
        broken=around.broken,
    )


def file_id(path: str) -> str:
    """By which the page asks for a file: the same each time, and no path."""
    return hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:12]


class Sources:
    """The sources of a prompt, each once."""

    def __init__(self, prompt: Prompt, around: Around) -> None:
        self.prompt, self.around = prompt, around
        self.rows: list[SheetSource] = []
        self.known: dict[Source, int] = {}

    def index(self, source: Source) -> int:
        """Its place in the list."""
        if source not in self.known:
            self.known[source] = len(self.rows)
            self.rows.append(self._row(source))
        return self.known[source]

    def _row(self, source: Source) -> SheetSource:
        told, tier = self.prompt.told(source)
        path, around = told.path, self.around
        known = file_id(path) if path is not None and path in around.files else None
        return SheetSource(
            told.kind, self._label(told), path, told.line, told.name, tier, told.pinned, path in around.outside, known
        )

    def _label(self, source: Source) -> str:
        if source.kind != "file" or source.path is None:
            return source.name or source.kind
        return f"{self.around.shown(source.path)}:{source.line or 1}"


def _block(prompt: Prompt, sources: Sources, index: int, tokens: int) -> SheetBlock:
    return _said(prompt, sources, prompt.blocks[index], tokens, JOIN if index else "", prompt.tokens)


def _said(prompt: Prompt, sources: Sources, block: Block, tokens: int, before: str, whole: int) -> SheetBlock:
    counts = block.span_tokens(prompt.counter, tokens)
    pieces = tuple(_piece(prompt, sources, block, span, count) for span, count in zip(block.spans, counts, strict=True))
    share = tokens / whole if whole else 0.0
    sizes = (tokens, share, len(block.text))
    return SheetBlock(block.name, block.section.claim, block.pace, *sizes, block.reads, before, pieces)


def _piece(prompt: Prompt, sources: Sources, block: Block, span: Span, tokens: int) -> Piece:
    source = prompt.resolved(span.source)
    return Piece(block.text[span.start : span.end], sources.index(span.source), tokens, source.line)


def _left_out(prompt: Prompt) -> Iterator[LeftOut]:
    """Sections that say nothing, in their places; and what a block leaves out, behind it."""
    at = -1
    for result in prompt.results:
        if isinstance(result, Omission):
            yield LeftOut(result.name, result.reason, at)
        elif result.section.place == "system":
            at += 1
            for reason in result.omits:
                yield LeftOut(result.name, reason, at)


def _problems(prompt: Prompt, around: Around) -> Iterator[Problem]:
    for each in prompt.diagnostics:
        shown = around.shown(each.path) if each.path else each.field or ""
        known = file_id(each.path) if each.path in around.files and each.path else None
        yield Problem(each.level, each.code, each.message, each.path, each.line, shown, known)
