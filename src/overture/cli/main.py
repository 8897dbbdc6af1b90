"""`overture`: the group, how commands are found, and what an error looks like."""

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from ..errors import BudgetError, OvertureError, find_similar
from ..terminal.progress import show_progress
from ..version import __version__

COMMANDS = {
    "build": "Print the prompt that an agent would get here.",
    "explain": "Say where each part of it came from, and why a file is not in it.",
    "context": "Show what fills the model's window, and what tokens are spent on.",
    "cache": "Predict what a provider's prompt cache saves, and what stops it.",
    "check": "Find what is wrong: in the prompt, and in the files behind it.",
    "agents": "Show what each coding agent reads here, and let all read the same.",
    "tap": "Run any agent, and see what it really sends and what that costs.",
    "recipes": "List the recipes, or show what one of them says and reads.",
    "state": "Print all that was found, to build the same prompt elsewhere.",
    "diff": "Show what differs between two prompts, and because of what.",
    "watch": "Build it again whenever a file changes, and show which lines did.",
    "lock": "Write down what prompts are made of, and say in CI what moved.",
    "init": "Write an overture.toml for this directory, with comments.",
    "trust": "Show what a project asks for, and let it have that.",
    "config": "Print every setting with its value and where that came from.",
    "serve": "Show it all in the browser, and answer programs over HTTP.",
    "schema": "Print the JSON Schema of a state, or of a prompt as JSON.",
}
PRODUCTS = {
    "agents": "overture.agents.command",
    "check": "overture.check.command",
    "lock": "overture.lock.command",
    "serve": "overture.web.command",
    "tap": "overture.tap.command",
}
"""The commands that a product brings, each in a module of its own; the others are in `commands`."""
GROUPS = {
    "See the prompt": ("serve", "build", "explain", "context", "watch"),
    "See what other agents read": ("agents",),
    "See what any agent sends": ("tap",),
    "Find what is wrong, and what it costs": ("check", "lock", "cache"),
    "Compare": ("diff",),
    "Set it up": ("init", "config", "trust", "recipes"),
    "Take it elsewhere": ("state", "schema"),
}
"""The commands by purpose; others come at the end."""

ALIASES = {
    "lint": ("check",),
    "stats": ("context", "--by", "file", "--by", "section", "--by", "pace"),
    "compare": ("diff", "--facts"),
    "report": ("serve", "--save", "-"),
    "skills": ("check", "--skills"),
}
"""Names that commands had, or that people try: each stands for a command and options of it, and is in no list."""

LIVE = ("serve", "tap", "watch")
"""Commands that run on: what they know they keep in memory, and not on disk."""
MAX_ERROR_CHARS = 2_000
"""Characters of the beginning and of the end of an error."""
GC_THRESHOLD = 50_000
"""Objects after which Python looks for garbage: what a command makes mostly lives until it ends."""


class Commands(click.Group):
    """Imports a command when it is called: `--help` must not load them all."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order in which one meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command of that name."""
        if name not in COMMANDS:
            return None
        command = import_module(PRODUCTS.get(name, f"overture.cli.commands.{name}")).command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with the nearest name when there is no such command; an alias is what it stands for."""
        args = [*ALIASES.get(args[0], args[:1]), *args[1:]] if args else args
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            instead = "overture --version" if args[0] == "version" else "overture --help"
            known = (*COMMANDS, *(name for name, words in ALIASES.items() if len(words) == 1))  # not names of before
            tip = find_similar(args[0], known)
            message = f"No command named {args[0]!r}"
            raise OvertureError(
                f"No command {args[0]!r}.", message=message, noun="command", tip=tip, hint=f"Try `{instead}`."
            )
        found = super().resolve_command(ctx, args)
        if found[0] not in LIVE:
            keep_results(ctx)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands by purpose, with a line each, without importing them."""
        grouped = [name for names in GROUPS.values() for name in names]
        others = tuple(name for name in COMMANDS if name not in grouped)
        width = max(map(len, COMMANDS))
        for title, names in {**GROUPS, "Others": others}.items():
            if rows := [(name.ljust(width), COMMANDS[name]) for name in names if name in COMMANDS]:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def make_context(self, *words: Any, **more: Any) -> click.Context:
        """As click does: `--help` and `--version` print here."""
        with quiet_end():
            return super().make_context(*words, **more)

    def invoke(self, ctx: click.Context) -> Any:
        """As click does; whoever waits at a terminal is told what for."""
        with quiet_end(), show_progress():
            return super().invoke(ctx)


