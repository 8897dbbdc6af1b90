"""`overture tap import`: reads existing logs into the store: files, or the transcripts that agents keep."""

import json
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from typing import cast

import click

from ...agents.agent_project import resolve_in_folder
from ...discovery.paths import find_home
from ...errors import ConfigError
from ...known_agents import agent_facts, agent_wants
from ...terminal.options import AS_JSON
from ...terminal.output import count_noun, print_error, print_line, write_json
from ...terminal.progress_line import report_step
from ...text.path_printer import PathPrinter
from ..import_calls import FORMS, Importer, LogFile, find_logs, open_log
from ..log_formats.log_entries import ImportedLog, LogForm
from ..store.sqlite import FILE_SUFFIXES
from ..store.store import Store, open_store
from .choose_store_and_calls import CWD, STORE, find_store, format_store_option

MAX_DEPTH = 4
"""Folders within each other in which transcripts are looked for."""
MAX_NAMED_RUNS = 6
"""Runs that are named at the end."""


@contextmanager
def _open_or_create(store_path: str) -> Iterator[Store]:
    """The store; one that was not there and into which nothing came is removed again."""
    path = os.path.expanduser(store_path)
    is_new = not os.path.exists(path)
    is_empty = False
    try:
        with open_store(store_path) as store:
            try:
                yield store
            finally:
                is_empty = is_new and not store.count_added()[0] and not store.list_runs()
    finally:
        for name in FILE_SUFFIXES if is_empty else ():
            with suppress(OSError):
                os.unlink(path + name)


def _find_transcripts(agents: Sequence[str], cwd: str | None, top: str) -> list[LogFile]:
    """What agents wrote down of their sessions in the place that is meant, and in the project that it is in."""
    # An agent may know a folder as it was given, or by where its links lead.
    paths = (cwd or os.getcwd(), top)
    folders = list(dict.fromkeys(name(path) for path in paths for name in (os.path.realpath, os.path.abspath)))
    transcripts: list[LogFile] = []
    for name in agents:
        # Its folder under home, or where its variable moves that.
        own = os.path.join(find_home(), agent_wants(name).own_folders(os.environ)["folder"])
        logs = list({log.path: log for folder in folders for log in FINDERS[name](own, folder)}.values())
        if not logs:
            places = " or ".join(map(PathPrinter(os.getcwd(), find_home()), folders))
            print_error(f"warning: {agent_facts(name).title} has no recorded session in {places}")
        transcripts += logs
    return transcripts


def _find_claude_code_logs(own: str, project: str) -> Iterator[LogFile]:
    """The transcripts of a project, and those of its sub-agents."""
    return _list_transcripts(os.path.join(own, "projects", re.sub(r"[^A-Za-z0-9]", "-", project)))


def _find_codex_logs(own: str, project: str) -> Iterator[LogFile]:
    """The transcripts whose session was in a project, or in a folder of it."""
    for log in _list_transcripts(os.path.join(own, "sessions")):
        cwd = _read_cwd(log)
        if cwd == project or cwd.startswith(project.rstrip("/") + "/"):
            yield log


FINDERS = {"claude-code": _find_claude_code_logs, "codex": _find_codex_logs}
"""By the word that the options have for the agents."""


def _list_transcripts(folder: str, deepest: int = MAX_DEPTH) -> Iterator[LogFile]:
    """Sorted by name, and so by day; a folder that can't be listed has none."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    named = (entry.path for entry in entries if entry.name.endswith((".jsonl", ".jsonl.gz")))
    # Reading a pipe would never end; a broken link is listed, so that its error is reported.
    yield from (LogFile(path, True) for path in named if os.path.isfile(path) or not os.path.exists(path))
    for entry in entries:
        if deepest and entry.is_dir(follow_symlinks=False):
            yield from _list_transcripts(entry.path, deepest - 1)


def _read_cwd(log: LogFile) -> str:
    """The session's folder, from its first line."""
    try:
        with open_log(log) as stream:
            cwd = json.loads(stream.readline(1 << 22))["payload"]["cwd"]
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, RecursionError):
        return ""
    return cwd if isinstance(cwd, str) else ""


