"""Whoever waits longer than a second at a terminal is told what for; nobody else is."""

import os
import pty
import re
import subprocess
import time
from pathlib import Path

import pytest

from .run import OVERTURE

LINE: list[str | Path] = [OVERTURE, "build", "pi", "--no-discover", "--state", "-"]


def told_while(seconds: float, *, terminal: bool, term: str = "xterm") -> tuple[str, str]:
    """What a command says on standard output and standard error, if its input comes so late."""
    ours, theirs = pty.openpty() if terminal else os.pipe()
    environment = {**os.environ, "TERM": term}
    process = subprocess.Popen(LINE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=theirs, env=environment)
    os.close(theirs)
    time.sleep(seconds)
    out, _ = process.communicate(b'{"now": "2026-03-07T08:55:05Z", "runtime": {"cwd": "/p"}}', timeout=60)
    said = b""
    try:
        while more := os.read(ours, 4096):
            said += more
    except OSError:
        pass
    os.close(ours)
    assert process.returncode == 0
    return out.decode(), said.decode()


def test_who_waits_at_a_terminal_is_told() -> None:
    """After a second a line says what goes on and for how long; it is gone before anything else is said."""
    out, said = told_while(4, terminal=True)
    assert out.endswith("Current working directory: /p\n")
    assert re.search(r"\r\x1b\[Kreading standard input … \d s", said)
    assert said.endswith("\r\x1b[K")


@pytest.mark.slow
def test_a_terminal_that_shows_escape_codes_gets_none() -> None:
    """As in an editor's shell, where `TERM` is `dumb`: a line can't be taken away there."""
    assert told_while(4, terminal=True, term="dumb")[1] == ""


@pytest.mark.slow
def test_down_a_pipe_nothing_is_said() -> None:
    """Standard error holds nothing but problems."""
    assert told_while(4, terminal=False)[1] == ""
