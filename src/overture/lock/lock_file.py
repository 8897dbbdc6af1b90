"""overture.lock as data, as text and on disk: hashes and counts of prompts, without their words."""

import hashlib
import json
import os
import re
import stat
from posixpath import normpath
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from ..discovery.paths import contains_path
from ..discovery.world import World
from ..discovery.write_file import write_file
from ..errors import ConfigError, explain_write_errors
from ..model.struct import Frozen, convert_data, explain_error, note

LOCK_VERSION = 1
LOCK_NAME = "overture.lock"

SectionPlace = Literal["system", "user", "tools"]
FileExtent = Literal["whole", "cut", "nothing"]
"""How much of a file the prompt contains, if the recipe renders it: of a skill, its line in the menu."""
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Count = Annotated[int, Meta(ge=0)]


class LockedSection(Frozen, frozen=True, omit_defaults=False):
    """What one section renders in words of its own: with a mark in place of each file that it contains."""

    name: str
    place: Annotated[SectionPlace, note("the system prompt, the user's message, or the tools of the request")]
    tokens: Annotated[Count, note("of its own text: those of the section minus those of its files")]
    sha256: Annotated[Digest, note("of its own text")]


class LockedFile(Frozen, frozen=True):
    """A file that the prompt is made of."""

    path: Annotated[str, note("from the project's root")]
    kind: Annotated[str, note("what it is read for: context, rule, skill, recipe, …")]
    said: FileExtent
    tokens: Annotated[Count, note("how many tokens of the prompt come from it")]
    sha256: Annotated[Digest, note("of its bytes, with line endings as git stores them")]
    text: Annotated[Digest, note("SHA-256 of its text in the prompt")]
    skill: Annotated[str | None, note("the skill's name")] = None
    sections: Annotated[tuple[str, ...], note("the sections that contain some of it")] = ()


class LockedPrompt(Frozen, frozen=True, omit_defaults=False):
    """One recipe in one folder."""

    recipe: str
    cwd: Annotated[str, note("the agent's working directory, from the project's root")]
    tokenizer: Annotated[str, note("the tokenizer")]
    options: Annotated[tuple[str, ...], note("names of the given options that change the prompt")] = ()
    sections: tuple[LockedSection, ...] = ()
    files: tuple[LockedFile, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        """Which prompt of the lock it is."""
        return self.recipe, self.cwd

    @property
    def tokens(self) -> int:
        """The tokens of all sections and files."""
        return sum(each.tokens for each in self.sections) + sum(each.tokens for each in self.files)

    @property
    def fingerprint(self) -> str:
        """`sha256:…` of all that the lock has of a prompt: its sections, in their order, and the rendered files."""
        listed = "".join(f"{each.place} {each.name} {each.sha256}\n" for each in self.sections)
        listed += "".join(f"{each.path} {each.text}\n" for each in self.files)
        return f"sha256:{hashlib.sha256(listed.encode('utf-8', 'surrogatepass')).hexdigest()}"

    @property
    def label(self) -> str:
        """How it is called: `codex`, `codex in services/api`."""
        return format_label(*self.key)


class Lock(Frozen, frozen=True, omit_defaults=False):
    """All prompts of a project that are locked, sorted."""

    prompts: tuple[LockedPrompt, ...] = ()
    about: str = ""
    overture_lock: int = LOCK_VERSION

    @property
    def by_key(self) -> dict[tuple[str, str], LockedPrompt]:
        """Each prompt by recipe and folder."""
        return {prompt.key: prompt for prompt in self.prompts}


def format_label(recipe: str, cwd: str) -> str:
    """A recipe, and its folder if that is not the project's own."""
    return recipe if cwd == "." else f"{recipe} in {cwd}"


ABOUT = "What prompts are made of. `overture lock` writes it, `overture lock --check` compares it."
MAX_LOCK_BYTES = 16 * 1024 * 1024
LOCK_START = re.compile(rb'\s*\{\s*"overture_lock"\s*:')
CONFLICT = re.compile(rb"^(?:<{7}|={7}|>{7}|\|{7})(?: .*)?\r?$", re.MULTILINE)
TEXT = rb'("(?:[^"\\]|\\.)*"),?\s+(?:<{7}.*\s+)?'
HEAD = re.compile(rb'"recipe": ' + TEXT + rb'"cwd": ' + TEXT + rb'"tokenizer": ' + TEXT)
"""The first lines of a prompt, also at the beginning of a conflict."""


def format_lock(lock: Lock) -> str:
    """The same lock gives the same bytes, on any machine.

    Each value has a line of its own, so git merges branches that change neighbours; and nothing is written that follows
    from several files, such as a total.
    """
    prompts = sorted(lock.prompts, key=lambda prompt: prompt.key)
    data = {"overture_lock": LOCK_VERSION, "about": ABOUT, "prompts": msgspec.to_builtins(prompts)}
    # Not msgspec's encoder: a name that is not UTF-8 would stop it.
    return f"{json.dumps(data, indent=1)}\n"


class BrokenLockError(ConfigError):
    """A lock of ours that can't be used as it is; `tokenizers` are those of the prompts that it still names."""

    def __init__(self, message: str, data: bytes) -> None:
        """An error about a lock file with that content."""
        super().__init__(message, hint="`overture lock` writes it again.")
        self.tokenizers = _find_named_prompts(data)


def lock_path(top: str) -> str:
    """The path of a project's lock, with links followed; one that leads out of the project is an error."""
    path = os.path.join(top, LOCK_NAME)
    real = os.path.realpath(path)
    if not contains_path(top, real):
        raise ConfigError(
            f"{path!r} is a symlink that leads out of the project.", hint="Replace it with a regular file."
        )
    return real


def read_lock(top: str) -> Lock | None:
    """The lock of a project; None if there is none. A file that is no lock of ours is never overwritten."""
    path = lock_path(top)
    data = _read(path)
    if data is None:
        return None
    mark = CONFLICT.search(data)
    if not LOCK_START.match(CONFLICT.sub(b"", data) if mark else data):
        raise ConfigError(f"{path!r} is not an Overture lock file.", hint="Move it away, and lock again.")
    if mark:
        line = 1 + data.count(b"\n", 0, mark.start())
        raise BrokenLockError(f"{path}:{line}: merge conflict markers.", data)
    return _parse_lock(path, data)


def _read(path: str) -> bytes | None:
    try:
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode):
            kind = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
            raise ConfigError(f"{path!r} is {kind}.", hint="Move it away, and lock again.")
        return World().read(path, MAX_LOCK_BYTES)
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise ConfigError(f"{path!r} can't be read: {(problem.strerror or str(problem)).lower()}.") from None


