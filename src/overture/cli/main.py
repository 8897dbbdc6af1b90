"""`overture`: prints what it printed before where nothing has changed, and runs the command otherwise."""

import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

GC_THRESHOLD = 50_000
"""Objects after which Python looks for garbage: what a command makes mostly lives until it ends."""

OPTIONS = ("--json", "--all", "--files")
"""Options that neither write a file nor read one that somebody names."""
OF_PROMPT = ("build", "check", "context", "explain")
"""Commands about one prompt; whether that stays the same all day is seen when it is built."""


def main() -> None:
    """Run the command line; click and all else is loaded where a command has to run."""
    gc.set_threshold(GC_THRESHOLD)
    try:
        with quiet_end():
            sys.exit(_recall_or_run(sys.argv[1:]) if is_repeatable(sys.argv[1:]) else _run())
    finally:
        if "duckdb" not in sys.modules:  # it reports all that it finds alive at the end as a leak
            gc.freeze()  # the end of the process frees it all: nothing need be looked through for that


def is_repeatable(words: Sequence[str]) -> bool:
    """Whether a command reads and prints, nothing else, and of the clock tells the day at most.

    That is `overture` alone, `agents` with names, and those of one prompt. What a name stands for is asked as all else
    is, unless it is that of a file, which may be a pipe.
    """
    names = [word for word in words if not word.startswith("-")]
    known = not names or names[0] == "agents" or (names[0] in OF_PROMPT and not any(map(os.path.lexists, names[1:])))
    return known and {*words} - {*names} <= {*OPTIONS} and None not in (sys.stdout, sys.stderr)


def _recall_or_run(words: Sequence[str]) -> int:
    from .recall_output import run_or_recall

    return run_or_recall(words, _run)


def _run() -> int:
    from .group import run_command

    return run_command()


@contextmanager
def quiet_end() -> Iterator[None]:
    """A reader who has seen enough (`| head`) ends a command with 0; click would make that a failure."""
    try:
        yield
    except BrokenPipeError:
        write_nowhere()
        raise SystemExit(0) from None


def write_nowhere() -> None:
    """Let what is still to be written go nowhere: Python would complain when it flushes at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
