"""The JSON form of a prompt, as data: what `build --format json` writes and `diff` reads back."""

from typing import Annotated

import msgspec
from msgspec import Struct

from ..diagnostic import Diagnostic
from ..message import Held
from ..recipe.section import Pace
from ..source import Source, Tier
from ..state.state import FIELDS, State
from ..struct import note


class SavedStruct(Struct, frozen=True):
    """Data that is always written in full. Keys of later versions are passed over."""


class Tokens(SavedStruct, frozen=True):
    """How many tokens, by which count."""

    total: int
    tokenizer: str
    exact: bool


class SavedPart(SavedStruct, frozen=True):
    """Characters of one source."""

    start: int
    end: int
    tokens: int
    source: Source
    tier: Annotated[Tier | None, note("who supplied it")] = None
    cut: Annotated[str | None, note("how it was shortened")] = None


class SavedBlock(SavedStruct, frozen=True):
    """What one section said. Its parts lie side by side and cover it."""

    name: str
    start: int
    end: int
    pace: Pace
    tokens: int
    reads: tuple[str, ...]
    parts: tuple[SavedPart, ...]


class SavedMessage(SavedStruct, frozen=True):
    """What goes into the user's message."""

    name: str
    text: str


class SavedOmission(SavedStruct, frozen=True):
    """A section that was skipped."""

    name: str
    reason: str


class SavedCut(SavedStruct, frozen=True):
    """A part that was shortened or dropped to meet a budget."""

    block: str
    part: str
    from_tokens: int
    to_tokens: int
    how: str


class SavedPrompt(SavedStruct, frozen=True):
    """A prompt with everything that is known about it. Positions count code points."""

    recipe: str
    text: str
    fingerprint: str
    chars: int
    tokens: Tokens
    blocks: tuple[SavedBlock, ...]
    messages: tuple[SavedMessage, ...] = ()
    omitted: tuple[SavedOmission, ...] = ()
    cuts: tuple[SavedCut, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    inputs: Annotated[dict[str, str], note("a digest of each field of the State")] = {}
    edits: Annotated[tuple[str, ...], note("what hooks did to it after it was built")] = ()
    held: Annotated[tuple[Held, ...], note("sections whose newer text is sent in a message")] = ()


def digest_fields(state: State) -> dict[str, str]:
    """A digest of each field, by which two states can be told apart."""
    return {name: _digest_value(getattr(state, name)) for name in FIELDS if name != "origins"}


def _digest_value(value: object) -> str:
    import hashlib

    try:
        return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()[:16]
    except (TypeError, ValueError, RecursionError):  # what a caller in Python gave is not JSON
        return "not JSON"
