"""The files that git knows below a folder: its index tells faster than the disk does."""

import os
import re
from collections.abc import Callable, Iterator, Sequence

Tracked = Callable[[Sequence[str]], list[str] | None]


def ask_for_tracked(top: str) -> Tracked:
    """Ask git for the files that it knows, and go on; what is given back waits for its answer.

    That is the paths, from `top` on, of tracked files with certain names, and of those in folders of these names. None
    where there is no repository, git does not answer, or it knows of no file yet: then the disk has to be asked.
    """
    from ..safe_git import start_git

    try:
        answered = start_git(("ls-files", "-z"), top, None)
    except OSError:
        return lambda _: None

    def tracked(names: Sequence[str]) -> list[str] | None:
        try:
            answer = answered()
        except OSError:
            return None
        return list(_with_names(answer, names)) if answer else None

    return tracked


def _with_names(listed: bytes, names: Sequence[str]) -> Iterator[str]:
    """The paths of a list in which one of the names is a step; the list is searched once."""
    known = [os.fsencode(name) for name in names if name]
    first = b"".join(sorted({re.escape(name[:1]) for name in known}))  # most steps are none after one letter
    step = re.compile(rb"/(?=[" + first + rb"])(?:" + b"|".join(map(re.escape, known)) + rb")(?=/)")
    steps = b"/" + listed.replace(b"\0", b"/")  # one letter before each step is found far faster than one of two
    at = 0
    while found := step.search(steps, at):
        start = listed.rfind(b"\0", 0, found.start()) + 1
        end = listed.find(b"\0", found.end() - 1)
        yield os.fsdecode(listed[start : end if end >= 0 else len(listed)])
        at = end + 1 if end >= 0 else len(steps)
