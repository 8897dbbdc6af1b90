"""`overture`: the group, how commands are found, and what an error looks like."""

import os
import sys
from importlib import import_module

import click

from .. import __version__
from ..errors import BudgetError, OvertureError, nearest

COMMANDS = {
    "build": "Print the prompt.",
    "explain": "Say where every part of the prompt came from, and why the rest is not there.",
    "stats": "Show how long the prompt is, by section, pace and source.",
    "cache": "Predict what a provider's cache gives back, turn by turn, and what stops it.",
    "skills": "List the skills that are found, and what is wrong with them.",
    "recipes": "List the recipes, or show one with its sections, inputs and files.",
    "state": "Print what was discovered, as JSON for --state.",
    "diff": "Compare two recipes, two states or two saved prompts.",
    "watch": "Build again whenever a file changes, and say what changed and why.",
    "compare": "Show which facts of one state several recipes say.",
    "init": "Write a commented overture.toml for this directory.",
    "config": "Print every setting with its value and where that came from.",
    "schema": "Print the JSON Schema of a state or a prompt.",
}

LONGEST = 2_000
"""Characters of the beginning and of the end of an error."""


class Commands(click.Group):
    """Imports a command when it is called: `--help` must not load them all."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order in which one meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command of that name."""
        if name not in COMMANDS:
            return None
        command = import_module(f".commands.{name}", __package__).command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with the nearest name when there is no such command."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"No command {args[0]!r}.{nearest(args[0], COMMANDS)} Try `overture --help`.")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands with a line each, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


HELP = """Assemble the system prompt of an LLM agent, and see what is in it and why.

\b
overture build pi                       the prompt that pi would send from here
overture explain pi                     where every part of it came from
overture explain pi --why CLAUDE.md     why a file is in it, or not
"""


@click.group(
    cls=Commands,
    help=HELP,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="%(version)s")
@click.pass_context
def overture(context: click.Context) -> None:
    """Without a command, the help."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main() -> None:
    """Run the command line. Whatever happens, it ends with one line and an exit code, never a traceback."""
    try:
        code = overture.main(standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else 0)
    except click.ClickException as problem:
        fail(problem.format_message())
    except BudgetError as problem:
        fail(str(problem), 1)
    except OvertureError as problem:
        fail(str(problem))
    except BrokenPipeError:
        # The reader has seen enough. Python would complain when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except RecursionError:
        fail("The input is nested too deeply. Flatten it.")
    except OSError as problem:
        fail(f"The output can't be written: {(problem.strerror or str(problem)).lower()}.")


def fail(message: str, code: int = 2) -> None:
    """One line on standard error, and an exit code: 2 for what could not be done."""
    from .shared.terminal import complain

    line = " ".join(message.split("\n"))
    if len(line) > 2 * LONGEST:
        # A value may be as long as a file: what it is stands before it, and what is wrong with it behind.
        line = f"{line[:LONGEST]} … {line[-LONGEST:]}"
    complain(f"overture: error: {line}")
    sys.exit(code)
