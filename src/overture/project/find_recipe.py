"""Where recipes are found by name: built in, configured, in a .toml file, or in an installed package."""

from os import PathLike, fspath
from posixpath import normpath

from msgspec.structs import replace

from ..discover.configuration.trust import in_place_of
from ..discover.configuration.values import Config, Defined
from ..discover.disk.world import World
from ..discover.find.recipe_files import (
    RecipeTable,
    packaged_names,
    packaged_recipe,
    read_recipe,
    with_texts,
)
from ..errors import RecipeError, nearest, unknown
from ..known_agents import AGENTS, agent
from ..model.diagnostic import Diagnostic, warning
from ..model.recipe.recipe import Recipe
from ..recipes import BUILTIN, builtin
from ..recipes.toml.recipe import EMPTY, recipe_of
from .bounded_recipe import bounded

DEFAULT = "house"
"""The recipe when neither the caller nor a configuration names one."""


Named = str | PathLike[str] | Recipe
"""A recipe as a caller gives it: by its name, by the path of its .toml file, or itself."""


def choose(world: World, recipe: Named | None, config: Config, folder: str) -> Recipe:
    """The recipe that is asked for, or else the configuration's, or else the default."""
    asked = named(recipe)
    if isinstance(asked, Recipe):
        return asked
    if asked:
        return find_recipe(world, asked, config, folder)
    given = config.get("recipe")
    return find_recipe(world, given.value or DEFAULT, config, folder, (), given.within)


def named(recipe: Named | None) -> str | Recipe | None:
    """A recipe that is asked for, with its path as text; what can't be one is an error."""
    if recipe is None or isinstance(recipe, str | Recipe):
        return recipe
    if isinstance(recipe, PathLike):
        return fspath(recipe)
    raise RecipeError(f"{recipe!r:.80} is no recipe. Give a name, the path of a .toml file, or a Recipe.")


def known_names(config: Config) -> list[str]:
    """All recipes that can be named here: built in, configured, packaged."""
    return list(dict.fromkeys([*BUILTIN, *config.recipes, *packaged_names(), *AGENTS]))


def unknown_tables(config: Config) -> list[Diagnostic]:
    """`[recipes.NAME]` tables that no recipe answers to."""
    named = {key.split(".")[1]: value.origin for key, value in config.values.items() if key.startswith("recipes.")}
    strange = [name for name in named if name not in BUILTIN and name not in config.recipes]
    known = known_names(config) if strange else []
    return [
        warning(
            "config-unknown", f"[recipes.{name}] is for no recipe that is known.{nearest(name, known)}", named[name]
        )
        for name in strange
        if name not in known
    ]


def taken_names(config: Config) -> list[Diagnostic]:
    """`[recipes.NAME]` tables of a project that nobody trusts, whose names are taken by recipes that there are."""
    return [
        in_place_of(name, "Overture" if name in BUILTIN else "a package", made.origin, made.folder, made.line)
        for name, made in config.recipes.items()
        if _is_taken(name, made)
    ]


def _is_taken(name: str, made: Defined) -> bool:
    return made.within is not None and (name in BUILTIN or name in packaged_names() or name in AGENTS)


def find_recipe(
    world: World, name: str, config: Config, folder: str, opened: tuple[str, ...] = (), within: str | None = None
) -> Recipe:
    """The recipe of that name or path. `opened` are those that extend it, so that a circle ends.

    `within` is the folder in which a file has to lie that a project names.
    """
    if name.endswith(".toml"):
        path = normpath(name if name.startswith("/") else f"{folder.rstrip('/')}/{name}")
        return _made(world, path, read_recipe(world, path, within), config, opened)
    own = config.recipes.get(name)
    if own is not None and name not in opened and not _is_taken(name, own):
        source = RecipeTable(name, dict(own.table), own.folder, own.within, (), own.origin)
        return _made(world, name, with_texts(world, source), config, opened)
    if name in BUILTIN:
        return builtin(name)
    if name in opened:
        raise RecipeError(f"Recipe {name!r} extends itself: {' extends '.join([*opened, name])}.")
    if name in AGENTS:
        return agent(name)
    found = packaged_recipe(name)
    if found is None:
        listed = [each for each in known_names(config) if each not in AGENTS]
        raise RecipeError(unknown("Recipe", name, listed, AGENTS))
    return found


def _made(world: World, key: str, source: RecipeTable, config: Config, opened: tuple[str, ...]) -> Recipe:
    if key in opened:
        raise RecipeError(f"Recipe {key!r} extends itself: {' extends '.join([*opened, key])}.")
    bases: list[Recipe] = []

    def base(name: str) -> Recipe:
        bases.append(find_recipe(world, name, config, source.folder, (*opened, key), source.within))
        return bases[-1]

    made = recipe_of(source.table, source.name, base, "user" if source.within is None else "project")
    made = replace(made, notes=(*made.notes, *source.notes))
    if source.within is not None:
        made = bounded(made, bases[0] if bases else EMPTY, source.origin, source.within)
    return replace(made, files=(key, *made.files)) if key.endswith(".toml") else made
