"""The one kind of struct that all nouns are made of: frozen, strict, and quiet about defaults."""

from typing import Any

import msgspec
from msgspec import Meta, Struct

from ..errors import StateError


class Frozen(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Data that never changes after it is made. Unknown keys are refused; defaults are not written out."""


def note(text: str) -> Meta:
    """What a field means, for the JSON Schema and the reference pages."""
    return Meta(description=text)


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
