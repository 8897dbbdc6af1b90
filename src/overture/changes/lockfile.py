"""overture.lock as data and on disk, and what differs between two: digests and counts, no text."""

import hashlib
import json
import os
from collections.abc import Iterator
from typing import Annotated

import msgspec

from ..discovery.paths import contains_path
from ..discovery.world import World
from ..discovery.write_file import write_file
from ..errors import ConfigError, explain_write_errors
from ..model.struct import Frozen, convert_data, explain_error, note
from .tables import Change, FileChange, FileUse, name_use

LOCK_NAME = "overture.lock"
LOCK_VERSION = 1
MAX_LOCK_BYTES = 64 * 1024 * 1024
ABOUT = "What agents read here. `overture lock` writes it, `overture lock --check` compares it."


class LockedFile(Frozen, frozen=True, omit_defaults=False):
    """A file that some agent gets."""

    sha256: Annotated[str, note("of its bytes, with line endings as git stores them")]


class LockedBlock(Frozen, frozen=True, omit_defaults=False):
    """A section of a prompt."""

    sha256: Annotated[str, note("of its text")]
    tokens: int


class LockedRecipe(Frozen, frozen=True, omit_defaults=False):
    """The prompt of a recipe of one's own."""

    fingerprint: str
    blocks: dict[str, LockedBlock]


LockedAgent = dict[str, dict[str, FileUse]]
"""What an agent does with the files that it gets, by the folder in which it is started, and by path."""


class Lock(Frozen, frozen=True, omit_defaults=False):
    """What agents read in a project; paths are relative to it."""

    overture_lock: int = LOCK_VERSION
    about: str = ABOUT
    cwd: Annotated[str, note("where agents start")] = "."
    subjects: Annotated[tuple[str, ...], note("the agents and recipes that were named; empty: those in use")] = ()
    tokenizer: str = ""
    agents: dict[str, LockedAgent] = {}
    files: dict[str, LockedFile] = {}
    recipes: dict[str, LockedRecipe] = {}

    def format(self) -> str:
        """The same lock gives the same bytes; each value has a line, so that git merges changes of different files."""
        # Not msgspec's encoder: a name that is not UTF-8 would stop it.
        return f"{json.dumps(msgspec.to_builtins(self), indent=1, sort_keys=True)}\n"


def hash_bytes(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def find_lock_path(root: str) -> str:
    path = os.path.join(root, LOCK_NAME)
    if not contains_path(root, os.path.realpath(path)):
        message = f"{path!r} is a symlink that leads out of the project."
        raise ConfigError(message, hint="Replace it with a regular file.")
    return path


def read_lock(root: str) -> Lock | None:
    """The lock of a project; None if there is none. What can't be read is an error."""
    path = find_lock_path(root)
    try:
        data = json.loads(World().read(path, MAX_LOCK_BYTES))
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise ConfigError(f"{path!r} can't be read: {problem.strerror or problem}.") from None
    except (ValueError, RecursionError) as problem:
        raise BrokenLockError(f"{path!r} is not JSON: {problem}.") from None
    version = data.get("overture_lock") if isinstance(data, dict) else None
    if not isinstance(version, int):
        raise ConfigError(f"{path!r} is not an Overture lock file.", hint="Move it away, and lock again.")
    if version > LOCK_VERSION:
        message = f"{path!r} is of version {version}; this Overture reads version {LOCK_VERSION}."
        raise ConfigError(message, hint="Update Overture.")
    try:
        return convert_data(data, Lock)
    except msgspec.ValidationError as problem:
        raise BrokenLockError(f"{path!r} is invalid: {explain_error(problem, Lock)}") from None


class BrokenLockError(ConfigError):
    """A lock that has to be written again, as after a merge with a conflict."""

    def __init__(self, message: str) -> None:
        super().__init__(message, hint="`overture lock` writes it again.")


def write_lock(root: str, lock: Lock) -> bool:
    """Write it, unless it is there already; a reader sees the old lock or the new one. Whether anything was written."""
    path, data = find_lock_path(root), lock.format().encode()
    try:
        if World().read(path, MAX_LOCK_BYTES) == data:
            return False
    except FileNotFoundError:
        pass
    except OSError as problem:
        raise ConfigError(f"{path!r} can't be written: {problem.strerror or problem}.") from None
    with explain_write_errors(path):
        write_file(path, data, within=root)
    return True


class LockChange(FileChange, frozen=True, omit_defaults=False):
    """One thing that is not as it was locked."""

    subjects: Annotated[tuple[str, ...], note("the agents, or the recipe; of that, `path` is a section")] = ()


def compare_locks(old: Lock, new: Lock) -> tuple[LockChange, ...]:
    """What changed; agents with an equal change, and folders with it, once."""
    starts: dict[tuple[tuple[str, ...], object], tuple[LockChange, list[str]]] = {}
    for each in _list_changes(old, new):
        uses = [each.before, each.after]
        if each.change == "text":
            uses = [use and FileUse("", tokens=use.tokens) for use in uses]
        what = each.path or each.subjects, each.change, *uses
        starts.setdefault((each.subjects, what), (each, []))[1].extend(each.starts)
    groups: dict[object, tuple[LockChange, list[str]]] = {}
    for (subjects, key), (each, folders) in starts.items():
        row = msgspec.structs.replace(each, starts=tuple(folders))
        groups.setdefault((key, row.starts), (row, []))[1].extend(subjects)
    return tuple(msgspec.structs.replace(each, subjects=tuple(subjects)) for each, subjects in groups.values())


def _list_changes(old: Lock, new: Lock) -> Iterator[LockChange]:
    moved = {path for path, file in new.files.items() if path in old.files and old.files[path] != file}
    for name in sorted({*old.agents, *new.agents}):
        was, now = old.agents.get(name), new.agents.get(name)
        if was is None or now is None:
            yield LockChange("", "removed" if now is None else "added", (), None, None, subjects=(name,))
            continue
        for start, path in sorted({(s, p) for side in (was, now) for s, uses in side.items() for p in uses}):
            before, after = was.get(start, {}).get(path), now.get(start, {}).get(path)
            if before != after or path in moved:
                yield LockChange(path, _name_change(before, after), (start,), before, after, subjects=(name,))
    for name in sorted({*old.recipes, *new.recipes}):
        yield from _compare_recipe(name, old.recipes.get(name), new.recipes.get(name))


def _compare_recipe(name: str, was: LockedRecipe | None, now: LockedRecipe | None) -> Iterator[LockChange]:
    if was is None or now is None:
        yield LockChange("", "removed" if now is None else "added", (), None, None, subjects=(name,))
    elif was.fingerprint != now.fingerprint:
        changed = [path for path in {**was.blocks, **now.blocks} if was.blocks.get(path) != now.blocks.get(path)]
        for path in changed or [""]:
            blocks = was.blocks.get(path), now.blocks.get(path)
            before, after = (FileUse("loaded", tokens=block.tokens) if block else None for block in blocks)
            change = _name_change(before, after) if path else "text"
            yield LockChange(path, change, (), before, after, subjects=(name,))


def _name_change(was: FileUse | None, now: FileUse | None) -> Change:
    if was is None or now is None:
        return "removed" if now is None else "added"
    return "text" if name_use(was) == name_use(now) else "changed"
