"""Limits the recipe of an untrusted project to files in that project."""

from shlex import quote

from msgspec.structs import replace

from ..model.diagnostic import Diagnostic, warning
from ..model.recipe.recipe import Recipe
from ..model.wants import Wants, fill_settings


def limit_to_project(wants: Wants, known: Wants) -> tuple[Wants, list[str]]:
    """The wants without folders of skills that lead out of the project, and which those are."""
    if wants.skills is None or wants.skills == known.skills:
        return wants, []
    folders = tuple(folder for folder in wants.skills.project if not _leads_out(folder))
    if folders == wants.skills.project:
        return wants, []
    return replace(wants, skills=replace(wants.skills, project=folders)), ["skills.project"]


def _leads_out(name: str) -> bool:
    """Whether a name, or one of its alternatives, begins elsewhere than in a folder of the project."""
    return any(each.startswith(("/", "~")) or ".." in each.split("/") for each in name.split("|"))


HOME_LISTS = (("context", "home"), ("skills", "home"), ("templates", "home"))
"""Lists of places under home."""
HOME_WANTS = ("overrides", "persona", "workspace")
"""Wants that name places under home, and not in lists."""


def limit_recipe(recipe: Recipe, base: Recipe, origin: str, within: str) -> Recipe:
    """The recipe with the files that its base reads under home, and names of its own that count in the project."""
    wants, refused = _drop_unknown_places(recipe.wants, base.wants)
    usual = fill_settings(wants, base.settings)
    if _replace_home_places(usual, fill_settings(wants, recipe.settings)) != usual:
        refused.append("settings")
    wants = _limit_names(_replace_home_places(wants, usual), base.wants, within)
    notes = tuple(_report_refused(recipe.name, what, origin, within) for what in refused)
    return replace(recipe, wants=wants, notes=(*recipe.notes, *notes))


def _report_refused(name: str, what: str, origin: str, within: str) -> Diagnostic:
    key = what if what == "settings" else f"wants.{what}"
    allow = f"Approve it: overture trust {quote(within)}"
    message = f"{key} of recipe {name!r} is limited to the project: its recipe may not read other files or settings"
    return warning("config-untrusted", f"{message}. {allow}", origin)


def _drop_unknown_places(wants: Wants, known: Wants) -> tuple[Wants, list[str]]:
    """The wants without places under home that are not known, and which those are."""
    refused: list[str] = []
    for kind, field in HOME_LISTS:
        own, usual = getattr(wants, kind), getattr(known, kind)
        folders = getattr(own, field) if own else ()
        known_folders = tuple(each for each in folders if usual and each in getattr(usual, field))
        if known_folders != folders:
            refused.append(f"{kind}.{field}")
            wants = replace(wants, **{kind: replace(own, **{field: known_folders})})
    for kind in HOME_WANTS:
        if getattr(wants, kind) not in (None, getattr(known, kind)):
            refused.append(kind)
            wants = replace(wants, **{kind: getattr(known, kind)})
    wants, more = limit_to_project(wants, known)
    refused += more
    for kind in ("runtime", "sudo"):
        if getattr(wants, kind) and not getattr(known, kind):
            refused.append(kind)
            wants = replace(wants, **{kind: False})
    return wants, refused


def _limit_names(wants: Wants, known: Wants, within: str) -> Wants:
    """The wants whose new names count in the project alone."""
    if wants.context:
        usual = known.context.names if known.context else ()
        bounds = {name: within for name in wants.context.names if name not in usual}
        context = replace(wants.context, bounds=bounds, inside=bool(bounds) or wants.context.inside)
        wants = replace(wants, context=context)
    if wants.memories and wants.memories != known.memories:
        wants = replace(wants, memories=replace(wants.memories, within=within))
    return wants


def _replace_home_places(wants: Wants, usual: Wants) -> Wants:
    """The wants with the places under home that others have."""
    for kind, field in (*HOME_LISTS, ("overrides", "home"), ("persona", "folder"), ("workspace", "folder")):
        if own := getattr(wants, kind):
            wants = replace(wants, **{kind: replace(own, **{field: getattr(getattr(usual, kind), field)})})
    return wants
