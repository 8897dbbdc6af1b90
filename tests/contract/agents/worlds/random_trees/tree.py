"""Random trees: what nobody thought of. A seed gives pieces; any of them may be left out, so that a tree can shrink."""

import tomllib
from collections.abc import Collection
from pathlib import Path
from random import Random
from typing import NamedTuple

from ..files import write_data
from ..git import Kind, Repository
from ..places import CWD, PLACES, ROOT, WALKED
from ..tree import Tree
from ..world import World
from .makers import MAKERS
from .piece import Kit, Piece, write_piece

KITS = tomllib.loads(Path(__file__).with_name("kits.toml").read_text(encoding="utf-8"))
"""What each agent's trees are drawn from."""

TOUCHED = (*(f"{PLACES[place]}/data.txt" for place in ("child", "sib", "root", "cwd")), f"{ROOT}/src/main.py")


KINDS: tuple[Kind, ...] = ("worktree", "worktree", "submodule", "plain")
INNER = tuple(
    (Repository(kind, PLACES[place], "" if kind == "plain" else ROOT),)
    for kind in KINDS
    for place in ("mid1", "mid2", "cwd", "sib")
)
"""Repositories within the one at the root."""


class RandomTree(NamedTuple):
    """What a seed gives."""

    world: World
    pieces: tuple[Piece, ...]


def random_tree(agent: str, seed: int, kept: Collection[int] | None = None) -> RandomTree:
    """The world of a seed, with all its pieces or those whose numbers are kept."""
    rng = Random(f"{agent} {seed}")
    cwd = rng.choice((CWD, CWD, CWD, ROOT, ROOT, PLACES["mid1"], PLACES["mid2"]))
    git = rng.random() < 0.85
    reads = tuple(rng.sample(TOUCHED, rng.randint(1, 3))) if rng.random() < 0.4 else ()
    pieces = _draw(rng, {**KITS[agent], "places": _places(cwd)})
    # Drawn last, so that a seed's pieces do not depend on it.
    inner = rng.choice(INNER) if git and rng.random() < 0.3 else ()
    chosen = tuple(piece for number, piece in enumerate(pieces) if kept is None or number in kept)

    def build(tree: Tree) -> None:
        write_data(tree)
        for piece in chosen:
            write_piece(tree, piece)

    about = "What nobody thought of."
    return RandomTree(World(f"random-{seed}", about, build, cwd, git, reads=reads, repositories=inner), pieces)


def _places(cwd: str) -> list[str]:
    """The folders for files: mostly those on the way to where the agent starts."""
    walked = [place for place in WALKED if f"{cwd}/".startswith(f"{PLACES[place]}/")]
    return [*walked * 3, *["root", walked[-1]] * 3, "mid1", "cwd", "child", "sib"]


def _draw(rng: Random, kit: Kit) -> tuple[Piece, ...]:
    """Pieces of some kinds only: where all kinds are in every tree, each hides what another does."""
    kinds = [kind for kind in MAKERS if rng.random() < 0.55] or ["main"]
    weights = [MAKERS[kind].weight for kind in kinds]
    pieces: list[Piece] = []
    if "main" not in kinds and rng.random() < 0.7:
        pieces += MAKERS["main"].make(rng, kit, ())
    wanted = rng.randint(3, 18)
    for _ in range(4 * wanted):
        (kind,) = rng.choices(kinds, weights)
        made = MAKERS[kind].make(rng, kit, tuple(pieces))
        names = {(piece.place, piece.mark) for piece in pieces}
        pieces += [piece for piece in made if (piece.place, piece.mark) not in names]
        if len(pieces) >= wanted:
            break
    return tuple(pieces)
