"""Where each character of a request came from: provenance that survives the way into a provider's form."""

from bisect import bisect_right
from collections.abc import Iterator
from typing import Annotated

from ...model.prompt.block import Block
from ...model.prompt.block_tokens import JOIN
from ...model.prompt.prompt import Prompt
from ...model.source import Source
from ...model.struct import Frozen, note
from .request import Ask, Laid


class Sent(Frozen, frozen=True, omit_defaults=False):
    """Characters `start` to `end` of one text in the request, all of one section and one source."""

    at: Annotated[str, note("the text's path in the request, e.g. system[0].text")]
    start: int
    end: int
    section: Annotated[str | None, note("none: the blank line between two sections")]
    source: Source
    of: Annotated[int | None, note("the position of `start` in the prompt's text; none: it is in the user's message")]


def manifest(ask: Ask, laid: Laid) -> tuple[Sent, ...]:
    """The provenance of all that the prompt put into a request, in the order of sending."""
    sent: list[Sent] = []
    at = 0
    texts = [piece.text for piece in ask.pieces] if len(laid.system) > 1 else [ask.prompt.text]
    for path, text in zip(laid.system, texts, strict=False):
        sent += _piece(ask.prompt, path, at, at + len(text))
        at += len(text)
    if laid.sections:
        sent += _sections(ask.prompt, laid.sections, laid.sections_at)
    return tuple(sent)


def _piece(prompt: Prompt, path: str, low: int, high: int) -> Iterator[Sent]:
    """The spans of the prompt that lie in characters `low` to `high`, counted from there."""
    for span in prompt.spans:
        start, end = max(span.start, low), min(span.end, high)
        if start < end:
            yield Sent(path, start - low, end - low, _section_at(prompt, start), span.source, start)


def _section_at(prompt: Prompt, index: int) -> str | None:
    block, at = prompt.placed[bisect_right(prompt.placed, index, key=lambda placed: placed[1]) - 1]
    return block.name if at <= index < at + len(block.text) else None


def _sections(prompt: Prompt, path: str, at: int) -> Iterator[Sent]:
    join = Source("recipe", name=prompt.recipe.name)
    for index, block in enumerate(prompt.messages):
        if index:
            yield Sent(path, at, at + len(JOIN), None, join, None)
            at += len(JOIN)
        yield from _block(prompt, block, path, at)
        at += len(block.text)


def _block(prompt: Prompt, block: Block, path: str, at: int) -> Iterator[Sent]:
    for span in block.spans:
        yield Sent(path, at + span.start, at + span.end, block.name, prompt.resolved(span.source), None)
