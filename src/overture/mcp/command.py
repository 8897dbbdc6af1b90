"""`overture mcp`: a server for coding agents, over standard input and output."""

import os
import sys
from importlib.util import find_spec

import click

from ..discovery.world import make_absolute
from ..errors import ConfigError
from ..terminal.options import CommandOptions
from ..terminal.output import check_output, open_standard_input, print_hint

WAITING = "Waiting for a client on standard input. To add it to Claude Code: claude mcp add overture -- overture mcp"


@click.command("mcp")
@click.option("--cwd", metavar="DIR", help="The folder that the tools work on. Default: the current folder.")
def command(cwd: str | None) -> None:
    """Serve agents, why, check, context, diff and build as MCP tools, and recipes as prompts.

    A coding agent with this server can ask why a skill was not loaded, which agents read a file, or how a branch
    changes the prompt. It uses standard input and output, writes nothing, and reads the same files as the commands
    of the same names, in this folder and below.

    \b
    overture mcp                              the command for an agent's settings
    claude mcp add overture -- overture mcp   add it to Claude Code
    codex mcp add overture -- overture mcp    add it to Codex
    """
    if find_spec("mcp") is None:
        raise ConfigError("`overture mcp` needs the package mcp.", hint="pip install 'overture[mcp]'")
    folder = make_absolute(CommandOptions().world, cwd or ".")
    if not os.path.isdir(folder):
        raise ConfigError(f"{folder!r} is not a folder.", hint="Pass a folder as --cwd.")
    open_standard_input("An agent starts this command, and talks to it there.")
    check_output()
    if sys.stdin.isatty():
        print_hint(WAITING)
    from .server import serve_mcp

    serve_mcp(os.path.realpath(folder))
