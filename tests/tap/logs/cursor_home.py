"""A home as Cursor leaves it: transcripts, the store of its program for the terminal, and the editor's state.

All of it is made up, in the shapes that others have described who read real ones.
"""

import hashlib
import json
import re
import sqlite3
from pathlib import Path
from typing import Any

SESSION = "0b9d7c7e-3a54-4f0e-9a35-2f6f5c1f7a10"
ASKED = (
    "<timestamp>Friday, Sep 18, 2026, 9:02 PM (UTC-7)</timestamp>\n<user_query>\nWhich roses need water?\n</user_query>"
)
AGAIN = "<timestamp>Friday, Sep 18, 2026, 9:05 PM (UTC-7)</timestamp>\n<user_query>\nAnd the lilies?\n</user_query>"
SYSTEM = "You are Ada, who keeps a garden.\n\n# Rules\nWater the roses at dusk, never at noon.\n"
INFO = "<user_info>\nOS Version: test\n</user_info>\n<rules>\nNever cut a rose before it is open.\n</rules>"


def user(text: str) -> dict[str, Any]:
    """A line of a user's."""
    return {"role": "user", "message": {"content": [{"type": "text", "text": text}]}}


def assistant(*parts: dict[str, Any] | str) -> dict[str, Any]:
    """A line of an answer."""
    content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    return {"role": "assistant", "message": {"content": content}}


READ = {"type": "tool_use", "name": "Read", "input": {"path": "beds.md"}}
ENDED = {"type": "turn_ended", "status": "success"}
TALK = (user(ASKED), assistant("I look into the beds.", READ), assistant("The red ones."), ENDED)
MORE = (user(AGAIN), assistant("They are fine.\n\n[REDACTED]"), ENDED)
KEPT: tuple[dict[str, Any], ...] = (
    {"role": "system", "content": SYSTEM},
    {"role": "user", "content": INFO},
    {"role": "user", "content": [{"type": "text", "text": ASKED}]},
    {
        "role": "assistant",
        "content": [
            {"type": "reasoning", "text": "", "providerOptions": {"cursor": {"modelName": "composer-1"}}},
            {"type": "text", "text": "I look into the beds."},
            {"type": "tool-call", "toolCallId": "t1", "toolName": "Read", "args": {"path": "beds.md"}},
        ],
    },
    {
        "role": "tool",
        "content": [{"type": "tool-result", "toolCallId": "t1", "toolName": "Read", "result": "Red: dry."}],
    },
    {"role": "assistant", "content": [{"type": "text", "text": "The red ones."}]},
)


def lines(*values: dict[str, Any]) -> str:
    """Lines of JSON."""
    return "".join(f"{json.dumps(value)}\n" for value in values)


def transcripts(home: Path, project: Path) -> Path:
    """Where the transcripts of a project are."""
    return home / ".cursor" / "projects" / re.sub(r"[^A-Za-z0-9]+", "-", str(project)).strip("-") / "agent-transcripts"


def transcript(home: Path, project: Path, *values: dict[str, Any], session: str = SESSION) -> Path:
    """A transcript in its place."""
    path = transcripts(home, project) / session / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(lines(*values))
    return path


def chat_store(
    home: Path, messages: tuple[dict[str, Any], ...] = KEPT, model: str = "gpt-5", opaque: int = 0
) -> tuple[Path, sqlite3.Connection]:
    """The store of a session, and its writer, who has it open; `opaque` messages are in no plain text."""
    path = home / ".cursor" / "chats" / "5f0c" / SESSION / "store.db"
    path.parent.mkdir(parents=True)
    writer = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB)")
    writer.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
    data = [json.dumps(message).encode() for message in messages] + [b"\x0a\x02hi" + bytes([n]) for n in range(opaque)]
    root = b"".join(b"\x0a\x20" + _kept(writer, each) for each in data) + b"\x48\x96\x01\x52\x03dir"
    named = {"agentId": SESSION, "latestRootBlobId": _kept(writer, root).hex(), "lastUsedModel": model}
    writer.execute("INSERT INTO meta VALUES ('0', ?)", (json.dumps(named).encode().hex(),))
    return path, writer


def _kept(writer: sqlite3.Connection, data: bytes) -> bytes:
    name = hashlib.sha256(data).digest()
    writer.execute("INSERT INTO blobs VALUES (?, ?)", (name.hex(), data))
    return name


def editor_state(home: Path, model: str, session: str = SESSION) -> Path:
    """The editor's state, with the model of a conversation."""
    path = home / ".config" / "Cursor" / "User" / "globalStorage" / "state.vscdb"
    path.parent.mkdir(parents=True)
    writer = sqlite3.connect(path)
    writer.execute("CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)")
    value = json.dumps({"composerId": session, "modelConfig": {"modelName": model}})
    writer.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (f"composerData:{session}", value))
    writer.commit()
    writer.close()
    return path
