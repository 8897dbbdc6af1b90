"""`overture recipes`: which there are; one with its sections, paces, inputs and files."""

from typing import Any

import click
import msgspec

from ...errors import RecipeError
from ...model.diagnostic import warning
from ...model.recipe.recipe import Recipe
from ...model.recipe.wanted_files import filled
from ...project.find_recipe import known_names
from ..shared.gather_state import chosen, settled
from ..shared.options import AS_JSON, Ask
from ..shared.terminal import PACES, dim, heading, report, say, style, table, write_json


@click.command("recipes")
@click.argument("recipe", required=False)
@click.option("--cwd", metavar="DIR", help="Where to look for a configuration. Default: here.")
@AS_JSON
def command(recipe: str | None, cwd: str | None, as_json: bool) -> None:
    """List the recipes, or show RECIPE with its sections, paces, inputs, rules, tools and files."""
    if recipe is None:
        names = known_names(settled(Ask(cwd=cwd)))
        known = [made for name in names if (made := _listed(name, cwd)) is not None]
        if as_json:
            write_json([{"name": r.name, "about": r.about, "sections": len(r.sections)} for r in known])
        else:
            table([(style(r.name, bold=True), f"{len(r.sections)} sections", r.about) for r in known], "")
        return
    made = chosen(Ask(recipe=recipe, cwd=cwd))
    if as_json:
        write_json(described(made))
    else:
        show(made)


def _listed(name: str, cwd: str | None) -> Recipe | None:
    """The recipe, or None with a warning: one broken package must not hide the others."""
    try:
        return chosen(Ask(recipe=name, cwd=cwd))
    except RecipeError as problem:
        report([warning("recipe-broken", str(problem))])
        return None


def described(recipe: Recipe) -> dict[str, Any]:
    """A recipe as data."""
    return {
        "name": recipe.name,
        "about": recipe.about,
        "sealed": recipe.sealed,
        "clock": recipe.clock,
        "sections": [
            {
                "name": s.name,
                "says": s.claim,
                "pace": s.pace,
                "place": s.place,
                "priority": s.priority,
                "reads": s.reads,
                "rules": [rule.name for rule in s.rules],
            }
            for s in recipe.sections
        ],
        "wants": msgspec.to_builtins(recipe.wants),
        "tools": [{"name": t.name, "active": t.name in recipe.active} for t in recipe.tools],
        "settings": recipe.settings,
    }


def show(recipe: Recipe) -> None:
    """A recipe for a person."""
    sealed = " Sealed: nobody may edit its prompt." if recipe.sealed else ""
    clock = " In a session, its clock stands still between rebuilds." if recipe.clock == "rebuild" else ""
    say(style(recipe.name, bold=True) + "  " + recipe.about + sealed + clock)
    heading("Sections, in the order of the prompt")
    table(
        [
            (s.name, style(s.pace, fg=PACES[s.pace]), ", ".join(s.reads) or "nothing", dim(s.claim))
            for s in recipe.sections
        ]
    )
    heading("Files")
    table(list(files(recipe)))
    if recipe.tools:
        heading("Tools")
        table(
            [
                (t.name, "active" if t.name in recipe.active else dim("not active"), t.description or "")
                for t in recipe.tools
            ]
        )
    if recipe.settings:
        heading("Settings")
        table([(f"recipes.{recipe.name}.{name}", value) for name, value in recipe.settings.items()])


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
        rows.append(("the machine", "its name, system, processor, shell, time zone, and whether sudo asks"))
    if wants.agent:
        rows.append(("agent", f"{wants.agent.name} in cwd"))
    if wants.memories:
        rows.append(("memories", f"the nearest {wants.memories.name}, from cwd up to the root"))
    return rows
