"""Two prompts differ by block, first character and lines; each difference has the inputs that caused it."""

from collections.abc import Sequence
from typing import Annotated, Literal

from ..model.prompt.prompt import Prompt
from ..model.prompt.saved_prompt import SavedBlock, SavedPrompt
from ..model.struct import Frozen, note
from ..text.normalize import first_difference

BlockChange = Literal["same", "changed", "added", "removed"]
"""told: the prompt stays as it was sent, and a message has the new text of the section."""


class BlockDiff(Frozen, frozen=True, omit_defaults=False):
    """The change of one block."""

    name: str
    change: BlockChange
    because: Annotated[tuple[str, ...], note("the fields of State that it reads and that changed")] = ()
    first: Annotated[int | None, note("first differing character, from the block's start")] = None
    before: Annotated[str | None, note("its text before")] = None
    after: Annotated[str | None, note("its text after")] = None
    why: Annotated[str, note("for a section announced in a message: why it was not rewritten")] = ""


class Patch(Frozen, frozen=True, omit_defaults=False):
    """The result of `diff`: the inputs and blocks that differ."""

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
    """Compare two prompts, built or saved: which sections changed, and because of which inputs.

    ```python
    import overture

    before = overture.build("opal", {"runtime": {"cwd": "/p"}})
    after = overture.build("opal", {"runtime": {"cwd": "/q"}})
    patch = overture.diff(before, after)
    print(patch.inputs, [block.name for block in patch.changed])
    ```
    """
    old = before.saved if isinstance(before, Prompt) else before
    new = after.saved if isinstance(after, Prompt) else after
    inputs = tuple(name for name in sorted({*old.inputs, *new.inputs}) if old.inputs.get(name) != new.inputs.get(name))
    names = _order_block_names(old.blocks, new.blocks)
    sides = PromptSide(old), PromptSide(new)
    blocks = tuple(_diff_block(name, *sides, inputs) for name in names)
    return Patch(first_difference(old.text, new.text), (old.recipe, new.recipe), inputs, blocks)


def _order_block_names(old: Sequence[SavedBlock], new: Sequence[SavedBlock]) -> list[str]:
    """All names in the new order, a removed one after its old neighbour."""
    names = {block.name for block in new}
    removed: dict[str | None, list[str]] = {}
    neighbour = None
    for block in old:
        if block.name in names:
            neighbour = block.name
        else:
            removed.setdefault(neighbour, []).append(block.name)
    positions = dict.fromkeys([None, *(block.name for block in new)])
    return [each for name in positions for each in ([name] if name is not None else []) + removed.get(name, [])]


class PromptSide:
    """One of the two prompts, indexed by block name: a prompt edited by hand may have any number of blocks."""

    def __init__(self, prompt: SavedPrompt) -> None:
        """Index one of the two prompts to compare."""
        self.prompt = prompt
        self.blocks = {block.name: block for block in reversed(prompt.blocks)}

    def text(self, name: str) -> str | None:
        """The text of a block in one of the two prompts."""
        block = self.blocks.get(name)
        return None if block is None else self.prompt.text[block.start : block.end]


def _diff_block(name: str, old: PromptSide, new: PromptSide, inputs: tuple[str, ...]) -> BlockDiff:
    """How a block differs between the two prompts, and by which inputs."""
    was, now = old.blocks.get(name), new.blocks.get(name)
    before, after = old.text(name), new.text(name)
    if before == after:
        return BlockDiff(name, "same")
    change: BlockChange = "added" if was is None else "removed" if now is None else "changed"
    reads = {*(was.reads if was else ()), *(now.reads if now else ())}
    because = tuple(field for field in inputs if field in reads)
    if not because and old.prompt.recipe != new.prompt.recipe:
        because = ("the recipe",)
    return BlockDiff(name, change, because, first_difference(before or "", after or ""), before, after)
