"""Prompt -> Sheet: the very prompt that is sent, written down for the page."""

import hashlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from ...known_models.model_facts import Facts
from ...model.prompt.block import Block
from ...model.prompt.block_tokens import JOIN
from ...model.prompt.cuts_and_omissions import Omission
from ...model.prompt.prompt import Prompt
from ...model.source import Source
from ...tokens.counter import shared
from ..budget import budget_note
from ..context import Context
from ..stats import by_pace
from .marks_in_text import cutouts
from .price import price_of, priced
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


def renewed(sheet: Sheet, around: Around) -> Sheet:
    """The sheet of the same prompt on a later turn: only what stands around it is another."""
    price = priced(sheet.price.marks, around.context.tokens, around.facts, around.provider)
    return replace(
        sheet, turn=around.turn, at=around.at, broken=around.broken, context=around.context, price=price
    )  # fmt: skip


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
            told.kind,
            self.where(told, told.line),
            path,
            told.line,
            told.name,
            tier,
            told.pinned,
            path in around.outside,
            known,
        )

    def where(self, source: Source, line: int | None) -> str:
        """A line of a file, or what gives the text, for a person."""
        if source.kind != "file" or source.path is None:
            return source.name or source.kind
        return f"{self.around.shown(source.path)}:{line or 1}"


def _block(prompt: Prompt, sources: Sources, index: int, tokens: int) -> SheetBlock:
    return _said(prompt, sources, prompt.blocks[index], tokens, JOIN if index else "", prompt.tokens)


def _said(prompt: Prompt, sources: Sources, block: Block, tokens: int, before: str, whole: int) -> SheetBlock:
    share = tokens / whole if whole else 0.0
    sizes = (tokens, share, len(block.text))
    pieces = tuple(_pieces(prompt, sources, block, tokens))
    return SheetBlock(block.name, block.section.claim, block.pace, *sizes, block.reads, before, pieces)


def _pieces(prompt: Prompt, sources: Sources, block: Block, tokens: int) -> Iterator[Piece]:
    """Its text by sources; the pieces of one source share its tokens."""
    counter = prompt.counter
    rows = cutouts(prompt, block, sources.where)
    for row, count in zip(rows, block.span_tokens(counter, tokens), strict=True):
        counts = shared(count, counter.each([each.text for each in row])) if len(row) > 1 else [count]
        for each, own in zip(row, counts, strict=True):
            yield Piece(each.text, sources.index(each.source), own, each.line, each.mark)


def _left_out(prompt: Prompt) -> Iterator[LeftOut]:
    """Sections that say nothing, in their places; and what a block leaves out, behind it."""
    at = -1
    for result in prompt.results:
        if isinstance(result, Omission):
            yield LeftOut(result.name, result.reason, at)
            continue
        at += result.section.place == "system"
        for reason in result.omits:
            yield LeftOut(result.name, reason, at)


def _problems(prompt: Prompt, around: Around) -> Iterator[Problem]:
    for each in prompt.diagnostics:
        shown = around.shown(each.path) if each.path else each.field or ""
        known = file_id(each.path) if each.path in around.files and each.path else None
        yield Problem(each.level, each.code, each.message, each.path, each.line, shown, known)
