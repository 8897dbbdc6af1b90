"""Decides whether a changed section rewrites the system prompt or is announced in a message, and writes it."""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple, get_args

from msgspec.structs import replace

from ...assemble.sanitize.forbidden_frames import UPDATE_TAG, UPDATED_TAG, make_guard
from ...assemble.sanitize.sanitize import sanitize
from ...errors import SessionError, find_similar, show_value
from ...model.diagnostic import Diagnostic, warning
from ...model.message import SectionUpdate
from ...model.prompt.block import Block
from ...model.prompt.prompt import Prompt
from ...model.recipe.recipe import Recipe
from ...model.recipe.section import Pace, Section
from ...model.state.state import State, changed_fields
from ...text.invisible import escape_to_line

UPDATE_GUARD = make_guard(frozenset((UPDATE_TAG, UPDATED_TAG)))._replace(shows=True)
"""For the author's own text, which no recipe changes. A secret that is still in a section is there on purpose."""
UPDATE_INTRO = (
    "The system prompt has changed since it was sent. Each section below takes the place of the section of that name, "
    "or joins the others if there was none; one that is withdrawn no longer counts."
)
Mode = Literal["rewrite", "append"]
OnChange = Mode | Mapping[str, Mode]
PACES: tuple[str, ...] = get_args(Pace)


def find_changed_sections(before: Prompt, after: Prompt) -> tuple[SectionUpdate, ...]:
    """The sections whose text differs between `before` and `after`; a removed one has no text."""
    old, new = _index_blocks(before), _index_blocks(after)
    fields = changed_fields(before.fields, after.fields)
    changes = []
    for name in dict.fromkeys([*new, *old]):
        was, now = old.get(name), new.get(name)
        if was is now or (was is not None and now is not None and was.text == now.text):
            continue
        reads = (now or was or new[name]).reads
        changes.append(
            SectionUpdate(name, None if now is None else now.text, tuple(sorted(fields.intersection(reads))))
        )
    return tuple(changes)


def _index_blocks(prompt: Prompt) -> dict[str, Block]:
    """The blocks of a prompt, by the names of their sections."""
    return {block.name: block for block in prompt.blocks}


def write_update(changes: Iterable[SectionUpdate]) -> str:
    """The message that announces changes to the model. The text of a section can't end its element."""
    return "\n".join([f"<{UPDATE_TAG}>", UPDATE_INTRO, *map(_render_update_element, changes), f"</{UPDATE_TAG}>"])


def report_update(changes: Iterable[SectionUpdate]) -> tuple[Diagnostic, ...]:
    """The diagnostics of the sections' sanitized texts in that message."""
    return tuple(
        warning(one.code, f"the message about section {change.name!r:.80}, line {one.line}: {one.message}")
        for change in changes
        for one in sanitize(change.text or "", UPDATE_GUARD)[1]
    )


def _render_update_element(change: SectionUpdate) -> str:
    """A changed section as an element of the message that announces it."""
    name = escape_to_line(change.name).replace('"', "&quot;")
    if change.text is None:
        return f'<updated-section name="{name}" change="withdrawn"/>'
    text = sanitize(change.text, UPDATE_GUARD)[0]
    return f'<updated-section name="{name}" change="replaced">\n{text}\n</updated-section>'


class SectionMode(NamedTuple):
    """How changes of one section are sent, and which setting decides it."""

    mode: Mode
    why: str


def choose_modes(on_change: OnChange, recipe: Recipe) -> dict[str, SectionMode]:
    """The mode of each section: its own, or else that of its pace. Empty if every section is rewritten."""
    if not isinstance(on_change, str | Mapping):
        raise SessionError(
            f"on_change is {show_value(on_change)}.",
            hint="Pass 'rewrite', 'append', or one of them by pace or section.",
        )
    known = [*PACES, *(section.name for section in recipe.sections)]
    chosen_modes: Mapping[str, Mode] = dict.fromkeys(PACES, on_change) if isinstance(on_change, str) else on_change
    for key, mode in chosen_modes.items():
        if key not in known:
            raise SessionError(
                f"on_change names {key!r}, which is neither a pace nor a section of {recipe.name!r}.",
                tip=find_similar(key, known),
                hint=f"Pass one of {', '.join(known)}.",
            )
        if mode not in get_args(Mode):
            raise SessionError(f"on_change of {key!r} is {mode!r}.", hint="Pass 'rewrite' or 'append'.")
    modes = {section.name: _choose_mode(section, chosen_modes) for section in recipe.sections}
    return modes if any(choice.mode == "append" for choice in modes.values()) else {}


def _choose_mode(section: Section, modes: Mapping[str, Mode]) -> SectionMode:
    """The mode of one section; by default a change is in the next prompt, as in the five systems."""
    if section.name in modes:
        return SectionMode(modes[section.name], f"on_change of {section.name} is {modes[section.name]}")
    mode = modes.get(section.pace, "rewrite")
    return SectionMode(mode, f"on_change is {mode} for sections of pace {section.pace}")


class Delta(NamedTuple):
    """The prompt that was sent, the prompt that was built last, and the changes announced between them."""

    sent: Prompt
    built: Prompt
    updates: tuple[SectionUpdate, ...] = ()
    """The last announced change of each section."""
    base_state: State | None = None
    """The state from which the unchanged blocks of `sent` were built."""

    def step(self, prompt: Prompt, modes: Mapping[str, SectionMode]) -> "tuple[Delta, tuple[SectionUpdate, ...]]":
        """The next delta for a newly built prompt, and the updates for a message."""
        if prompt is self.built:
            return self, ()
        if not modes:
            return Delta(prompt, prompt), ()
        new = tuple(
            SectionUpdate(section.name, section.text, section.because, modes[section.name].why)
            for section in find_changed_sections(self.built, prompt)
            if modes[section.name].mode == "append"
        )
        updates = tuple({section.name: section for section in (*self.updates, *new)}.values())
        base_state = self.base_state or self.sent.state
        return Delta(_mix_prompts(self.sent, prompt, modes, updates), prompt, updates, base_state), new

    def resume(self, built: Prompt, modes: Mapping[str, SectionMode]) -> "Delta":
        """The delta after both prompts were rebuilt from a save."""
        return Delta(_mix_prompts(self.sent, built, modes, self.updates), built, self.updates, self.sent.state)


def _mix_prompts(
    sent: Prompt, built: Prompt, modes: Mapping[str, SectionMode], updates: tuple[SectionUpdate, ...]
) -> Prompt:
    """The sent prompt, with new blocks for sections that are rewritten or placed in the user's message."""
    results = tuple(
        new if new.section.place == "user" or modes[new.name].mode == "rewrite" else old
        for old, new in zip(sent.results, built.results, strict=True)
    )
    return replace(built, results=results, held=updates)
