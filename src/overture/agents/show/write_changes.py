"""Writing changes into a project, all of them or none: never through a link, never over another text."""

import base64
import hashlib
import os
import stat
from collections.abc import Sequence

from ...discover.write_file import remove_file, write_file, write_link
from ...text.paths import is_below
from ..advice.advice import Change
from .kept_fixes import Fix, Written


def refusal(change: Change, root: str) -> str | None:
    """Why a path is left as it is; None where it may be written."""
    if not is_below(change.path, root):
        return "it lies outside the project"
    folder = os.path.dirname(change.path)
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    if not is_below(os.path.realpath(folder) + "/_", os.path.realpath(root)):
        return "a link leads out of the project on its way"
    if not os.path.isdir(folder):
        return f"{folder} is no folder"
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"the folder {folder} may not be written to"
    return _changed(change)


def _changed(change: Change) -> str | None:
    """What lies there has to be what the diff shows."""
    if change.before is None:
        return "something lies there by now" if os.path.lexists(change.path) else None
    try:
        found = os.lstat(change.path)
        if not stat.S_ISREG(found.st_mode):
            return "it is not a regular file"
        if found.st_nlink > 1:
            return "it has other names"
        return None if _read(change.path) == change.before.encode() else "it has changed meanwhile: try again"
    except OSError as problem:
        return f"it can't be read: {(problem.strerror or str(problem)).lower()}"


def _read(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123
        return file.read()


def to_keep(changes: Sequence[Change], when: str) -> Fix:
    """What has to be known to undo the changes, before any of them is made."""
    folders: dict[str, None] = {}
    for change in changes:
        folder = os.path.dirname(change.path)
        while not os.path.lexists(folder):
            folders[folder] = None
            folder = os.path.dirname(folder)
    return Fix(when, tuple(map(_written, changes)), tuple(sorted(folders, key=len, reverse=True)))


def _written(change: Change) -> Written:
    old = None if change.before is None else base64.b64encode(change.before.encode()).decode()
    mode = None if change.before is None else stat.S_IMODE(os.lstat(change.path).st_mode)
    new = None if change.after is None else hashlib.sha256(change.after.encode()).hexdigest()
    return Written(change.path, old, mode, new, change.link)


def write_changes(changes: Sequence[Change], fix: Fix, root: str) -> tuple[str, str] | None:
    """Make all changes in a project; where one fails, take back those before it: the path, and why."""
    for done, change in enumerate(changes):
        mode = fix.files[done].mode
        try:
            if change.link is not None:
                write_link(change.path, change.link, within=root, folders=0o777)
            else:
                # A new file never takes the place of another.
                data = (change.after or "").encode()
                write_file(change.path, data, mode=mode, new=mode is None, within=root, folders=0o777)
        except OSError as problem:
            put_back(fix, fix.files[:done], root)
            return change.path, (problem.strerror or str(problem)).lower()
    return None


def differs(file: Written) -> str | None:
    """Why a path is not as a fix left it; None where it is."""
    try:
        if file.link is not None:
            return None if os.readlink(file.path) == file.link else "the link leads elsewhere by now"
        if not stat.S_ISREG(os.lstat(file.path).st_mode):
            return "it is no regular file any more"
        return None if hashlib.sha256(_read(file.path)).hexdigest() == file.sha256 else "it was changed since"
    except FileNotFoundError:
        return "it is gone"
    except OSError as problem:
        return (problem.strerror or str(problem)).lower()


def put_back(fix: Fix, files: Sequence[Written], root: str) -> dict[str, str]:
    """Every path as it was, byte for byte, and no folder that was made for one; why some could not be."""
    failed = {}
    for file in reversed(files):
        try:
            if file.old is None:
                remove_file(file.path, within=root)
            else:
                write_file(file.path, file.old, mode=file.mode if file.mode is not None else 0o644, within=root)
        except OSError as problem:
            failed[file.path] = (problem.strerror or str(problem)).lower()
    for folder in fix.folders:
        try:
            os.rmdir(folder)
        except OSError:
            continue  # somebody put something into it: it stays
    return failed
