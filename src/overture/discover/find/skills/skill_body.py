"""A skill -> its full instructions and the files that lie beside them, read when it is loaded."""

from heapq import nsmallest
from typing import NamedTuple

from ....model.state.files import Skill
from ....text.frontmatter import Frontmatter, parse
from ....text.normalize import tidy
from ...disk.decode_text import decode
from ...disk.reader import Reader
from ...disk.world import World

MOST = 100
"""Files that are listed, at the most."""
DEEPEST = 4
SEARCHED = 10_000
"""Files after which no further folder is searched."""


def read_skill_body(reader: Reader, skill: Skill, roots: tuple[str, ...]) -> tuple[str, int]:
    """The text below the frontmatter, and the line at which it begins. What can't be read is an OSError: why."""
    if skill.body is not None:
        text, skipped = tidy(skill.body)
        return text, 1 + skipped
    folder, _, name = skill.location.rpartition("/")
    for root in roots:
        sighting = reader.sight(folder, name, root, "skill")
        if sighting is not None:
            text, skipped = tidy(decode(reader.content(sighting), skill.location)[0])
            parsed = parse(text)
            if not isinstance(parsed, Frontmatter):
                return text, 1 + skipped
            body, blank = tidy(text[parsed.body :])
            return body, parsed.body_line + skipped + blank
    raise OSError(reader.looked[-1].detail or "it is not there any more")


class Resources(NamedTuple):
    """The files that lie beside a skill's instructions."""

    paths: tuple[str, ...] = ()
    """The first of them, by absolute path, sorted."""
    files: int = 0
    """How many there are, as far as was searched."""
    unsearched: int = 0
    """Folders that were not looked into: too deep, unreadable, or after very many others."""

    @property
    def rest(self) -> str:
        """What is not listed, in words; nothing where all is."""
        more = f"{self.files:,}" + " or more" * bool(self.unsearched)
        if len(self.paths) < self.files:
            return f"{len(self.paths):,} of {more} files are listed"
        folders = "1 folder below was" if self.unsearched == 1 else f"{self.unsearched:,} folders below were"
        return f"{folders} not searched" if self.unsearched else ""


def find_resources(world: World, skill: Skill) -> Resources:
    """The files that lie in a skill's folder; links and hidden files are left out."""
    top, _, own = skill.location.rpartition("/")
    found: list[str] = []
    unsearched = 0
    todo = [(top, 1)]
    while todo:
        folder, depth = todo.pop()
        if depth > DEEPEST or len(found) > SEARCHED:
            unsearched += 1
            continue
        try:
            names = world.names(folder)
        except (FileNotFoundError, NotADirectoryError):
            continue  # a skill that a state gives need not lie anywhere
        except OSError:
            unsearched += 1
            continue
        for name, kind in names:
            if name.startswith(".") or (folder == top and name == own):
                continue
            if kind == "file":
                found.append(f"{folder}/{name}")
            elif kind == "dir":
                todo.append((f"{folder}/{name}", depth + 1))
    return Resources(tuple(nsmallest(MOST, found)), len(found), unsearched)
