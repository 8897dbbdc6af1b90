"""Arguments of `diff` -> the revisions that they name, unless they are recipes or files."""

import re
from typing import NamedTuple

from ...discover.disk.walk import absolute
from ...discover.disk.world import RealWorld, World
from ...discover.revisions.find_revisions import Repository, Revision, find_repository, find_revision, merge_base
from ...errors import ConfigError, OvertureError, nearest
from ...project.find_recipe import known_names
from ...recipes import BUILTIN
from ...terminal.gather_state import settled
from ...terminal.options import Ask

RANGE = re.compile(r"(?P<before>(?!:/).*?)(?P<dots>\.\.\.?)(?P<after>(?!/).*)")
REVISION = re.compile(r"[~^@{]|\.\.(?!/)|^HEAD$")
"""What no recipe and hardly a file has in its name."""


class Wanted(NamedTuple):
    """The two to compare. `after` is None for the working tree."""

    repository: Repository
    before: Revision
    after: Revision | None
    cwd: str


def wanted_revisions(before: str, after: str | None, ask: Ask, *, forced: bool) -> Wanted | None:
    """The revisions that two arguments stand for, or one; None where both are recipes or files.

    A name that can be both is a revision only if the other one can be nothing else, or is not given.
    """
    names = [before] if after is None else [before, after]
    known = _known(ask)
    ours = [] if forced else [name for name in names if _is_ours(name, known)]
    if after is not None and len(ours) == 2:
        return None
    cwd = absolute(RealWorld(), ask.cwd or ".")
    try:
        repository = find_repository(_nearest_folder(cwd))
        first, second = _revisions(repository, before, after)
    except ConfigError as problem:
        raise ConfigError(str(problem) if forced else _neither(names, ours, known, problem)) from None
    if ask.no_discover:
        raise ConfigError("--no-discover reads no files, so that two revisions would be the same. Leave it out.")
    return Wanted(repository, first, second, _in_repository(cwd, repository.root))


def _known(ask: Ask) -> list[str]:
    """The recipes that can be named. A configuration that can't be read is no reason not to look at earlier ones."""
    try:
        return known_names(settled(ask))
    except OvertureError:
        return list(BUILTIN)


def _is_ours(name: str, known: list[str]) -> bool:
    """Whether it is a recipe or a file: those came before revisions, and keep their names."""
    if name in known or name.endswith(".toml"):
        return True
    world = RealWorld()
    try:
        entry = world.look(world.real(name))
    except (OSError, ValueError):
        return False
    return entry is not None and entry.kind != "dir"


def _neither(names: list[str], ours: list[str], known: list[str], problem: ConfigError) -> str:
    """Why the names can't be compared."""
    if len(names) == 1 and ours:
        return f"AFTER is missing: {names[0][:80]!r} is a recipe or a file. Give another one to compare it with."
    strange = next((name for name in names if name not in ours and repr(name[:80]) in str(problem)), None)
    if ours and strange is None:
        other = next(name for name in names if name not in ours)
        return f"{ours[0][:80]!r} is a recipe or a file, and {other[:80]!r} is not. Give two of a kind. {problem}"
    name = strange or names[0]
    if REVISION.search(name):
        return str(problem)
    near = "" if "Did you mean" in str(problem) else nearest(name[:80], known)
    file = "a file (it is a directory)" if is_folder(RealWorld(), name) else "a file"
    why = str(problem).replace(f"{name[:80]!r} names", "as a revision it names", 1)
    return f"{name[:80]!r} is neither a recipe ({', '.join(known)}) nor {file}; {why}{near}"


def _revisions(repository: Repository, before: str, after: str | None) -> tuple[Revision, Revision | None]:
    ranges = [name for name in (before, after) if name and RANGE.fullmatch(name)]
    if after is not None and ranges:
        raise ConfigError(f"{ranges[0][:80]!r} is a range, which is two revisions already. Give it alone.")
    found = RANGE.fullmatch(before)
    if found is None:
        first = find_revision(repository, before)
        return first, None if after is None else find_revision(repository, after)
    first, last = (find_revision(repository, found[side] or "HEAD") for side in ("before", "after"))
    return merge_base(repository, first, last) if found["dots"] == "..." else first, last


def _nearest_folder(path: str) -> str:
    """The folder, or the nearest above it that is there: a revision may have one that the working tree has not."""
    world = RealWorld()
    while path != "/" and not is_folder(world, path):
        path = path.rpartition("/")[0] or "/"
    return path


def is_folder(world: World, path: str) -> bool:
    """Whether a folder lies there, or a link to one."""
    try:
        entry = world.look(world.real(path))
    except OSError:
        return False
    return entry is not None and entry.kind == "dir"


def _in_repository(cwd: str, root: str) -> str:
    """The working directory, written from the real path of the root; links below that are the revision's."""
    world, here = RealWorld(), cwd
    while here != "/" and not (is_folder(world, here) and world.real(here) == root):
        here = here.rpartition("/")[0] or "/"
    if here != "/":
        return root + cwd[len(here) :]
    there = _nearest_folder(cwd)
    return world.real(there) + cwd[len(there) :]
