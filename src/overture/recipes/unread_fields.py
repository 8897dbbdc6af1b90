"""Fields of the State that a caller gives, and that no section of the recipe reads."""

from collections.abc import Mapping
from typing import Any

from ..model.diagnostic import Diagnostic
from ..model.recipe.recipe import Recipe
from ..model.state.state import State
from . import BUILTIN, builtin

ELSEWHERE = frozenset(
    ("tools", "native_tools", "runtime", "now", "session", "extra", "audience", "secrets", "mark", "limits", "origins")
)
"""Fields that count without a section: a request, a hook, a session or the guard reads them."""
EMPTY = State()


def find_unread(recipe: Recipe, given: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    """A line for each field that is given and is not in the prompt, with the recipes that would say it.

    Of a state that was discovered, what has its file in `origins` is not given by anybody.
    """
    found = {path.partition("[")[0].partition(".")[0] for path in given.get("origins") or ()}
    filled = {name: value for name, value in given.items() if name not in found and value != getattr(EMPTY, name)}
    return tuple(_report(recipe, name) for name, value in filled.items() if not _reads(recipe, name, value))


def _reads(recipe: Recipe, name: str, value: Any) -> bool:
    if name in ELSEWHERE:
        return True
    if not any(name in section.reads for section in recipe.sections):
        return False
    steps = {files.step for files in recipe.wants.files}
    # An agent of somebody else's says the files of its own steps, and no others.
    return name != "context_files" or not steps or any((f.kind or "").partition(":")[0] in steps for f in value)


def _report(recipe: Recipe, name: str) -> Diagnostic:
    others = [other for other in BUILTIN if any(name in section.reads for section in builtin(other).sections)]
    said = f"`{name}` is given, and recipe {recipe.name!r} does not read it: it is not in the prompt"
    return Diagnostic("warning", "field-unread", f"{said}. Recipes that read it: {', '.join(others)}", field=name)
