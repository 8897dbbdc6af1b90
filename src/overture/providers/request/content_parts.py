"""The contents of a message -> blocks in a provider's form; what a provider has not is refused before it is sent."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from ...errors import StateError
from ...model.content import Content
from ...model.message import Message
from .messages import Wrap

Show = Callable[[Content], dict[str, Any]]
"""An image or another content that is no text, as a provider has it."""
UNSAFE = re.compile(r"[^A-Za-z0-9()\[\]-]+")


def spoken(message: Message, wrap: Wrap, show: Show, vendor: str) -> list[Any]:
    """Text and parts in their order; blank texts, which some refuse, are left away."""
    if not message.parts:
        return [wrap(message.text)] if message.text.strip() else []
    return [
        show(part) if part.kind != "text" else {**wrap(part.text), **own_keys(part, vendor)}
        for part in message.contents
        if part.kind != "text" or part.text.strip()
    ]


def own_keys(part: Content, vendor: str) -> dict[str, Any]:
    """What the part's own form said beside it, if it is this vendor's."""
    return part.own if part.provider == vendor else {}


def refused(part: Content, provider: str, why: str) -> StateError:
    """What is to be said of a part that a provider does not take."""
    return StateError(f"{provider} does not take {part.about}: {why}.")


def own_file(part: Content, provider: str, vendor: str) -> str:
    """The id of a file that lies with this vendor; another's can't be opened there."""
    if part.file is None or part.provider != vendor:
        whose = f"its file lies with {part.provider}" if part.file else "it has no bytes"
        raise refused(part, provider, f"{whose}. Give its bytes, or upload it there")
    return part.file


def data_of(part: Content, provider: str) -> str:
    """The bytes in base64, for a provider that fetches nothing."""
    if part.data is None:
        where = f"{provider} opens no addresses" if part.url else f"its file lies with {part.provider}"
        raise refused(part, provider, f"{where}. Give its bytes")
    return part.data


def data_url(part: Content) -> str:
    """The bytes as an address."""
    return f"data:{part.media or 'application/octet-stream'};base64,{part.data}"


def format_of(part: Content, formats: Mapping[str, str], provider: str) -> str:
    """What a provider calls a media type."""
    found = formats.get(part.media or "")
    if found is None:
        raise refused(part, provider, f"its media type is none of {', '.join(formats)}")
    return found


def clean_name(part: Content) -> str:
    """A name of letters, digits and hyphens for a document, the same whenever the document is."""
    return UNSAFE.sub("-", part.name or "").strip("-")[:200]
