"""The group of commands, by purpose, and how one is found."""

from importlib import import_module
from typing import Any

import click

from ..errors import OvertureError, find_similar
from ..terminal.progress_line import show_progress
from ..version import __version__
from .fail_and_end import quiet_end

COMMANDS = {
    "build": "Print the prompt that an agent would get here.",
    "explain": "Show where each part came from, or why a file is not in it.",
    "context": "Show what fills the model's context window.",
    "check": "Find problems in the prompt and its files.",
    "agents": "Show what each coding agent reads here, and make all read the same.",
    "audit": "Audit many repositories: what each agent loads there.",
    "tap": "Run any agent, and see what it really sends and what that costs.",
    "recipes": "List the recipes, or show the sections and files of one.",
    "state": "Print what was found, to build the same prompt elsewhere.",
    "diff": "Show what a change does to what each agent reads.",
    "lock": "Record what agents read, and check it in CI.",
    "trust": "Review and trust the settings and files of a project.",
    "config": "Print every setting with its value and where that came from.",
    "batch": "Build a prompt for each of many rows, for a provider's batch API.",
    "serve": "Show everything in the browser, and serve an HTTP API.",
    "schema": "Print the JSON Schema of a command's --json output.",
    "mcp": "Serve agents, why, check and more as MCP tools.",
}
PRODUCTS = {
    "agents": "overture.agents.command",
    "audit": "overture.audit.command",
    "batch": "overture.batch.command",
    "check": "overture.check.command",
    "lock": "overture.changes.command",
    "mcp": "overture.mcp.command",
    "serve": "overture.web.command",
    "tap": "overture.tap.command",
}
"""The commands that a product adds, each in a module of its own; the others are in `commands`."""
GROUPS = {
    "See the prompt": ("serve", "build", "explain", "context"),
    "See what other agents read": ("agents",),
    "See what any agent sends": ("tap",),
    "Find problems": ("check", "lock"),
    "Compare": ("diff",),
    "Many at once": ("audit", "batch"),
    "Set it up": ("config", "trust", "recipes"),
    "Take it elsewhere": ("state", "schema", "mcp"),
}
"""All commands, by purpose."""


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
        """As click does, with the nearest name when there is no such command."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            instead = "overture --version" if args[0] == "version" else "overture --help"
            raise OvertureError(
                f"No command {args[0]!r}.", message=f"No command named {args[0]!r}", noun="command",
                tip=find_similar(args[0], COMMANDS), hint=f"Try `{instead}`.",
            )  # fmt: skip
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands by purpose, with a line each, without importing them."""
        width = max(map(len, COMMANDS))
        for title, names in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), COMMANDS[name]) for name in names])

    def make_context(self, *words: Any, **more: Any) -> click.Context:
        """As click does: `--help` and `--version` print here."""
        with quiet_end():
            return super().make_context(*words, **more)

    def invoke(self, ctx: click.Context) -> Any:
        """As click does, with progress for a user who waits at a terminal."""
        with quiet_end(), show_progress():
            return super().invoke(ctx)


HELP = """See what coding agents read and send, and build prompts of your own.

\b
overture                          summary of this folder, and the next step
overture build                    the prompt of an agent in this folder
overture explain                  where every part of it came from
overture explain --why CLAUDE.md  why a file is in it, or not
overture agents                   what Codex, Claude Code and others read here
overture tap -- claude            what an agent really sends
overture COMMAND --help           what a command does, with examples

A recipe defines which files are read and how they are put together. `overture recipes` lists the recipes. Without
one, the recipe of overture.toml is used, or `house`.
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
    """Without a command: a summary of this folder."""
    if as_json and context.invoked_subcommand is not None:
        raise click.UsageError(f"--json comes after the command: overture {context.invoked_subcommand} --json")
    if context.invoked_subcommand is None:
        from .show_summary import show_summary

        show_summary(as_json=as_json)
