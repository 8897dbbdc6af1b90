"""Running `overture` on a terminal of some width, as people do: what it writes there, with and without its colours."""

import os
import pty
import re
import subprocess
import unicodedata
from pathlib import Path

from .run import OVERTURE

COLOURS = re.compile("\x1b\\[[0-9]+m")


def on_a_terminal(*words: str | Path, columns: int = 80, cwd: Path | None = None) -> str:
    """What a command writes where it may use colours, on standard output and standard error."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "COLUMNS": str(columns)}
    process = subprocess.Popen(
        [OVERTURE, *words], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=env, cwd=cwd
    )
    os.close(theirs)
    said = b""
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:
            break
        if not more:
            break
        said += more
    process.wait()
    os.close(ours)
    return said.decode("utf-8", "replace").replace("\r\n", "\n")


def plain(text: str) -> str:
    """The same without colours."""
    return COLOURS.sub("", text)


def width(line: str) -> int:
    """How many columns of a terminal a line takes."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
