"""Every text enters a prompt, a message or a request's tools through one of these functions, as SafeText.

They take the text of a section, a hook or a program, and return it with a record of the changes. Blocks accept only
SafeText, and no other module makes it.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from ...model.recipe.section import Frame
from ...model.safe_text import SafeText, SafeTool
from ...model.tool import Tool
from ...text.fences_and_headings import ends_in_heading, first_line, plain_heading
from ...text.scan_for_marks import PLAIN, Marks, scan
from .forbidden_frames import Guard
from .neutralise_text import (
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

SafeResult: TypeAlias = tuple[SafeText, tuple[Containment, ...]]
"""A sanitized text, and what was changed in it."""
MAX_TAG_CHARS = 200
"""Characters of a tag that are checked."""
CUT_OFF = re.compile(r"\\(?:u(?:\{[0-9A-F]*)?)?\Z")
"""A truncated escape at the end of the checked text: it would pass for letters of the tag's name."""
NO_CONTAINMENTS: tuple[Containment, ...] = ()


def sanitize(text: str, guard: Guard, marks: Marks | None = None, *, single: bool = False) -> SafeResult:
    """Sanitize untrusted text: it can't write a frame of the prompt or a control token, nor hide anything."""
    if marks is PLAIN and not single:
        return SafeText(text), NO_CONTAINMENTS
    known = marks is None and len(text) <= MAX_CACHED_CHARS
    clean, containments = (contain_cached if known else contain)(text, marks, guard, single)
    return SafeText(clean), containments


def sanitize_with_edits(
    text: str, guard: Guard, marks: Marks | None, *, single: bool
) -> tuple[SafeText, list[Replacement]]:
    """Sanitize untrusted text, and list each edit: for the source map of a prompt that is already built."""
    edits = find_edits(text, marks, guard, single)
    return SafeText(apply_edits(text, edits)), edits


sanitize_plain: Callable[[str], SafeText] = SafeText
"""Text in which the scan found nothing to neutralise in any prompt. Most texts are like this: a function around it
would cost more than everything else that is done to them."""


def sanitize_author(text: str, *, shows: bool) -> SafeResult:
    """Sanitize text of the agent's author: only control characters and secrets are changed."""
    clean, containments = (contain_author_cached if len(text) <= MAX_CACHED_CHARS else contain_author)(text, shows)
    return SafeText(clean), containments


def sanitize_words(text: str, guard: Guard) -> SafeResult:
    """Sanitize a recipe's own words: they may contain values, so they are treated like values.

    `guard` does not have the frames that the words are meant to write.
    """
    clean, containments = (contain_cached if len(text) <= MAX_CACHED_CHARS else contain)(text, None, guard)
    return SafeText(clean), containments


class SectionWords(NamedTuple):
    """The guard for a section's own words, and a cache of their safe texts."""

    guard: Guard
    known: dict[str, SafeText]
    open_tags: dict[str, SafeText]
    """Words that end within a tag."""
    open_headings: dict[str, SafeText]
    """Words that end within a heading."""

    def cache_for(self, text: str) -> dict[str, SafeText]:
        """The cache that words belong to."""
        if ends_in_tag(text):
            return self.open_tags
        return self.open_headings if self.guard.guards_headings and ends_in_heading(text) else self.known


@lru_cache(maxsize=1024)
def section_words(guard: Guard, framing: tuple[str, ...]) -> SectionWords:
    """The guard and cache for the words of a section that writes these frames itself."""
    return SectionWords(guard.without(framing), {}, {}, {})


def ends_in_tag(text: str) -> bool:
    """Whether words end within a tag, which the following text continues."""
    at = text.rfind("<")
    return at >= 0 and text.find(">", at) < 0


def sanitize_in_heading(above: SafeText, text: SafeText, after: str, guard: Guard) -> tuple[SafeResult, bool]:
    """Sanitize text that continues a heading begun above it: it can't become a heading of the prompt.

    Also return whether the text after it may still make it one.
    """
    line_start = above[above.rfind("\n") + 1 :]
    framed, goes_on = _is_heading(line_start, text[:MAX_TAG_CHARS], after, guard)
    if not framed or not text:
        return (text, NO_CONTAINMENTS), goes_on
    return (SafeText(f"\\{text}"), (Containment("contained-heading", 1, 1, 1),)), False


@lru_cache(maxsize=4096)
def _is_heading(line_start: str, text: str, after: str, guard: Guard) -> tuple[bool, bool]:
    """Whether a line is a guarded heading, with or without the words after it; and whether it may become one."""
    first, ended = first_line(line_start + text)
    line = plain_heading(first)
    lines = [line, plain_heading(first + first_line(after)[0])]
    return any(map(guard.is_heading, lines)), not ended and guard.may_become_heading(line)


def sanitize_in_tag(above: SafeText, text: SafeText, guard: Guard) -> SafeResult:
    """Sanitize text that continues a tag begun above it: it can't become a tag of the prompt."""
    tag_start = above[above.rfind("<") :]
    tag = CUT_OFF.sub("", (tag_start + text)[:MAX_TAG_CHARS])
    if not text or not _is_frame(tag, guard) or _is_frame(tag_start[:MAX_TAG_CHARS], guard._replace(unfinished=False)):
        return text, NO_CONTAINMENTS
    return SafeText(f"&#x{ord(text[0]):X};{text[1:]}"), (Containment("contained-tag", 1, 1, 1),)


@lru_cache(maxsize=4096)
def _is_frame(text: str, guard: Guard) -> bool:
    """Whether a text begins with a tag that is read as a frame."""
    return any(mark.at == 0 and guard.is_frame(mark, text) for mark in scan(text).tags)


def sanitize_frame(frame: Frame) -> tuple[SafeText, SafeText]:
    """The frame above and below a section, which no other text may write."""
    return SafeText(frame.before), SafeText(frame.after)


def sanitize_tool(tool: Tool) -> SafeTool:
    """The SafeTool of a tool whose texts are all sanitized."""
    about = None if tool.description is None else SafeText(tool.description)
    return SafeTool(SafeText(tool.name), about, tool.parameters, tool.signature, tool.strict)


def sanitize_fenced(text: str) -> SafeText:
    """Text that is sanitized already, and whose code blocks are contained."""
    return SafeText(text)
