"""`overture init`: write a commented overture.toml for this directory."""

import re

import click

from ...discover.configuration.config_keys import KEYS
from ...discover.configuration.load_config import load_config
from ...discover.disk.real_world import RealWorld
from ...discover.disk.write_file import write_file
from ...discover.parse_json_and_toml import format_toml_value
from ...errors import ConfigError
from ...project.find_recipe import DEFAULT_RECIPE, guess_recipe
from ...recipes import builtin
from ...terminal.gather_state import GatheredState, gather_state
from ...terminal.options import CommandOptions, check_home
from ...terminal.output import count_noun, dim, print_line, print_table
from ...text.path_printer import PathPrinter

FILES = ("context", "workspace", "system", "append", "agent", "identity", "soul", "user", "memories")
SKIPPED_OUTCOMES = ("unread", "duplicate", "hidden")
MAX_LISTED_FILES = 6
"""Files that are named; more are counted."""
SKILLS = re.compile(r"([\d,]+) skill")
"""How the record counts the skills of a folder that is not searched."""
HEAD = """\
# Overture's settings for this directory and those below it. `overture config` shows what applies and why.
# Commented lines show the defaults.

# {why}
recipe = "{recipe}"

"""


@click.command("init")
@click.argument("recipe", required=False)
@click.option("--cwd", metavar="DIR", help="Where to write. Default: the current folder.")
@click.option("--home", metavar="DIR", help="The home directory to read. Default: yours.")
@click.option("--force", is_flag=True, help="Overwrite an existing overture.toml.")
def command(recipe: str | None, cwd: str | None, home: str | None, force: bool) -> None:
    """Write an overture.toml with comments, and show what it loads and what it skips.

    The recipe is house, or the one that reads a folder such as .opal, .sf or .moltis, if it exists here.
    RECIPE overrides that. An existing file is only overwritten with --force.

    \b
    overture init                        with the recipe that fits this folder
    overture init pi                     with this recipe
    """
    world, options = RealWorld(), CommandOptions(cwd=cwd, home=home)
    check_home(options)
    location = options.locate()
    folder, own = location.cwd, load_config(location).get("recipe")
    if own.rank == 2 and own.origin == f"{folder}/pyproject.toml" and not force:
        raise ConfigError(f"{own.origin} already has a [tool.overture] table.", hint="Edit it, or pass --force.")
    name, why = recipe or "", "it was passed on the command line"
    if recipe is None:
        name, why = guess_recipe(world, folder, location.home, DEFAULT_RECIPE)
    built_in = builtin(name)
    path = f"{folder}/overture.toml"
    text = HEAD.format(why=f"{built_in.about} Chosen because {why}.", recipe=name)
    text += format_settings(name)
    write_new(path, text, force)
    gathered, printer = gather_state(options), PathPrinter(folder)
    prompt = gathered.build()
    print_line(f"Wrote {printer(path)} (recipe `{name}`, {prompt.counter.describe(prompt.tokens)})")
    show_choice(gathered, printer)
    print_line(dim("hint: `overture explain` shows why"))


def show_choice(gathered: GatheredState, printer: PathPrinter) -> None:
    """What `overture init` says of its choice: what the recipe loads here, and what it skips, a line each."""
    looks = gathered.found.looked_at
    found = [look for look in looks if look.outcome == "loaded" and look.what in FILES]
    loaded = [printer(look.path) + " (outside the repository)" * look.outside for look in found]
    skills = len(gathered.state.skills)
    counted = [count_noun(skills, "skill")] if skills else []
    print_table([("loads", ", ".join([*_shorten(loaded), *counted]) or "no instruction files or skills")])
    skipped = [look for look in looks if look.outcome in SKIPPED_OUTCOMES and not look.outside]
    files = [printer(look.path) for look in skipped if look.what == "context"]
    folders = [SKILLS.match(look.detail) for look in skipped if look.what == "skill"]
    skills = sum(int(match[1].replace(",", "")) if match else 1 for match in folders)
    where = f"{count_noun(skills, 'skill')} in {count_noun(len(folders), 'folder')}"
    if names := [*_shorten(files), *([where] if folders else [])]:
        print_table([("skips", ", ".join(names))])


def _shorten(names: list[str]) -> list[str]:
    """The first names, and how many more files there are."""
    rest = len(names) - MAX_LISTED_FILES
    return [*names[:MAX_LISTED_FILES], f"{rest} more files"] if rest > 1 else names


def format_settings(name: str) -> str:
    """Every further setting as a comment with its default."""
    built_in = builtin(name)
    lines = [f"# {KEYS['tools'].about}", f"# tools = {format_toml_value(list(built_in.active))}", "", "[features]"]
    for key, kind in KEYS.items():
        if key.startswith("features.") and kind.project != "never":
            default = kind.default
            if key == "features.context.filenames":
                default = built_in.wants.context.names if built_in.wants.context else ()
            if key == "features.context.nested":
                default = built_in.wants.context is not None and built_in.wants.context.nested
            lines += [f"# {kind.about}", f"# {key.removeprefix('features.')} = {format_toml_value(default)}"]
    lines += ["", "[runtime.docs]"]
    for key, kind in KEYS.items():
        if key.startswith("runtime.docs."):
            which = key.removeprefix("runtime.docs.")
            example = format_toml_value(f"https://example.org/{which}")
            lines += [f"# {kind.about}; no default", f"# {which} = {example}"]
    if built_in.settings:
        lines += ["", f"[recipes.{name}]"]
        lines += [f"# {key} = {format_toml_value(value)}" for key, value in built_in.settings.items()]
    return "\n".join(lines) + "\n"


def write_new(path: str, text: str, force: bool) -> None:
    """Write the file; one that is there stays, unless `force`."""
    try:
        write_file(path, text.encode(), new=not force)
    except FileExistsError:
        raise ConfigError(f"{path} already exists.", hint="Pass --force to overwrite it.") from None
    except OSError as problem:
        raise ConfigError(f"{path} can't be written: {(problem.strerror or str(problem)).lower()}.") from None
