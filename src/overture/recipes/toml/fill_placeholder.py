"""What `{{ name }}` in a recipe's text stands for: the value of a field, a menu of skills, project files."""

from collections.abc import Callable
from typing import Any

import msgspec

from ...errors import StateError, suggest
from ...model.recipe.body import Group, Part
from ...model.source import from_state
from ...model.state.state_fields import MISSING, look_up_path
from ...sections.skill_menu import listed_skills, write_menu, write_skill_line

AUTHORS_OWN = ("agent.system_prompt", "agent.identity", "agent.instructions", "overrides.system", "overrides.append")
"""What the agent's own author gives is left as it is."""


def fill_placeholder(state: dict[str, Any], name: str, where: str) -> Part | Group:
    """What a placeholder stands for."""
    value = value_at(state, name)
    if value is MISSING:
        raise StateError(
            f"{where} fills in {{{{ {name} }}}}, which the state does not have.{suggest_near_key(state, name)} "
            f'Set it, or write when = {{ field = "{name}" }}.'
        )
    write = GROUP_WRITERS.get(name)
    return write(value) if write else _make_value_part(name, value)


def _write_files(files: Any) -> Group:
    from ...sections.project import files_under_headings  # agents' own recipes have no use for it

    return files_under_headings(files, "##")


GROUP_WRITERS: dict[str, Callable[[Any], Group]] = {
    "skills": lambda skills: write_menu(listed_skills(skills), write_skill_line),
    "context_files": _write_files,
}
"""Fields that are written as a prompt has them: a menu, or files under their paths."""


FACTS = ("runtime", "user", "session", "channel", "now")
ON_ONE_LINE = ("agent.name", "agent.emoji", "agent.creature", "agent.vibe", "task.id", "task.title", "task.status")
"""Names, places and facts: filled into a sentence they can't begin a line of their own."""


def _make_value_part(name: str, value: Any) -> Part:
    single = isinstance(value, str) and (name in ON_ONE_LINE or name.partition(".")[0] in FACTS)
    return Part(write_in_words(value), from_state(name), trusted=name in AUTHORS_OWN, single=single)


def suggest_near_key(state: dict[str, Any], path: str) -> str:
    """The nearest key beside the one that is missing, where it stands in free-form data."""
    root, *steps = path.split(".")
    here, found = state[root], ""
    for step in steps:
        found = suggest(step, map(str, here)) if isinstance(here, dict) and step not in here else found
        here = look_up_path(here, [step])
        if here is MISSING:
            break
    return found


def value_at(state: dict[str, Any], path: str) -> Any:
    """What a path leads to."""
    root, *steps = path.split(".")
    return look_up_path(state[root], steps)


def write_in_words(value: Any) -> str:
    """A text as it is, a list of texts as bullets, anything else as JSON with sorted keys."""
    if isinstance(value, str):
        return value
    if isinstance(value, tuple | list) and all(isinstance(item, str) for item in value):
        return "\n".join(f"- {item}" for item in value)
    return msgspec.json.encode(value, order="sorted").decode().strip('"')
