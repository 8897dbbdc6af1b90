"""Steps of a recipe that a project gives and nobody trusts: they look in the project, and follow no link out of it."""

from msgspec.structs import replace

from ..model.recipe.wants.wanted_files import Wants
from ..model.recipe.wants.wanted_imports import Imports
from ..model.recipe.wants.wanted_instructions import Files
from ..model.recipe.wants.wanted_skills import SkillDirs

OF_THE_MACHINE = ("settings_files", "moves", "environment")
"""Wants that read files and variables of whoever runs it."""


def at_most_in_project(wants: Wants, known: Wants) -> tuple[Wants, list[str]]:
    """The wants without steps that lead out of the project, unless they are known; and which those are."""
    files = tuple(step if step in known.files else _inside(step) for step in wants.files)
    refused = ["files"] if files != wants.files else []
    changes: dict[str, object] = {"files": tuple(step for step in files if step.names)}
    for field in OF_THE_MACHINE:
        if getattr(wants, field) != getattr(known, field):
            refused.append(field)
            changes[field] = getattr(known, field)
    if wants.skills and wants.skills != known.skills:
        changes["skills"], more = _skills_inside(wants.skills)
        refused += more
    return replace(wants, **changes), refused


def _skills_inside(skills: SkillDirs) -> tuple[SkillDirs, list[str]]:
    """The folders of skills that lie in the project, with no way out of it."""
    bounds: dict[str, object] = {
        field: tuple(place for place in getattr(skills, field) if not _leads_out(place))
        for field in ("project", "here")
    }
    bounds["links"] = "inside" if skills.links == "follow" else skills.links
    refused = [f"skills.{field}" for field, value in bounds.items() if value != getattr(skills, field)]
    return replace(skills, **bounds), refused


def _inside(step: Files) -> Files:
    """The step as far as it stays in the project; without names where it has none there."""
    names = () if step.where == "home" else tuple(name for name in step.names if not _leads_out(name))
    unless = () if any(map(_leads_out, step.unless)) else step.unless
    rules = step.conditions and replace(step.conditions, links=step.conditions.links and "inside")
    inside = replace(step, names=names, at_home=(), unless=unless, imports=_imports(step.imports), conditions=rules)
    return replace(inside, up="repository", tops=(), alone="cwd", links="inside")


def _imports(imports: Imports | None) -> Imports | None:
    return imports and replace(imports, within="project", home=False, absolute=False)


def _leads_out(name: str) -> bool:
    """Whether a name, or one of its alternatives, begins elsewhere than in a folder of the project."""
    return any(each.startswith(("/", "~")) or ".." in each.split("/") for each in name.split("|"))
