"""The JSON form of a prompt, as data: what `build --format json` writes and `diff` reads back."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ...errors import StateError
from ..diagnostic import Diagnostic
from ..recipe.recipe import Recipe
from ..recipe.section import Pace, Section, SectionPlace, record_reads
from ..safe_text import trust_saved_text
from ..source import Source, Tier
from ..state.state import FIELDS, State
from ..struct import note
from .block import Block, Omission
from .prompt import Prompt


class SavedStruct(Struct, frozen=True):
    """Data that is always written in full. Keys of later versions are ignored."""


class Tokens(SavedStruct, frozen=True):
    """A number of tokens, and how they were counted."""

    total: int
    tokenizer: Annotated[str, note("its name, e.g. o200k")]
    exact: Annotated[bool, note("false: the number is an estimate")]


class SavedPart(SavedStruct, frozen=True):
    """A run of characters that have the same source."""

    start: Annotated[int, note("position of its first character in `text`")]
    end: Annotated[int, note("position after its last character")]
    tokens: int
    source: Annotated[Source, note("where the characters came from")]
    tier: Annotated[Tier | None, note("who supplied it")] = None
    cut: Annotated[str | None, note("how it was shortened")] = None


class SavedBlock(SavedStruct, frozen=True):
    """The text of one section. Its parts follow each other without gaps."""

    name: Annotated[str, note("name of the section")]
    start: Annotated[int, note("position of its first character in `text`")]
    end: Annotated[int, note("position after its last character")]
    pace: Annotated[Pace, note("how often it may change: never, between sessions, or every turn")]
    tokens: int
    reads: Annotated[tuple[str, ...], note("the fields of State that it reads")]
    parts: tuple[SavedPart, ...]


class SavedMessage(SavedStruct, frozen=True):
    """A section that goes into the user's message instead of the system prompt."""

    name: Annotated[str, note("name of the section")]
    text: str


class SavedOmission(SavedStruct, frozen=True):
    """A section that was skipped, or rendered only in part."""

    name: Annotated[str, note("name of the section")]
    reason: str


class SavedCut(SavedStruct, frozen=True):
    """A part that was shortened or dropped, by the recipe's own limit or to fit a budget."""

    block: Annotated[str, note("name of the section")]
    part: Annotated[str, note("name of the part, e.g. of a skill or a file; empty: the whole section")]
    from_tokens: Annotated[int, note("tokens before")]
    to_tokens: Annotated[int, note("tokens after")]
    how: Annotated[str, note("what was done, e.g. shortened or dropped")]


class SavedPrompt(SavedStruct, frozen=True):
    """A prompt with its sources, cuts and problems. Positions count Unicode code points."""

    recipe: Annotated[str, note("name of the recipe")]
    text: Annotated[str, note("the system prompt")]
    fingerprint: Annotated[str, note("SHA-256 digest of `text`")]
    chars: Annotated[int, note("characters of `text`")]
    tokens: Annotated[Tokens, note("tokens of `text`")]
    blocks: Annotated[tuple[SavedBlock, ...], note("the sections of the system prompt, in order")]
    messages: Annotated[tuple[SavedMessage, ...], note("the sections of the user's message")] = ()
    omitted: Annotated[tuple[SavedOmission, ...], note("skipped sections, with reasons")] = ()
    cuts: Annotated[tuple[SavedCut, ...], note("what was shortened or dropped")] = ()
    diagnostics: Annotated[tuple[Diagnostic, ...], note("problems in files, tools and sections")] = ()
    inputs: Annotated[dict[str, str], note("a digest of each field of the State")] = {}
    edits: Annotated[tuple[str, ...], note("edits by hooks after it was built")] = ()


def digest_fields(state: State) -> dict[str, str]:
    """A digest of each field, which shows where two states differ."""
    return {name: _compute_value_digest(getattr(state, name)) for name in FIELDS if name != "origins"}


def _compute_value_digest(value: object) -> str:
    import hashlib

    try:
        return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()[:16]
    except UnicodeEncodeError:  # half a surrogate pair, which `repr` escapes
        return hashlib.sha256(repr(value).encode()).hexdigest()[:16]
    except (TypeError, ValueError, RecursionError):  # a caller in Python may set values that are not JSON
        return "not JSON"


def restore_prompt(saved: SavedPrompt) -> Prompt:
    """The prompt, with its blocks, sources and reasons. Its state, and so its tools, are not saved."""
    partial: dict[str, list[str]] = {}
    for omission in saved.omitted:
        partial.setdefault(omission.name, []).append(omission.reason)
    blocks = [_restore_block(block, saved.text, tuple(partial.pop(block.name, ()))) for block in saved.blocks]
    own = Source("recipe", name=saved.recipe)
    omissions = [
        Block(_restore_section(each.name, place="user"), (trust_saved_text(each.text),), (own,))
        for each in saved.messages
    ]
    silent = [Omission(_restore_section(name), "; ".join(reasons)) for name, reasons in partial.items()]
    results: tuple[Block | Omission, ...] = (*blocks, *omissions, *silent)
    recipe = Recipe(saved.recipe, tuple(result.section for result in results))
    prompt = Prompt(recipe, State(), results, saved.diagnostics, edits=saved.edits)
    if prompt.text != saved.text:
        raise StateError("its blocks do not add up to its text; save it again with `overture build --format json`.")
    return prompt


def _restore_block(block: SavedBlock, text: str, omits: tuple[str, ...]) -> Block:
    parts = block.parts
    if any(a.end != b.start for a, b in pairwise(parts)):
        raise StateError(f"the parts of block {block.name!r} are not contiguous.")
    texts = tuple(trust_saved_text(text[part.start : part.end]) for part in parts)
    section = _restore_section(block.name, block.pace, tuple(name for name in block.reads if name in FIELDS))
    return Block(section, texts, tuple(replace(part.source, tier=part.tier) for part in parts), omits=omits)


def _restore_section(
    name: str, pace: Pace = "session", reads: tuple[str, ...] = (), place: SectionPlace = "system"
) -> Section:
    # The body renders nothing: the block has its text already.
    return Section(name, record_reads(lambda *_: None, reads), pace, place=place)
