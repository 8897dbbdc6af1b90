"""The one-line functions: discover, build, counter, load_recipe, load_models. Each is a few calls downwards."""

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

from .assemble.build import build as assemble_build
from .cookbook import find_recipe, unknown_tables
from .discover.config import load_config
from .discover.counters import find_counter
from .discover.discover import absolute, working_directory
from .discover.discover import discover as read_world
from .discover.inputs import named_tools, read_toml, read_tools
from .discover.world import RealWorld, World
from .model.config import Config
from .model.counter import Counter
from .model.facts import TableForm
from .model.found import Found
from .model.prompt import Prompt
from .model.recipe import Recipe
from .model.state import State
from .model.tool import Tool
from .recipes import BUILTIN, builtin
from .render.models import over, packaged, table_of

DEFAULT = "house"
"""The recipe when neither the caller nor a configuration names one."""

Path = str | PathLike[str]


def load_recipe(name: str | Recipe, *, cwd: Path | None = None, world: World | None = None) -> Recipe:
    """The recipe of that name: built in, defined in the configuration, packaged, or the path of a .toml file.

    A Recipe is taken as it is. For a built-in one nothing is read.
    """
    if isinstance(name, Recipe):
        return name
    if name in BUILTIN:
        return builtin(name)
    world = world or RealWorld()
    here = absolute(world, fspath(cwd) if cwd is not None else ".")
    return find_recipe(world, name, load_config(world, here, world.home()), here)


def load_models(path: Path | None = None, *, world: World | None = None) -> TableForm:
    """The limits and prices of models for `render`: the package's own, with those of a .toml file over them."""
    if path is None:
        return packaged()
    name = fspath(path)
    return over(packaged(), table_of(read_toml(world or RealWorld(), name), name), name)


def discover(
    recipe: str | Recipe | None = None,
    *,
    cwd: Path | None = None,
    home: Path | None = None,
    root: Path | None = None,
    config: Mapping[str, Any] | None = None,
    world: World | None = None,
    since: Found | None = None,
) -> Found:
    """Read what the recipe wants, from `cwd` upward and from `home`.

    `config` holds configuration keys that win over files and environment. With `since`, an earlier result, only
    files that changed are read again.
    """
    world = world or RealWorld()
    here = working_directory(world, fspath(cwd) if cwd is not None else None)
    house = absolute(world, fspath(home) if home is not None else world.home())
    settled = load_config(world, here, house, config)
    chosen = choose(world, recipe, settled, here)
    found = read_world(
        chosen,
        cwd=here,
        home=house,
        root=fspath(root) if root is not None else None,
        features=settled.features(chosen.name),
        settings={name: value.value for name, value in settled.settings(chosen).items()},
        tools=configured_tools(world, chosen, settled),
        world=world,
        since=since,
    )
    notes = (*settled.notes, *unknown_tables(settled), *found.diagnostics)
    return Found(found.state, notes, found.looked_at, found.kept)


def counter(name: str | None = None) -> Counter:
    """What counts tokens: `o200k`, `cl100k` or another model family, exactly, where a tokenizer is installed.

    `claude` and `estimate` are approximations, and say so. Without a name it is the best that there is here.
    """
    return find_counter(name)


def choose(world: World, recipe: str | Recipe | None, config: Config, folder: str) -> Recipe:
    """The recipe that is asked for, or else the configuration's, or else the default."""
    if isinstance(recipe, Recipe):
        return recipe
    return find_recipe(world, recipe or config.get("recipe").value or DEFAULT, config, folder)


def configured_tools(world: World, recipe: Recipe, config: Config) -> tuple[Tool, ...] | None:
    """The tools that the configuration activates, or None where it says nothing."""
    chosen = config.get("tools", recipe.name).value
    if chosen is None:
        return None
    return read_tools(world, chosen) if isinstance(chosen, str) else named_tools(recipe, chosen)


def build(
    recipe: str | Recipe,
    state: State | None = None,
    *,
    cwd: Path | None = None,
    home: Path | None = None,
    root: Path | None = None,
    since: Prompt | None = None,
) -> Prompt:
    """Build a prompt. Given a state, this is pure; without one, the world is discovered first."""
    if state is not None:
        return assemble_build(load_recipe(recipe, cwd=cwd), state, since=since)
    world = RealWorld()
    here = working_directory(world, fspath(cwd) if cwd is not None else None)
    chosen = choose(world, recipe, load_config(world, here, absolute(world, fspath(home or world.home()))), here)
    found = discover(chosen, cwd=cwd, home=home, root=root)
    return assemble_build(chosen, found.state, since=since, found=found.diagnostics)
