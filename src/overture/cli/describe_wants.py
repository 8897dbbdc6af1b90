"""Describes in words which files a recipe wants."""

from ..model.recipe.recipe import Recipe
from ..model.wants.instruction_files import FileLimit, FileStep
from ..model.wants.skills import SkillDirs
from ..model.wants.wants import fill_settings

MACHINE = "the machine"
KINDS = {"instructions": "files", "rule": "rules", "agent": "sub-agents", "command": "commands"}
WHERE = {
    "walk": "in each folder from the top down to cwd",
    "ends": "at the top and in cwd",
    "between": "in the folders between the top and cwd",
    "cwd": "in cwd",
    "root": "at the project's top",
    "below": "in the folders from cwd down to a file that is worked on",
    "project": "in the folders from the project's top down to a file that is worked on",
}
TOPS = {"repository": "", "above-repository": ", from one above the repository", "root": ", from / on"}
TAKEN = {
    "all": "all of",
    "first": "the first of",
    "full": "the first that says something of",
    "name": "the first name that lies anywhere of",
}
SKILLS_IN = {"walk": "each folder from the top down to cwd", "ends": "the top and cwd", "root": "the project's top"}


def describe_wants(recipe: Recipe) -> list[tuple[str, str]]:
    """What the recipe wants read, in words."""
    rows: list[tuple[str, str]] = []
    wants = fill_settings(recipe.wants, recipe.settings)
    if wants.context:
        rows += [("project files", f"~/{path}") for path in wants.context.home]
        which = "the first" if wants.context.take == "first" else "all"
        rows.append(
            (
                "project files",
                f"in each folder from the root down to cwd, {which} of {', '.join(wants.context.placed_names)}",
            )
        )
        if wants.context.nested:
            rows.append(("project files", "below cwd too: a session delivers them when a tool touches a file there"))
    rows += [(_kind(step), _step(step)) for step in wants.files]
    rows += [("limit", _limit(limit)) for limit in wants.limits]
    rows += [("settings", f"{', '.join(file.paths)}: {', '.join(file.keys)}") for file in wants.settings_files]
    if wants.skills:
        rows += _skills(wants.skills)
    if wants.overrides:
        own = wants.overrides
        rows += [
            (f"{name}", f"{own.project}/{name} in cwd, else ~/{own.home}/{name}") for name in (own.system, own.append)
        ]
    if wants.persona:
        home = f"~/{wants.persona.folder}"
        rows += [
            ("persona", f"{home}/{name}") for name in (wants.persona.identity, wants.persona.soul, wants.persona.user)
        ]
    if wants.workspace:
        rows += [("workspace files", f"~/{wants.workspace.folder}/{name}") for name in wants.workspace.names]
    if wants.runtime:
        rows.append((MACHINE, "its name, system, processor, shell, time zone, and whether sudo asks"))
    if wants.agent:
        rows.append(("agent", f"{wants.agent.name} in cwd"))
    if wants.memories:
        rows.append(("memories", f"the nearest {wants.memories.name}, from cwd up to the root"))
    return rows


def _kind(step: FileStep) -> str:
    return KINDS.get(step.kind, step.kind)


def _step(step: FileStep) -> str:
    """Where a step looks, and for what."""
    names = ", ".join(name.replace("|", " or ") for name in step.names)
    which = f"{TAKEN[step.take]} {names}" if len(step.names) > 1 else names
    home = ", ".join(f"~/{folder}".rstrip("/") for folder in step.at_home)
    if step.where == "home":
        return f"in {home}: {which}" if home else which
    also = f", and in {home}" if home else ""
    top = TOPS[step.up] if step.where in ("walk", "ends", "between") else ""
    return f"{WHERE[step.where]}{top}{also}: {which}"


def _limit(limit: FileLimit) -> str:
    over = "each file" if limit.over == "file" else "all together"
    return f"{limit.most:,} {limit.unit} of {', '.join(limit.of)}, {over}"


def _skills(skills: SkillDirs) -> list[tuple[str, str]]:
    above = " and in the folders above it" if skills.ancestors else ""
    where = SKILLS_IN.get(skills.where or "", f"cwd{above}")
    rows = [("skills", f"{path}/*/SKILL.md in {where}") for path in skills.project]
    rows += [("skills", f"{path if path.startswith('/') else f'~/{path}'}/*/SKILL.md") for path in skills.home]
    return [*rows, ("skills", "none that breaks a rule of the format")] if skills.invalid == "skip" else rows
