"""What a text from outside may not write in this prompt: its tags and headings, and in which spellings."""

import re
from functools import lru_cache
from typing import NamedTuple

from ...text.headings import plain_heading
from ...text.lookalikes import as_read
from ...text.scan import UNFINISHED, TagMark, first_word

ENTITY = r"&(?:lt|#\w+);"
TYPE = re.compile(
    r"""([\w-]+)(?:\[[\w\s"'.,]*\]|[*&?!]|\.\.\.)*"""
    rf"""(?:(\s?\Z)|\s?{ENTITY}|\s?[,|&]\s?[\w"'?&*({{\[]|\sextends\s\w)"""
)
"""What is read in a type of a program: `User`, `Skill[]`, `User*`, `User, Error`, `Task extends Job`.

A bracket that was written as an entity counts as one, so that a text is read in the same way when it comes again.
"""


class Guard(NamedTuple):
    """What untrusted text may not write."""

    tags: frozenset[str]
    headings: frozenset[str]
    names: frozenset[str]
    """The first words of the tags, and the headings; where there is a tag, an unfinished one counts too."""
    capitals: frozenset[str] = frozenset()
    """The tags that are written with a capital."""
    unfinished: bool = True
    """Whether a tag or heading that the text begins and what follows may finish counts too."""
    shows: bool = False
    """Whether secrets stay as they are."""
    attributed: frozenset[str] = frozenset()
    """The tags that always open with an attribute: without one, `<skill>` is a place to fill in."""

    def extended(self, names: tuple[str, ...]) -> "Guard":
        """The same, with the child elements and heading lines around one part."""
        return _extended(self, names)

    def without(self, tags: tuple[str, ...], headings: tuple[str, ...]) -> "Guard":
        """The same but for these, for words that a value may follow."""
        return _without(self, tags, headings)

    def frames(self, mark: TagMark, text: str) -> bool:
        """Whether a reader takes what stands there for a tag of the prompt."""
        lead = mark.lead
        if mark.ended and self.unfinished and any(name.startswith(lead) for name in self.tags):
            return True
        if not any(lead.startswith(name) and _ends_name(lead, len(name)) for name in self.tags):
            return False
        if lead in self.attributed and text.startswith(f"<{lead}>", mark.at):
            return False
        name = _type_at(text, mark)
        return name is None or name in self.capitals


def _type_at(text: str, mark: TagMark) -> str | None:
    """The first name in a type of a program, `Promise<User>`: a word straight before, a capital straight behind."""
    at = mark.at
    if not (at and text[at] == "<" and text[at - 1].isalnum() and text[at + 1 : at + 2].isupper()):
        return None
    found = TYPE.match(mark.lead)
    if found is None or (mark.ended and found[2] is not None):
        return None
    # Letters that look like those of a tag, or hide something between them, are no program's.
    return found[1] if text[at + 1 : at + 1 + len(found[1])].lower() == found[1] else None


def _ends_name(lead: str, end: int) -> bool:
    """Whether a tag's name ends there: `identity.` and `identity x` are read as `identity`, `identity-2` is not."""
    rest = lead[end : end + 2]
    if not rest:
        return True
    return not (rest[0].isalnum() or rest[0] in "_-:" or (rest[0] == "." and rest[1:].isalnum()))


@lru_cache(maxsize=256)
def guard_of(tags: frozenset[str], headings: frozenset[str]) -> Guard:
    """The guard of a prompt with these tags, as they are written, and headings, as they are compared."""
    read = frozenset(map(as_read, tags))
    firsts = {UNFINISHED, *map(first_word, read)} if tags else set()
    capitals = frozenset([as_read(tag) for tag in tags if tag[:1].isupper()])
    return Guard(read, headings, headings.union(firsts), capitals)


NOBODY = guard_of(frozenset(), frozenset())
PASSED = NOBODY._replace(shows=True)
"""For texts that came through already: what was to be hidden in them is hidden."""


@lru_cache(maxsize=256)
def _extended(guard: Guard, names: tuple[str, ...]) -> Guard:
    more = guard_of(
        frozenset(name for name in names if not name.startswith("#")),
        frozenset(plain_heading(name) for name in names if name.startswith("#")),
    )
    tags, headings, capitals = guard.tags | more.tags, guard.headings | more.headings, guard.capitals | more.capitals
    return guard._replace(tags=tags, headings=headings, names=guard.names | more.names, capitals=capitals)


@lru_cache(maxsize=256)
def _without(guard: Guard, tags: tuple[str, ...], headings: tuple[str, ...]) -> Guard:
    left = guard.tags.difference(map(as_read, tags))
    lines = guard.headings.difference(map(plain_heading, headings))
    names = lines.union(map(first_word, left))
    return Guard(left, lines, names, guard.capitals & left, unfinished=False, shows=guard.shows)


@lru_cache(maxsize=256)
def showing(guard: Guard) -> Guard:
    """The same guard for a prompt in which secrets stay as they are."""
    return guard._replace(shows=True)
