"""Reads bytes, addresses and media types of content in any provider's form -> Content."""

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ...errors import StateError
from ...model.message import Content, ContentKind
from .plain_data import Data, drop_nulls, show_data

DATA_URL = re.compile(r"data:(?P<media>[^;,]*)(?P<more>(?:;[^;,]*)*?)(?P<base64>;base64)?,(?P<data>.*)", re.DOTALL)
SAFE = str.maketrans("-_", "+/")
"""Google's SDK writes base64 in the alphabet for URLs."""
BEGINNINGS = {
    b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif", b"%PDF": "application/pdf",
    b"ID3": "audio/mpeg", b"OggS": "audio/ogg", b"fLaC": "audio/flac",
}  # fmt: skip
RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}
ENDINGS = {
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
    "pdf": "application/pdf", "txt": "text/plain", "md": "text/markdown", "csv": "text/csv", "html": "text/html",
    "json": "application/json", "doc": "application/msword", "xls": "application/vnd.ms-excel",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "wav": "audio/wav", "mp3": "audio/mpeg", "ogg": "audio/ogg", "flac": "audio/flac", "mp4": "video/mp4",
    "webm": "video/webm", "mov": "video/quicktime",
}  # fmt: skip
ALIASES = {"image/jpg": "image/jpeg", "audio/mp3": "audio/mpeg", "audio/x-wav": "audio/wav", "audio/wave": "audio/wav"}
STORES = {"gs": "gemini", "s3": "bedrock"}
"""The provider of an address that only one provider can open, by its scheme."""
UPLOADED = re.compile(r"https://generativelanguage\.googleapis\.com/.*/?files/")

ALONE = "it can't be sent to every provider. Add it with session.add(Message('user', text, blocks=(…,)))."


class MediaLocation(NamedTuple):
    """The location of a content's bytes, and their media type."""

    media: str | None = None
    data: str | None = None
    url: str | None = None
    file: str | None = None
    provider: str | None = None
    """The provider that stores the file."""


def read_inline(value: Any, media: Any, what: str, name: str | None = None) -> MediaLocation:
    """Bytes, base64 or a data URL. The media type is the named one, else guessed by the first bytes or the name."""
    if isinstance(value, str) and (match := DATA_URL.fullmatch(value)):
        if not match["base64"]:
            raise StateError(f"{what}: the data URL {value!r:.60} is not in base64.", hint="Encode it in base64.")
        value, media = match["data"], match["media"] or media
    data = base64.b64encode(value).decode() if isinstance(value, bytes | bytearray) else _check_base64(value, what)
    if not data:
        raise StateError(f"{what} has no bytes.", hint="Remove it, or pass the bytes.")
    return MediaLocation(normalize_media_type(media) or _guess_media_type(data) or media_type_by_name(name), data)


def _check_base64(value: Any, what: str) -> str:
    """Base64 in one line, with its padding."""
    wanted = "Pass bytes, base64 or a data URL; read a file first."
    if not isinstance(value, str):
        raise StateError(f"{what}: {value!r:.60} are not bytes.", hint=wanted)
    text = "".join(value.split()).translate(SAFE)
    text += "=" * (-len(text) % 4)
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise StateError(f"{what}: {value!r:.60} is not base64.", hint=wanted) from None
    return text


def read_address(value: Any, media: Any, what: str) -> MediaLocation:
    """A data URL as its bytes; an address that only one provider can open as its file; any other as a URL."""
    if not isinstance(value, str) or not value:
        raise StateError(f"{what}: {value!r:.60} is not a URL.", hint="Pass an https or data URL.")
    scheme = value.partition(":")[0].lower()
    media = normalize_media_type(media) or media_type_by_name(value.partition("?")[0])
    if scheme == "data":
        return read_inline(value, media, what)
    if scheme in STORES or UPLOADED.match(value):
        return MediaLocation(media, file=value, provider=STORES.get(scheme, "gemini"))
    if scheme not in ("http", "https"):
        raise StateError(
            f"{what}: {value!r:.60} is not a URL that a provider can open.", hint="Pass an https or data URL."
        )
    return MediaLocation(media, url=value)


def normalize_media_type(media: Any) -> str | None:
    """A media type without its parameters, by the name that providers know."""
    if not isinstance(media, str) or not media:
        return None
    name = media.partition(";")[0].strip().lower()
    return ALIASES.get(name, name)


def media_type_by_name(name: Any) -> str | None:
    """The media type of a file's name, by its ending."""
    return ENDINGS.get(name.rpartition(".")[2].lower()) if isinstance(name, str) else None


def _guess_media_type(data: str) -> str | None:
    """The media type of data, by its first bytes."""
    head = base64.b64decode(data[:16])
    if head[:4] == b"RIFF":
        return RIFF.get(head[8:12])
    return next((media for start, media in BEGINNINGS.items() if head.startswith(start)), None)


def content_kind(media: str | None) -> ContentKind:
    """The kind of a media type: an image, audio, a video, else a document."""
    for kind in ("image", "audio", "video"):
        if (media or "").startswith(f"{kind}/"):
            return kind
    return "document"


def make_content(
    kind: ContentKind,
    where: MediaLocation,
    provider: str | None,
    own: Mapping[str, Any] | None = None,
    name: Any = None,
) -> Content:
    """A content with its bytes. A file belongs to the provider that stores it, else to `provider`."""
    media, data, url, file, whose = where
    named = name if isinstance(name, str) and name else None
    return Content(kind, "", media, data, url, file, named, whose or provider, dict(own or {}))


def remaining_keys(part: Data, *known_keys: str) -> Data:
    """The keys of a part that are not in `known_keys`, without nulls."""
    return {key: value for key, value in drop_nulls(part).items() if key not in ("type", *known_keys)}


def object_under_key(part: Data, key: str, what: str) -> Data:
    """The object under a key of a media part."""
    inner = part.get(key)
    if not isinstance(inner, Mapping):
        raise StateError(
            f"{what}.{key} is {show_data(inner)}, not an object.", hint="Pass it as in the SDK's documentation."
        )
    return drop_nulls(inner)
