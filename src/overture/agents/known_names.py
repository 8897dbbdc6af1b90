"""What agents call their instruction files and the folders of their skills."""

from collections.abc import Iterable
from typing import NamedTuple

from ..model.other_tools import INSTRUCTIONS, SKILLS, by_first_step
from ..model.recipe.recipe import Recipe
from .show.words import TEXTS

MISTAKEN = frozenset(("agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md"))
"""Names that are worth a word where their letter case is another; `docs/warp.md` is about something else."""


class Names(NamedTuple):
    """What agents look for in the folders of a project, by the first step of its path."""

    files: dict[str, tuple[str, ...]]
    skills: dict[str, tuple[str, ...]]
    """Folders that hold skills."""
    bare: frozenset[str]
    """Names of files without a folder."""

    def holds(self, name: str) -> bool:
        """Whether a file of that name is one, whatever its letter case."""
        return name in self.bare or name.casefold() in MISTAKEN


def names_of(recipes: Iterable[Recipe]) -> Names:
    """The names that are known of many tools, and those of these agents.

    Bare names of one agent are left out, as one reads README.md too: `files_of_own` looks for those.
    """
    names, skills = dict.fromkeys(INSTRUCTIONS), dict.fromkeys(SKILLS)
    for recipe in recipes:
        for step in recipe.wants.files:
            if step.where != "home" and step.kind in TEXTS:
                names.update(dict.fromkeys(n for given in step.names for n in given.split("|") if _is_surveyed(n)))
        if recipe.wants.skills:
            skills.update(dict.fromkeys(filter(_is_surveyed, recipe.wants.skills.project)))
    return Names(
        by_first_step(names),
        by_first_step(skills),
        frozenset(name for name in names if "/" not in name),
    )


def _is_surveyed(name: str) -> bool:
    return "/" in name and name[0] not in "/~*" and "{" not in name
