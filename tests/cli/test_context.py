"""`overture context`: what fills the window, at a glance; as text and JSON."""

import json
import os
import pty
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from overture import Session
from overture.testing import FakeWorld
from tests.contract.cli.forked import OVERTURE
from tests.contract.cli.run import assert_refused, read_stdout, run
from tests.contract.cli.saved import saved, talked

PLAIN = ("--no-discover", "--set", "runtime.cwd=/p", "--now", "2026-03-07T08:55:05-06:00")


def data(*words: str | Path) -> Any:
    """The context as JSON."""
    return json.loads(read_stdout("context", *words, "--json"))


def whole(context: Any) -> int:
    """The sum of all parts."""
    kinds = ("system", "tools", "skills", "nested", "messages")
    return sum(row["tokens"] for kind in kinds for row in context[kind])


def terminal(*words: str | Path, columns: int = 80, **environment: str) -> str:
    """What somebody sees who sits before a terminal of that width."""
    ours, theirs = pty.openpty()
    size = columns.to_bytes(2, "little")
    import fcntl
    import termios

    fcntl.ioctl(theirs, termios.TIOCSWINSZ, (24).to_bytes(2, "little") + size + b"\0\0\0\0")
    env = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")} | environment
    process = subprocess.Popen([OVERTURE, *words], stdout=theirs, stderr=theirs, stdin=theirs, env=env)
    os.close(theirs)
    seen = b""
    while True:
        try:
            seen += (got := os.read(ours, 65536))
        except OSError:
            break
        if not got:
            break
    process.wait()
    os.close(ours)
    # What a slow machine says while one waits goes again before anything else is said.
    said = re.sub("\r\x1b\\[K[^\r\n]*(?=\r\x1b\\[K)|\r\x1b\\[K", "", seen.decode())
    return said.replace("\r\n", "\n")


def test_of_a_recipe(tmp_path: Path) -> None:
    """All parts add up, and the model gives the window."""
    context = data("house", *PLAIN, "--model", "claude-opus-5")
    assert context["tokens"] == whole(context)
    assert (context["model"], context["window"]) == ("claude-opus-5", 1_000_000) or context["window"] > 100_000
    assert context["free"] == context["window"] - context["tokens"]
    assert [row["name"] for row in context["messages"]] == ["sections"]


def test_of_a_saved_session(tmp_path: Path) -> None:
    """The same that the live session says."""
    live = talked()
    live.turn()
    live.save(tmp_path / "saved.json")
    assert data(tmp_path / "saved.json") == live.context.to_dict()
    assert data("--state", tmp_path / "saved.json") == live.context.to_dict()
    context = data(tmp_path / "saved.json", "--window", "200,000")
    assert (context["window"], context["free"]) == (200_000, 200_000 - context["tokens"])


def test_at_a_glance(tmp_path: Path) -> None:
    """A line that says it all, a bar, a line for each kind, then the parts of each under its heading."""
    file, _ = saved(tmp_path / "saved.json")
    lines = read_stdout("context", file, "--model", "claude-opus-5").splitlines()
    assert re.match(r"house  [\d,]+ of [\d,]+ tokens, 0\.\d %; [\d,]+ are free \(claude-opus-5, o200k\)", lines[0])
    assert set(lines[1]) <= set("█▓▒▞░·")
    assert [line[2:].split("  ")[0].strip() for line in lines[4:10]] == [
        "█ system prompt", "▓ tools", "▒ skills", "▞ nested files", "░ messages", "· free",
    ]  # fmt: skip
    assert lines[3].split() == ["tokens", "of", "window"]
    text = "\n".join(lines)
    for title in ("System prompt", "Tools", "Skills", "Nested files", "Messages"):
        assert f"\n\n{title}" in text
    assert "/p/sub/AGENTS.md" in text and "tides" in text and "user messages" in text


def test_bad_usage() -> None:
    """An unknown model, and a window that is none, are one line."""
    assert_refused(run("context", "house", "--model", "cluade-opus-5"), "'cluade-opus-5'", "a similar model exists: ")
    assert_refused(run("context", "house", "--window", "-3"), "--window")
    assert_refused(run("context", "house", "--window", "9", "--model", "claude-opus-5"), "--window", "--model")


def test_budgets_count(tmp_path: Path) -> None:
    """With --budget, also as a share of the window, the prompt is cut before it is counted."""
    context = data("house", *PLAIN, "--window", "600", "--budget", "10%", "--set", 'memories=["' + "tide " * 200 + '"]')
    assert sum(row["tokens"] for row in (*context["system"], *context["skills"])) <= 60
    assert context["window"] == 600


@pytest.mark.parametrize("columns", [40, 60, 80, 132])
def test_it_fits_the_terminal(tmp_path: Path, columns: int) -> None:
    """No line is wider than the terminal, however long a path is."""
    long = "a-rather-long-folder-name/" * 6
    live = Session("house", world=FakeWorld({"/p/AGENTS.md": "x", f"/p/{long}AGENTS.md": "Deep."}))
    live.turn("Go")
    live.refresh(touched=[f"/p/{long}x.py"])
    live.turn("On")
    live.save(tmp_path / "saved.json")
    seen = terminal("context", tmp_path / "saved.json", "--window", "9,000,000", columns=columns)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", seen)
    assert max(map(len, plain.splitlines())) <= columns
    assert "AGENTS.md" in plain
    assert "\x1b[" in seen
    assert "\x1b[" not in terminal("context", tmp_path / "saved.json", columns=columns, NO_COLOR="1")


def test_what_is_not_counted_is_said(tmp_path: Path) -> None:
    """A picture in a message has a size that nobody here knows."""
    live = talked()
    live.add(live.messages[0].__class__("user", "Look:", blocks=({"type": "image"},)))
    live.save(tmp_path / "saved.json")
    assert "Not counted: 1 of type 'image' in messages (prompt)." in read_stdout("context", tmp_path / "saved.json")
