"""Shows changes of files as a diff, asks whether to write them, and explains why one may not be written."""

import os
import shlex
import stat
import sys
from collections.abc import Sequence

import click

from ..assemble.sanitize.sanitize import contain_author
from ..text.path_printer import is_inside
from .output import count_noun, escape_controls, print_error, style

MAX_NAMED_FILES = 6
"""Files that are named; more are counted."""
DIFF_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def diff_texts(path: str, old: str, new: str) -> list[str]:
    """The unified diff that shows a change of a file; each line without its end, and as a prompt would show it."""
    old, new = contain_author(old)[0], contain_author(new)[0]
    names = (f"a/{path}", f"b/{path}")
    from difflib import unified_diff

    return list(unified_diff(old.split("\n"), new.split("\n"), *names, lineterm="", n=1))


def style_diff_line(line: str) -> str:
    """A line of a diff in its colour."""
    return style(escape_controls(line), fg=DIFF_COLOURS.get(line[:1]))


def confirm_writing(paths: Sequence[str]) -> bool:
    """Asks the user at a terminal. Without a terminal there is no consent."""
    files = len(paths)
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()):
        command = escape_controls(shlex.join(["overture", *sys.argv[1:]]))
        named = f": {', '.join(paths)}" if files <= MAX_NAMED_FILES else ""
        print_error(f"note: Would change {count_noun(files, 'file')}{named}")
        print_error(f"hint: `{command} --yes` writes {'it' if files == 1 else 'them'}")
        return False
    shown = "this file" if files == 1 else f"these {count_noun(files, 'file')}"
    return click.confirm(f"Write {shown}?", default=False, err=True)


def find_conflict(path: str, before: str) -> str | None:
    """Why a file can't be replaced: it has to be a regular file, unchanged since the diff. None if it can."""
    try:
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode):
            return "it is not a regular file"
        if status.st_nlink > 1:
            return "it has other hard links"
        with open(path, "rb") as file:  # noqa: PTH123
            same = file.read() == before.encode("utf-8")
        return None if same else "it has changed or is not UTF-8: try again"
    except (OSError, UnicodeEncodeError) as problem:
        return f"can't be read: {(getattr(problem, 'strerror', None) or str(problem)).lower()}"


def find_change_refusal(path: str, before: str | None, root: str) -> str | None:
    """Why a change that was shown may not be written to a path; None if it may."""
    if not is_inside(path, root):
        return "it is outside the project"
    folder = os.path.dirname(path)
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    if not is_inside(os.path.realpath(folder) + "/_", os.path.realpath(root)):
        return "its path goes through a symlink that leaves the project"
    if not os.path.isdir(folder):
        return f"{folder} is not a folder"
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"the folder {folder} is not writable"
    if before is None:
        return "the file exists now" if os.path.lexists(path) else None
    return find_conflict(path, before)
