"""overture.lock on the disk: read with every doubt, written whole or not at all, and never over what is no lock."""

import json
import os
import re
import stat
from posixpath import normpath

import msgspec

from ..discover.disk.walk import at_or_above
from ..discover.disk.world import RealWorld
from ..discover.write_file import write_file
from ..errors import ConfigError
from ..model.validation import converted, explained
from .as_text import lock_text
from .lock import NAME, VERSION, Lock

LARGEST = 16 * 1024 * 1024
OURS = re.compile(rb'\s*\{\s*"overture_lock"\s*:')
CONFLICT = re.compile(rb"^(?:<{7}|={7}|>{7}|\|{7})(?: .*)?$", re.MULTILINE)
HEAD = re.compile(rb'^ *\{"recipe": ("(?:[^"\\]|\\.)*"), "cwd": ("(?:[^"\\]|\\.)*"),?$', re.MULTILINE)
ANEW = "`overture lock` writes it anew"


class BrokenLockError(ConfigError):
    """A lock of ours that can't be used as it is; `keys` are the prompts that it still names."""

    def __init__(self, said: str, keys: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__(said)
        self.keys = keys


def lock_path(top: str) -> str:
    """Where the lock of a project lies, with links followed; one that leads out of the project is an error."""
    path = os.path.join(top, NAME)
    real = os.path.realpath(path)
    if not at_or_above(top, real):
        raise ConfigError(f"{path!r} is a link that leads out of the project. Put the file itself there.")
    return real


def read_lock(top: str) -> Lock | None:
    """The lock of a project; None where there is none."""
    path = lock_path(top)
    data = _read(path)
    if data is None:
        return None
    if not OURS.match(data):
        raise ConfigError(f"{path!r} is no lock of Overture's. Move it away, and lock again.")
    if mark := CONFLICT.search(data):
        line = 1 + data.count(b"\n", 0, mark.start())
        raise BrokenLockError(f"{path}:{line}: a merge left marks of a conflict. {ANEW}.", _named(data))
    return _lock(path, data)


def _read(path: str) -> bytes | None:
    try:
        found = os.lstat(path)
        if not stat.S_ISREG(found.st_mode):
            kind = "a folder" if stat.S_ISDIR(found.st_mode) else "no regular file"
            raise ConfigError(f"{path!r} is {kind}. Move it away, and lock again.")
        return RealWorld().read_most(path, LARGEST)
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise ConfigError(f"{path!r} can't be read: {(problem.strerror or str(problem)).lower()}.") from None


def _lock(path: str, data: bytes) -> Lock:
    try:
        plain = json.loads(data)
    except (ValueError, RecursionError) as problem:
        raise BrokenLockError(f"{path!r} is broken: {problem}. {ANEW}.", _named(data)) from None
    version = plain.get("overture_lock")
    if type(version) is int and version > VERSION:
        raise ConfigError(f"{path!r} is of version {version}; this Overture reads version {VERSION}. Update Overture.")
    try:
        lock = converted(plain, Lock)
    except msgspec.ValidationError as problem:
        raise BrokenLockError(f"{path!r} is broken: {explained(problem, Lock)} {ANEW}.", _named(data)) from None
    return _checked(path, data, lock)


def _checked(path: str, data: bytes, lock: Lock) -> Lock:
    """Each prompt once, in a folder of the project, and of a version that there was."""
    known: set[tuple[str, str]] = set()
    for prompt in lock.prompts:
        if prompt.key in known:
            raise BrokenLockError(f"{path!r} is broken: it has {prompt.label} twice. {ANEW}.", _named(data))
        if not _is_inside(prompt.cwd) or not prompt.recipe:
            raise BrokenLockError(f"{path!r} is broken: {prompt.cwd!r:.80} is no folder of the project. {ANEW}.")
        known.add(prompt.key)
    if lock.overture_lock != VERSION:
        raise BrokenLockError(f"{path!r} is broken: there is no version {lock.overture_lock}. {ANEW}.", _named(data))
    return lock


def _named(data: bytes) -> tuple[tuple[str, str], ...]:
    """The prompts that a broken lock names, each once: those of both sides of a conflict."""
    found: dict[tuple[str, str], None] = {}
    for recipe, cwd in HEAD.findall(data):
        try:
            key = json.loads(recipe), json.loads(cwd)
        except ValueError:
            continue
        if key[0] and _is_inside(key[1]):
            found[key] = None
    return tuple(found)


def _is_inside(folder: str) -> bool:
    return normpath(folder) == folder and not folder.startswith(("/", "..")) and "\0" not in folder


def write_lock(top: str, lock: Lock) -> bool:
    """Write it, unless it is there already; a reader sees the old lock or the new one. Whether anything was written."""
    path, data = lock_path(top), lock_text(lock).encode()
    if _read(path) == data:
        return False
    try:
        write_file(path, data, within=top)
    except OSError as problem:
        raise ConfigError(f"{path!r} can't be written: {(problem.strerror or str(problem)).lower()}.") from None
    return True
