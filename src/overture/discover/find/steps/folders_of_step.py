"""A step -> the folders in which its names are looked for."""

import posixpath
from functools import lru_cache
from typing import NamedTuple

from ....model.recipe.wants.wanted_instructions import Files
from ...disk.walk import at_or_above

DEEPEST = 64


class Worktree(NamedTuple):
    """What a worktree belongs to."""

    owner: str
    """The checkout, or a bare repository."""
    is_bare: bool
    around: tuple[str, ...]
    """The folders of the owner on the way to the worktree, outermost first; none where it lies elsewhere."""
    is_known: bool
    """Whether the owner knows of it: a `.git` that came with a project may name any folder."""

    @property
    def lends(self) -> bool:
        """Whether the worktree may have what the owner has: a bare repository has no files."""
        return self.is_known and not self.is_bare


class Ground(NamedTuple):
    """Where an agent stands."""

    above: list[str]
    """Every folder from the outermost down to the working directory."""
    root: str | None
    """The one of them that is the repository's top."""
    home: str
    touching: tuple[str, ...] = ()
    """Files that it works on, as absolute paths."""
    worktree: Worktree | None = None
    """Where the repository is a worktree: what it belongs to."""

    @property
    def cwd(self) -> str:
        """The working directory."""
        return self.above[-1]

    @property
    def project(self) -> str:
        """The repository, or else the working directory."""
        return self.root or self.cwd


def walk_of(step: Files, ground: Ground) -> list[str]:
    """The folders from the top of the step's walk down to the working directory."""
    top = next((folder for folder in ground.above if folder in step.tops), None)
    if top is not None:
        return ground.above[ground.above.index(top) :]
    if ground.root is None:
        return {"up": ground.above, "cwd": [ground.cwd], "never": []}[step.alone]
    if step.up == "root":
        return ground.above
    first = ground.above.index(ground.root) - (step.up == "above-repository")
    return ground.above[max(first, 0) :]


def folders_of(step: Files, ground: Ground) -> list[str]:
    """The folders of a step within a project, in its order; those at home are not among them."""
    found = _in_order(step, ground)
    return found[::-1] if step.order == "nearest" else found


def _in_order(step: Files, ground: Ground) -> list[str]:
    """The same, outermost first."""
    if step.where == "below":
        return below(ground.cwd, _in_play(step, ground))
    if step.where == "project":
        return [folder for folder in below(ground.project, _in_play(step, ground)) if folder not in ground.above]
    walk = walk_of(step, ground)
    return {
        "walk": walk,
        "ends": list(dict.fromkeys((*walk[:1], *walk[-1:]))),
        "between": walk[1:-1],
        "cwd": walk[-1:],
        "root": [ground.project] if walk else [],
        "home": [],
    }[step.where]


def _in_play(step: Files, ground: Ground) -> tuple[str, ...]:
    """The files that it works on, but those below a folder in which the step is blind."""
    if not step.not_below:
        return ground.touching
    start = f"{ground.cwd.rstrip('/')}/"
    inner = {path: f"/{path.removeprefix(start)}" for path in ground.touching}
    return tuple(path for path, name in inner.items() if not any(f"/{each}/" in name for each in step.not_below))


def below(top: str, touching: tuple[str, ...]) -> list[str]:
    """The folders below one that lead to the files in play, outermost first."""
    return list(_below(top, touching))


@lru_cache(maxsize=8)
def _below(top: str, touching: tuple[str, ...]) -> dict[str, None]:
    found: dict[str, None] = {}
    start = top.rstrip("/")
    for path in touching:
        inner = posixpath.dirname(path)
        if inner != top and at_or_above(top, inner):
            folder = start
            for step in inner[len(start) + 1 :].split("/")[:DEEPEST]:
                folder = f"{folder}/{step}"
                found[folder] = None
    return found


def at_home(step: Files, ground: Ground) -> list[str]:
    """The folders under home, or wherever they were moved to."""
    return [posixpath.normpath(posixpath.join(ground.home, place)) for place in step.at_home]
