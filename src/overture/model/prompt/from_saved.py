"""A saved prompt -> a Prompt again, made of what was written down and of nothing else."""

from collections.abc import Callable
from itertools import pairwise

from msgspec.structs import replace

from ...errors import StateError
from ..admitted import sent_before
from ..recipe.body import Body
from ..recipe.recipe import Recipe
from ..recipe.section import Pace, Place, Section
from ..source import Source
from ..state.state import FIELDS, State
from .block import Block
from .cuts_and_omissions import Omission
from .prompt import Prompt
from .saved import SavedBlock, SavedPrompt


def from_saved(saved: SavedPrompt) -> Prompt:
    """The prompt, with its blocks, sources and reasons. Its state, and so its tools, nobody wrote down."""
    partial: dict[str, list[str]] = {}
    for left_out in saved.omitted:
        partial.setdefault(left_out.name, []).append(left_out.reason)
    blocks = [_block(block, saved.text, tuple(partial.pop(block.name, ()))) for block in saved.blocks]
    own = Source("recipe", name=saved.recipe)
    said = [Block(_section(each.name, place="user"), (sent_before(each.text),), (own,)) for each in saved.messages]
    silent = [Omission(_section(name), "; ".join(reasons)) for name, reasons in partial.items()]
    results: tuple[Block | Omission, ...] = (*blocks, *said, *silent)
    recipe = Recipe(saved.recipe, tuple(result.section for result in results))
    prompt = Prompt(recipe, State(), results, saved.diagnostics, edits=saved.edits, held=saved.held)
    if prompt.text != saved.text:
        raise StateError("its blocks do not make up its text; save it anew with `overture build --format json`.")
    return prompt


def _block(block: SavedBlock, text: str, omits: tuple[str, ...]) -> Block:
    parts = block.parts
    if any(a.end != b.start for a, b in pairwise(parts)):
        raise StateError(f"the parts of block {block.name!r} do not lie side by side.")
    texts = tuple(sent_before(text[part.start : part.end]) for part in parts)
    section = _section(block.name, block.pace, tuple(name for name in block.reads if name in FIELDS))
    return Block(section, texts, tuple(replace(part.source, tier=part.tier) for part in parts), omits=omits)


def _section(name: str, pace: Pace = "session", reads: tuple[str, ...] = (), place: Place = "system") -> Section:
    return Section(name, _silent(reads), pace, place=place)


def _silent(reads: tuple[str, ...]) -> Callable[..., Body]:
    """A body that says nothing more: the block has its text already."""

    def say(*_: object) -> Body:
        return None

    say.reads = reads  # type: ignore[attr-defined]
    return say
