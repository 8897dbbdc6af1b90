"""`overture tap import`: logs that exist already."""

import click

from ...terminal.options import AS_JSON
from ..importers.which_log import FORMS
from .options import CWD, STORE


@click.command("import")
@click.argument("logs", nargs=-1, metavar="[LOG]…")
@click.option("--as", "form", type=click.Choice(FORMS), help="Take them for this. Default: known by what is in them.")
@click.option("--claude-code", is_flag=True, help="What Claude Code wrote down of its sessions in this project.")
@click.option("--codex", is_flag=True, help="The same of Codex.")
@click.option(
    "--program", metavar="NAME", default="", help="What made the calls, e.g. claude, where the log is silent."
)
@STORE
@CWD
@AS_JSON
def command(
    logs: tuple[str, ...], form: str | None, claude_code: bool, codex: bool, program: str,
    store: str | None, cwd: str | None, as_json: bool,
) -> int:  # fmt: skip
    """Take calls from logs that exist already.

    A LOG is a file, a folder with such files, or - for standard input; also packed with gzip: HAR, LiteLLM, Langfuse,
    OpenTelemetry as OTLP JSON, transcripts of Claude Code and Codex, or what `overture tap export` wrote.
    What is there already is not taken again. Keys and cookies are never written.

    \b
    overture tap import calls.har        what a browser or a proxy kept
    overture tap import --claude-code    its own sessions in this project
    overture tap import - < calls.jsonl  from a pipe
    """
    from ..show.import_logs import import_logs

    asked = {"claude-code": claude_code, "codex": codex}
    agents = tuple(name for name, wanted in asked.items() if wanted)
    return import_logs(logs, form, agents, program, store, cwd, as_json)
