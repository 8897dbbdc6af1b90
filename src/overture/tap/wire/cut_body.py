"""The text of a body -> the parts that it is kept as, without secrets, and back.

A conversation is sent again with every call. So a body is cut at its long strings, which are stored decoded,
and so are the same texts as the pieces of the call; and what stands between them is cut behind objects. Whatever is
added at its end, the parts before it are those of the call before: they are found again by their own words.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from ...text.secrets.cut_secrets import hide_cut_secret
from .hide_secrets import (
    AS_IT_IS,
    ASCII,
    BLOCK,
    find_writer,
    hide_across_strings,
    hide_between,
    hide_string,
    hide_text,
    scanstring,
    write_string,
)

MIN_LONG_STRING = 64
"""Characters from which on a string is a part of its own; so is one with an escape in it."""
PLAIN = r" \t\r\n\[\]{},:0-9+\-.truefalsnNaIityE"
"""What JSON is made of besides strings."""
NOT_CONTENT = "".join(f'(?<!"{name}":{blank})' for name in ("content", "text") for blank in ("", " "))
"""The value of these names is a message's text: a piece of the call, however short it is."""
MAX_STEPS = 1_000
BETWEEN = re.compile(rf'(?:[{PLAIN}]++|{NOT_CONTENT}"[^"\\]{{0,{MIN_LONG_STRING - 1}}}+"){{0,{MAX_STEPS}}}')
"""What stands before a string that is a part of its own, or the first steps of it: a repeated group remembers each
of its steps until it ends, so that a body of a million numbers in one match would take a hundred megabytes."""
BETWEEN_STRINGS = 0
"""How a part is written that is no string; the ways to write one are in `hide_secrets`."""
BETWEEN_PART = re.compile(r"(?s).{64,1024}?\}|.{1,1024}")


class JsonSlice(NamedTuple):
    """A slice of JSON: the text up to a long string, with the quotes of both strings around it; then the string."""

    between: str
    written: str | None
    """Without its quotes; None at the end."""
    value: str = ""


class BodyPart(NamedTuple):
    """A text, and how it is written: what stands between strings, a string as it is, or as `WRITERS` has it."""

    text: str
    writer: int = BETWEEN_STRINGS


def split_json(text: str) -> list[JsonSlice] | None:
    """Cut a body's JSON into slices at its long strings; None if it is visibly no JSON."""
    slices: list[JsonSlice] = []
    start, at = 0, 1 if text.startswith("\ufeff") else 0
    while True:
        quote = _find_next_string(text, at)
        if quote == len(text):
            return [*slices, JsonSlice(text[start:], None)]
        if text[quote] != '"':
            return None
        try:
            value, at = scanstring(text, quote + 1, False)
        except ValueError:
            return None
        slices.append(JsonSlice(text[start : quote + 1], text[quote + 1 : at - 1], value))
        start = at - 1


def _find_next_string(text: str, at: int) -> int:
    """Where the next string begins that is a part of its own; else the end, or what is no JSON."""
    while (match := BETWEEN.match(text, at)) and match.end() > at:
        at = match.end()
    return at


def cut_between(text: str) -> list[str]:
    """What stands between strings, in parts; a long one is cut behind objects."""
    return [text] if len(text) <= 256 else BETWEEN_PART.findall(text)


def join_body(parts: Iterable[BodyPart]) -> str:
    """The body again, joined from its parts."""
    return "".join([write_string(text, writer) if writer > AS_IT_IS else text for text, writer in parts])


def cut_body(text: str) -> list[BodyPart]:
    """The parts of a body, without secrets; what is no JSON is one."""
    slices = split_json(text)
    if slices is not None and BLOCK in text and any(BLOCK in each.between for each in slices):
        slices = split_json(hide_across_strings(text)) or slices
    if slices is None:
        return [BodyPart(hide_text(hide_cut_secret(text)))]
    parts: list[BodyPart] = []
    for number, (between, written, value) in enumerate(slices):
        parts += map(BodyPart, cut_between(hide_between(between, hide_text, first=number == 0)))
        if written is not None:
            parts.append(cut_string(between, written, value))
    return parts


def cut_string(between: str, written: str, value: str) -> BodyPart:
    """A string without secrets; what was hidden in it is written anew, and all else stays as it was written."""
    writer, hidden = find_writer(written, value), hide_string(value, between, hide_text)
    if hidden == value:
        return BodyPart(written, AS_IT_IS) if writer is None else BodyPart(value, writer)
    return BodyPart(write_string(hidden, ASCII), AS_IT_IS) if writer is None else BodyPart(hidden, writer)
