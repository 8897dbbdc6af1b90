"""What the recipe of a project wants, with its settings filled in and the switches heeded."""

from ..discover.disk.project_root import Roots, find_roots, looked_for
from ..discover.disk.repository import find_repository
from ..discover.disk.walk import folders, walk_ends
from ..model.recipe.wants.wanted_files import ContextFiles, Wants, filled
from .project import Settled


def wants_of(settled: Settled) -> Wants:
    """What the recipe wants, with its settings filled in."""
    return filled(settled.recipe.wants, {**settled.recipe.settings, **settled.settings})


def context_wants(settled: Settled) -> ContextFiles | None:
    """The project files that the recipe wants, as far as they are switched on."""
    return looked_for(wants_of(settled), settled.features).context


def link_roots(settled: Settled) -> Roots:
    """How far links in the project and above it may lead."""
    cwd, top = walk_ends(settled.world, settled.cwd, settled.root)
    wants, reader = looked_for(wants_of(settled), settled.features), settled.reader()
    return find_roots(reader, wants, folders(cwd, top), settled.home, find_repository(reader, cwd))
