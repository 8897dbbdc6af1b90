"""A project and its prompt -> all that rules look at."""

from ..model.prompt.prompt import Prompt
from ..model.state.discovery import Found
from ..project.project import Settled
from .facts.find_checked import find_checked
from .ground import Ground


def find_ground(settled: Settled, prompt: Prompt, found: Found) -> Ground:
    """All that rules look at. Files are read once more: a State has them tidied."""
    root, pages, project = find_checked(settled, found)
    return Ground(prompt, pages, project, found.looked_at, root)
