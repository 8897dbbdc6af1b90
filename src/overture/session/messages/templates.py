"""`/name arguments` -> the template's text with its places filled, in a single pass."""

import re
from collections.abc import Mapping

from ...discover.find.templates import Template
from ...errors import SessionError
from ...sections.placeholders import AGAIN

CALL = re.compile(r"/([\w.:-]+)(?:\s+(.*))?", re.DOTALL)
WORD = re.compile(r"""(?:[^\s"']++|"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))+""")
QUOTED = re.compile(r"""(["'])(.*?)(?:\1|\Z)""", re.DOTALL)
PLACE = re.compile(r"\$(?:(\d+)|@|ARGUMENTS\b|\{@:(\d+)(?::(\d+))?\})")


def expanded(text: str, templates: Mapping[str, Template]) -> str | None:
    """The text that a call of a template stands for; None where `text` calls none that is known."""
    found = CALL.fullmatch(text.strip()) if text.lstrip().startswith("/") else None
    template = templates.get(found[1]) if found else None
    if found is None or template is None:
        return None
    return filled(template.text, arguments(found[2] or ""))


def arguments(text: str) -> list[str]:
    """Words, split at blanks; what stands in quotes is one. There are no escapes."""
    return [QUOTED.sub(lambda quoted: quoted[2], word) for word in WORD.findall(text)]


def filled(text: str, given: list[str]) -> str:
    """`$1`, `$@`, `$ARGUMENTS`, `${@:2}` and `${@:2:1}` filled; a value is never looked at again.

    One pass over the template: an argument that holds `$@` itself comes out as it went in. What grows without bound
    is an error.
    """
    values: dict[str, str] = {}
    left = AGAIN + sum(map(len, given))

    def value(place: re.Match[str]) -> str:
        nonlocal left
        if place[0] not in values:
            values[place[0]] = _value(place, given)
        left -= len(values[place[0]])
        if left < 0:
            raise SessionError(f"with these arguments it comes to more than {AGAIN:,} characters")
        return values[place[0]]

    return PLACE.sub(value, text)


def _value(place: re.Match[str], given: list[str]) -> str:
    position, start, count = place[1], place[2], place[3]
    if position is not None:
        index = _number(position)
        return given[index - 1] if 0 < index <= len(given) else ""
    first = max(0, _number(start) - 1) if start is not None else 0
    last = first + _number(count) if count is not None else None
    return " ".join(given[first:last])


def _number(digits: str) -> int:
    """Digits as a number; one too long for any list of arguments is as good as very large."""
    return int(digits) if len(digits) < 10 else 10**9
