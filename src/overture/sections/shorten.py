"""Shorter ways to say a text: its first sentence, or its beginning with a line that says how much is gone."""

import re
from collections.abc import Sequence

from msgspec.structs import replace

from ..model.body import Group, Part
from ..model.scan import PLAIN
from .graphemes import boundary
from .markdown import open_mark

SENTENCE = re.compile(r"[.!?][)\"'»”]*(?=\s|$)|[。！？]")
STEP = (15, 16)
"""How much of the length before each further beginning has. In steps, so that a word more elsewhere cuts nothing."""
WINDOW = 8
"""A beginning ends at the best place within the last eighth of the length that it may have."""
NEAR = 240
"""Characters: the last eighth of a short text may be less than a line."""
LEAST = 80
"""Characters: a shorter beginning says too little."""
LONG = 120
"""Characters of a first sentence."""


def first_sentence(text: str) -> str:
    """The first sentence; of a long one as many words as there is room for, and `…`."""
    found = SENTENCE.search(text)
    said = text[: found.end()] if found else text
    if len(said) <= LONG:
        return said
    return text[: _word_end(text, LONG)].rstrip() + "…"


def _word_end(text: str, limit: int) -> int:
    blank = text.rfind(" ", limit // 2, limit)
    return blank if blank > 0 else boundary(text, limit)


class Heads(Sequence[Group]):
    """The beginnings of a part's text, longest first; the last is the line about the cut, alone."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self.ends = [*ends(part.text), 0]

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, index: int) -> Group:  # type: ignore[override]
        """The part cut to one of its beginnings, and the line that says so."""
        part = self.part
        head = part.text[: self.ends[index]].rstrip()
        indent = part.text[: len(part.text) - len(part.text.lstrip(" \t"))]
        line = Part(f"{indent}{marker(part, len(head))}", name=part.name, guard=part.guard, single=True)
        if not head:
            return Group((replace(line, before=part.before, after=part.after),))
        mark = open_mark(head)
        # A code block that is open here would swallow the line, and all that follows it.
        closing = f"\n{mark}" if mark else ""
        marks = PLAIN if part.marks is PLAIN and head.isascii() else None
        kept = replace(part, text=head, marks=marks, after=closing, leaner=())
        return Group((kept, replace(line, after=part.after)), sep="\n\n")


def heads(part: Part) -> Sequence[Group]:
    """For `Part.leaner`: a text that may be cut at its end, at a heading, a paragraph, a line or a sentence."""
    return Heads(part) if len(part.text) > LEAST else ()


def marker(part: Part, kept: int) -> str:
    """`[/p/AGENTS.md: 1,234 of 5,678 characters are left out from here on.]`."""
    source = part.source
    name = part.name or (source.path or source.name if source else None) or "The text"
    whole = len(part.text)
    if not kept:
        return f"[{name}: {whole:,} characters are left out.]"
    return f"[{name}: {whole - kept:,} of {whole:,} characters are left out from here on.]"


def ends(text: str) -> list[int]:
    """Where a text may end, each time a sixteenth earlier."""
    found: list[int] = []
    size = len(text) * STEP[0] // STEP[1]
    while size >= LEAST:
        end = _best_end(text, size)
        if end and (not found or end < found[-1]):
            found.append(end)
        size = size * STEP[0] // STEP[1]
    return found


def _best_end(text: str, limit: int) -> int:
    """The best place to end before `limit`: above a heading, after a paragraph, a line, a sentence, a word."""
    low = max(0, limit - max(limit // WINDOW, NEAR))
    for mark in ("\n#", "\n\n", "\n"):
        if (at := text.rfind(mark, low, limit)) > 0:
            return at
    sentences = [found.end() for found in SENTENCE.finditer(text, low, limit)]
    if sentences:
        return sentences[-1]
    blank = text.rfind(" ", low, limit)
    return blank if blank > 0 else boundary(text, limit)
