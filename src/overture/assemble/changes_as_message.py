"""The difference of two prompts as data, and as a message that can be appended instead of a new prompt."""

from collections.abc import Iterable

from ..model.diagnostic import Diagnostic, warning
from ..model.message import Held
from ..model.prompt.block import Block
from ..model.prompt.prompt import Prompt
from ..text.invisible import escape_to_line
from .sanitize.guard import UPDATE_TAG, UPDATED_TAG, make_guard, show_secrets
from .sanitize.sanitize import sanitize
from .share_equal_values import changed_fields

UPDATE_GUARD = show_secrets(make_guard(frozenset((UPDATE_TAG, UPDATED_TAG))))
"""Sections came through the gate: a secret that is still there is meant to be."""
LEAD = (
    "The system prompt has changed since it was sent. Each section below takes the place of the section of that name, "
    "or joins the others if there was none; one that is withdrawn no longer counts."
)


def changed_sections(before: Prompt, after: Prompt) -> tuple[Held, ...]:
    """The sections of which `after` says something else than `before`; one that is gone has no text."""
    old, new = _index_blocks(before), _index_blocks(after)
    fields = changed_fields(before.state, after.state)
    found = []
    for name in dict.fromkeys([*new, *old]):
        was, now = old.get(name), new.get(name)
        if was is now or (was is not None and now is not None and was.text == now.text):
            continue
        reads = (now or was or new[name]).reads
        found.append(Held(name, None if now is None else now.text, tuple(sorted(fields.intersection(reads)))))
    return tuple(found)


def _index_blocks(prompt: Prompt) -> dict[str, Block]:
    return {block.name: block for block in prompt.blocks}


def write_update(changes: Iterable[Held]) -> str:
    """The changes in words for the model. No text of a section can end its own element."""
    return "\n".join([f"<{UPDATE_TAG}>", LEAD, *map(_render_update_element, changes), f"</{UPDATE_TAG}>"])


def report_update(changes: Iterable[Held]) -> tuple[Diagnostic, ...]:
    """What is done to the sections' texts in that message."""
    return tuple(
        warning(one.code, f"the message about section {change.name!r:.80}, line {one.line}: {one.message}")
        for change in changes
        for one in sanitize(change.text or "", UPDATE_GUARD)[1]
    )


def _render_update_element(change: Held) -> str:
    name = escape_to_line(change.name).replace('"', "&quot;")
    if change.text is None:
        return f'<updated-section name="{name}" change="withdrawn"/>'
    text = sanitize(change.text, UPDATE_GUARD)[0]
    return f'<updated-section name="{name}" change="replaced">\n{text}\n</updated-section>'
