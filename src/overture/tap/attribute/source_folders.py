"""The folders in which agents keep what they tell a model: in a project, under home, and where variables move them."""

from collections.abc import Iterable, Iterator, Mapping

from ...discover.disk.paths import expand_path
from ...known_agents import AGENTS, agent
from ...model.other_tools import INSTRUCTIONS
from ...model.recipe.recipe import Recipe
from ...model.wants.wants import fill_settings


def folders_at_home(home: str, environment: Mapping[str, str], names: Iterable[str] = AGENTS) -> list[str]:
    """The folders of agents under a home, and those that variables name instead, outermost first."""
    found = {path for name in names for path in _at_home(agent(name), home, environment)}
    kept: list[str] = []
    for path in sorted(found - {home.rstrip("/"), "/"}):
        if not any(path.startswith(f"{above}/") for above in kept):
            kept.append(path)
    return kept


def _at_home(recipe: Recipe, home: str, environment: Mapping[str, str]) -> Iterator[str]:
    wants = fill_settings(recipe.wants, recipe.settings)
    signs = recipe.agent.signs.home if recipe.agent else ()
    names = (name for step in wants.files if step.where == "home" for name in step.at_home)
    skills = wants.skills.home if wants.skills else ()
    for name in (*signs, *names, *skills):
        yield expand_path(name.removeprefix("~/").rstrip("/"), home, home).rstrip("/")
    for moved in (each for given in recipe.wants.moves.values() for each in given.split()):
        variable, _, below = moved.partition("/")
        if (folder := environment.get(variable, "")).startswith("/"):
            yield f"{folder.rstrip('/')}/{below}".rstrip("/")


def folders_of_project(names: Iterable[str] = AGENTS, others: Iterable[str] = INSTRUCTIONS) -> frozenset[str]:
    """The hidden folders of a project in which agents keep something, by their first step."""
    steps = (*others, *(name for each in names for name in _in_project(agent(each))))
    return frozenset(first for name in steps if (first := name.partition("/")[0]).startswith(".") and "/" in name)


def _in_project(recipe: Recipe) -> Iterator[str]:
    signs = recipe.agent.signs.project if recipe.agent else ()
    yield from (f"{sign}/" for sign in signs)
    yield from (name for step in recipe.wants.files for given in step.names for name in given.split("|"))
    yield from recipe.wants.skills.project if recipe.wants.skills else ()
