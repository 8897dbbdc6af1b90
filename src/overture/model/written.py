"""Prompt -> its JSON form, as data."""

import hashlib
from typing import TYPE_CHECKING

import msgspec

from .block import Block
from .saved import SavedBlock, SavedCut, SavedMessage, SavedOmission, SavedPart, SavedPrompt, Tokens
from .state import FIELDS, State

if TYPE_CHECKING:
    from .prompt import Prompt


def written(prompt: "Prompt") -> SavedPrompt:
    """All that is known about a prompt, written down."""
    starts = (at for _, at in prompt.placed)
    return SavedPrompt(
        recipe=prompt.recipe.name,
        text=prompt.text,
        fingerprint=prompt.fingerprint,
        chars=len(prompt.text),
        tokens=Tokens(prompt.tokens, prompt.counter.name, exact=prompt.counter.exact),
        blocks=tuple(_block(prompt, *row) for row in zip(prompt.blocks, starts, prompt.block_tokens, strict=True)),
        messages=tuple(SavedMessage(m.name, m.text) for m in prompt.messages),
        omitted=tuple(SavedOmission(o.name, o.reason) for o in prompt.omitted),
        cuts=tuple(SavedCut(c.block, c.part, c.from_tokens, c.to_tokens, c.how) for c in prompt.cuts),
        diagnostics=prompt.diagnostics,
        inputs=prompt.inputs,
        edits=prompt.edits,
        held=prompt.held,
    )


def _block(prompt: "Prompt", block: Block, at: int, tokens: int) -> SavedBlock:
    cut = {c.source: c.how for c in prompt.cuts if c.block == block.name and c.source is not None}
    parts = tuple(
        SavedPart(at + s.start, at + s.end, count, prompt.resolved(s.source), cut.get(s.source))
        for s, count in zip(block.spans, block.span_tokens(prompt.counter, tokens), strict=True)
    )
    return SavedBlock(block.name, at, at + len(block.text), block.pace, tokens, block.reads, parts)


def digests(state: State) -> dict[str, str]:
    """A digest of each field, by which two states can be told apart."""
    return {name: _digest(getattr(state, name)) for name in FIELDS if name != "origins"}


def _digest(value: object) -> str:
    try:
        return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()[:16]
    except (TypeError, ValueError, RecursionError):  # what a caller in Python gave is not JSON
        return "not JSON"
