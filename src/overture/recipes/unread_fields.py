"""Reports what a caller gives and no section of the recipe reads: a field of the State, or a part of one."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import fields

from ..model.diagnostic import Diagnostic
from ..model.recipe.recipe import Recipe
from . import BUILTIN, builtin
from .unread_parts import EMPTY_STATE, find_read_parts

ELSEWHERE = frozenset(
    ("tools", "native_tools", "runtime", "now", "session", "extra", "audience", "secrets", "mark", "limits", "origins")
)
"""Fields that count without a section: a request, a hook, a session or the guard reads them."""


def find_unread(recipe: Recipe, fields: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    """A line for each field or part that is given and is not in the prompt, with the recipes that read it.

    Of a state that was discovered, what has its file in `origins` is not given by anybody.
    """
    origins = {path.partition("[")[0] for path in fields.get("origins") or ()}
    discovered = {path.partition(".")[0] for path in origins}
    unread: list[Diagnostic] = []
    for name, value in fields.items():
        if name in ELSEWHERE or value == getattr(EMPTY_STATE, name):
            continue
        if _reads(recipe, name, value):
            unread += _find_unread_parts(recipe, name, value, origins)
        elif name not in discovered:
            others = [other for other in BUILTIN if _has_reader(builtin(other), name)]
            unread.append(_report(recipe, name, others))
    return tuple(unread)


def _reads(recipe: Recipe, name: str, value: Any) -> bool:
    if not _has_reader(recipe, name):
        return False
    steps = {files.step for files in recipe.wants.files}
    # An agent of somebody else's says the files of its own steps, and no others.
    return name != "context_files" or not steps or any((f.kind or "").partition(":")[0] in steps for f in value)


def _has_reader(recipe: Recipe, name: str) -> bool:
    return any(name in section.reads for section in recipe.sections)


def _find_unread_parts(recipe: Recipe, name: str, value: Any, origins: set[str]) -> Iterator[Diagnostic]:
    """The parts that only other recipes read. One that none of them reads is the caller's own business."""
    if not isinstance(value, Struct) or name in origins or (read := find_read_parts(recipe, name)) is None:
        return
    for part in _list_given_parts(value):
        if part not in read and f"{name}.{part}" not in origins:
            others = [other for other in BUILTIN if part in (find_read_parts(builtin(other), name) or ())]
            if others:
                yield _report(recipe, f"{name}.{part}", others)


def _list_given_parts(value: Struct) -> list[str]:
    """The parts that are not at their default; one that is taken away is not given either."""
    defaults = {each.name: each.default for each in fields(value)}
    return [name for name, default in defaults.items() if getattr(value, name) not in (default, UNSET)]


def _report(recipe: Recipe, path: str, others: Iterable[str]) -> Diagnostic:
    problem = f"`{path}` is given, and recipe {recipe.name!r} does not read it: it is not in the prompt"
    return Diagnostic("warning", "field-unread", f"{problem}. Recipes that read it: {', '.join(others)}", field=path)
