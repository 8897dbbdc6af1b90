"""Reports fields of the State that a caller sets and no section of the recipe reads."""

from collections.abc import Mapping
from typing import Any

from ..model.agent_rules import AgentWants
from ..model.diagnostic import Diagnostic
from ..model.recipe.recipe import Recipe
from ..model.state.state import DEFAULTS, FIELDS, State, field_values
from . import BUILTIN, builtin

READ_ELSEWHERE = frozenset(
    ("tools", "native_tools", "runtime", "now", "session", "extra", "audience", "secrets", "limits", "origins")
)
"""Fields that need no section: a request, a hook, a session or the guard reads them."""


def find_unread(recipe: Recipe, fields: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    """A warning for each set field that is not in the prompt, with the recipes that read it.

    In a discovered state, a field with a file in `origins` does not come from the caller.
    """
    discovered = {path.partition("[")[0].partition(".")[0] for path in fields.get("origins") or ()}
    unread: list[Diagnostic] = []
    for name, value in fields.items():
        if name in READ_ELSEWHERE or name in discovered or value == DEFAULTS[name] or _reads(recipe, name, value):
            continue
        others = ", ".join(each for each in BUILTIN if _reads(builtin(each), name, value))
        message = f"`{name}` is set, but recipe {recipe.name!r} does not use it: it is not in the prompt"
        unread.append(Diagnostic("warning", "field-unread", f"{message}. Recipes that use it: {others}", field=name))
    return tuple(unread)


def find_unread_in_state(recipe: Recipe, state: State) -> tuple[Diagnostic, ...]:
    """The same for all fields of a state."""
    return find_unread(recipe, dict(zip(FIELDS, field_values(state), strict=True)))


def _reads(recipe: Recipe, name: str, value: Any) -> bool:
    """Whether a section reads this field; a known agent renders only the files of its own steps."""
    agent = recipe.wants if isinstance(recipe.wants, AgentWants) else None
    steps = {step.step for step in agent.steps} if agent and name == "context_files" else None
    if steps and not any((file.kind or "").partition(":")[0] in steps for file in value):
        return False
    return any(name in section.reads for section in recipe.sections)
