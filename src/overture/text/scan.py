"""Text -> Marks: what stands out in it, whatever the recipe.

A recipe later picks from the marks what it must neutralise (its own tags and headings); control tokens, control
characters and hidden ones it always neutralises. One pass over the text, at most once per text.
"""

import re
from typing import NamedTuple

from .fences import Fence, may_fence, open_fence
from .invisible import HIDDEN, controls, needless


class Marks(NamedTuple):
    """Where the text holds something that a prompt may not take over as it stands."""

    tags: tuple[tuple[int, str], ...] = ()
    """Position of each `<` that begins a tag, and the tag's name in lower case; "" where the text ends first."""
    headings: tuple[tuple[int, str], ...] = ()
    """Position of each heading's first `#`, and the heading as `plain_heading` writes it."""
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
    """The tag names and headings above, for a quick look."""
    plain: bool = False
    """Whether no recipe has anything to neutralise here."""


PLAIN = Marks(plain=True)
PLAIN_BUT_XML = Marks(xml=True, plain=True)

TAG = re.compile(r"<[\s\x00-\x1f/]*(?:([A-Za-z_][\w.:-]*)|\Z)")
BREAK = "\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029"
HEADING = re.compile(rf"(?:^|(?<=[{BREAK}])) {{0,3}}(#{{1,6}}[ \t]+[^\s][^{BREAK}]*)")
TOKEN = re.compile(
    r"<\|[^\s|<>]{1,48}\|>"  # <|im_start|>, <|endoftext|>, <|start_header_id|>
    r"|<\uff5c[^\uff5c\n]{1,48}\uff5c>"  # the same with full-width bars
    r"|<(?:start|end)_of_turn>"
    r"|<</?SYS>>"
    r"|\[/?INST\]"
)
SPECIAL = re.compile(r"[&<>\"']")


def scan(text: str) -> Marks:
    """Find what stands out in `text`."""
    tags: tuple[tuple[int, str], ...] = ()
    tokens: tuple[int, ...] = ()
    if "<" in text:
        tags = tuple((m.start(), (m[1] or "").lower()) for m in TAG.finditer(text))
    if "<" in text or "INST]" in text:
        tokens = tuple(m.start() for m in TOKEN.finditer(text))
    headings: tuple[tuple[int, str], ...] = ()
    if "#" in text:
        headings = tuple((m.start(1), plain_heading(m[1])) for m in HEADING.finditer(text))
    hidden: tuple[int, ...] = ()
    if not text.isascii():
        hidden = tuple(m.start() for m in HIDDEN.finditer(text) if needless(text, m.start()))
    raw = controls(text)
    fenced = may_fence(text)
    special = SPECIAL.search(text) is not None
    if not (tags or headings or tokens or hidden or raw or fenced):
        return PLAIN_BUT_XML if special else PLAIN
    names = frozenset([name for _, name in tags] + [line for _, line in headings])
    return Marks(tags, headings, tokens, hidden, raw, fenced, open_fence(text) if fenced else None, special, names)


def plain_heading(line: str) -> str:
    """A heading line as two are compared: letter case, blanks and closing `#` do not count."""
    words = line.split()
    if len(words) > 2 and not words[-1].strip("#"):
        words.pop()
    return " ".join(words).casefold()
