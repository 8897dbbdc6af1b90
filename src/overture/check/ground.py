"""What rules look at: the prompt, the files behind it, and what the project has."""

from collections.abc import Mapping
from typing import Literal

from ..model.prompt.prompt import Prompt
from ..model.state.discovery import Look
from ..model.struct import Frozen

PageKind = Literal["instructions", "skill", "rule", "import", "readme"]


class Page(Frozen, frozen=True, dict=True):
    """A file of the project, as it lies on disk."""

    path: str
    text: str
    kind: PageKind
    read: bool = True
    """Whether the prompt was made of it; an instruction file of another tool is not."""


class ProjectFacts(Frozen, frozen=True):
    """What the project has, of the things that its pages speak of."""

    commands: Mapping[str, frozenset[str]] = {}
    """The runner (`npm`, `make`, …) and the names that it knows here; a runner that is not here has no entry."""
    missing: Mapping[str, frozenset[str]] = {}
    """The path of a page and the files that it names and that are nowhere."""


class Ground(Frozen, frozen=True, dict=True):
    """All that a rule may look at. Nothing is read by a rule."""

    prompt: Prompt
    pages: tuple[Page, ...] = ()
    project: ProjectFacts = ProjectFacts()
    looks: tuple[Look, ...] = ()
    """Every path that was looked at, and what came of it."""
    root: str = ""
    """The folder of the project; nothing where there is none, as for a saved state."""


FURTHEST = 10_000
"""Lines before a text in its file, in all files together: a state may claim any number, and each of them costs."""


def saved_ground(prompt: Prompt, looks: tuple[Look, ...] = ()) -> Ground:
    """What is known of a prompt without a project: the files that its state holds whole, each on its own lines."""
    files = (*prompt.state.context_files, *prompt.state.workspace_files)
    room, pages = FURTHEST, []
    for file in files:
        above = (file.where.line or 1) - 1
        # What claims to stand further down is looked at as if it began its file.
        above = above if 0 < above <= room else 0
        room -= above
        pages.append(Page(file.path, "\n" * above + file.content, "instructions"))
    return Ground(prompt, tuple(pages), looks=looks)
