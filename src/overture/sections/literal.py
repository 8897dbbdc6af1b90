"""Values -> short text on one line: `[{id: 1, subject: "Hello"}, ...] (5 items)`.

Values of keys that begin with `_` are shown as `[Hidden]` at every depth. The text has a limit for every value, even
one of 1 MB, of a thousand levels, or NaN.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from typing import Any, NamedTuple

from ..text.escape import quote_text
from ..text.truncate import move_out_of_secret, shorten_to

HIDDEN = "[Hidden]"
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
MAX_INTEGER_BITS = 256
"""Digits of a larger integer are of no use, and printing them is slow."""


class LiteralLimits(NamedTuple):
    """How much of a value is shown."""

    items: int | None = 3
    """Of a list; None: all."""
    keys: int | None = 10
    """Of a map; None: all."""
    text: int | None = 50
    """Characters of a string; None: all."""
    dots_beyond: bool = False
    """Whether the dots of a truncated string are added to its characters, or count as three of them."""
    names: int | None = 50
    """Characters of a key; None: all."""
    depth: int = 5
    room: int = 1000
    """Characters of the whole text."""


SAMPLE = LiteralLimits()


class LiteralText(NamedTuple):
    """The text of a value."""

    text: str
    total: str = ""
    """`5 items`, if not all of them are shown."""
    hides: bool = False
    """Whether any of it is `[Hidden]`."""
    cut: bool = False
    """Whether it ran out of room."""
    placeholder: str = ""
    """The first value of which only the kind is shown, such as `<Decimal>`."""


def write_literal(value: Any, limits: LiteralLimits = SAMPLE) -> LiteralText:
    """The text of a value, within its limits."""
    pieces: list[str] = []
    room = limits.room
    for piece in _write_value_pieces(value, limits, limits.depth, top=True):
        if len(piece) > room:
            return LiteralText(
                f"{''.join(pieces)}{piece[: move_out_of_secret(piece, room)].rstrip()}...",
                _format_total(value, limits),
                HIDDEN in pieces,
                True,
            )
        pieces.append(piece)
        room -= len(piece)
    placeholder = next((piece for piece in pieces if piece.startswith("<")), "")
    return LiteralText("".join(pieces), _format_total(value, limits), HIDDEN in pieces, placeholder=placeholder)


def is_hidden(key: object) -> bool:
    """Whether the prompt hides the value of this key."""
    return isinstance(key, str) and key.startswith("_")


def hide_values(value: Any, secret: bool = False) -> Any:
    """The same data with hidden values replaced by others of their type: its literal in a prompt stays the same."""
    if isinstance(value, Mapping):
        return {} if secret else {key: hide_values(inner, is_hidden(key)) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [hide_values(item, secret) for item in value]
    if not secret or value is None:
        return value
    return HIDDEN if isinstance(value, str) else type(value)() if isinstance(value, (bool, int, float)) else None


def _write_value_pieces(value: Any, limits: LiteralLimits, depth: int, *, top: bool = False) -> Iterator[str]:
    if isinstance(value, Mapping):
        entries = (_write_entry(key, inner, limits, depth) for key, inner in value.items())
        yield from _join_parts("{}", entries, value, limits.keys, depth)
    elif isinstance(value, (list, tuple)):
        items = (_write_value_pieces(item, limits, depth - 1) for item in value)
        yield from _join_parts("[]", items, value, limits.items, depth)
    else:
        yield _write_scalar(value, limits)
        return
    if not top and (total := _format_total(value, limits)):
        yield f" ({total})"


def _write_entry(key: Any, value: Any, limits: LiteralLimits, depth: int) -> Iterator[str]:
    yield f"{_write_key(key, limits)}: "
    if is_hidden(key):
        yield HIDDEN
    else:
        yield from _write_value_pieces(value, limits, depth - 1)


def _join_parts(ends: str, parts: Iterator[Iterator[str]], value: Any, limit: int | None, depth: int) -> Iterator[str]:
    """The parts with commas between them, as many as are shown, and dots for the rest."""
    yield ends[0]
    limit = 0 if depth <= 0 else len(value) if limit is None else max(0, limit)
    for index, part in zip(range(limit), parts, strict=False):
        yield ", " if index else ""
        yield from part
    if len(value) > limit:
        yield ", ..." if limit else "..."
    yield ends[1]


def _format_total(value: Any, limits: LiteralLimits) -> str:
    """`5 items`, `200 keys`, if some are not shown."""
    if isinstance(value, Mapping):
        return f"{len(value)} keys" if limits.keys is not None and len(value) > limits.keys else ""
    if isinstance(value, (list, tuple)):
        return f"{len(value)} items" if limits.items is not None and len(value) > limits.items else ""
    return ""


def _write_key(key: Any, limits: LiteralLimits) -> str:
    if not isinstance(key, str):
        return _write_scalar(key, limits)
    key = shorten_to(key, limits.names)
    return key if IDENTIFIER.fullmatch(key) else quote_text(key)


def _write_scalar(value: Any, limits: LiteralLimits) -> str:
    match value:
        case None:
            return "nil"
        case bool():
            return "true" if value else "false"
        case str():
            return quote_text(shorten_to(value, limits.text, dots_beyond=limits.dots_beyond))
        case int():
            return _write_integer(value)
        case float():
            return _write_float(value)
        case datetime() | date() | time():
            return value.isoformat()
    # Neither repr nor str: they may contain an address, which differs between builds.
    return f"<{type(value).__name__}>"


def _write_integer(value: int) -> str:
    if value.bit_length() <= MAX_INTEGER_BITS:
        return str(int(value))
    return f"<an integer of about {int(value.bit_length() * 0.30103) + 1} digits>"


def _write_float(value: float) -> str:
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(float(value))
