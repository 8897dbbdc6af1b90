"""The one kind of struct that all nouns are made of: frozen, strict, and quiet about defaults."""

import json
import re
from typing import Any

import msgspec
from msgspec import Meta, Struct

from ..errors import StateError

SURROGATE = re.compile("[\ud800-\udfff]")
"""Half a character, which stands for a byte that is not UTF-8 where Python has read the name of a file."""


class Frozen(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Data that never changes after it is made. Unknown keys are refused; defaults are not written out."""


def note(text: str) -> Meta:
    """What a field means, for the JSON Schema and the reference pages."""
    return Meta(description=text)


def encode_json(value: Any) -> bytes:
    """A value as JSON for whoever reads a report: bytes of a file's name that are not UTF-8 become U+FFFD."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        text = json.dumps(msgspec.to_builtins(value), ensure_ascii=False, separators=(",", ":"))
        return SURROGATE.sub("\ufffd", text).encode()


def as_json(value: Struct) -> dict[str, Any]:
    """A struct as JSON has it: dicts, lists, texts, numbers, and nothing else."""
    try:
        data: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(value))
    except UnicodeEncodeError:
        raise StateError(
            "It holds half a surrogate pair, and no JSON can carry it. Replace it where it comes from."
        ) from None
    except (ValueError, RecursionError) as problem:
        raise StateError(f"It holds what no JSON can carry: {problem}. Replace it where it comes from.") from None
    return data
