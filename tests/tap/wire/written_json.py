"""JSON as anybody may write it: blanks anywhere, every way to escape, names twice, halves of characters."""

import json
from typing import Any

from hypothesis import strategies as st

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f", "/": "\\/"}
blanks = st.text(" \t\r\n", max_size=2)
chars = st.sampled_from('abc <>&/"\\\n\té\u2028\x7f\x00') | st.characters()
numbers = st.sampled_from(["0", "-0", "1.50", "1E+2", "-1e-9", "123456789012345678901", "true", "false", "null"])


@st.composite
def a_char(draw: st.DrawFn, char: str) -> str:
    """A character within a string, in one of the ways in which it may be written."""
    units = [int.from_bytes(pair, "big") for pair in _pairs(char.encode("utf-16-be", "surrogatepass"))]
    escaped = "".join(f"\\u{unit:04x}" if draw(st.booleans()) else f"\\u{unit:04X}" for unit in units)
    ways = [escaped, *([SHORT[char]] if char in SHORT else [])]
    raw = char not in '"\\' and char >= " " and not "\ud800" <= char <= "\udfff"
    return draw(st.sampled_from([char, char, *ways] if raw else ways))


def _pairs(data: bytes) -> list[bytes]:
    return [data[at : at + 2] for at in range(0, len(data), 2)]


@st.composite
def a_string(draw: st.DrawFn, said: st.SearchStrategy[str]) -> str:
    """A string with its quotes; some are written as libraries do it, and some are long."""
    text = draw(said) * draw(st.sampled_from([1, 1, 30]))
    if draw(st.booleans()):
        return json.dumps(text)
    return '"' + "".join(draw(a_char(char)) for char in text[:80]) + '"'


@st.composite
def _list(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    items = draw(st.lists(inner, max_size=4))
    return "[" + ",".join(f"{draw(blanks)}{item}{draw(blanks)}" for item in items) + "]"


@st.composite
def _object(draw: st.DrawFn, names: st.SearchStrategy[str], inner: st.SearchStrategy[str]) -> str:
    pairs = draw(st.lists(st.tuples(names, inner), max_size=4))
    return "{" + ",".join(f"{draw(blanks)}{n}{draw(blanks)}:{draw(blanks)}{v}" for n, v in pairs) + draw(blanks) + "}"


def documents(said: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Texts of JSON whose strings say this."""
    strings = a_string(said)
    # A half of a character is left as an escape, so that the text can be bytes.
    return st.recursive(numbers | strings, lambda inner: _list(inner) | _object(strings, inner), max_leaves=12)


def changed(text: str, change: Any) -> Any:
    """What JSON says, with each string changed; the pairs of objects in their order, those that come twice too."""

    def each(value: Any) -> Any:
        if isinstance(value, str):
            return change(value)
        if isinstance(value, list | tuple):
            return [each(item) for item in value]
        return value

    return each(json.loads(text, object_pairs_hook=lambda pairs: ["object", *map(list, pairs)], strict=False))
