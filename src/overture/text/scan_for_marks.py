"""A text is scanned once for everything that stands out in it: tags, headings, control tokens, secrets."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct

from .block_reader import Fence
from .escape import find_control_tokens
from .fences_and_headings import (
    BLANK,
    WIDE_BLANK,
    WIDE_BREAK,
    WIDE_SIGNS,
    choose_heading_patterns,
    find_headings,
    find_open_fence,
    may_continue_heading,
    may_hold_fence,
    may_hold_heading,
    plain_heading,
    signs_of,
)
from .invisible import HIDDEN, find_invisible
from .lookalikes import ANGLE, ANGLES, ESCAPED_CHAR, fold_from, fold_text, merge_strokes
from .normalize import find_controls
from .secrets.find_and_hide import find_secrets
from .secrets.quick_check import Secret, may_hold_base64, may_hold_secret

BETWEEN = "\n.\n"
"""It ends a line, a heading and a wrapped text in Base64, and begins none."""
MAX_SINGLE_SCANS = 4
"""Texts that are scanned one by one: to join them would win nothing."""
UNUSUAL = re.compile(
    f"[{ANGLES}{WIDE_BREAK.replace(chr(10), '')}{WIDE_BLANK.replace(BLANK, '')}{WIDE_SIGNS[1:]}]|{HIDDEN.pattern}"
)
"""What no text without control characters holds, unless it wants to look like something else, or is set with care."""


# Text -> Marks: what stands out in it, whatever the recipe.
# A recipe later picks from the marks what it must neutralise (the tags and headings that frame something in its
# prompt);
# control tokens, control characters and hidden ones it always neutralises. A text is scanned at most once.


MAX_LINE_CHARS = 512
"""Characters of a text in the cache for very many, as for skills and rules in a large project."""
MAX_SHORT_CHARS = 32_768
"""Characters of a text in the cache for many."""
MAX_CACHED_CHARS = 1_000_000
"""Characters of a text in the cache for a few."""
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
    listed: bool = True
    """Whether all positions are there; if not, it has only tags and headings with these names."""


PLAIN = Marks(plain=True)

TAG = re.compile(rf"<[\s/]*([^<>]{{0,{MAX_TAG_CHARS_WITH_BLANKS}}})(\Z)?")
STRETCHED_TAG = re.compile(rf"<[\s/]*((?:[^\s<>]|\s++){{0,{MAX_TAG_CHARS}}})(\Z)?")
WORD = re.compile(r"[\w-]*")


def scan(text: str) -> Marks:
    """Find what stands out in `text`."""
    return _scan(text, secrets=True)


def _scan(text: str, *, secrets: bool) -> Marks:
    """The same, with or without its secrets."""
    tags = tuple(_find_tags(text))
    tokens = find_control_tokens(text)
    hidden = find_invisible(text)
    raw = find_controls(text)
    patterns = choose_heading_patterns(text, printable=not raw)
    headings = tuple(sorted(find_headings(text, patterns)))
    fenced = may_hold_fence(text)
    found = find_secrets(text, sorted([*hidden, *raw]) if hidden or raw else ()) if secrets else ()
    if not (tags or headings or tokens or hidden or raw or fenced or found):
        return PLAIN
    names = {UNFINISHED if ended else first_word(lead) for lead, ended in {tag[1:] for tag in tags}}
    names.update([sign for line in {line for _, line in headings} for sign in signs_of(line)])
    tail = headings[-1] if headings and may_continue_heading(text, headings[-1], patterns) else None
    fence = find_open_fence(text) if fenced else None
    return Marks(tags, headings, tail, tokens, hidden, raw, fenced, fence, frozenset(names), found)


# A text that was edited has mostly paragraphs that were scanned before, and so have two files of one project.
# Nothing that is looked for goes on over a blank line, but for a tag that is not ended and for some secrets.


PARAGRAPH_END = "\n\n"
MAX_PARAGRAPH_CHARS = 4096
MAX_SEEN_PARAGRAPHS = 65_536
_scanned_hashes: set[int] = set()
"""The hashes of paragraphs in scanned texts: only repeated paragraphs are worth scanning by themselves."""


@lru_cache(maxsize=128)
def scan_by_paragraph(text: str) -> Marks:
    """The marks of a text; without positions if known paragraphs show that it holds only tags and headings.

    Paragraphs that were there before cost a look-up each.
    """
    usual = MAX_LINE_CHARS < len(text) <= MAX_SHORT_CHARS and text.isascii() and not ("\\" in text and "\\u{" in text)
    paragraphs = text.split(PARAGRAPH_END) if usual else []
    unique = {*paragraphs}
    if not usual or _are_new(unique) or max(map(len, unique)) > MAX_PARAGRAPH_CHARS:
        return scan_cached(text)
    looks = [look_at_paragraph(paragraph) for paragraph in unique]
    quiet = all([look.is_quiet for look in looks]) and not look_at_paragraph(paragraphs[-1]).may_continue
    # A secret may have its name in one paragraph, and its value in another.
    near = "\\" in text or ("@" in text and "://" in text) or any([look.may_hold_secret for look in looks])
    if not quiet or (near and find_secrets(text, ())):
        return scan_cached(text)
    names = frozenset[str]().union(*[look.names for look in looks])
    if any([look.is_fenced for look in looks]):
        return Marks(fenced=True, fence=find_open_fence(text), names=names, listed=False)
    return Marks(names=names, listed=False) if names else PLAIN


def _are_new(paragraphs: set[str]) -> bool:
    """Whether most of them were in no text before; from now on, they were."""
    hashes = {*map(hash, paragraphs)}
    new = hashes - _scanned_hashes
    if len(_scanned_hashes) > MAX_SEEN_PARAGRAPHS:
        _scanned_hashes.clear()
    _scanned_hashes.update(new)
    return 2 * len(new) > len(hashes)


class ParagraphLook(Struct, frozen=True):
    """A paragraph by itself."""

    names: frozenset[str]
    """The names of its tags and headings."""
    is_fenced: bool
    is_quiet: bool
    """Whether it holds nothing else to neutralise but secrets, and no tag that goes on behind its end."""
    may_continue: bool
    """Whether a heading may go on behind its end."""
    may_hold_secret: bool


@lru_cache(maxsize=4096)
def look_at_paragraph(text: str) -> ParagraphLook:
    """What stands out in a paragraph, and what may go on behind it."""
    marks = _scan(text, secrets=False)
    quiet = not (marks.tokens or marks.hidden or marks.controls or any([tag.ended for tag in marks.tags]))
    near = may_hold_secret(text) or may_hold_base64(text)
    return ParagraphLook(marks.names, marks.fenced, quiet, marks.tail is not None, near)


_scan_line = lru_cache(maxsize=16_384)(scan)
_scan_short = lru_cache(maxsize=128)(scan)
_scan_long = lru_cache(maxsize=8)(scan)


def scan_cached(text: str) -> Marks:
    """The same as `scan`, cached: each of several agents makes files of its own of the same texts."""
    if len(text) > MAX_CACHED_CHARS:
        return scan(text)
    if len(text) <= MAX_LINE_CHARS:
        return _scan_line(text)
    return _scan_short(text) if len(text) <= MAX_SHORT_CHARS else _scan_long(text)


def first_word(name: str) -> str:
    """The letters with which a tag's name begins: `team` of `team rules`."""
    found = WORD.match(name)
    return found[0] if found else ""


