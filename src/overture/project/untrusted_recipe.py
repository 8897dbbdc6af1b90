"""Limits the recipe of an untrusted project to files in that project."""

from shlex import quote

from msgspec.structs import replace

from ..model.diagnostic import Diagnostic, warning
from ..model.file_steps import FileStep
from ..model.recipe.recipe import Recipe
from ..model.skill_dirs import SkillDirs
from ..model.wants import Wants, fill_settings

MACHINE_WANTS = ("settings_files", "moves", "environment")
"""Wants that read files and variables of the user's machine."""


def limit_to_project(wants: Wants, known: Wants) -> tuple[Wants, list[str]]:
    """The wants without steps that lead out of the project, unless they are known; and which those are."""
    files = tuple(step if step in known.files else _limit_step(step) for step in wants.files)
    inside = tuple(replace(step, links=own.links) for step, own in zip(files, wants.files, strict=True))
    refused = ["files"] if inside != wants.files else ["files.links"] if files != wants.files else []
    changes: dict[str, object] = {"files": tuple(step for step in files if step.names)}
    for field in MACHINE_WANTS:
        if getattr(wants, field) != getattr(known, field):
            refused.append(field)
            changes[field] = getattr(known, field)
    if wants.skills and wants.skills != known.skills:
        changes["skills"], more = _limit_skills(wants.skills)
        refused += more
    return replace(wants, **changes), refused


def _limit_skills(skills: SkillDirs) -> tuple[SkillDirs, list[str]]:
    """The skill folders in the project, with no way out of it."""
    bounds: dict[str, object] = {
        field: tuple(folder for folder in getattr(skills, field) if not _leads_out(folder))
        for field in ("project", "here")
    }
    bounds["links"] = "inside" if skills.links == "follow" else skills.links
    refused = [f"skills.{field}" for field, value in bounds.items() if value != getattr(skills, field)]
    return replace(skills, **bounds), refused


def _limit_step(step: FileStep) -> FileStep:
    """The step as far as it stays in the project; without names if it has none there."""
    names = () if step.where == "home" else tuple(name for name in step.names if not _leads_out(name))
    unless = () if any(map(_leads_out, step.unless)) else step.unless
    imports = step.imports and replace(step.imports, within="project", home=False, absolute=False)
    inside = replace(step, names=names, at_home=(), unless=unless, imports=imports)
    return replace(inside, up="repository", tops=(), alone="cwd", links="inside")


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
    if what.endswith(".links"):  # the default, and no harm unless a link leads out
        message = f"recipe {name!r} follows no symlink that leads out of the project"
        return Diagnostic("info", "config-untrusted", f"{message}. {allow}", origin)
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
