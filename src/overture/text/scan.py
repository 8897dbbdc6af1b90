"""Text -> Marks: what stands out in it, whatever the recipe.

A recipe later picks from the marks what it must neutralise (the tags and headings that frame something in its prompt);
control tokens, control characters and hidden ones it always neutralises. One pass over a text, at most once per text.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from .control_tokens import control_tokens
from .fences import Fence, may_fence, open_fence
from .headings import headings_of, may_go_on, plain_heading, signs_of
from .invisible import controls, hidden_places
from .lookalikes import ANGLE, SHOWN, as_read, merged, read_from
from .secrets.find import Secret, secrets_in

LONGEST = 64
"""How many letters of a tag's name are looked at."""
ROOM = 80
"""The same, with some blanks."""
UNFINISHED = "<"
"""Stands among the names for a tag that the text does not finish."""


class TagMark(NamedTuple):
    """A `<`, or what looks like one, and what is read behind it."""

    at: int
    lead: str
    ended: bool
    """Whether the text ends before a `>` does: what follows it in a prompt may finish the tag."""


class Marks(NamedTuple):
    """Where the text holds something that a prompt may not take over as it stands."""

    tags: tuple[TagMark, ...] = ()
    headings: tuple[tuple[int, str], ...] = ()
    """Position of each heading's first `#`, or of the line below its words, and the heading by `plain_heading`."""
    tail: tuple[int, str] | None = None
    """The same of a heading that may go on behind the text."""
    tokens: tuple[int, ...] = ()
    """Positions of control tokens such as `<|im_start|>`."""
    hidden: tuple[int, ...] = ()
    """Positions of invisible characters that neither a script nor an emoji needs."""
    controls: tuple[int, ...] = ()
    """Positions of control characters, carriage returns among them."""
    fenced: bool = False
    """Whether it may hold a code block of Markdown."""
    fence: Fence | None = None
    """The one that is still open where the text ends."""
    xml: bool = False
    """Whether any of & < > " ' occurs."""
    names: frozenset[str] = frozenset()
    """The first words of the tags, and the headings above, for a quick look."""
    secrets: tuple[Secret, ...] = ()
    """Keys and tokens, also such as invisible characters part."""
    plain: bool = False
    """Whether no recipe has anything to neutralise here."""


PLAIN = Marks(plain=True)
PLAIN_BUT_XML = Marks(xml=True, plain=True)

TAG = re.compile(rf"<[\s/]*([^<>]{{0,{ROOM}}})(\Z)?")
STRETCHED_TAG = re.compile(rf"<[\s/]*((?:[^\s<>]|\s++){{0,{LONGEST}}})(\Z)?")
WORD = re.compile(r"[\w-]*")
SPECIAL = re.compile(r"[&<>\"']")


def scan(text: str) -> Marks:
    """Find what stands out in `text`."""
    tags = tuple(_tags(text))
    tokens = control_tokens(text)
    headings = tuple(headings_of(text))
    hidden = hidden_places(text)
    raw = controls(text)
    fenced = may_fence(text)
    unseen = sorted([*hidden, *raw]) if hidden or raw else ()
    secrets = secrets_in(text, unseen)
    special = SPECIAL.search(text) is not None
    if not (tags or headings or tokens or hidden or raw or fenced or secrets):
        return PLAIN_BUT_XML if special else PLAIN
    last = max(headings, default=None)
    tail = last if last and may_go_on(text, last) else None
    names = {UNFINISHED if tag.ended else first_word(tag.lead) for tag in tags}
    names.update([sign for _, line in headings for sign in signs_of(line)])
    fence = open_fence(text) if fenced else None
    return Marks(tags, headings, tail, tokens, hidden, raw, fenced, fence, special, frozenset(names), secrets)


def first_word(name: str) -> str:
    """The letters with which a tag's name begins: `team` of `team rules`."""
    found = WORD.match(name)
    return found[0] if found else ""


def _tags(text: str) -> Iterator[TagMark]:
    if text.isascii() and "\\u{" not in text:
        if "<" in text:
            for m in TAG.finditer(text):
                # Where blanks may have filled the room, the tag is read again, so that it can't be stretched.
                found = m if len(m[1]) < ROOM else STRETCHED_TAG.match(text, m.start()) or m
                lead = merged(" ".join(found[1].lower().split())[:LONGEST])
                yield TagMark(m.start(), lead, found[2] is not None)
        return
    # It looks like an f, and is an s.
    other = text.replace("\u017f", "s") if "\u017f" in text else None
    for m in ANGLE.finditer(text):
        yield TagMark(m.start(), *read_from(text, m.end(), LONGEST))
        if other is not None:
            yield TagMark(m.start(), *read_from(other, m.end(), LONGEST))
        if shown := SHOWN.search(text, m.end(), m.end() + LONGEST):
            # Read either way: as if it were not there, and as the end of the name.
            yield TagMark(m.start(), read_from(text[m.end() : shown.start()], 0, LONGEST)[0], False)


def can_guard_tag(name: str) -> bool:
    """Whether `<name>` is found wherever a text writes it."""
    read = as_read(name)
    found = scan(f"</{name}><{name}>")
    clean = read and "\n" not in name and not (found.hidden or found.controls or found.tokens)
    return bool(clean) and any(tag.lead == read and not tag.ended for tag in found.tags)


def can_guard_heading(line: str) -> bool:
    """Whether the line is found as a heading wherever a text writes it."""
    found = scan(line)
    clean = line.strip("# ") and not (found.hidden or found.controls)
    return bool(clean) and [each for _, each in found.headings] == [plain_heading(line)] and "\n" not in line
