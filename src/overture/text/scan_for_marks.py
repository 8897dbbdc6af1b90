"""A text is scanned once for everything that stands out in it: tags, headings, control tokens, secrets."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct

from .block_reader import Fence
from .escape import find_control_tokens
from .fences_and_headings import (
    choose_heading_patterns,
    find_headings,
    find_open_fence,
    may_continue_heading,
    may_hold_fence,
    plain_heading,
    signs_of,
)
from .invisible import find_invisible
from .lookalikes import ANGLE, ESCAPED_CHAR, fold_from, fold_text, merge_strokes
from .normalize import find_controls
from .secrets.find_and_hide import find_secrets
from .secrets.quick_check import Secret

# Text -> Marks: what stands out in it, whatever the recipe.
# A recipe later picks from the marks what it must neutralise (the tags and headings that frame something in its
# prompt);
# control tokens, control characters and hidden ones it always neutralises. A text is scanned at most once.


MAX_CACHED_CHARS = 65_536
"""A longer text is scanned each time."""
MAX_TAG_CHARS = 64
"""How many letters of a tag's name are compared."""
MAX_TAG_CHARS_WITH_BLANKS = 80
"""The same, with some blanks."""
UNFINISHED = "<"
"""A name for a tag that the text does not finish."""


class TagMark(NamedTuple):
    """A `<`, or a look-alike, and the tag name that is read behind it."""

    at: int
    lead: str
    ended: bool
    """Whether the text ends before a `>`: following text in a prompt may finish the tag."""


Headings = tuple[tuple[int, str], ...]


class Marks(Struct, frozen=True):
    """Positions in a text that a prompt may not take over unchanged."""

    tags: tuple[TagMark, ...] = ()
    headings: Headings = ()
    """Position of each heading's first `#`, or of the line below its words, and the heading by `plain_heading`."""
    tail: tuple[int, str] | None = None
    """The same for a heading that may go on behind the text."""
    tokens: tuple[int, ...] = ()
    """Positions of control tokens such as `<|im_start|>`."""
    hidden: tuple[int, ...] = ()
    """Positions of invisible characters that neither a script nor an emoji needs."""
    controls: tuple[int, ...] = ()
    """Positions of control characters, carriage returns among them."""
    fenced: bool = False
    """Whether it may hold a code block of Markdown."""
    fence: Fence | None = None
    """The one that is still open at the end of the text."""
    names: frozenset[str] = frozenset()
    """The first words of the tags, and the headings above, for a quick look."""
    secrets: tuple[Secret, ...] = ()
    """Keys and tokens, also such as invisible characters part."""
    plain: bool = False
    """Whether no recipe has anything to neutralise here."""


PLAIN = Marks(plain=True)

TAG = re.compile(rf"<[\s/]*([^<>]{{0,{MAX_TAG_CHARS_WITH_BLANKS}}})(\Z)?")
STRETCHED_TAG = re.compile(rf"<[\s/]*((?:[^\s<>]|\s++){{0,{MAX_TAG_CHARS}}})(\Z)?")
WORD = re.compile(r"[\w-]*")


def scan(text: str) -> Marks:
    """Find what stands out in `text`. Texts recur from build to build, so the marks of the latest are kept."""
    return _scan_cached(text) if len(text) <= MAX_CACHED_CHARS else _scan_large(text)


def _scan(text: str) -> Marks:
    tags = tuple(_find_tags(text))
    tokens = find_control_tokens(text)
    hidden = find_invisible(text)
    raw = find_controls(text)
    patterns = choose_heading_patterns(text, printable=not raw)
    headings = tuple(sorted(find_headings(text, patterns)))
    fenced = may_hold_fence(text)
    found = find_secrets(text, sorted([*hidden, *raw]) if hidden or raw else ())
    if not (tags or headings or tokens or hidden or raw or fenced or found):
        return PLAIN
    names = {UNFINISHED if ended else first_word(lead) for lead, ended in {tag[1:] for tag in tags}}
    names.update([sign for line in {line for _, line in headings} for sign in signs_of(line)])
    tail = headings[-1] if headings and may_continue_heading(text, headings[-1], patterns) else None
    fence = find_open_fence(text) if fenced else None
    return Marks(tags, headings, tail, tokens, hidden, raw, fenced, fence, frozenset(names), found)


_scan_cached = lru_cache(maxsize=2048)(_scan)  # so that a menu of a thousand skills stays known
_scan_large = lru_cache(maxsize=8)(_scan)


def first_word(name: str) -> str:
    """The letters with which a tag's name begins: `team` of `team rules`."""
    found = WORD.match(name)
    return found[0] if found else ""


def _find_tags(text: str) -> Iterator[TagMark]:
    if text.isascii() and "\\u{" not in text:
        if "<" in text:
            for m in TAG.finditer(text):
                # Where blanks may have filled the room, the tag is read again, so that it can't be stretched.
                match = m if len(m[1]) < MAX_TAG_CHARS_WITH_BLANKS else STRETCHED_TAG.match(text, m.start()) or m
                yield TagMark(m.start(), _read_lead(match[1]), match[2] is not None)
        return
    # It looks like an f, and is an s.
    other = text.replace("\u017f", "s") if "\u017f" in text else None
    for m in ANGLE.finditer(text):
        yield TagMark(m.start(), *fold_from(text, m.end(), MAX_TAG_CHARS))
        if other is not None:
            yield TagMark(m.start(), *fold_from(other, m.end(), MAX_TAG_CHARS))
        if shown := ESCAPED_CHAR.search(text, m.end(), m.end() + MAX_TAG_CHARS):
            # Read both ways: as if it were missing, and as the end of the name.
            yield TagMark(m.start(), fold_from(text[m.end() : shown.start()], 0, MAX_TAG_CHARS)[0], False)


def _read_lead(words: str) -> str:
    """The tag name that is read behind a `<`."""
    return merge_strokes(" ".join(words.lower().split())[:MAX_TAG_CHARS])


def can_guard_tag(name: str) -> bool:
    """Whether `<name>` is found wherever a text writes it."""
    read = fold_text(name)
    result = scan(f"</{name}><{name}>")
    clean = read and "\n" not in name and not (result.hidden or result.controls or result.tokens)
    return bool(clean) and any(tag.lead == read and not tag.ended for tag in result.tags)


def can_guard_heading(line: str) -> bool:
    """Whether the line is found as a heading wherever a text writes it."""
    result = scan(line)
    clean = line.strip("# ") and not (result.hidden or result.controls)
    return bool(clean) and [each for _, each in result.headings] == [plain_heading(line)] and "\n" not in line
