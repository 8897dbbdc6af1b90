"""`overture tap import`: reads existing logs into the store."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from typing import cast

import click

from ...agents.command import find_project_top
from ...errors import ConfigError
from ...terminal.options import AS_JSON
from ...terminal.output import count_noun, print_error, print_line, write_json
from ...terminal.progress import report_step
from ..importers.import_log import Importer
from ..importers.import_result import ImportedLog
from ..importers.log import LogForm
from ..importers.open_log import LogFile, find_logs
from ..importers.own_transcripts import WRITERS, own_transcripts, places_of
from ..importers.which_format import FORMS
from ..store.open_store import ADDRESS, open_store
from ..store.sqlite import BESIDE
from ..store.store import Store
from .which_store import CWD, STORE, where

SOME = 6
"""Runs that are named at the end."""


def import_logs(
    paths: tuple[str, ...], form: str | None, agents: tuple[str, ...], program: str, store: str | None,
    cwd: str | None, as_json: bool,
) -> int:  # fmt: skip
    """Take them; 1 where nothing could be read."""
    top = find_project_top({"cwd": cwd, "home": None, "root": None})
    logs = [*find_logs(paths), *_transcripts(agents, cwd, top)]
    if not paths and not agents:
        raise ConfigError("Give a log, e.g. overture tap import calls.har; or --claude-code, or --codex.")
    with _made_if_needed(where(store, cwd)) as opened:
        importer = Importer(opened, os.path.abspath(cwd or os.getcwd()), program)
        done = list(_taken(importer, logs, cast(LogForm | None, form)))
    if as_json:
        write_json([_data(each) for each in done])
    else:
        _tell(done, paths)
    return 0 if any(each.form and not (each.refused and not each.calls) for each in done) else 1


@contextmanager
def _made_if_needed(store_path: str) -> Iterator[Store]:
    """The store; one that was not there and into which nothing came is removed again."""
    path = os.path.expanduser(store_path)
    is_new = not ADDRESS.match(store_path) and not os.path.exists(path)
    is_empty = False
    try:
        with open_store(store_path) as store:
            try:
                yield store
            finally:
                is_empty = is_new and not store.counted()[0] and not store.runs()
    finally:
        for name in BESIDE if is_empty else ():
            with suppress(OSError):
                os.unlink(path + name)


def _transcripts(agents: tuple[str, ...], cwd: str | None, top: str) -> list[LogFile]:
    """Those of the place that is meant, and of the project that it is in."""
    folders = places_of(cwd or os.getcwd(), top)
    found: list[LogFile] = []
    for agent in agents:
        logs = own_transcripts(WRITERS[agent], folders, os.environ)
        if not logs:
            print_error(f"{WRITERS[agent].name} has written down no session in {' or '.join(folders)}.")
        found += logs
    return found


def _taken(importer: Importer, logs: Sequence[LogFile], form: LogForm | None) -> Iterator[ImportedLog]:
    for log in logs:
        name = os.path.basename(log.path)[-20:]

        def tell(calls: int, name: str = name) -> None:
            report_step(f"{name}: {calls:,} calls" if calls else name)

        importer.told = tell
        tell(0)
        yield importer.take(log, form)


def _tell(done: Sequence[ImportedLog], paths: Sequence[str]) -> None:
    folders = [path for path in paths if os.path.isdir(path)]
    named = [each for each in done if each.form or not folders or each.path in paths]
    for each in named:
        for line in each.lines():
            print_line(line)
        if each.complaint:
            print_error(each.complaint)
    if len(done) > len(named) or (folders and not done):
        print_line(f"{count_noun(len(done) - len(named), 'file')} below {', '.join(folders)}: no log that is known.")
    _tell_next(list(dict.fromkeys(run for each in done if each.new for run in each.runs)))


def _tell_next(runs: Sequence[str]) -> None:
    """How to look into what was added."""
    if len(runs) == 1:
        one = f"--since {runs[0]}"
        print_line(f"`overture tap report {one}` tells what they cost; `overture tap list {one}` lists them.")
    elif runs:
        more = f", and {len(runs) - SOME:,} more" if len(runs) > SOME else ""
        print_line(
            f"`overture tap report --since RUN` tells what they cost: {', '.join(runs[:SOME])}{more}; or `--since all`."
        )


def _data(each: ImportedLog) -> dict[str, object]:
    fields = {**asdict(each), "new": each.new, "runs": list(each.runs)}
    return {name: value for name, value in fields.items() if name != "last"}


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
    pass

    flags = {"claude-code": claude_code, "codex": codex}
    agents = tuple(name for name, wanted in flags.items() if wanted)
    return import_logs(logs, form, agents, program, store, cwd, as_json)
