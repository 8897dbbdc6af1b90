"""Finds the transcripts that agents keep of their sessions in a project."""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from ...discover.disk.paths import find_home
from ...discover.instructions.agent_settings import move_folders
from ...known_agents import agent, agent_facts
from ..log_files import LogFile

MAX_DEPTH = 4


def find_claude_code_logs(project: str, home: str, environ: Mapping[str, str]) -> Iterator[LogFile]:
    """The transcripts of a project, and those of its sub-agents."""
    folder = re.sub(r"[^A-Za-z0-9]", "-", project)
    yield from _list_transcripts(os.path.join(_find_agent_folder("claude-code", home, environ), "projects", folder))


def find_codex_logs(project: str, home: str, environ: Mapping[str, str]) -> Iterator[LogFile]:
    """The transcripts whose session was in a project, or in a folder of it."""
    for log in _list_transcripts(os.path.join(_find_agent_folder("codex", home, environ), "sessions")):
        cwd = _read_cwd(log.path)
        if cwd == project or cwd.startswith(project.rstrip("/") + "/"):
            yield log


def _find_agent_folder(name: str, home: str, environ: Mapping[str, str]) -> str:
    """The agent's folder under home, or where its variable moves that."""
    recipe = agent(name)
    return os.path.join(home, move_folders(recipe.wants, recipe.settings, environ)["folder"])


class TranscriptAgent(NamedTuple):
    """An agent that writes down its sessions."""

    name: str
    find: Callable[[str, str, Mapping[str, str]], Iterator[LogFile]]


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


def _read_cwd(path: str) -> str:
    """The session's folder, from its first line."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            found = json.loads(file.readline(1 << 22))
        cwd = found["payload"]["cwd"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ""
    return cwd if isinstance(cwd, str) else ""


WRITERS = {
    name: TranscriptAgent(agent_facts(name).title, find)
    for name, find in (("claude-code", find_claude_code_logs), ("codex", find_codex_logs))
}
"""By the word that the options have for them."""


def list_folder_names(*paths: str) -> list[str]:
    """Folders by the names that an agent may know them by: as they were given, and where their links lead."""
    return list(dict.fromkeys(name(path) for path in paths for name in (os.path.realpath, os.path.abspath)))


def find_transcripts(writer: TranscriptAgent, folders: Iterable[str], environ: Mapping[str, str]) -> list[LogFile]:
    """What an agent wrote down of its sessions in these places, each transcript once."""
    home = find_home()
    return list({log.path: log for folder in folders for log in writer.find(folder, home, environ)}.values())
