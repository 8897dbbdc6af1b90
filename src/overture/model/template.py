"""A prompt template: a text that a user calls as `/name arguments`."""

from typing import Annotated

from .struct import Frozen, note


class Template(Frozen, frozen=True):
    """One template, as a .md file gives it."""

    name: Annotated[str, note("the file's name without .md")]
    text: str
    path: str
    description: Annotated[str, note("of the frontmatter, or else the first line")] = ""
