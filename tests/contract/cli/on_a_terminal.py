"""Running `overture` on a terminal of some width, as people do: what it writes there, with and without its colours."""

import os
import pty
import re
import threading
import unicodedata
from pathlib import Path

from .forked import run_between

COLOURS = re.compile("\x1b\\[[0-9]+m")


def on_a_terminal(*words: str | Path, columns: int = 80, term: str = "xterm") -> str:
    """What a command writes on standard output where that is a terminal; its standard error goes nowhere."""
    ours, theirs = pty.openpty()
    nowhere = os.open(os.devnull, os.O_RDWR)
    said: list[bytes] = []
    reader = threading.Thread(target=_read, args=(ours, said))
    reader.start()
    try:
        run_between(words, [nowhere, theirs, nowhere], None, {"TERM": term, "COLUMNS": str(columns)})
    finally:
        os.close(theirs)
        os.close(nowhere)
        reader.join(20)
        os.close(ours)
    return b"".join(said).decode("utf-8", "replace").replace("\r\n", "\n")


def _read(terminal: int, said: list[bytes]) -> None:
    while True:
        try:
            more = os.read(terminal, 65536)
        except OSError:
            return
        if not more:
            return
        said.append(more)


def plain(text: str) -> str:
    """The same without colours."""
    return COLOURS.sub("", text)


def width(line: str) -> int:
    """How many columns of a terminal a line takes."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
