"""What `agents --fix` has written, kept in the user's state folder so that it can be undone."""

import base64
import hashlib
import os
from typing import Annotated, Literal

import msgspec

from ...discover.configuration.approvals import approvals_path
from ...discover.disk.world import World
from ...discover.write_file import write_file
from ...errors import ConfigError
from ...model.struct import Frozen, note

MOST = 20
"""Fixes of one project that can be undone."""


class Written(Frozen, frozen=True, omit_defaults=False):
    """One path, as it was and as it was left."""

    path: str
    before: Annotated[str | None, note("its bytes in base64; none: nothing lay there")]
    mode: Annotated[int | None, note("its permissions before")]
    sha256: Annotated[str | None, note("of what was written; none: a link")]
    link: Annotated[str | None, note("where the link leads")] = None

    @property
    def old(self) -> bytes | None:
        """What was there."""
        return None if self.before is None else base64.b64decode(self.before)


class Fix(Frozen, frozen=True, omit_defaults=False):
    """One run of `--fix`."""

    when: str
    files: tuple[Written, ...]
    folders: Annotated[tuple[str, ...], note("those that were made for them, innermost first")] = ()


class Kept(Frozen, frozen=True, omit_defaults=False):
    """The file of one project."""

    root: str
    fixes: tuple[Fix, ...] = ()
    version: Literal[1] = 1


def fixes_path(world: World, home: str, root: str) -> str:
    """Where the fixes of a project are kept: beside what the user has approved."""
    name = hashlib.sha256(root.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return f"{os.path.dirname(approvals_path(world, home))}/fixes/{name}.json"


def read_fixes(path: str, root: str) -> Kept:
    """All fixes of a project, the last one at the end."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return msgspec.json.decode(file.read(), type=Kept)
    except FileNotFoundError:
        return Kept(root)
    except (OSError, msgspec.MsgspecError, ValueError) as problem:
        said = getattr(problem, "strerror", None) or str(problem)
        raise ConfigError(
            f"{path!r} can't be read: {said}. Move it away: then nothing written before can be undone."
        ) from None


def write_fixes(path: str, kept: Kept) -> None:
    """Write them beside the file and let that take its place; only the user may read it."""
    kept = Kept(kept.root, kept.fixes[-MOST:])
    try:
        data = msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n"
        write_file(path, data, mode=0o600, folders=0o700)
    except OSError as problem:
        said = (problem.strerror or str(problem)).lower()
        raise ConfigError(
            f"{path!r} can't be written: {said}. Nothing was changed: without it, nothing could be undone."
        ) from None