def _parse_lock(path: str, data: bytes) -> Lock:
    """The lock in a file's bytes: each prompt once, in a folder of the project."""
    try:
        plain = json.loads(data)
        version = plain.get("overture_lock")
        if type(version) is int and version > LOCK_VERSION:
            raise ConfigError(
                f"{path!r} is of version {version}; this Overture reads version {LOCK_VERSION}.",
                hint="Update Overture.",
            )
        lock = convert_data(plain, Lock)
    except msgspec.ValidationError as problem:
        raise BrokenLockError(f"{path!r} is invalid: {explain_error(problem, Lock)}", data) from None
    except (ValueError, RecursionError) as problem:
        raise BrokenLockError(f"{path!r} is invalid: {problem}.", data) from None
    outside = [prompt.cwd for prompt in lock.prompts if not _is_inside(prompt.cwd) or not prompt.recipe]
    twice = len(lock.by_key) < len(lock.prompts)
    if outside or twice or lock.overture_lock != LOCK_VERSION:
        why = "it has a prompt twice" if twice else f"no version {lock.overture_lock}"
        why = f"{outside[0]!r:.80} is not a folder of the project" if outside else why
        raise BrokenLockError(f"{path!r} is invalid: {why}.", data)
    return lock


def _find_named_prompts(data: bytes) -> dict[tuple[str, str], str]:
    """The prompts that a broken lock names, those of both sides of a conflict, each with the first tokenizer of it."""
    named: dict[tuple[str, str], str] = {}
    for match in HEAD.finditer(data):
        try:
            recipe, cwd, tokenizer = map(json.loads, match.groups())
        except ValueError:
            continue
        if recipe and _is_inside(cwd):
            named.setdefault((recipe, cwd), tokenizer)
    return named


def _is_inside(folder: str) -> bool:
    return normpath(folder) == folder and folder.split("/")[0] not in ("", "..") and "\0" not in folder


def write_lock(top: str, lock: Lock) -> bool:
    """Write it, unless it is there already; a reader sees the old lock or the new one. Whether anything was written."""
    path, data = lock_path(top), format_lock(lock).encode()
    if _read(path) == data:
        return False
    with explain_write_errors(path):
        write_file(path, data, within=top)
    return True
