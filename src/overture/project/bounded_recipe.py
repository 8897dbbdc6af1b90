"""A recipe that a project gives and nobody trusts: it reads nothing of the machine that its base does not read."""

from shlex import quote
from typing import Any

from msgspec.structs import replace

from ..model.diagnostic import Diagnostic, warning
from ..model.recipe.recipe import Recipe
from ..model.recipe.wants.wanted_files import Wants, filled
from .bounded_steps import at_most_in_project

AT_HOME = (("context", "home"), ("skills", "home"), ("templates", "home"))
"""Lists of places under home."""
OF_HOME = ("overrides", "persona", "workspace")
"""Wants that name places under home, and not in lists."""


def bounded(made: Recipe, base: Recipe, origin: str, within: str) -> Recipe:
    """The recipe with the files that its base reads under home, and names of its own that count in the project."""
    wants, refused = _at_most(made.wants, base.wants)
    usual = filled(wants, base.settings)
    if _with_home(usual, filled(wants, made.settings)) != usual:
        refused.append("settings")
    wants = _inside(_with_home(wants, usual), base.wants, within)
    notes = tuple(_refused(made.name, what, origin, within) for what in refused)
    return replace(made, wants=wants, notes=(*made.notes, *notes))


def _refused(name: str, what: str, origin: str, within: str) -> Diagnostic:
    key = what if what == "settings" else f"wants.{what}"
    said = f"{key} of recipe {name!r} is not used under home: a project's recipe reads nothing of the machine"
    return warning("config-untrusted", f"{said}. To allow it: overture trust {quote(within)}", origin)


def _at_most(wants: Wants, known: Wants) -> tuple[Wants, list[str]]:
    """The wants without places under home that are not known, and which those are."""
    refused: list[str] = []
    for kind, field in AT_HOME:
        own = getattr(wants, kind)
        places = getattr(own, field) if own else ()
        kept = tuple(place for place in places if place in _places(known, kind, field))
        if kept != places:
            refused.append(f"{kind}.{field}")
            wants = replace(wants, **{kind: replace(own, **{field: kept})})
    for kind in OF_HOME:
        if getattr(wants, kind) not in (None, getattr(known, kind)):
            refused.append(kind)
            wants = replace(wants, **{kind: getattr(known, kind)})
    wants, more = at_most_in_project(wants, known)
    refused += more
    if wants.runtime and not known.runtime:  # the facts of the machine have a program run
        refused.append("runtime")
        wants = replace(wants, runtime=False)
    return wants, refused


def _places(wants: Wants, kind: str, field: str) -> tuple[str, ...]:
    own: Any = getattr(wants, kind)
    return tuple(getattr(own, field)) if own else ()


def _inside(wants: Wants, known: Wants, within: str) -> Wants:
    """The wants whose new names count in the project alone."""
    if wants.context:
        usual = known.context.names if known.context else ()
        bounds = {name: within for name in wants.context.names if name not in usual}
        wants = replace(
            wants, context=replace(wants.context, bounds=bounds, inside=bool(bounds) or wants.context.inside)
        )
    if wants.memories and wants.memories != known.memories:
        wants = replace(wants, memories=replace(wants.memories, within=within))
    return wants


def _with_home(wants: Wants, usual: Wants) -> Wants:
    """The wants with the places under home that others have."""
    for kind, field in (*AT_HOME, ("overrides", "home"), ("persona", "folder"), ("workspace", "folder")):
        if own := getattr(wants, kind):
            wants = replace(wants, **{kind: replace(own, **{field: getattr(getattr(usual, kind), field)})})
    return wants
