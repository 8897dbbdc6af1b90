"""The options that commands share, and those with a syntax of their own."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar, get_args

import click
from click.core import ParameterSource

from ..discovery.configuration.config import Config, load_config
from ..discovery.configuration.keys import KEYS, OUTSIDE_READ, find_key, parse_value
from ..discovery.place import Location, locate
from ..discovery.world import World, make_absolute
from ..errors import ConfigError, explain_unknown, find_similar
from ..model.state.state import Audience
from ..text.path_printer import PathPrinter


class CommandOptions(NamedTuple):
    """The options of the command line."""

    recipe: str | None = None
    cwd: str | None = None
    home: str | None = None
    root: str | None = None
    state_file: str | None = None
    no_discover: bool = False
    subagent: bool = False
    sets: tuple[str, ...] = ()
    tools_file: str | None = None
    now: str | None = None
    config: tuple[str, ...] = ()
    audience: str | None = None
    no_redact: bool = False
    read_outside: bool = False
    budgets: tuple[str, ...] = ()
    window: str | None = None
    tokenizer: str | None = None
    world: World = World()
    """Where all of it is looked for: on the machine, or in a revision of git."""

    def locate(self) -> Location:
        """The folders and settings that the shared options name."""
        return locate(self.cwd, self.home, self.root, collect_settings(self), self.world)


def make_path_printer(options: CommandOptions) -> PathPrinter:
    """How a command with these options prints paths for the user: relative to the working directory."""
    home = make_absolute(options.world, options.home or options.world.machine.home())
    return PathPrinter(make_absolute(options.world, options.cwd or "."), home, typed=list_typed_paths())


def list_typed_paths() -> frozenset[str]:
    """The absolute paths on the command line, `--cwd=/p` included."""
    words = [word.partition("=")[2] if word.startswith("-") else word for word in sys.argv[1:]]
    return frozenset([path for word in words if word.startswith("/") for path in (word, word.rstrip("/"))])


def check_home(options: CommandOptions) -> None:
    """A missing home is an error if the user names it; one that the system names may be missing."""
    if options.home is not None and not os.path.isdir(options.home):
        raise ConfigError(f"The home directory {options.home!r} is not a directory.", hint="Pass another with --home.")


def collect_settings(options: CommandOptions) -> dict[str, Any]:
    """The settings that the shared options make: of -c, and of options that are short for one."""
    values: dict[str, Any] = {}
    for text in options.config:
        key, equals, raw = text.partition("=")
        if not equals:
            raise ConfigError(f"-c {text!r} is not KEY=VALUE, e.g. -c features.skills.enabled=false.")
        if key not in KEYS and not key.startswith("recipes."):
            raise ConfigError(
                f"-c {text!r}: the setting {key!r} is not known.",
                message=f"No setting named {key!r}",
                noun="setting",
                tip=find_similar(key, KEYS),
                hint="`overture config` lists them.",
            )
        kind = find_key(key)
        values[key] = parse_value(raw, kind) if kind else raw
    return values | collect_withheld(options) | (OUTSIDE_READ if options.read_outside else {})


def collect_withheld(options: CommandOptions) -> dict[str, Any]:
    """The settings of --audience and --no-redact."""
    if options.audience is not None and options.audience not in get_args(Audience):
        raise ConfigError(explain_unknown("Audience", options.audience, get_args(Audience)))
    audience = {"audience": options.audience} if options.audience else {}
    return {**audience, "secrets": "show"} if options.no_redact else audience


F = TypeVar("F", bound=Callable[..., Any])
RECIPE = click.argument("recipe", required=False)
RECIPE_HELP = (
    "RECIPE is a name (`overture recipes` lists them) or the path of a .toml file. "
    "Default: the recipe of overture.toml, or house."
)
READ_OUTSIDE = click.option(
    "--read-outside",
    is_flag=True,
    help="Read files outside the project that its settings, symlinks or imports point to. Default: only list them.",
)
DISCOVERY_OPTIONS = (
    click.option("--cwd", metavar="DIR", help="The agent's working directory. Default: the current folder."),
    click.option("--home", metavar="DIR", help="The home directory to read. Default: yours."),
    click.option("--root", metavar="DIR", help="Do not look for files above this folder."),
    click.option(
        "--state", "state_file", metavar="FILE",
        help="JSON from `overture state`; it overrides what is found. - reads standard input.",
    ),
    click.option("--no-discover", is_flag=True, help="Read nothing but --state: no files, settings or clock."),
    click.option(
        "--subagent", is_flag=True, help="Build for a sub-agent: no session, no tools that only a main agent has."
    ),
    click.option(
        "--set", "sets", multiple=True, metavar="PATH=VALUE", help="Set one field of the state, e.g. agent.name=Ada."
    ),
    click.option(
        "--tools", "tools_file", metavar="FILE",
        help="A JSON file of tools, in the format of OpenAI, Anthropic, MCP or Overture.",
    ),
    click.option("--now", metavar="ISO", help="The current time, e.g. 2026-03-07T08:55:05-06:00."),
    click.option(
        "-c", "--config", "config", multiple=True, metavar="KEY=VALUE",
        help="Override one setting, e.g. features.skills.enabled=false; `overture config` lists them.",
    ),
    click.option(
        "--audience", metavar="WHO",
        help="private (default), or public: no memories, user, soul, facts about the machine or workspace files.",
    ),
    click.option("--no-redact", is_flag=True, help="Do not replace keys and tokens; they are still reported."),
    READ_OUTSIDE,
)  # fmt: skip
BUDGET_OPTIONS = (
    click.option(
        "--budget", "budgets", multiple=True, metavar="N",
        help="At most N tokens, or N% of --window; skills=N limits one section.",
    ),
    click.option("--window", metavar="N", help="The size of the context window in tokens, or the model's name."),
    click.option("--tokenizer", metavar="NAME", help="Tokenizer: o200k, cl100k, claude, estimate, …"),
)  # fmt: skip
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
ALSO_JSON = click.option("--json", is_flag=True, expose_value=False, help="No effect: this command always prints JSON.")
STRICT = click.option("--strict", is_flag=True, help="Exit 1 if there is any warning or error.")


def add_discovery_options(function: F) -> F:
    """The recipe and the options of a command that looks, and builds nothing."""
    for option in reversed(DISCOVERY_OPTIONS):
        function = option(function)
    return RECIPE(function)


def add_shared_options(function: F) -> F:
    """The options of a command that builds."""
    for option in reversed((*DISCOVERY_OPTIONS, *BUDGET_OPTIONS)):
        function = option(function)
    return function


def add_build_options(function: F) -> F:
    """The recipe and the options of a command that builds."""
    return RECIPE(add_shared_options(function))


def load_settings(options: CommandOptions) -> Config:
    """The configuration that applies to these options."""
    return load_config(options.locate())


def at_one_moment(options: CommandOptions) -> CommandOptions:
    """The same for a command that looks once."""
    return options._replace(world=options.world.at_one_moment())


def refuse_combinations(*groups: tuple[str, ...], words: Iterable[str] = ()) -> None:
    """The first option of each group excludes all others of it: typed together, they are an error.

    `words` are arguments that a group may name, too.
    """
    typed = {*_list_typed(), *words}
    for first, *others in groups:
        for other in others:
            if first in typed and other in typed:
                raise ConfigError(f"`{first}` and `{other}` can't be combined.", hint="Omit one of them.")


def require_option(needed: str, *options: str) -> None:
    """Each of these options means something only with `needed`."""
    typed = set(_list_typed())
    for option in options:
        if option in typed and needed not in typed:
            raise ConfigError(f"`{option}` needs `{needed}`.", hint=f"Add `{needed}`, or omit `{option}`.")


def _list_typed() -> Iterator[str]:
    """All names of the options and arguments that were typed; what has its default was not."""
    context = click.get_current_context()
    for parameter in context.command.params:
        if parameter.name and context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE:
            yield from parameter.opts if isinstance(parameter, click.Option) else (parameter.human_readable_name,)
