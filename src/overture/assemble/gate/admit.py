"""The gate: the one way for a text into a prompt, into a message of ours, and into the tools of a request.

Whatever a section, a hook or a program hands over goes through one of these functions, and comes out as `Admitted`,
with what was done to it. Blocks take nothing else, and nobody else makes any.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from ...model.admitted import Admitted, AdmittedTool
from ...model.recipe.section import Frame
from ...model.state.tool import Tool
from ...text.headings import first_line, plain_heading
from ...text.scan import PLAIN, Marks, scan
from .foreign_text import SHORT, Edit, authored, authored_once, contain, contain_once, edited, edits_for
from .guard import Guard
from .report_foreign_text import Contained

Passed: TypeAlias = tuple[Admitted, tuple[Contained, ...]]
"""A text that came through, and what was done to it."""
WITHIN = 200
"""Characters of a tag that are looked at."""
CUT_OFF = re.compile(r"\\(?:u(?:\{[0-9A-F]*)?)?\Z")
"""Half of a character that was made visible: where the look ends, it would pass for letters of the tag's name."""
NOTHING: tuple[Contained, ...] = ()


def admit(text: str, guard: Guard, marks: Marks | None = None, *, single: bool = False) -> Passed:
    """Text from outside: it writes no frame of the prompt and no control token, and it hides nothing."""
    if marks is PLAIN and not single:
        return Admitted(text), NOTHING
    known = marks is None and len(text) <= SHORT
    clean, found = (contain_once if known else contain)(text, marks, guard, single)
    return Admitted(clean), found


def admit_with_edits(text: str, guard: Guard, marks: Marks | None, *, single: bool) -> tuple[Admitted, list[Edit]]:
    """The same text from outside, with each edit of it: for who asks, of a prompt that is built, what was done."""
    edits = edits_for(text, marks, guard, single)
    return Admitted(edited(text, edits)), edits


admit_plain: Callable[[str], Admitted] = Admitted
"""Text in which the scan found nothing that any prompt would have to neutralise. Most texts come this way: a function
around it would cost more than all else that is done to them."""


def admit_author(text: str, marks: Marks | None = None, *, shows: bool = False) -> Passed:
    """What the agent's own author wrote, as it stands but for control characters and secrets."""
    if marks is PLAIN:
        return Admitted(text), NOTHING
    clean, found = (authored_once if len(text) <= SHORT else authored)(text, shows)
    return Admitted(clean), found


def admit_words(text: str, guard: Guard) -> Passed:
    """A recipe's own words: they may be made of values, so they come through as those do.

    `guard` is without the frames that they are meant to write.
    """
    clean, found = (contain_once if len(text) <= SHORT else contain)(text, None, guard)
    return Admitted(clean), found


class Words(NamedTuple):
    """What a section's own words have to pass, and those that are known to pass as they are."""

    guard: Guard
    known: dict[str, Admitted]
    unended: dict[str, Admitted]
    """Those that end within a tag."""
    headed: dict[str, Admitted]
    """Those that end within a heading."""

    def kind(self, text: str) -> dict[str, Admitted]:
        """Among which of them words belong."""
        if begins_tag(text):
            return self.unended
        return self.headed if self.guard.guards_headings and begins_heading(text) else self.known


@lru_cache(maxsize=1024)
def words_guard(guard: Guard, framing: tuple[str, ...]) -> Words:
    """The guard over the words of a section that writes these itself."""
    return Words(guard.without(framing), {}, {}, {})


def begins_tag(text: str) -> bool:
    """Whether words end within a tag: what follows them goes on with it."""
    at = text.rfind("<")
    return at >= 0 and text.find(">", at) < 0


def begins_heading(text: str) -> bool:
    """Whether words end within a line that is a heading: what follows them goes on with it."""
    return text[text.rfind("\n") + 1 :].lstrip(" ").startswith("#")


def admit_within_heading(above: Admitted, text: Admitted, after: str, guard: Guard) -> tuple[Passed, bool]:
    """Text that goes on with a heading which words above it began: it can't make that one of the prompt's own.

    And whether what follows may still do so.
    """
    begun = above[above.rfind("\n") + 1 :]
    framed, goes_on = _heading_of(begun, text[:WITHIN], after, guard)
    if not framed or not text:
        return (text, NOTHING), goes_on
    return (Admitted(f"\\{text}"), (Contained("contained-heading", 1, 1, 1),)), False


@lru_cache(maxsize=4096)
def _heading_of(begun: str, text: str, after: str, guard: Guard) -> tuple[bool, bool]:
    """Whether a line frames something, with or without what the recipe says behind it; and whether it still may."""
    first, ended = first_line(begun + text)
    line = plain_heading(first)
    lines = [line, plain_heading(first + first_line(after)[0])]
    return any(map(guard.heads, lines)), not ended and guard.may_head(line)


def admit_within_tag(above: Admitted, text: Admitted, guard: Guard) -> Passed:
    """Text that goes on with a tag which words above it began: it can't make that one of the prompt's own."""
    begun = above[above.rfind("<") :]
    whole = CUT_OFF.sub("", (begun + text)[:WITHIN])
    if not text or not _frames(whole, guard) or _frames(begun[:WITHIN], guard._replace(unfinished=False)):
        return text, NOTHING
    return Admitted(f"&#x{ord(text[0]):X};{text[1:]}"), (Contained("contained-tag", 1, 1, 1),)


@lru_cache(maxsize=4096)
def _frames(text: str, guard: Guard) -> bool:
    """Whether what a text begins with is read as a tag that frames something."""
    return any(mark.at == 0 and guard.frames(mark, text) for mark in scan(text).tags)


def admit_frame(frame: Frame) -> tuple[Admitted, Admitted]:
    """What stands above and below a section: that is what everything else may not write."""
    return Admitted(frame.before), Admitted(frame.after)


def admit_tool(tool: Tool) -> AdmittedTool:
    """A tool of which every text came through."""
    about = None if tool.description is None else Admitted(tool.description)
    return AdmittedTool(Admitted(tool.name), about, tool.parameters, tool.signature, tool.strict)


def admit_fenced(text: str) -> Admitted:
    """Text that came through already, and whose code blocks were seen to since."""
    return Admitted(text)
