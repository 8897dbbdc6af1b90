"""Text as it was written -> text as a prompt takes it: line ends, blank lines, one line of many, no half characters."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

RETURN = re.compile("\r\n?")
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


PRINTABLE = bytes(code in (9, 10) or 32 <= code < 127 for code in range(256))
"""Of each byte, whether it is printable, a tab or LF."""


def find_controls(text: str) -> tuple[int, ...]:
    """Positions of control characters in a text that is not normalized, carriage returns among them."""
    return () if is_printable(text) else tuple(m.start() for m in CONTROL.finditer(text))


def is_printable(text: str) -> bool:
    """Whether there are only printable characters, tabs and LF line ends: as in most texts, and quickly checked."""
    if text.isascii():  # then to look at its bytes takes a fifth of the time
        return 0 not in text.encode("ascii").translate(PRINTABLE)
    return text.replace("\n", "").replace("\t", "").isprintable()


def normalize_newlines(text: str) -> str:
    """The text with LF line ends; if it has no others, the same object."""
    return RETURN.sub("\n", text) if "\r" in text else text


def line_at(text: str, at: int) -> int:
    """The number of a character's line."""
    lines = text.count("\n", 0, at)
    if "\r" in text:
        lines += text.count("\r", 0, at) - text.count("\r\n", 0, at)
    return 1 + lines


def position_at(text: str, at: int) -> tuple[int, int]:
    """The numbers of a character's line and column, both from 1."""
    return line_at(text, at), at - max(text.rfind("\n", 0, at), text.rfind("\r", 0, at))


BLANK = r"[^\S\n\x0b\x0c\x1c-\x1f\x85]"
"""White space within a line. Control characters are none: they are shown, and so they stay."""
BLANKS = re.compile(r"[^\S\x0b\x0c\x1c-\x1f\x85]*+")
"""Any number of blanks and line ends."""
MARKS = re.compile("\ufeff*+")
SPACES = re.compile(rf"(?:{BLANK}|\n)+")
BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""Line breaks and control characters."""


def tidy(text: str) -> tuple[str, int]:
    """Without BOM and blank lines around it, with LF line ends; and how many lines went before it.

    If nothing changes, the same object is returned.
    """
    text = normalize_newlines(text)
    if not text or not (text[0].isspace() or text[0] == "\ufeff" or text[-1].isspace()):
        return text, 0
    stripped = strip_end(text)
    if not (text[0].isspace() or text[0] == "\ufeff"):
        return stripped, 0
    # The first line keeps its indentation: only whole blank lines go.
    start = _find_first_line(stripped)
    return stripped[start:], stripped.count("\n", 0, start)


def _find_first_line(text: str) -> int:
    """The start of the first line that is not blank; byte order marks before it are skipped."""
    start = 0
    while True:
        end = _end_of(BLANKS, text, start)
        line = text.rfind("\n", start, end) + 1 or start
        start = _end_of(MARKS, text, line)
        if start == line:
            return line


def _end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def to_one_line(text: str) -> str:
    """Runs of white space become one space: a list item can't begin another. Control characters stay."""
    if text.isprintable() or not CONTROL.search(text):
        return " ".join(text.split())
    return SPACES.sub(" ", normalize_newlines(text)).strip(" ")


def strip_end(text: str) -> str:
    """Without the white space at its end; control characters stay, unless there is nothing else but blanks."""
    stripped = text.rstrip()
    if not stripped:
        return ""
    if text.endswith("\n") and len(stripped) == len(text) - 1:
        return stripped  # as nearly all files end
    last = len(text)
    while last > len(stripped) and not CONTROL.match(text, last - 1):
        last -= 1
    return text[:last]


def replace_spans(text: str, spans: Iterable[tuple[int, int, str]]) -> str:
    """The text with another in place of each span, which are in order and do not overlap."""
    pieces, at = list[str](), 0
    for start, end, replacement in spans:
        pieces += text[at:start], replacement
        at = end
    return "".join([*pieces, text[at:]])


def count_common_start(old: Sequence[object], new: Sequence[object]) -> int:
    """How many characters two texts have in common from their start, or how many items two sequences."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def first_difference(old: str, new: str) -> int | None:
    """The first character at which two texts differ, or None."""
    return None if old == new else count_common_start(old, new)


def split_lines(text: str) -> Iterator[tuple[int, int]]:
    """Where each line begins and ends. A list of the lines would take many times the room of the text."""
    at, returns = 0, "\r" in text
    while True:
        end = text.find("\n", at)
        stop = end if end >= 0 else len(text)
        if returns and (found := text.find("\r", at, stop)) >= 0:
            yield at, found
            at = found + (2 if found + 1 == end else 1)
            continue
        yield at, stop
        if end < 0:
            return
        at = end + 1


# Halves of surrogate pairs: neither UTF-8 nor JSON can carry them. Bytes that are no UTF-8 become such halves.


def find_surrogate(text: str) -> int | None:
    """The first character that UTF-8 can't carry."""
    try:
        if not text.isascii():  # which is known without looking
            text.encode()
    except UnicodeEncodeError as problem:
        return problem.start
    return None


def replace_surrogates(text: str) -> str:
    """The same with `�` for each half; two halves that belong together become their character."""
    return text if find_surrogate(text) is None else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class SurrogatePlace(Struct, frozen=True):
    """Where in a JSON value half a pair is."""

    path: str
    """As `messages[0].text`; of a key, the path of its object."""
    text: str
    at: int
    """Which character of the text it is."""
    is_key: bool = False

    @property
    def code(self) -> str:
        """`D83D`."""
        return f"{ord(self.text[self.at]):04X}"


def find_surrogates(value: Any) -> Iterator[SurrogatePlace]:
    """Those of a JSON value, in their order; it may be nested as deep as its reader allows, so without recursion."""
    pending: list[tuple[str, Any]] = [("", value)]
    while pending:
        path, each = pending.pop()
        if isinstance(each, str):
            if (at := find_surrogate(each)) is not None:
                yield SurrogatePlace(path, each, at)
        elif isinstance(each, Mapping):
            keys = ((key, find_surrogate(key)) for key in each if isinstance(key, str))
            yield from (SurrogatePlace(path, key, at, True) for key, at in keys if at is not None)
            pending += reversed([(f"{path}.{key}".lstrip("."), item) for key, item in each.items()])
        elif isinstance(each, list | tuple):
            pending += reversed([(f"{path}[{index}]", item) for index, item in enumerate(each)])


def decode_any_bytes(body: bytes) -> str:
    """Any bytes as a text, which `restore_bytes` converts back: half characters are kept as surrogates."""
    return body.decode("utf-8", "surrogateescape")


def restore_bytes(text: str) -> bytes:
    """The bytes again."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # an export of another program may hold other halves of characters
        return text.encode("utf-8", "surrogatepass")
