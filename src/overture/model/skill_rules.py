"""The Agent Skills rules on a SKILL.md, and which of them it breaks: whether that counts is the reader's word."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from ..text.frontmatter import Field, Frontmatter, plain_text

NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
MOST = 1024
"""Characters of a description that a menu shows."""
CUT = ", and menus show no more of it"
Fault = Literal[
    "frontmatter",
    "yaml",
    "colon",
    "name-missing",
    "name-long",
    "name-letters",
    "name-folder",
    "description-missing",
    "description-long",
    "compatibility-long",
]
"""What may be wrong with a skill; `colon`: YAML that only lacks quotes."""


class Broken(NamedTuple):
    """A rule that a skill breaks, and what becomes of it where it is loaded all the same."""

    fault: Fault
    message: str
    line: int
    instead: str = ""


def too_long(chars: int) -> str:
    """Which rule a long description breaks."""
    return f"description has {chars:,} characters; {MOST:,} is the most"


def broken_rules(parsed: Frontmatter, folder: str) -> Iterator[Broken]:
    """The rules on name, description and compatibility that the skill in a folder does not keep."""
    fields = parsed.fields
    yield from _broken_names(fields.get("name"), folder)
    said = len(plain_text(fields.get("description")))
    if said > MOST:
        yield Broken("description-long", too_long(said), fields["description"].line, CUT)
    said = len(plain_text(fields.get("compatibility")))
    if said > 500:
        message = f"compatibility has {said:,} characters; 500 is the most"
        yield Broken("compatibility-long", message, fields["compatibility"].line)


def _broken_names(field: Field | None, folder: str) -> Iterator[Broken]:
    name = plain_text(field)
    if field is None or not name:
        line = field.line if field else 1
        yield Broken("name-missing", "it has no name", line, f": its folder's, {folder!r}, is used")
        return
    if len(name) > 64:
        yield Broken("name-long", f"name has {len(name)} characters; 64 is the most", field.line)
    if not NAME.fullmatch(name):
        message = f"name {name!r:.80} may hold only a-z, 0-9 and single hyphens between them"
        yield Broken("name-letters", message, field.line)
    if name != folder:
        yield Broken("name-folder", f"name {name!r:.80} is not the name of its folder, {folder!r}", field.line)
