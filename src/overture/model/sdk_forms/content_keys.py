"""What all readers of a provider's form share: its keys, and the Content that comes of them."""

from collections.abc import Mapping
from typing import Any

from ...errors import StateError
from ..content import Content, ContentKind
from .media import Where
from .plain_data import lean, shown

Part = dict[str, Any]
ALONE = "it can't be said to every provider. Add it with session.add(Message('user', text, blocks=(…,)))."


def content(
    kind: ContentKind, where: Where, provider: str | None, own: Mapping[str, Any] | None = None, name: Any = None
) -> Content:
    """A content whose bytes are there. A file is that of whom it lies with, whoever named it."""
    media, data, url, file, whose = where
    named = name if isinstance(name, str) and name else None
    return Content(kind, "", media, data, url, file, named, whose or provider, dict(own or {}))


def rest(part: Part, *known_keys: str) -> Part:
    """The keys that were not looked at, without their nulls."""
    return {key: value for key, value in lean(part).items() if key not in ("type", *known_keys)}


def within(part: Part, key: str, what: str) -> Part:
    """The object under a key."""
    inner = part.get(key)
    if not isinstance(inner, Mapping):
        raise StateError(f"{what}.{key} is {shown(inner)}, and no object. Give it as the SDK's documentation has it.")
    return lean(inner)
