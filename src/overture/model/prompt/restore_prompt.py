"""Restores a prompt from its saved form."""

from itertools import pairwise

from msgspec.structs import replace

from ...errors import StateError
from ..recipe.recipe import Recipe
from ..recipe.section import Pace, Section, SectionPlace, record_reads
from ..safe_text import trust_saved_text
from ..source import Source
from ..state.state import FIELDS, State
from .block import Block, Omission
from .prompt import Prompt
from .saved_prompt import SavedBlock, SavedPrompt


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
    """A block of a saved prompt."""
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
