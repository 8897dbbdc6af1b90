"""What the user approved: files by path and content, as settings, as texts, or for a project that reaches them."""

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from posixpath import dirname
from typing import Annotated, Literal, NamedTuple

import msgspec

from ...errors import ConfigError, explain_write_errors
from ...model.struct import Frozen, note
from ..allowed import ANY_CONTENT, OutsideApproval
from ..files import MAX_FILE_BYTES
from ..parse_json_and_toml import parse_toml
from ..paths import choose_user_folder, contains_path
from ..place import Location
from ..repository import find_project_folder
from ..world import World, read_limited
from ..write_file import lock_folder, write_file
from .config import Config

MAX_APPROVALS_BYTES = 8 * 1024 * 1024
ApprovalStatus = Literal["trusted", "changed", "unknown"]
SETTINGS = "settings"
"""Files whose settings were shown: one that was approved as a text of another project's recipe is not among them."""
TEXTS = "files"


class Approval(Frozen, frozen=True):
    """One file as it was when it was approved."""

    sha256: str
    when: Annotated[str, note("ISO 8601")] = ""


class ApprovalsFile(Frozen, frozen=True, omit_defaults=False):
    """The file trust.json."""

    version: Literal[1] = 1
    settings: Annotated[dict[str, Approval], note("a project's own files: overture.toml and the like")] = {}
    files: Annotated[dict[str, Approval], note("by real path")] = {}
    outside: Annotated[
        dict[str, dict[str, Approval]], note("approved files outside a project: by project, by real path")
    ] = {}


class Approvals(NamedTuple):
    """What is approved, and the file that records it."""

    path: str
    known: Mapping[str, Mapping[str, Approval]] = {}
    """By what they count for, SETTINGS, TEXTS or a project that reaches outside; then by real path."""
    problem: str = ""
    """Why the stored approvals have no effect."""

    def status(self, purpose: str, real: str, digest: str | None) -> ApprovalStatus:
        """The approval status of a file with this content."""
        known = self.known.get(purpose, {}).get(real)
        return "unknown" if known is None else "trusted" if known.sha256 == digest else "changed"

    def paths(self) -> list[str]:
        """Every approved file, once."""
        return sorted({path for files in self.known.values() for path in files})

    def without(self, path: str) -> "Approvals":
        """Those but of a file, or of all below a folder; a file outside is approved for no project then."""
        known = {
            purpose: {name: each for name, each in files.items() if not contains_path(path, name)}
            for purpose, files in self.known.items()
            if not contains_path(path, purpose)
        }
        return self._replace(known={purpose: files for purpose, files in known.items() if files})

    def including(self, more: Mapping[str, Mapping[str, Approval]]) -> "Approvals":
        """Those and further ones."""
        added = {purpose: {**self.known.get(purpose, {}), **files} for purpose, files in more.items()}
        return self._replace(known={**self.known, **added})


def approvals_path(world: World, home: str) -> str:
    """The file of approvals: in XDG_STATE_HOME, or else in ~/.local/state."""
    return (
        f"{choose_user_folder(world.machine.environment(), home, '.local/state', 'XDG_STATE_HOME')}/overture/trust.json"
    )


def read_approvals(world: World, home: str) -> Approvals:
    """All approvals. A file that can't be used approves nothing, and `problem` explains why."""
    path = approvals_path(world, home)
    try:
        # The standard library reads and writes also paths that are not UTF-8.
        stored = msgspec.convert(json.loads(read_limited(world, path, MAX_APPROVALS_BYTES)), ApprovalsFile)
    except (FileNotFoundError, NotADirectoryError):
        return Approvals(path)
    except OSError as problem:
        return Approvals(path, problem=(problem.strerror or str(problem)).lower())
    except (msgspec.MsgspecError, ValueError, RecursionError) as problem:
        return Approvals(path, problem=f"it was not written by `overture trust`: {problem}")
    known = {SETTINGS: stored.settings, TEXTS: stored.files, **stored.outside}
    return Approvals(path, {purpose: files for purpose, files in known.items() if files})


def change_approvals(world: World, home: str, change: Callable[[Approvals], Approvals]) -> Approvals:
    """Change the current file, and nothing that another process writes meanwhile; returns the earlier content."""
    path = approvals_path(world, home)
    with explain_write_errors(path), lock_folder(path, folders=0o700):
        before = read_approvals(world, home)
        if before.problem:
            raise ConfigError(f"{path}: {before.problem}.", hint="Fix it, or delete it and run `overture trust` again.")
        known = {purpose: dict(sorted(files.items())) for purpose, files in sorted(change(before).known.items())}
        settings, texts = known.pop(SETTINGS, {}), known.pop(TEXTS, {})
        stored = msgspec.to_builtins(ApprovalsFile(settings=settings, files=texts, outside=known))
        write_file(path, json.dumps(stored, indent=1).encode() + b"\n", mode=0o600)
        return before


def approve_files(world: World, paths: Iterable[str], when: str, *, settings: bool = False) -> dict[str, Approval]:
    """Approvals of these files with their current content."""
    found = {world.real(path): compute_approved_digest(world, path, settings=settings) for path in paths}
    return {path: Approval(digest, when) for path, digest in found.items() if digest is not None}


def compute_approved_digest(
    world: World, path: str, data: bytes | None = None, *, settings: bool = False
) -> str | None:
    """The SHA-256 of a file; of the settings in a pyproject.toml, that of our table. None if it can't be read."""
    try:
        content = read_limited(world, path, MAX_FILE_BYTES) if data is None else data
    except (OSError, ValueError):
        return None
    import hashlib

    own = settings and path.endswith("/pyproject.toml")
    return hashlib.sha256(_select_own_table(content) if own else content).hexdigest()


def _select_own_table(content: bytes) -> bytes:
    """Our table of a pyproject.toml; all of a file that has none."""
    try:
        table = parse_toml(content)["tool"]["overture"]
    except (ValueError, KeyError, TypeError):
        return content
    return json.dumps(table, sort_keys=True, default=str).encode("utf-8", "surrogatepass")


def make_outside_approval(location: Location, config: Config) -> OutsideApproval:
    """The check for files outside the project: approved by path and content, or by trusting the project's folder.

    Nothing is read before the first check.
    """
    world, cwd = location.world, location.cwd

    @cache
    def read_approved() -> Mapping[str, Approval] | None:
        here = world.real_or_same(cwd)
        if any(contains_path(world.real_or_same(folder), here) for folder in config.get("trusted").value):
            return None  # everything is approved
        return read_approvals(world, location.home).known.get(find_project_folder(world, cwd), {})

    def find_approved_digest(real: str) -> str | None:
        approved = read_approved()
        if approved is None:
            return ANY_CONTENT
        if real in approved:
            return approved[real].sha256
        # A folder with approved files or skills is looked into; each file in it is checked by itself.
        skills = (each for each in approved if each.endswith("/SKILL.md"))
        holds = any(dirname(each) == real for each in approved) or any(contains_path(real, each) for each in skills)
        return ANY_CONTENT if holds else None

    return find_approved_digest
