"""What a recipe wants read, in words."""

from ...model.recipe.recipe import Recipe
from ...model.recipe.wanted_files import filled

MACHINE = "the machine"


def files(recipe: Recipe) -> list[tuple[str, str]]:
    """What the recipe wants read, in words."""
    rows: list[tuple[str, str]] = []
    wants = filled(recipe.wants, recipe.settings)
    if wants.context:
        rows += [("project files", f"~/{path}") for path in wants.context.home]
        names = [f"{p}/{n}" if p else n for n in wants.context.names for p in wants.context.under]
        which = "the first" if wants.context.take == "first" else "all"
        rows.append(("project files", f"in each folder from the root down to cwd, {which} of {', '.join(names)}"))
        if wants.context.nested:
            rows.append(("project files", "below cwd too: a session delivers them when a tool touches a file there"))
    if wants.skills:
        above = " and in the folders above it" if wants.skills.ancestors else ""
        rows += [("skills", f"{path}/*/SKILL.md in cwd{above}") for path in wants.skills.project]
        rows += [("skills", f"~/{path}/*/SKILL.md") for path in wants.skills.home]
        if wants.skills.invalid == "skip":
            rows.append(("skills", "none that breaks a rule of the format"))
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
