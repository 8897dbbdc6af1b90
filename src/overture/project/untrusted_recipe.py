"""Limits the recipe of an untrusted project to files in that project."""

from shlex import quote

from msgspec.structs import replace

from ..model.diagnostic import Diagnostic, warning
from ..model.recipe.recipe import Recipe
from ..model.wants import Wants, fill_settings

HOME_LISTS = ("context", "skills", "templates")
"""Wants with a list of places under home."""
HOME_WANTS = ("overrides", "persona", "workspace")
"""Wants that name places under home, and not in lists."""
MACHINE = ("runtime", "sudo")


def limit_recipe(recipe: Recipe, base: Recipe, origin: str, within: str) -> Recipe:
    """The recipe with the files that its base reads under home, and names of its own that count in the project."""
    wants, refused = _drop_places(recipe, fill_settings(base.wants, base.settings))
    wants = _limit_names(wants, base.wants, within)
    notes = tuple(_report_refused(recipe.name, what, origin, within) for what in refused)
    return replace(recipe, wants=wants, notes=(*recipe.notes, *notes))


def _report_refused(name: str, what: str, origin: str, within: str) -> Diagnostic:
    allow = f"Approve it: overture trust {quote(within)}"
    message = f"wants.{what} of recipe {name!r} is limited to the project: its recipe may not read other files"
    return warning("config-untrusted", f"{message} or settings. {allow}", origin)


def _drop_places(recipe: Recipe, known: Wants) -> tuple[Wants, list[str]]:
    """The wants of a recipe, with places outside the project that its base has, and those that it has not."""
    wants, refused = recipe.wants, list[str]()
    # A setting may move a place, so the places that count have their settings filled in.
    filled = fill_settings(wants, recipe.settings)
    for kind in HOME_LISTS:
        own, usual = getattr(filled, kind), getattr(known, kind)
        if own is not None:
            places = tuple(each for each in own.home if usual and each in usual.home)
            refused += [f"{kind}.home"] if places != own.home else []
            wants = replace(wants, **{kind: replace(getattr(wants, kind), home=places)})
    for kind in HOME_WANTS:
        own, usual = getattr(filled, kind), getattr(known, kind)
        if own is not None:
            refused += [kind] if own != usual else []
            wants = replace(wants, **{kind: usual})
    for kind in MACHINE:
        if getattr(wants, kind) and not getattr(known, kind):
            refused.append(kind)
            wants = replace(wants, **{kind: False})
    if wants.skills and filled.skills and filled.skills.project != (known.skills and known.skills.project):
        inside = tuple(folder for folder in filled.skills.project if not _leads_out(folder))
        refused += ["skills.project"] if inside != filled.skills.project else []
        wants = replace(wants, skills=replace(wants.skills, project=inside))
    return wants, refused


def _leads_out(name: str) -> bool:
    """Whether a name, or one of its alternatives, begins elsewhere than in a folder of the project."""
    return any(each.startswith(("/", "~")) or ".." in each.split("/") for each in name.split("|"))


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