def _import_all(importer: Importer, logs: Sequence[LogFile], form: LogForm | None) -> Iterator[ImportedLog]:
    """Import one log after the other, and show the progress."""
    for log in logs:
        name = os.path.basename(log.path)[-20:]

        def report_progress(calls: int, name: str = name) -> None:
            report_step(f"{name}: {count_noun(calls, 'call')}" if calls else name)

        importer.on_progress = report_progress
        report_progress(0)
        yield importer.import_log(log, form)


def _print_results(done: Sequence[ImportedLog], paths: Sequence[str], store_option: str) -> None:
    """Print what came of each log, and what could not be read."""
    folders = [path for path in paths if os.path.isdir(path)]
    named = [each for each in done if each.form or not folders or each.path in paths]
    for each in named:
        for line in each.make_lines():
            print_line(line)
        if each.complaint:
            print_error(f"error: {each.complaint}")
    if folders and not done:
        print_line(f"No files below {', '.join(folders)}.")
    elif len(done) > len(named):
        print_line(f"{count_noun(len(done) - len(named), 'file')} below {', '.join(folders)}: not a known log format.")
    _print_next_steps(list(dict.fromkeys(run for each in done if each.new for run in each.runs)), store_option)


def _print_next_steps(runs: Sequence[str], store_option: str) -> None:
    if len(runs) == 1:
        print_line(f"hint: `overture tap report --since {runs[0]}{store_option}` shows what they cost")
    elif runs:
        more = f", and {len(runs) - MAX_NAMED_RUNS:,} more" if len(runs) > MAX_NAMED_RUNS else ""
        print_line(
            f"`overture tap report --since RUN{store_option}` shows what they cost: "
            f"{', '.join(runs[:MAX_NAMED_RUNS])}{more}; or `--since all`."
        )


def _make_data(each: ImportedLog) -> dict[str, object]:
    """What came of importing a log, for JSON."""
    fields = {**asdict(each), "new": each.new, "runs": list(each.runs)}
    return {name: value for name, value in fields.items() if name != "last"}


@click.command("import")
@click.argument("logs", nargs=-1, metavar="[LOG]…")
@click.option("--as", "form", type=click.Choice(FORMS), help="Format of the logs. Default: detected.")
@click.option("--claude-code", is_flag=True, help="Import Claude Code's transcripts of this project.")
@click.option("--codex", is_flag=True, help="Import Codex's transcripts of this project.")
@click.option(
    "--program",
    metavar="NAME",
    default="",
    help="The program that made the calls, e.g. claude, if the log does not name it.",
)
@STORE
@CWD
@AS_JSON
def command(
    logs: tuple[str, ...], form: str | None, claude_code: bool, codex: bool, program: str,
    store: str | None, cwd: str | None, as_json: bool,
) -> int:  # fmt: skip
    """Import calls from existing logs.

    A LOG is a file, a folder of such files, or - for standard input; gzip is unpacked. Formats: HAR, and the
    transcripts of Claude Code and Codex. Calls that are already recorded are skipped. Keys and cookies are never
    written.

    \b
    overture tap import calls.har        saved by a browser or a proxy
    overture tap import --claude-code    its own sessions in this project
    overture tap import - < calls.har    from a pipe
    """
    flags = {"claude-code": claude_code, "codex": codex}
    agents = [name for name, wanted in flags.items() if wanted]
    top = resolve_in_folder(cwd).walk[0]
    files = [*find_logs(logs), *_find_transcripts(agents, cwd, top)]
    if not logs and not agents:
        raise ConfigError("Pass a log, e.g. `overture tap import calls.har`, or --claude-code, or --codex.")
    with _open_or_create(find_store(store, cwd)) as opened:
        importer = Importer(opened, os.path.abspath(cwd or os.getcwd()), program)
        done = list(_import_all(importer, files, cast(LogForm | None, form)))
    if as_json:
        write_json([_make_data(each) for each in done])
    else:
        _print_results(done, logs, format_store_option(store, cwd))
    # 2 where none could be read, 1 where there was none.
    is_read = any(each.form and not (each.refused and not each.calls) for each in done)
    return 0 if is_read else 2 if done else 1
