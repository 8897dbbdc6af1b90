"""The one-line functions: discover, build, load_recipe. Each is a few calls into the layers below."""

from collections.abc import Mapping
from os import fspath
from typing import Any

from .assemble.build import build as assemble_build
from .cookbook import find_recipe
from .discover.config import load_config
from .discover.discover import absolute
from .discover.world import RealWorld, World
from .model.found import Found
from .model.prompt import Prompt
from .model.recipe import Recipe
from .model.state import State
from .recipes import BUILTIN, builtin
from .settle import Path, settle


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
    return settle(recipe, cwd=cwd, home=home, root=root, config=config, world=world).find(since)


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
    settled = settle(recipe, cwd=cwd, home=home, root=root)
    found = settled.find()
    return assemble_build(settled.recipe, found.state, since=since, found=found.diagnostics)
