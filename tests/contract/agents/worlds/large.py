"""Worlds that ask where a long text is cut, and whether files share a limit."""

from .files import write_data
from .names import HOME_MAIN, MAIN, RULE_OF_EACH
from .places import ROOT
from .tree import Tree
from .world import World

EVERY = (*MAIN, *RULE_OF_EACH)


def large(tree: Tree, size: int = 60_032, fill: str = "x") -> None:
    """One long file of each name at the root."""
    write_data(tree)
    for name in EVERY:
        tree.large("root", name, size, fill)


def two(tree: Tree) -> None:
    """A middling file at the root, a long one where the agent starts."""
    write_data(tree)
    for name in EVERY:
        tree.large("root", name, 24_000)
        tree.large("cwd", name, 60_032)


def home(tree: Tree) -> None:
    """A long file at home, a small one at the root."""
    write_data(tree)
    for name in HOME_MAIN:
        tree.large("home", name, 60_032)
    tree.everywhere(MAIN, ["root"])


WORLDS = (
    World("large-root", "Where is a file of 60 kB cut?", large, cwd=ROOT),
    World("large-two", "Do the files of two folders share a limit?", two),
    World("large-home", "Does the file at home have a limit?", home, cwd=ROOT),
    World("large-two-bytes", "Are bytes or characters counted?", lambda tree: large(tree, fill="é"), cwd=ROOT),
    World("huge", "Where is a file of 600 kB cut?", lambda tree: large(tree, 600_000), cwd=ROOT),
)