def keep_results(context: click.Context) -> None:
    """Let the command find on disk what an earlier one has computed; imported here, as `--help` needs none of it."""
    from ..discover.disk.result_store import use_store

    context.with_resource(use_store(os.environ))


@contextmanager
def quiet_end() -> Iterator[None]:
    """A reader who has seen enough (`| head`) ends a command with 0; click would make that a failure."""
    try:
        yield
    except BrokenPipeError:
        write_nowhere()
        raise click.exceptions.Exit(0) from None


def write_nowhere() -> None:
    """Let what is still to be written go nowhere: Python would complain when it flushes at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)


HELP = """Assemble the system prompt of an LLM agent, and see what is in it and why.

\b
overture                              what is here, and what to do next
overture build                        the prompt that an agent would get in this directory
overture explain                      where every part of it came from
overture explain --why CLAUDE.md      why a file is in it, or not
overture agents                       what Codex, Claude Code and others read here
overture tap -- claude                what an agent really sends
overture COMMAND --help               what a command does, with examples

A recipe says which files are read and how they are put together. `overture recipes` lists those that there are; without
one, that of overture.toml counts, or else `house`.
"""


@click.group(
    cls=Commands,
    help=HELP,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="%(version)s")
@click.option("--json", "as_json", is_flag=True, help="Without a command: the summary as JSON.")
@click.pass_context
def overture(context: click.Context, as_json: bool) -> None:
    """Without a command, what is here."""
    if context.invoked_subcommand is None:
        from .show_summary import show_summary

        keep_results(context)
        show_summary(as_json=as_json)


def main() -> None:
    """Run the command line. Whatever happens, it ends with a few lines and an exit code, never a traceback."""
    gc.set_threshold(GC_THRESHOLD)
    try:
        code = overture.main(standalone_mode=False)
        with quiet_end():
            if sys.stdout is not None:
                sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else 0)
    except click.exceptions.Exit as end:
        sys.exit(end.exit_code)
    except click.ClickException as problem:
        from ..terminal.error_lines import convert_usage_error

        fail(convert_usage_error(problem, name_command(problem)))
    except OvertureError as problem:
        fail(problem, 1 if isinstance(problem, BudgetError) else 2)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except RecursionError:
        fail(OvertureError("The input is nested too deeply.", hint="Flatten it."))
    except OSError as problem:
        fail(OvertureError(f"The output can't be written: {(problem.strerror or str(problem)).lower()}."))
    finally:
        gc.freeze()  # the end of the process frees it all: nothing need be looked through for that


def name_command(problem: click.ClickException) -> str:
    """The command in which a slip was made, as one types it."""
    below = problem.ctx.command_path.split()[2:] if isinstance(problem, click.UsageError) and problem.ctx else []
    return " ".join(["overture", *(word for word in sys.argv[1:2] if word in (*COMMANDS, *ALIASES)), *below])


def shorten_middle(line: str) -> str:
    """A value may be as long as a file: what it is stands before it, and what is wrong with it behind."""
    if len(line) <= 2 * MAX_ERROR_CHARS:
        return line
    return f"{line[:MAX_ERROR_CHARS]} … {line[-MAX_ERROR_CHARS:]}"


def fail(problem: OvertureError, code: int = 2) -> None:
    """What happened on standard error, with its cause and a hint, and an exit code: 2 for what could not be done."""
    from ..terminal.error_lines import format_error
    from ..terminal.output import print_error
    from ..text.path_printer import PathPrinter

    try:
        printer = PathPrinter(os.getcwd(), os.path.expanduser("~"))
    except OSError:  # the folder was removed
        printer = PathPrinter("")

    try:
        for line in format_error(problem, printer):
            print_error(shorten_middle(line), indented=True)
    except BrokenPipeError:
        write_nowhere()
    sys.exit(code)
