"""The options that commands share: to find a state, and to cut what is built of it."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

RECIPE = click.argument("recipe", required=False)
FINDING = (
    click.option("--cwd", metavar="DIR", help="Where the agent works. Default: here."),
    click.option("--home", metavar="DIR", help="The home directory to look in. Default: yours."),
    click.option("--root", metavar="DIR", help="The walk up from --cwd stops here."),
    click.option("--state", "state_file", metavar="FILE", help="State as JSON; - reads standard input."),
    click.option("--no-discover", is_flag=True, help="Read nothing but --state and the clock."),
    click.option("--subagent", is_flag=True, help="As a sub-agent: no session, no tools of the main agent alone."),
    click.option("--set", "sets", multiple=True, metavar="PATH=VALUE", help="One field, e.g. agent.name=Ada."),
    click.option("--tools", "tools_file", metavar="FILE", help="Tools as JSON: ours, OpenAI, Anthropic or MCP."),
    click.option("--now", metavar="ISO", help="The clock, e.g. 2026-03-07T08:55:05-06:00."),
    click.option(
        "-c", "--config", "config", multiple=True, metavar="KEY=VALUE",
        help="One setting, e.g. features.skills.enabled=false.",
    ),
)  # fmt: skip
CUTTING = (
    click.option(
        "--budget", "budgets", multiple=True, metavar="N",
        help="At most N tokens, or N% of --window; skills=N limits one section.",
    ),
    click.option("--window", metavar="N", help="The tokens that the model takes in, or the model's name."),
    click.option("--tokenizer", metavar="NAME", help="What counts: o200k, cl100k, claude, estimate, …"),
)  # fmt: skip

AS_JSON = click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
ALSO_JSON = click.option(
    "--json", is_flag=True, expose_value=False, help="As always: this command prints nothing else."
)
STRICT = click.option("--strict", is_flag=True, help="Exit 1 if there is any warning or error.")


def finding(function: F) -> F:
    """The recipe and the options of a command that looks, and builds nothing."""
    for option in reversed(FINDING):
        function = option(function)
    return RECIPE(function)


def sharing(function: F) -> F:
    """The options of a command that builds."""
    for option in reversed((*FINDING, *CUTTING)):
        function = option(function)
    return function


def building(function: F) -> F:
    """The recipe and the options of a command that builds."""
    return RECIPE(sharing(function))
