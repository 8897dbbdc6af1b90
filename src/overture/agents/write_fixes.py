"""Writes the changes of `agents --fix`, all of them or none, and keeps a history to undo them."""

import base64
import hashlib
import os
import stat
from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

from ..discover.configuration.approvals import approvals_path
from ..discover.disk.world import World
from ..discover.disk.write_file import remove_file, write_file, write_link
from ..errors import ConfigError
from ..model.struct import Frozen, note
from ..terminal.confirm_changes import find_conflict
from ..text.path_printer import is_inside
from .advice.possible_changes import AgentChange

MAX_KEPT_FIXES = 20
"""Fixes of one project that can be undone."""


class FileBackup(Frozen, frozen=True, omit_defaults=False):
    """One path, as it was and as it was left."""

    path: str
    before: Annotated[str | None, note("its bytes in base64; none: the file did not exist")]
    mode: Annotated[int | None, note("its permissions before")]
    sha256: Annotated[str | None, note("hash of what was written; none: a symlink")]
    link: Annotated[str | None, note("the target of the symlink")] = None

    @property
    def old(self) -> bytes | None:
        """What was there."""
        return None if self.before is None else base64.b64decode(self.before)


class FixRecord(Frozen, frozen=True, omit_defaults=False):
    """One run of `--fix`."""

    when: str
    files: tuple[FileBackup, ...]
    folders: Annotated[tuple[str, ...], note("folders that were created for them, innermost first")] = ()


class FixHistory(Frozen, frozen=True, omit_defaults=False):
    """The file of one project."""

    root: str
    fixes: tuple[FixRecord, ...] = ()
    version: Literal[1] = 1


def find_history_path(world: World, home: str, root: str) -> str:
    """Where the fixes of a project are kept: beside what the user has approved."""
    name = hashlib.sha256(root.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return f"{os.path.dirname(approvals_path(world, home))}/fixes/{name}.json"


def read_history(path: str, root: str) -> FixHistory:
    """All fixes of a project, the last one at the end."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return msgspec.json.decode(file.read(), type=FixHistory)
    except FileNotFoundError:
        return FixHistory(root)
    except (OSError, msgspec.MsgspecError, ValueError) as problem:
        message = getattr(problem, "strerror", None) or str(problem)
        raise ConfigError(
            f"Can't read the history of fixes {path!r}: {message}.",
            hint="Move it away; earlier fixes can then no longer be undone.",
        ) from None


def write_history(path: str, history: FixHistory) -> None:
    """Write them beside the file and let that take its place; only the user may read it."""
    history = FixHistory(history.root, history.fixes[-MAX_KEPT_FIXES:])
    try:
        data = msgspec.json.format(msgspec.json.encode(history), indent=1) + b"\n"
        write_file(path, data, mode=0o600, folders=0o700)
    except OSError as problem:
        message = (problem.strerror or str(problem)).lower()
        raise ConfigError(
            f"Can't write the history of fixes {path!r}: {message}.",
            cause="Nothing was changed: without the history, it could not be undone.",
        ) from None


def find_change_refusal(change: AgentChange, root: str) -> str | None:
    """Why a path is left as it is; None where it may be written."""
    if not is_inside(change.path, root):
        return "it is outside the project"
    folder = os.path.dirname(change.path)
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    if not is_inside(os.path.realpath(folder) + "/_", os.path.realpath(root)):
        return "its path goes through a symlink that leaves the project"
    if not os.path.isdir(folder):
        return f"{folder} is not a folder"
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"the folder {folder} is not writable"
    if change.before is None:
        return "the file exists now" if os.path.lexists(change.path) else None
    return find_conflict(change.path, change.before)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123
        return file.read()


def record_fix(changes: Sequence[AgentChange], when: str) -> FixRecord:
    """What has to be known to undo the changes, before any of them is made."""
    folders: dict[str, None] = {}
    for change in changes:
        folder = os.path.dirname(change.path)
        while not os.path.lexists(folder):
            folders[folder] = None
            folder = os.path.dirname(folder)
    return FixRecord(when, tuple(map(_back_up_file, changes)), tuple(sorted(folders, key=len, reverse=True)))


def _back_up_file(change: AgentChange) -> FileBackup:
    old = None if change.before is None else base64.b64encode(change.before.encode()).decode()
    mode = None if change.before is None else stat.S_IMODE(os.lstat(change.path).st_mode)
    new = None if change.after is None else hashlib.sha256(change.after.encode()).hexdigest()
    return FileBackup(change.path, old, mode, new, change.link)


def write_changes(changes: Sequence[AgentChange], fix: FixRecord, root: str) -> tuple[str, str] | None:
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
            undo_fix_record(fix, fix.files[:done], root)
            return change.path, (problem.strerror or str(problem)).lower()
    return None


def find_difference(file: FileBackup) -> str | None:
    """Why a path is not as a fix left it; None where it is."""
    try:
        if file.link is not None:
            return None if os.readlink(file.path) == file.link else "the symlink has a different target now"
        if not stat.S_ISREG(os.lstat(file.path).st_mode):
            return "it is not a regular file any more"
        return None if hashlib.sha256(_read(file.path)).hexdigest() == file.sha256 else "it has changed since"
    except FileNotFoundError:
        return "it no longer exists"
    except OSError as problem:
        return (problem.strerror or str(problem)).lower()


def undo_fix_record(fix: FixRecord, files: Sequence[FileBackup], root: str) -> dict[str, str]:
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
