"""Two prompts -> what differs: by block, the first differing character, and the inputs that caused it."""

from collections.abc import Sequence
from typing import Annotated, Literal

from ..known_models.cache_rules import common_prefix
from ..model.prompt.prompt import Prompt
from ..model.prompt.saved import SavedBlock, SavedPrompt
from ..model.struct import Frozen, note

Change = Literal["same", "changed", "added", "removed", "told"]
"""told: the prompt stays as it was sent, and a message says what takes the section's place."""


class BlockDiff(Frozen, frozen=True, omit_defaults=False):
    """What became of one block."""

    name: str
    change: Change
    because: Annotated[tuple[str, ...], note("the fields of State that it reads and that changed")] = ()
    first: Annotated[int | None, note("first differing character, from the block's start")] = None
    before: Annotated[str | None, note("its text before")] = None
    after: Annotated[str | None, note("its text after")] = None
    why: Annotated[str, note("of a section that is told: why it was not rewritten")] = ""


class Patch(Frozen, frozen=True, omit_defaults=False):
    """The difference of two prompts, as data."""

    first: Annotated[int | None, note("first differing character of the whole; none: the same text")]
    recipes: tuple[str, str]
    inputs: Annotated[tuple[str, ...], note("all fields of State that changed")]
    blocks: tuple[BlockDiff, ...]

    @property
    def same(self) -> bool:
        """The two texts are equal."""
        return self.first is None

    @property
    def changed(self) -> tuple[BlockDiff, ...]:
        """The blocks that are not the same."""
        return tuple(block for block in self.blocks if block.change != "same")


def diff(before: Prompt | SavedPrompt, after: Prompt | SavedPrompt) -> Patch:
    """Compare two prompts, live or saved."""
    old = before.saved if isinstance(before, Prompt) else before
    new = after.saved if isinstance(after, Prompt) else after
    inputs = tuple(name for name in sorted({*old.inputs, *new.inputs}) if old.inputs.get(name) != new.inputs.get(name))
    names = dict.fromkeys((*_in_order(old.blocks, new.blocks), *(held.name for held in new.held)))
    sides = Side(old), Side(new)
    blocks = tuple(_block(name, *sides, inputs) for name in names)
    return Patch(first_difference(old.text, new.text), (old.recipe, new.recipe), inputs, blocks)


def _in_order(old: Sequence[SavedBlock], new: Sequence[SavedBlock]) -> list[str]:
    """All names in the new order, a removed one after its old neighbour."""
    names = {block.name for block in new}
    gone: dict[str | None, list[str]] = {}
    neighbour = None
    for block in old:
        if block.name in names:
            neighbour = block.name
        else:
            gone.setdefault(neighbour, []).append(block.name)
    kept = dict.fromkeys([None, *(block.name for block in new)])
    return [each for name in kept for each in ([name] if name is not None else []) + gone.get(name, [])]


class Side:
    """One of the two prompts, by name: one that was edited by hand may have any number of blocks."""

    def __init__(self, prompt: SavedPrompt) -> None:
        self.prompt = prompt
        self.blocks = {block.name: block for block in reversed(prompt.blocks)}
        self.held = {held.name: held for held in reversed(prompt.held)}
        self.told = frozenset(prompt.held)

    def text(self, name: str) -> str | None:
        """What the prompt says in that block."""
        block = self.blocks.get(name)
        return None if block is None else self.prompt.text[block.start : block.end]


def _block(name: str, old: Side, new: Side, inputs: tuple[str, ...]) -> BlockDiff:
    was, now = old.blocks.get(name), new.blocks.get(name)
    before, after = old.text(name), new.text(name)
    told = new.held.get(name)
    if told is not None and told not in old.told:
        # What counted before: the last message on that section, or else the prompt.
        before = old.held[name].text if name in old.held else before
        first = first_difference(before or "", told.text or "")
        return BlockDiff(name, "told", told.because, first, before, told.text, told.why)
    if before == after:
        return BlockDiff(name, "same")
    change: Change = "added" if was is None else "removed" if now is None else "changed"
    reads = {*(was.reads if was else ()), *(now.reads if now else ())}
    because = tuple(field for field in inputs if field in reads)
    if not because and old.prompt.recipe != new.prompt.recipe:
        because = ("the recipe",)
    return BlockDiff(name, change, because, first_difference(before or "", after or ""), before, after)


def first_difference(old: str, new: str) -> int | None:
    """The first character at which two texts differ, or None."""
    return None if old == new else common_prefix(old, new)
