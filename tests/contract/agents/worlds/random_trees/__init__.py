"""Random marked trees: `random_tree(agent, seed)` gives the same world each time."""

from .tree import RandomTree, random_tree

__all__ = ["RandomTree", "random_tree"]
