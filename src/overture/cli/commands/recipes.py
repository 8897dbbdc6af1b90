"""`overture recipes`: which there are; one with its sections, paces, inputs and files."""

from collections.abc import Mapping, Sequence
from typing import cast

import click
from msgspec import to_builtins

from ...agents.views import EVIDENCE_PHRASE
from ...errors import RecipeError
from ...known_agents import AGENTS
from ...model.agent_rules import AgentWants
from ...model.diagnostic import warning
from ...model.recipe.recipe import Clock, Recipe
from ...model.recipe.section import Pace, SectionPlace
from ...model.struct import Frozen
from ...project.find_recipe import list_recipe_names, list_recipes
from ...terminal.gather_state import choose_recipe
from ...terminal.options import AS_JSON, CommandOptions, load_settings
from ...terminal.output import (
    CHANGES,
    PACES,
    dim,
    print_diagnostics,
    print_heading,
    print_table,
    print_wrapped,
    style,
    write_json,
)
from ..describe_wants_and_paths import describe_wants


@click.command("recipes")
@click.argument("recipe", required=False)
@click.option("--cwd", metavar="DIR", help="Where to look for overture.toml. Default: the current folder.")
@AS_JSON
def command(recipe: str | None, cwd: str | None, as_json: bool) -> None:
    """List the recipes, or show the sections and files of one.

    A recipe defines which files are read and how they are put together into a prompt. For RECIPE this shows the
    sections, how often each changes and its inputs, then the files, tools and settings.

    \b
    overture recipes                     all of them
    overture recipes house               one of them
    """
    if recipe is None:
        names = list_recipe_names(load_settings(CommandOptions(cwd=cwd)))
        names = names if as_json else [name for name in names if name not in AGENTS]
        known = [chosen_recipe for name in names if (chosen_recipe := _load_listed_recipe(name, cwd)) is not None]
        if as_json:
            write_json(list_recipes(known))
        else:
            show_recipes(known)
        return
    chosen_recipe = choose_recipe(CommandOptions(recipe=recipe, cwd=cwd))
    if as_json:
        write_json(describe_recipe(chosen_recipe))
    else:
        show_recipe(chosen_recipe)


def show_recipes(known: Sequence[Recipe]) -> None:
    """Each recipe on a line; agents of others by their names alone."""
    rows = [(style(r.name, bold=True), f"{len(r.sections):8}", r.about) for r in known]
    print_table(rows, "", heads=("recipe", "sections", "about"))
    print_heading("Other agents; `overture agents` shows what they read here")
    print_wrapped(", ".join(AGENTS))


def _load_listed_recipe(name: str, cwd: str | None) -> Recipe | None:
    """The recipe, or None with a warning: one broken package must not hide the others."""
    try:
        return choose_recipe(CommandOptions(recipe=name, cwd=cwd))
    except RecipeError as problem:
        print_diagnostics([warning("recipe-broken", str(problem))])
        return None


class RecipeSection(Frozen, frozen=True, omit_defaults=False):
    """A section of a recipe."""

    name: str
    says: str
    pace: Pace
    place: SectionPlace
    priority: int
    reads: Sequence[str]
    rules: Sequence[str]


class RecipeTool(Frozen, frozen=True, omit_defaults=False):
    """A tool of a recipe, and whether it is active by default."""

    name: str
    active: bool


class RecipeOutput(Frozen, frozen=True, omit_defaults=False):
    """`overture recipes RECIPE --json`."""

    name: str
    about: str
    sealed: bool
    clock: Clock
    sections: list[RecipeSection]
    wants: AgentWants
    tools: list[RecipeTool]
    settings: Mapping[str, str]


def describe_recipe(recipe: Recipe) -> RecipeOutput:
    """A recipe as data."""
    sections = [
        RecipeSection(s.name, s.claim, s.pace, s.place, s.priority, s.reads, [rule.name for rule in s.rules])
        for s in recipe.sections
    ]
    tools = [RecipeTool(t.name, t.name in recipe.active) for t in recipe.tools]
    # The wants of any other recipe are a part of these; a function in them is null.
    wants = cast(AgentWants, to_builtins(recipe.wants, enc_hook=lambda _: None))
    return RecipeOutput(recipe.name, recipe.about, recipe.sealed, recipe.clock, sections, wants, tools, recipe.settings)


def show_recipe(recipe: Recipe) -> None:
    """A recipe for a person."""
    sealed = " Sealed: its prompt can't be edited." if recipe.sealed else ""
    clock = " In a session, its clock only changes with a rebuild." if recipe.clock == "rebuild" else ""
    print_wrapped(style(recipe.name, bold=True) + "  " + recipe.about + sealed + clock)
    if facts := recipe.agent:
        evidence = f"{EVIDENCE_PHRASE[facts.known]}, last checked on {facts.checked}"
        print_wrapped(dim(f"{facts.title} {facts.version}, {evidence}"))
    print_heading("Sections, in order; each changes never, per session or per turn")
    rows = [
        (s.name, style(CHANGES[s.pace], fg=PACES[s.pace]), ", ".join(s.reads) or "nothing", dim(s.claim))
        for s in recipe.sections
    ]
    print_table(rows, heads=("section", "changes", "reads", "content"), wraps=(2, 3))
    print_heading("Files")
    print_table(list(describe_wants(recipe)), heads=("what", "where"))
    if recipe.tools:
        print_heading("Tools")
        marks = {True: "active", False: dim("not active")}
        tools = [(t.name, marks[t.name in recipe.active], t.description or "") for t in recipe.tools]
        print_table(tools, heads=("tool", "by default", "about"))
    if recipe.settings:
        print_heading("Settings")
        settings = [(f"recipes.{recipe.name}.{name}", value) for name, value in recipe.settings.items()]
        print_table(settings, heads=("setting", "default"))
