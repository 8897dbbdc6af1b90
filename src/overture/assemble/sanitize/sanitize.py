"""Every text enters a prompt, a message or a request's tools through one of these functions, as SafeText.

Whatever a section, a hook or a program hands over goes through one of them, and comes out with a record of
what was changed. Blocks take nothing else, and nobody else makes any.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from ...model.recipe.section import Frame
from ...model.safe_text import SafeText, SafeTool
from ...model.tool import Tool
from ...text.fences_and_headings import first_line, plain_heading
from ...text.lazy_pattern import compile_on_use
from ...text.scan import PLAIN, Marks, scan
from .contain import (
    MAX_CACHED_CHARS,
    Containment,
    Replacement,
    apply_edits,
    contain,
    contain_author,
    contain_author_cached,
    contain_cached,
    find_edits,
)
from .guard import Guard

SafeResult: TypeAlias = tuple[SafeText, tuple[Containment, ...]]
"""A text that came through, and what was done to it."""
MAX_TAG_CHARS = 200
"""Characters of a tag that are looked at."""
CUT_OFF = compile_on_use(r"\\(?:u(?:\{[0-9A-F]*)?)?\Z")
"""Half of a character that was made visible: where the look ends, it would pass for letters of the tag's name."""
NO_CONTAINMENTS: tuple[Containment, ...] = ()


def sanitize(text: str, guard: Guard, marks: Marks | None = None, *, single: bool = False) -> SafeResult:
    """Text from outside: it writes no frame of the prompt and no control token, and it hides nothing."""
    if marks is PLAIN and not single:
        return SafeText(text), NO_CONTAINMENTS
    known = marks is None and len(text) <= MAX_CACHED_CHARS
    clean, found = (contain_cached if known else contain)(text, marks, guard, single)
    return SafeText(clean), found


def sanitize_with_edits(
    text: str, guard: Guard, marks: Marks | None, *, single: bool
) -> tuple[SafeText, list[Replacement]]:
    """The same text from outside, with each edit of it: for who asks, of a prompt that is built, what was done."""
    edits = find_edits(text, marks, guard, single)
    return SafeText(apply_edits(text, edits)), edits


sanitize_plain: Callable[[str], SafeText] = SafeText
"""Text in which the scan found nothing that any prompt would have to neutralise. Most texts come this way: a function
around it would cost more than all else that is done to them."""


def sanitize_author(text: str, marks: Marks | None = None, *, shows: bool = False) -> SafeResult:
    """What the agent's own author wrote, as it stands but for control characters and secrets."""
    if marks is PLAIN:
        return SafeText(text), NO_CONTAINMENTS
    clean, found = (contain_author_cached if len(text) <= MAX_CACHED_CHARS else contain_author)(text, shows)
    return SafeText(clean), found


def sanitize_words(text: str, guard: Guard) -> SafeResult:
    """A recipe's own words: they may be made of values, so they come through as those do.

    `guard` is without the frames that they are meant to write.
    """
    clean, found = (contain_cached if len(text) <= MAX_CACHED_CHARS else contain)(text, None, guard)
    return SafeText(clean), found


class SectionWords(NamedTuple):
    """What a section's own words have to pass, and those that are known to pass as they are."""

    guard: Guard
    known: dict[str, SafeText]
    unended: dict[str, SafeText]
    """Those that end within a tag."""
    headed: dict[str, SafeText]
    """Those that end within a heading."""

    def kind(self, text: str) -> dict[str, SafeText]:
        """Among which of them words belong."""
        if ends_in_tag(text):
            return self.unended
        return self.headed if self.guard.guards_headings and ends_in_heading(text) else self.known


@lru_cache(maxsize=1024)
def section_words(guard: Guard, framing: tuple[str, ...]) -> SectionWords:
    """The guard over the words of a section that writes these itself."""
    return SectionWords(guard.without(framing), {}, {}, {})


def ends_in_tag(text: str) -> bool:
    """Whether words end within a tag: what follows them goes on with it."""
    at = text.rfind("<")
    return at >= 0 and text.find(">", at) < 0


def ends_in_heading(text: str) -> bool:
    """Whether words end within a line that is a heading: what follows them goes on with it."""
    return text[text.rfind("\n") + 1 :].lstrip(" ").startswith("#")


def sanitize_in_heading(above: SafeText, text: SafeText, after: str, guard: Guard) -> tuple[SafeResult, bool]:
    """Text that goes on with a heading which words above it began: it can't make that one of the prompt's own.

    And whether what follows may still do so.
    """
    line_start = above[above.rfind("\n") + 1 :]
    framed, goes_on = _is_heading(line_start, text[:MAX_TAG_CHARS], after, guard)
    if not framed or not text:
        return (text, NO_CONTAINMENTS), goes_on
    return (SafeText(f"\\{text}"), (Containment("contained-heading", 1, 1, 1),)), False


@lru_cache(maxsize=4096)
def _is_heading(line_start: str, text: str, after: str, guard: Guard) -> tuple[bool, bool]:
    """Whether a line frames something, with or without what the recipe says behind it; and whether it still may."""
    first, ended = first_line(line_start + text)
    line = plain_heading(first)
    lines = [line, plain_heading(first + first_line(after)[0])]
    return any(map(guard.heads, lines)), not ended and guard.may_head(line)


def sanitize_in_tag(above: SafeText, text: SafeText, guard: Guard) -> SafeResult:
    """Text that goes on with a tag which words above it began: it can't make that one of the prompt's own."""
    tag_start = above[above.rfind("<") :]
    tag = CUT_OFF.sub("", (tag_start + text)[:MAX_TAG_CHARS])
    if not text or not _is_frame(tag, guard) or _is_frame(tag_start[:MAX_TAG_CHARS], guard._replace(unfinished=False)):
        return text, NO_CONTAINMENTS
    return SafeText(f"&#x{ord(text[0]):X};{text[1:]}"), (Containment("contained-tag", 1, 1, 1),)


@lru_cache(maxsize=4096)
def _is_frame(text: str, guard: Guard) -> bool:
    """Whether what a text begins with is read as a tag that frames something."""
    return any(mark.at == 0 and guard.frames(mark, text) for mark in scan(text).tags)


def sanitize_frame(frame: Frame) -> tuple[SafeText, SafeText]:
    """What stands above and below a section: that is what everything else may not write."""
    return SafeText(frame.before), SafeText(frame.after)


def sanitize_tool(tool: Tool) -> SafeTool:
    """A tool of which every text came through."""
    about = None if tool.description is None else SafeText(tool.description)
    return SafeTool(SafeText(tool.name), about, tool.parameters, tool.signature, tool.strict)


def sanitize_fenced(text: str) -> SafeText:
    """Text that came through already, and whose code blocks were seen to since."""
    return SafeText(text)
