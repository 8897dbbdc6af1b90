"""The text of a body -> the parts that it is kept as, and back.

A conversation is sent again with every call. So a body is cut at its long strings, which are kept as what they say,
and so are the same texts as the pieces of the call; and what stands between them is cut behind objects. Whatever is
added at its end, the parts before it are those of the call before.
"""

import re
from collections.abc import Callable, Iterable
from json import decoder
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import NamedTuple

scanstring: Callable[[str, int, bool], tuple[str, int]] = vars(decoder)["scanstring"]
"""What a string says that begins at a place, and where it ends; it is written in C."""
MIN_LONG_STRING = 64
"""Characters from which on a string is a part of its own; so is one with an escape in it."""
PLAIN = r" \t\r\n\[\]{},:0-9+\-.truefalsnNaIityE"
"""What JSON is made of besides strings."""
NOT_CONTENT = "".join(f'(?<!"{name}":{blank})' for name in ("content", "text") for blank in ("", " "))
"""Behind these names stands what is said, and that is a piece of the call, however short it is."""
MAX_STEPS = 1_000
BETWEEN = re.compile(rf'(?:[{PLAIN}]++|{NOT_CONTENT}"[^"\\]{{0,{MIN_LONG_STRING - 1}}}+"){{0,{MAX_STEPS}}}')
"""What stands before a string that is a part of its own, or the first steps of it: a repeated group remembers each
of its steps until it ends, so that a body of a million numbers in one match would take a hundred megabytes."""
BETWEEN_STRINGS, AS_IT_IS, ASCII = 0, 1, 3
BETWEEN_PART = re.compile(r"(?s).{64,1024}?\}|.{1,1024}")


class JsonSlice(NamedTuple):
    """A stretch of JSON: what stands between long strings, with the quotes that end and begin them; then the string."""

    between: str
    written: str | None
    """Without its quotes; None at the end."""
    value: str = ""


class BodyPart(NamedTuple):
    """A text, and how it is written: what stands between strings, a string as it is, or as `WRITERS` has it."""

    text: str
    writer: int = BETWEEN_STRINGS


def split_json(text: str, start: int = 0) -> list[JsonSlice] | None:
    """The stretches of a text, from the end of a string on; None where it is no JSON, as far as that is seen here."""
    found: list[JsonSlice] = []
    at = start + 1 if start or text.startswith("\ufeff") else 0
    while True:
        quote = _find_next_string(text, at)
        if quote == len(text):
            return [*found, JsonSlice(text[start:], None)]
        if text[quote] != '"':
            return None
        try:
            value, at = scanstring(text, quote + 1, False)
        except ValueError:
            return None
        found.append(JsonSlice(text[start : quote + 1], text[quote + 1 : at - 1], value))
        start = at - 1


def _find_next_string(text: str, at: int) -> int:
    """Where the next string begins that is a part of its own; else the end, or what is no JSON."""
    while (match := BETWEEN.match(text, at)) and match.end() > at:
        at = match.end()
    return at


def cut_between(text: str) -> list[str]:
    """What stands between strings, in parts; a long one is cut behind objects."""
    return [text] if len(text) <= 256 else BETWEEN_PART.findall(text)


def find_writer(written: str, value: str) -> int | None:
    """How a string is written; None where in none of the usual ways."""
    if written == value:
        return AS_IT_IS
    return next((writer for writer in WRITERS if write_string(value, writer) == written), None)


def decode_string(written: str) -> str | None:
    """What a string says; None where it is none."""
    try:
        return str(scanstring(written + '"', 0, False)[0])
    except ValueError:
        return None


def write_string(text: str, writer: int) -> str:
    """A text as a string of JSON, without its quotes."""
    return WRITERS[writer](text)[1:-1] if writer > AS_IT_IS else text


def join_parts(parts: Iterable[BodyPart]) -> str:
    """The body again."""
    return "".join([write_string(text, writer) if writer > AS_IT_IS else text for text, writer in parts])


def _encode_for_html(text: str) -> str:
    r"""As Go writes it: what has a meaning in HTML as \u003c and the like, and line ends that JavaScript knows."""
    return PAGES.sub(lambda found: f"\\u{ord(found[0]):04x}", encode_basestring(text))


PAGES = re.compile("[<>&\u2028\u2029]")
WRITERS = {2: encode_basestring, ASCII: encode_basestring_ascii, 4: _encode_for_html}
"""The usual ways to write a string: only what must be escaped; all that is no ASCII; what pages would obey."""
