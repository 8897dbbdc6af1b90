"""Finds the transcripts that agents keep of their sessions in a project."""

import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping

from ...discover.disk.paths import find_home
from ...discover.instructions.agent_settings import move_folders
from ...known_agents import agent
from ..log_files import LogFile, open_log

MAX_DEPTH = 4


def find_transcripts(name: str, folders: Iterable[str], environ: Mapping[str, str]) -> list[LogFile]:
    """What an agent wrote down of its sessions in these places, each transcript once."""
    recipe = agent(name)
    # Its folder under home, or where its variable moves that.
    own = os.path.join(find_home(), move_folders(recipe.wants, recipe.settings, environ)["folder"])
    return list({log.path: log for folder in folders for log in FINDERS[name](own, folder)}.values())


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


def list_project_paths(*paths: str) -> list[str]:
    """Folders by the names that an agent may know them by: as they were given, and where their links lead."""
    return list(dict.fromkeys(name(path) for path in paths for name in (os.path.realpath, os.path.abspath)))
