"""`overture init`: write a commented overture.toml for this directory."""

import os

import click

from ...discover.configuration.files_and_environment import load_config
from ...discover.configuration.keys import KEYS
from ...discover.disk.walk import working_directory
from ...discover.disk.world import RealWorld
from ...discover.find.recipe_files import fitting_recipe
from ...errors import ConfigError
from ...project.find_recipe import DEFAULT
from ...recipes import builtin
from ..shared.terminal import say

HEAD = """\
# Overture's settings for this directory and those below it. `overture config` shows what counts and why.
# Lines that begin with # show the defaults.

# {why}
recipe = "{recipe}"

"""


@click.command("init")
@click.argument("recipe", required=False)
@click.option("--cwd", metavar="DIR", help="Where to write. Default: here.")
@click.option("--force", is_flag=True, help="Overwrite an overture.toml that is there.")
def command(recipe: str | None, cwd: str | None, force: bool) -> None:
    """Write an overture.toml for this directory, with comments and the recipe that fits.

    RECIPE, if it is given, is used instead. A file that is there is never overwritten without --force.

    \b
    overture init                        with the recipe that fits what lies here
    overture init pi                     with a recipe of your choice
    """
    world = RealWorld()
    folder = working_directory(world, cwd)
    own = load_config(world, folder, world.home()).get("recipe")
    if own.rank == 2 and own.origin == f"{folder}/pyproject.toml" and not force:
        raise ConfigError(f"{own.origin} has a [tool.overture] table already. Change that, or go on with --force.")
    name, why = (recipe, "it was named on the command line") if recipe else fitting_recipe(world, folder, DEFAULT)
    made = builtin(name)
    path = f"{folder}/overture.toml"
    text = HEAD.format(why=f"{made.about} Chosen because {why}.", recipe=name)
    text += settings(name)
    write_new(path, text, force)
    say(f"Wrote {path} with recipe {name!r}: {why}. Try `overture explain`.")


def settings(name: str) -> str:
    """Every further setting as a comment with its default."""
    made = builtin(name)
    lines = [f"# {KEYS['tools'].about}", f"# tools = {_toml(list(made.active))}", "", "[features]"]
    for key, kind in KEYS.items():
        if key.startswith("features."):
            default = kind.default
            if key == "features.context.filenames":
                default = made.wants.context.names if made.wants.context else ()
            if key == "features.context.nested":
                default = made.wants.context is not None and made.wants.context.nested
            lines += [f"# {kind.about}", f"# {key.removeprefix('features.')} = {_toml(default)}"]
    lines += ["", "[runtime.docs]"]
    for key, kind in KEYS.items():
        if key.startswith("runtime.docs."):
            which = key.removeprefix("runtime.docs.")
            lines += [f"# {kind.about}; there is no default", f"# {which} = {_toml(f'https://example.org/{which}')}"]
    if made.settings:
        lines += ["", f"[recipes.{name}]", *(f"# {key} = {_toml(value)}" for key, value in made.settings.items())]
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'


def write_new(path: str, text: str, force: bool) -> None:
    """Write the file; one that is there stays, unless `force`."""
    flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if force else os.O_EXCL)
    try:
        with os.fdopen(os.open(path, flags, 0o644), "w", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise ConfigError(f"{path} is there already. Look at it, or overwrite it with --force.") from None
    except OSError as problem:
        raise ConfigError(f"{path} can't be written: {(problem.strerror or str(problem)).lower()}.") from None
