"""The files that git knows below a folder: its index tells faster than the disk does."""

import os
import re
from collections.abc import Iterator, Sequence


def tracked(top: str, names: Sequence[str]) -> list[str] | None:
    """The paths, from `top` on, of tracked files with these names, and of those in folders of these names.

    None where there is no repository, git does not answer, or it knows of no file yet: then the disk has to be asked.
    """
    from ..safe_git import ask_git

    try:
        answer = ask_git(("ls-files", "-z"), top, None)
    except OSError:
        return None
    return list(_with_names(b"\0" + answer, names)) if answer else None


def _with_names(listed: bytes, names: Sequence[str]) -> Iterator[str]:
    """The paths of a list in which one of the names is a step; the list is searched once."""
    known = [os.fsencode(name) for name in names if name]
    first = b"".join(sorted({re.escape(name[:1]) for name in known}))  # most steps are none after one letter
    step = re.compile(rb"[\0/](?=[" + first + rb"])(?:" + b"|".join(map(re.escape, known)) + rb")(?=[\0/])")
    at = 0
    while found := step.search(listed, at):
        start = listed.rfind(b"\0", 0, found.start() + 1) + 1
        at = listed.find(b"\0", found.end() - 1 if listed[found.end() - 1] == 0 else found.end())
        at = len(listed) if at < 0 else at
        yield os.fsdecode(listed[start:at])
