"""What Cursor keeps beside its transcripts, read without a lock and without a change.

Cursor may be writing meanwhile. Its store is small, and is copied with what is written ahead of it; the editor's may
hold gigabytes, and one value of it is looked up in the file as it is.
"""

import os
import re
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from urllib.parse import quote

from ...report.tap.logs.found import Beside
from ...report.tap.logs.transcripts.cursor_store import told_by_editor, told_by_store

TRANSCRIPTS = "agent-transcripts"
SUB_AGENTS = "subagents"
ID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
AHEAD = "-wal"
MOST = 256 << 20
"""Bytes of a store that is copied."""
TRIES = 3
"""How often a store is copied that is being written to."""


def cursor_homes(home: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Where Cursor keeps what it writes."""
    settings = environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    own = environ.get("CURSOR_CONFIG_DIR")
    return tuple(filter(None, (own, os.path.join(home, ".cursor"), os.path.join(settings, "cursor"))))


def cursor_beside(path: str, home: str, environ: Mapping[str, str]) -> Beside:
    """What other files tell of a transcript: its session by its own place, then the model and the messages."""
    session, parent = _session(path)
    if not session:
        return Beside()
    problems: list[tuple[str, str]] = []
    found = Beside()
    for store in _stores(session, (_above(path), *cursor_homes(home, environ))):
        try:
            found = _store(store)
            break
        except (OSError, sqlite3.Error) as problem:
            problems.append((store, _why(problem)))
    state = _state(home, environ)
    if not found.model and os.path.isfile(state):
        try:
            found = found._replace(model=_editor(state, session).model)
        except (OSError, sqlite3.Error) as problem:
            problems.append((state, _why(problem)))
    return found._replace(session=session, parent=parent, problems=tuple(problems))


def _session(path: str) -> tuple[str, str]:
    """The session that a transcript is of, and the one whose sub-agent it is."""
    steps = os.path.abspath(path).split(os.sep)
    name = steps[-1].removesuffix(".gz").removesuffix(".jsonl")
    if TRANSCRIPTS not in steps[:-1]:
        return (name, "") if ID.fullmatch(name) else ("", "")
    inner = steps[len(steps) - steps[::-1].index(TRANSCRIPTS) : -1]
    return name, inner[0] if len(inner) > 1 and SUB_AGENTS in inner else ""


def _above(path: str) -> str:
    """The folder in which the transcript's projects are."""
    before, _, _ = os.path.abspath(path).partition(os.sep + TRANSCRIPTS + os.sep)
    return os.path.dirname(os.path.dirname(before))


def _stores(session: str, homes: tuple[str, ...]) -> Iterator[str]:
    for home in dict.fromkeys(homes):
        try:
            folders = sorted(os.listdir(os.path.join(home, "chats")))
        except OSError:
            continue
        paths = (os.path.join(home, "chats", folder, session, "store.db") for folder in folders)
        yield from (path for path in paths if os.path.isfile(path))


def _store(path: str) -> Beside:
    """A copy that was taken while somebody wrote may be torn: then it is taken again."""
    for left in reversed(range(TRIES)):
        try:
            return _copied(path)
        except sqlite3.DatabaseError:
            if not left:
                raise
    raise AssertionError


def _copied(path: str) -> Beside:
    if os.stat(path).st_size > MOST:
        raise OSError(f"it is larger than {MOST >> 20} MB")
    with tempfile.TemporaryDirectory(prefix="overture-cursor-") as folder:  # 0700
        copy = os.path.join(folder, "store.db")
        # What is written ahead comes first: what moves from it into the store meanwhile is then in both.
        if os.path.isfile(path + AHEAD):
            shutil.copyfile(path + AHEAD, copy + AHEAD)
        shutil.copyfile(path, copy)
        with closing(sqlite3.connect(copy)) as opened:
            rows = dict(opened.execute("SELECT key, value FROM meta"))
            blobs = {str(name): _bytes(data) for name, data in opened.execute("SELECT id, data FROM blobs")}
    return told_by_store(rows, blobs)


def _bytes(data: object) -> bytes:
    return data if isinstance(data, bytes) else str(data).encode("utf-8", "replace")


def _editor(path: str, session: str) -> Beside:
    address = f"file:{quote(path)}?mode=ro&immutable=1"
    with closing(sqlite3.connect(address, uri=True)) as opened:
        asked = "SELECT value FROM cursorDiskKV WHERE key = ?"
        row = opened.execute(asked, (f"composerData:{session}",)).fetchone()
    return told_by_editor(row[0]) if row else Beside()


def _state(home: str, environ: Mapping[str, str]) -> str:
    """Where the editor keeps its state."""
    if sys.platform == "darwin":
        base = os.path.join(home, "Library", "Application Support")
    elif sys.platform == "win32":
        base = environ.get("APPDATA") or os.path.join(home, "AppData", "Roaming")
    else:
        base = environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    return os.path.join(base, "Cursor", "User", "globalStorage", "state.vscdb")


def _why(problem: Exception) -> str:
    return f"it can't be read: {getattr(problem, 'strerror', None) or problem}"
