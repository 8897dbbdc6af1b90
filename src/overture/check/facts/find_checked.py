"""A discovery -> the pages that rules look at, and what of their words the project has."""

from typing import NamedTuple

from ...model.state.discovery import Found
from ...project.project import Settled
from ...project.wanted import link_roots
from ..ground import Page, ProjectFacts
from .find_commands import find_commands
from .find_missing import find_missing
from .find_pages import Desk, find_pages
from .tree import Tree


class Checked(NamedTuple):
    """What is on the disk, of the things that `check` speaks of."""

    root: str
    pages: tuple[Page, ...]
    project: ProjectFacts


def find_checked(settled: Settled, found: Found) -> Checked:
    """Read the pages of a project, and look up what they name. Nothing that is not named is looked for."""
    root = link_roots(settled).project
    desk = Desk(settled.reader(), root, settled.home)
    pages = find_pages(desk, found, settled.cwd)
    # Of what lies above the project nothing is known that could be missing.
    inside = tuple(page for page in pages if page.path.startswith(root.rstrip("/") + "/"))
    tree = Tree(settled.world, root)
    missing = find_missing(desk, tree, inside, settled.cwd)
    return Checked(root, pages, ProjectFacts(find_commands(tree, inside), missing))
