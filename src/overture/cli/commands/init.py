"""`overture init`: write a commented overture.toml for this directory."""

import click

from ...discover.configuration.keys import KEYS
from ...discover.configuration.load_config import load_config
from ...discover.disk.real_world import RealWorld
from ...discover.disk.write_file import write_file
from ...errors import ConfigError
from ...model.state.discovery import Look
from ...project.find_recipe import DEFAULT_RECIPE, guess_recipe
from ...recipes import builtin
from ...terminal.gather_state import GatheredState, gather_state
from ...terminal.options import CommandOptions, check_home
from ...terminal.output import dim, print_line
from ...text.path_printer import PathPrinter

FILES = ("context", "workspace", "system", "append", "agent", "identity", "soul", "user", "memories")
SKIPPED_OUTCOMES = ("unread", "duplicate", "shadowed")
MAX_LISTED_LINES = 8
"""Lines of one kind: enough to see what is going on."""
HEAD = """\
# Overture's settings for this directory and those below it. `overture config` shows what counts and why.
# Lines that begin with # show the defaults.

# {why}
recipe = "{recipe}"

"""


@click.command("init")
@click.argument("recipe", required=False)
@click.option("--cwd", metavar="DIR", help="Where to write. Default: here.")
@click.option("--home", metavar="DIR", help="The home directory to look in. Default: yours.")
@click.option("--force", is_flag=True, help="Overwrite an overture.toml that is there.")
def command(recipe: str | None, cwd: str | None, home: str | None, force: bool) -> None:
    """Write an overture.toml for this directory, with comments, and say what it brings and what it leaves out.

    The recipe is house, unless a folder such as .opal, .sf or .moltis lies here: then it is the one that reads that.
    RECIPE, if it is given, is used instead. A file that is there is never overwritten without --force.

    \b
    overture init                        with the recipe that fits what lies here
    overture init pi                     with a recipe of your choice
    """
    world, options = RealWorld(), CommandOptions(cwd=cwd, home=home)
    check_home(options)
    location = options.locate()
    folder, own = location.cwd, load_config(location).get("recipe")
    if own.rank == 2 and own.origin == f"{folder}/pyproject.toml" and not force:
        raise ConfigError(
            f"{own.origin} has a [tool.overture] table already.", hint="Change that, or go on with --force."
        )
    name, why = recipe or "", "it was named on the command line"
    if recipe is None:
        name, why = guess_recipe(world, folder, location.home, DEFAULT_RECIPE)
    built_in = builtin(name)
    path = f"{folder}/overture.toml"
    text = HEAD.format(why=f"{built_in.about} Chosen because {why}.", recipe=name)
    text += format_settings(name)
    write_new(path, text, force)
    print_line(f"Wrote {PathPrinter(location.cwd)(path)} (recipe `{name}`: {why})")
    show_choice(gather_state(options), PathPrinter(folder))
    print_line(dim("hint: `overture explain` says why"))


def show_choice(gathered: GatheredState, printer: PathPrinter) -> None:
    """What the recipe brings here, and what it leaves out, in a few lines."""
    looks, prompt = gathered.found.looked_at, gathered.build()
    files = [_file(look, printer) for look in looks if look.outcome == "loaded" and look.what in FILES]
    skills = len(gathered.state.skills)
    sources = [
        *files[:MAX_LISTED_LINES],
        *([f"{len(files) - MAX_LISTED_LINES} more files"] if len(files) > MAX_LISTED_LINES else []),
    ] or ["no instruction file"]
    counted = "no skill" if not skills else f"{skills} skill{'s' * (skills > 1)}"
    tokens = prompt.counter.shown(prompt.tokens)
    print_line(f"It loads {', '.join(sources)} and {counted}: {tokens} tokens in all.")
    skipped = [
        look
        for look in looks
        if look.outcome in SKIPPED_OUTCOMES and look.what in ("context", "skill") and not look.outside
    ]
    if skipped:
        print_line("It leaves out:")
    for look in skipped[:MAX_LISTED_LINES]:
        shadowed = "shadowed " * (look.outcome == "shadowed")
        print_line(f"  {printer(look.path)}: {shadowed}{printer.within(look.detail)}")
    if len(skipped) > MAX_LISTED_LINES:
        print_line(f"  and {len(skipped) - MAX_LISTED_LINES} more: `overture explain` has them all")


def _file(look: Look, printer: PathPrinter) -> str:
    return printer(look.path) + " (outside the repository)" * look.outside


def format_settings(name: str) -> str:
    """Every further setting as a comment with its default."""
    built_in = builtin(name)
    lines = [f"# {KEYS['tools'].about}", f"# tools = {_toml(list(built_in.active))}", "", "[features]"]
    for key, kind in KEYS.items():
        if key.startswith("features.") and kind.project != "never":
            default = kind.default
            if key == "features.context.filenames":
                default = built_in.wants.context.names if built_in.wants.context else ()
            if key == "features.context.nested":
                default = built_in.wants.context is not None and built_in.wants.context.nested
            lines += [f"# {kind.about}", f"# {key.removeprefix('features.')} = {_toml(default)}"]
    lines += ["", "[runtime.docs]"]
    for key, kind in KEYS.items():
        if key.startswith("runtime.docs."):
            which = key.removeprefix("runtime.docs.")
            lines += [f"# {kind.about}; there is no default", f"# {which} = {_toml(f'https://example.org/{which}')}"]
    if built_in.settings:
        lines += ["", f"[recipes.{name}]", *(f"# {key} = {_toml(value)}" for key, value in built_in.settings.items())]
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'


def write_new(path: str, text: str, force: bool) -> None:
    """Write the file; one that is there stays, unless `force`."""
    try:
        write_file(path, text.encode(), new=not force)
    except FileExistsError:
        raise ConfigError(f"{path} is there already.", hint="Look at it, or overwrite it with --force.") from None
    except OSError as problem:
        raise ConfigError(f"{path} can't be written: {(problem.strerror or str(problem)).lower()}.") from None
