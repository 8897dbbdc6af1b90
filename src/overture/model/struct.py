"""The one kind of struct that all nouns are made of: frozen, strict, and quiet about defaults."""

from typing import Any

import msgspec
from msgspec import Meta, Struct


class Frozen(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Data that never changes after it is made. Unknown keys are refused; defaults are not written out."""


def note(text: str) -> Meta:
    """What a field means, for the JSON Schema and the reference pages."""
    return Meta(description=text)


def as_json(value: Struct) -> dict[str, Any]:
    """A struct as JSON has it: dicts, lists, texts, numbers, and nothing else."""
    data: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(value))
    return data