def _find_tags(text: str) -> Iterator[TagMark]:
    """The marks of all tags that a scan finds."""
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


@lru_cache(maxsize=4096)
def _read_lead(words: str) -> str:
    """The tag name that is read behind a `<`: the same few tags are in most texts of a project."""
    return merge_strokes(" ".join(words.lower().split())[:MAX_TAG_CHARS])


@lru_cache(maxsize=256)
def can_guard_tag(name: str) -> bool:
    """Whether `<name>` is found wherever a text writes it."""
    read = fold_text(name)
    result = scan(f"</{name}><{name}>")
    clean = read and "\n" not in name and not (result.hidden or result.controls or result.tokens)
    return bool(clean) and any(tag.lead == read and not tag.ended for tag in result.tags)


@lru_cache(maxsize=256)
def can_guard_heading(line: str) -> bool:
    """Whether the line is found as a heading wherever a text writes it."""
    result = scan(line)
    clean = line.strip("# ") and not (result.hidden or result.controls)
    return bool(clean) and [each for _, each in result.headings] == [plain_heading(line)] and "\n" not in line


def scan_many(texts: Sequence[str]) -> list[Marks]:
    """The same as `scan` of each: one look at all of them decides for nearly all.

    Joined, they are searched for anything that could stand out in one of them. If something does, each half is checked
    by itself, and so on, until few texts are left; these are scanned one by one.
    """
    if len(texts) <= MAX_SINGLE_SCANS:
        return [scan_cached(text) for text in texts]
    if is_surely_plain(BETWEEN.join(texts)):
        return [PLAIN] * len(texts)
    middle = len(texts) // 2
    return [*scan_many(texts[:middle]), *scan_many(texts[middle:])]


def is_surely_plain(text: str) -> bool:
    """Whether nothing needs a mark in a text, nor in any part of it that ends with a line."""
    return not (
        "<" in text
        or "\\" in text
        or may_hold_fence(text)
        or (not text.isascii() and UNUSUAL.search(text))
        or find_controls(text)
        or may_hold_heading(text)
        or find_control_tokens(text)
        or find_secrets(text, ())
    )
