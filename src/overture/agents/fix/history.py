"""Writes the changes of a fix, all of them or none, with a record from which they are undone byte for byte."""

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Annotated, Literal

import msgspec

from ...discovery.configuration.trust import approvals_path
from ...discovery.write_file import lock_folder, remove_file, write_file, write_link
from ...errors import ConfigError
from ...model.struct import Frozen, note
from ...terminal.output import count_noun, print_error, print_wrapped
from ..agent_project import AgentProject
from .simulate import Change

MAX_STORED_FIXES = 20
"""Fixes of one project that can be undone."""


class FileBackup(Frozen, frozen=True, omit_defaults=False):
    """One path, as it was and as it was left."""

    path: str
    before: Annotated[bytes | None, note("its bytes, in base64; none: the file did not exist")]
    mode: Annotated[int | None, note("its permissions before")]
    sha256: Annotated[str | None, note("hash of what was written; none: a symlink")]
    link: Annotated[str | None, note("the target of the symlink")] = None


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


def find_history_path(base: AgentProject, root: str) -> str:
    """Where the fixes of a project are stored: beside the user's approvals."""
    name = hashlib.sha256(root.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return f"{os.path.dirname(approvals_path(base.world, base.home))}/fixes/{name}.json"


def read_history(path: str, root: str) -> FixHistory:
    """All fixes of a project, the last one at the end."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return msgspec.json.decode(file.read(), type=FixHistory)
    except FileNotFoundError:
        return FixHistory(root)
    except (OSError, msgspec.MsgspecError, ValueError) as problem:
        hint = "Move it away; earlier fixes can then no longer be undone."
        raise ConfigError(f"Can't read the history of fixes {path!r}: {_explain(problem)}.", hint=hint) from None


def write_history(path: str, history: FixHistory) -> None:
    """Writes the history atomically; only the user may read it."""
    history = FixHistory(history.root, history.fixes[-MAX_STORED_FIXES:])
    with _refusing(path):
        data = msgspec.json.format(msgspec.json.encode(history), indent=1) + b"\n"
        write_file(path, data, mode=0o600, folders=0o700)


@contextmanager
def lock_history(path: str) -> Iterator[None]:
    """Only one process at a time fixes or undoes: two would each lose the other's record."""
    with ExitStack() as stack:
        with _refusing(path):
            stack.enter_context(lock_folder(path, folders=0o700))
        yield


@contextmanager
def _refusing(path: str) -> Iterator[None]:
    """Says that nothing was changed where the history can't be written."""
    try:
        yield
    except OSError as problem:
        cause = "Nothing was changed: without the history, it could not be undone."
        message = f"Can't write the history of fixes {path!r}: {_explain(problem)}."
        raise ConfigError(message, cause=cause) from None


def _explain(problem: Exception) -> str:
    return (getattr(problem, "strerror", None) or str(problem)).lower()


def record_fix(changes: Sequence[Change], when: str) -> FixRecord:
    """The record that undoes the changes, made before any of them."""
    folders: dict[str, None] = {}
    files = []
    for change in changes:
        folder = os.path.dirname(change.path)
        while not os.path.lexists(folder):
            folders[folder] = None
            folder = os.path.dirname(folder)
        new = None if change.after is None else hashlib.sha256(change.after.encode()).hexdigest()
        old = None if change.before is None else change.before.encode()
        mode = None if old is None else stat.S_IMODE(os.lstat(change.path).st_mode)
        files.append(FileBackup(change.path, old, mode, new, change.target))
    return FixRecord(when, tuple(files), tuple(sorted(folders, key=len, reverse=True)))


def write_changes(changes: Sequence[Change], fix: FixRecord, root: str) -> tuple[str, str] | None:
    """Make all changes in a project; where one fails, take back those before it: the path, and why."""
    for done, change in enumerate(changes):
        try:
            if change.target is not None:
                write_link(change.path, change.target, within=root, folders=0o777, replace=change.before is not None)
            else:  # a new file never takes the place of another
                data = (change.after or "").encode()
                write_file(change.path, data, new=change.before is None, within=root, folders=0o777)
        except OSError as problem:
            _restore(fix, fix.files[:done], root)
            return change.path, _explain(problem)
    return None


def _look_at(file: FileBackup) -> str:
    """`before` or `after` a fix, as a path is now; or how it differs. A fix that was killed did not come to all."""
    try:
        status = os.lstat(file.path)
        if stat.S_ISLNK(status.st_mode):
            return "after" if os.readlink(file.path) == file.link else "it is another symlink now"
        if not stat.S_ISREG(status.st_mode):
            return "it is not a regular file any more"
        with open(file.path, "rb") as opened:  # noqa: PTH123
            data = opened.read()
    except (FileNotFoundError, NotADirectoryError):
        return "before" if file.before is None else "it no longer exists"
    except OSError as problem:
        return _explain(problem)
    if data == file.before and stat.S_IMODE(status.st_mode) == file.mode:
        return "before"
    return "after" if hashlib.sha256(data).hexdigest() == file.sha256 else "it has changed since"


def _restore(fix: FixRecord, files: Sequence[FileBackup], root: str) -> dict[str, str]:
    """Every path as it was, byte for byte, and no folder that was made for one; why some could not be."""
    failed = {}
    for file in reversed(files):
        try:
            if file.before is None:
                remove_file(file.path, within=root)
            else:  # a fix keeps owner and permissions: only what was changed since is set
                status = os.lstat(file.path)
                kept = stat.S_ISREG(status.st_mode) and stat.S_IMODE(status.st_mode) == file.mode
                write_file(file.path, file.before, mode=None if kept else file.mode, within=root)
        except OSError as problem:
            failed[file.path] = _explain(problem)
    for folder in fix.folders:
        with suppress(OSError):  # the user put something into it: it stays
            os.rmdir(folder)
    return failed


def undo_fix(base: AgentProject) -> int:
    """Takes back the last fix of this project, if every file is unchanged since; 1 if there is none."""
    root = base.walk[0]
    path = find_history_path(base, root)
    if not read_history(path, root).fixes:
        print_wrapped("Nothing to undo here.")
        return 1
    with lock_history(path):
        *earlier, fix = read_history(path, root).fixes or (FixRecord("", ()),)  # another may have undone it meanwhile
        looks = {file.path: _look_at(file) for file in fix.files}
        files = [file for file in fix.files if looks[file.path] != "before"]
        changed = [file.path for file in files if looks[file.path] != "after"]
        for each in changed:
            print_error(f"error: {each}: {looks[each]}")
        if changed:
            hint = "Restore these files, or edit them by hand."
            raise ConfigError("Nothing was undone: files have changed since `--fix` wrote them.", hint=hint)
        if failed := _restore(fix, files, root):
            raise ConfigError("; ".join(f"can't restore {each!r}: {why}" for each, why in failed.items()) + ".")
        write_history(path, FixHistory(root, tuple(earlier)))
    restored = f"Restored {count_noun(len(files), 'file')} to the state before {fix.when}."
    print_wrapped(restored if files else f"All files of the last fix are as they were before {fix.when}.")
    return 0
