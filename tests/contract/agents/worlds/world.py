"""A world: a question about agents, and the tree in which a run of one answers it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .git import Repository
from .places import CWD
from .tree import Tree


@dataclass(frozen=True)
class World:
    """A tree of marked files, where the agent starts in it, and what it is made to read."""

    name: str
    question: str
    build: Callable[[Tree], None]
    cwd: str = CWD
    git: bool = True
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables that move the agent's folders; `{folder}` stands for the folder of the world."""
    reads: tuple[str, ...] = ()
    """Files that the agent is made to read after its first request, one after the other."""
    repositories: tuple[Repository, ...] = ()
    """Made after the one at the root, where `git` is true."""
