"""Change: a hook's edit of one prompt. The prompt that it was made from stays as it is."""

from typing import Annotated, Any, Literal

from msgspec.structs import replace

from ..errors import RecipeError, SealedError, find_similar
from ..model.prompt.block import Block, Omission
from ..model.prompt.prompt import Prompt
from ..model.recipe.body import Part
from ..model.recipe.section import Section, record_reads
from ..model.source import Source
from ..model.struct import Frozen, note
from .render_body import BodyRenderer
from .sanitize.forbidden_frames import prompt_guard

Operation = Literal["append", "prepend", "replace", "message"]


class Change(Frozen, frozen=True):
    """One edit: of the prompt, or a message beside it."""

    op: Operation
    text: str
    block: Annotated[str | None, note("replace: the section; none: the whole prompt")] = None
    shown: Annotated[bool, note("message: whether it is shown to people; the model always gets it")] = True
    name: Annotated[str | None, note("message: its kind; none: the hook's name")] = None
    details: Annotated[Any, note("message: for display, never sent")] = None

    @staticmethod
    def append(text: str) -> "Change":
        """Add a block at the end."""
        return Change("append", text)

    @staticmethod
    def prepend(text: str) -> "Change":
        """Add a block at the beginning."""
        return Change("prepend", text)

    @staticmethod
    def replace(text: str, block: str | None = None) -> "Change":
        """Replace a block, or the whole prompt, with `text`; an empty text removes it."""
        return Change("replace", text, block)

    @staticmethod
    def message(text: str, *, shown: bool = True) -> "Change":
        """Add a message after the user's; the prompt stays as it is."""
        return Change("message", text, shown=shown)


def apply_change(prompt: Prompt, change: Change, hook: str) -> Prompt:
    """The prompt with one change, whose characters belong to the hook. A sealed recipe refuses."""
    if change.op == "message":
        return prompt
    if prompt.recipe.sealed:
        raise SealedError(
            f"Recipe {prompt.recipe.name!r} is sealed: hook {hook!r} may not {change.op} in its prompt.",
            hint="Return Change.message(…), or use a recipe that is not sealed.",
        )
    if change.op == "replace":
        return _replace_section(prompt, change, hook)
    if not change.text.strip():
        return prompt
    # It is next to sections of other authors, so it may not write their frames.
    block = _hook_block(prompt, _add_section(prompt, hook), change.text, hook, trusted=False)
    results = (*prompt.results, block) if change.op == "append" else (block, *prompt.results)
    return _edit_prompt(prompt, results, f"{hook}: {change.op}")


def _replace_section(prompt: Prompt, change: Change, hook: str) -> Prompt:
    """Change a prompt by `Change.replace`: a hook's text takes the place of a block, or of everything."""
    if change.block is None:
        reason = f"hook {hook!r} replaced the whole prompt"
        outcomes = [r if r.section.place == "user" else Omission(r.section, reason) for r in prompt.results]
        edited = replace(prompt, results=tuple(outcomes))
        results = (
            (*outcomes, _hook_block(prompt, _add_section(edited, hook), change.text, hook))
            if change.text.strip()
            else tuple(outcomes)
        )
        return _edit_prompt(prompt, results, f"{hook}: replace the whole")
    names = [result.name for result in prompt.results]
    if change.block not in names:
        raise RecipeError(
            f"Hook {hook!r} replaces {change.block!r}, which recipe {prompt.recipe.name!r} does not have.",
            tip=find_similar(change.block, names),
            hint=f"Blocks: {', '.join(names)}.",
        )
    at = names.index(change.block)
    section = prompt.results[at].section
    block: Block | Omission = Omission(section, f"hook {hook!r} removed it")
    if change.text.strip():
        block = _hook_block(prompt, section, change.text, hook)
    results = (*prompt.results[:at], block, *prompt.results[at + 1 :])
    return _edit_prompt(prompt, results, f"{hook}: replace {change.block}")


def _edit_prompt(prompt: Prompt, results: tuple[Block | Omission, ...], what: str) -> Prompt:
    """The changed prompt, with a record of what the hook did."""
    return replace(prompt, results=results, edits=(*prompt.edits, what))


def _hook_block(prompt: Prompt, section: Section, text: str, hook: str, *, trusted: bool = True) -> Block | Omission:
    # The replacement of a section has no frame, even when it is rendered again to be cut.
    bare = replace(section, frame=None) if section.frame else section
    renderer = BodyRenderer(prompt.recipe, bare, prompt.state.origins, prompt_guard(prompt))
    renderer.render_framed(Part(text.strip(), Source("hook", name=hook), trusted=trusted))
    return renderer.result()


def _add_section(prompt: Prompt, hook: str) -> Section:
    """A section for the text of a hook, under an unused name."""
    names = {result.name for result in prompt.results}
    name = next(n for i in range(1, len(names) + 2) if (n := f"hook:{hook}" + (f":{i}" if i > 1 else "")) not in names)
    body = record_reads(lambda: None, (), "What a hook added to this one prompt.")
    return Section(name, body, pace="turn", priority=100)
