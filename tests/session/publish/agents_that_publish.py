"""Agents in processes of their own, that publish their turns; and what a reader sees of them."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from overture.web.page.attached_page import follow

from overture.report.sheet.compare_sheets import TurnRow
from overture.report.sheet.sheet import SheetWithTools

BEGIN = """
import os, sys, time
import overture
def say(*what):
    print(*what, flush=True)
def session(**more):
    return overture.Session("house", count=len, inspect=True, **more)
"""
"""What every agent begins with. To count letters takes no tokenizer, which takes a second to load."""
SECONDS = 20.0


@contextmanager
def agent(code: str, cwd: Path, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """A process that runs `code` in a folder; it is ended at the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", BEGIN + code],
        cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, **variables},
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            assert stream is not None
            stream.close()


def ran(code: str, cwd: Path, **variables: str) -> str:
    """What an agent printed that came to its end by itself."""
    with agent(code, cwd, **variables) as process:
        out = process.communicate(timeout=SECONDS)[0]
        assert process.returncode == 0
        return out


class Onlooker:
    """Follows a file, and keeps what it is told."""

    def __init__(self, path: str) -> None:
        self.turns: list[tuple[SheetWithTools, TurnRow]] = []
        self.ended: list[str] = []
        self.trouble: list[str] = []
        self.stop = threading.Event()
        self.thread = threading.Thread(
            target=follow, args=(path, self._add, self.ended.append, self.stop, self.trouble.append)
        )
        self.thread.start()

    def _add(self, shown: SheetWithTools, row: TurnRow) -> None:
        self.turns.append((shown, row))

    @property
    def numbers(self) -> list[int]:
        """The turns that came."""
        return [row.turn for _, row in self.turns]

    def until(self, done: "Callable[[Onlooker], object]") -> None:
        """Wait for something to be seen."""
        end = time.monotonic() + SECONDS
        while not done(self):
            assert time.monotonic() < end, (self.numbers, self.ended, self.trouble)
            time.sleep(0.02)


@contextmanager
def looking(path: str) -> Iterator[Onlooker]:
    """Somebody who looks on for a while."""
    seen = Onlooker(path)
    try:
        yield seen
    finally:
        seen.stop.set()
        seen.thread.join()


def own_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder for published sessions, of the test's own."""
    run = tmp_path / "run"
    run.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(run))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return run / "overture" / "sessions"
