"""A project and its prompt -> all that rules look at: the files behind it, as they lie on disk."""

from collections.abc import Iterator

from ..check.ground import Ground, Page, PageKind
from ..discover.disk.walk import folders
from ..discover.disk.world import World
from ..model.prompt.prompt import Prompt
from ..model.state.discovery import Found
from .project import Settled

KINDS: dict[str, PageKind] = {
    "context": "instructions",
    "workspace": "instructions",
    "skill": "skill",
}
"""What was looked for, as a kind of page."""


def find_ground(settled: Settled, prompt: Prompt, found: Found) -> Ground:
    """All that rules look at. Each file is read once more: a State has it tidied."""
    pages = tuple(_pages(settled.world, found))
    return Ground(prompt, pages, looks=found.looked_at, root=find_project(settled.world, settled.cwd))


def find_project(world: World, cwd: str) -> str:
    """The nearest folder with a `.git` at or above the working directory, else that."""
    for folder in reversed(folders(cwd, None)):
        try:
            if world.look(f"{folder.rstrip('/')}/.git") is not None:
                return folder
        except OSError:
            break
    return cwd


def _pages(world: World, found: Found) -> Iterator[Page]:
    seen = set()
    for look in found.looked_at:
        kind = KINDS.get(look.what)
        if kind is not None and look.outcome == "loaded" and look.path not in seen:
            seen.add(look.path)
            try:
                yield Page(look.path, world.read(look.path).decode("utf-8"), kind)
            except (OSError, UnicodeDecodeError):
                continue  # what is wrong with it was reported when it was read
