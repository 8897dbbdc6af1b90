"""Reads the content of a user's message or a tool's result: texts, Content, and parts of MCP, OpenAI and Anthropic."""

import base64
import binascii
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from ...errors import StateError
from ...model.message import Content, ContentKind
from .plain_data import Data, drop_nulls, first_value, refuse_misfits, require_finished, require_list, show_data

ContentInput = str | Content | Mapping[str, Any] | Sequence[Any]
"""A text, one part, a whole message of a user, or a list of parts."""
GIVE_CONTENT = (
    "Pass a text, or a list of texts, images and documents: overture.Content, or parts of MCP, OpenAI or Anthropic."
)
TEXT_JOIN = "\n"
"""Joins adjacent texts: a list of texts is one text."""


class SplitContent(NamedTuple):
    """A text, and the other parts after or around it."""

    text: str
    parts: tuple[Content, ...] = ()


@refuse_misfits
def read_content(content: Any, what: str) -> SplitContent:
    """A text as it is; a list of parts as its first text, and the other parts around that text."""
    if isinstance(content, str):
        return SplitContent(content)
    if isinstance(content, Mapping) and "role" in content:
        content = _read_message_parts(content, what)
    elif isinstance(content, Content) or hasattr(content, "model_dump"):
        content = [content]
    elif isinstance(content, Mapping):
        if "type" not in content:
            raise StateError(f"{what} is {show_data(content)}.", hint="Send your own objects as text: json.dumps(…).")
        content = [content]
    elif not isinstance(content, list | tuple):
        raise StateError(f"{what} is {show_data(content)}.", hint=GIVE_CONTENT)
    contents = [each for index, part in enumerate(content) if (each := _read_part(part, f"{what}[{index}]"))]
    return _split_around_text(_join_texts(contents))


def _read_message_parts(message: Mapping[str, Any], what: str) -> list[Any]:
    if message["role"] != "user":
        raise StateError(f"{what} is a message of role {message['role']!r}.", hint=GIVE_CONTENT)
    content = message.get("content") or []
    return [content] if isinstance(content, str) else require_list(content, what)


def _read_part(part: Any, what: str) -> Content | None:
    """The content of one part; None for a blank text."""
    if isinstance(part, Content):
        return _check_content(part, what)
    if isinstance(part, str):
        return Content("text", part) if part.strip() else None
    if isinstance(part, bytes | bytearray):
        raise StateError(f"{what} is bytes of an unknown type.", hint="Pass e.g. Content('image', data=…).")
    data = drop_nulls(require_finished(part, what, GIVE_CONTENT))
    kind = data.get("type")
    reader = READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        raise StateError(_refuse_part(str(kind or next(iter(data), "")), what))
    content = reader(data, what)
    return None if content.kind == "text" and not content.text.strip() else content


def _refuse_part(name: str, what: str) -> str:
    """Why a part can't be content of a message, and what to do."""
    if name in ("tool_result", "toolResult", "function_response", "functionResponse", "function_call_output"):
        return f"{what} is a tool result ({name!r}). Add it with session.result(call, …)."
    if name in ("tool_use", "toolUse", "function_call", "functionCall"):
        return f"{what} is a tool call ({name!r}). Add it with session.assistant(text, calls)."
    known_types = ", ".join(sorted(READERS))
    return f"{what} is of the form {name!r}. Pass overture.Content, or a part with one of these types: {known_types}."


def _check_content(part: Content, what: str) -> Content:
    """A Content, if it has the location of its bytes."""
    if part.kind == "text":
        return part
    if part.data is None and part.url is None and part.file is None:
        raise StateError(
            f"{what} is {part.about} without bytes.", hint="Pass `data`, `url`, or `file` with its `provider`."
        )
    if part.file is not None and part.provider is None:
        raise StateError(f"{what} is {part.about} with no `provider`.", hint="Name the provider that stores the file.")
    if part.data is None:
        return part
    inline = _read_inline(part.data, part.media, what, part.name)
    return replace(part, data=inline["data"], media=inline["media"])


def _join_texts(contents: list[Content]) -> list[Content]:
    joined: list[Content] = []
    for each in contents:
        last = joined[-1] if joined else None
        if last and last.kind == each.kind == "text" and not last.own and not each.own:
            joined[-1] = Content("text", f"{last.text}{TEXT_JOIN}{each.text}")
        else:
            joined.append(each)
    return joined


def _split_around_text(contents: list[Content]) -> SplitContent:
    """The first text by itself; an empty text marks its position if it is not first or has keys of its own."""
    at = next((index for index, each in enumerate(contents) if each.kind == "text"), None)
    if at is None:
        return SplitContent("", tuple(contents))
    first = contents[at]
    empty_text = [replace(first, text="")] if at or first.own else []
    return SplitContent(first.text, (*contents[:at], *empty_text, *contents[at + 1 :]))


# The readers of parts, by type.


def _remaining_keys(part: Data, *known_keys: str) -> Data:
    """The keys of a part that are not in `known_keys`, without nulls."""
    return {key: value for key, value in drop_nulls(part).items() if key not in ("type", *known_keys)}


def _read_text(part: Data, what: str) -> Content:
    text = part.get("text")
    if not isinstance(text, str):
        raise StateError(f"{what}.text is {show_data(text)}, not a text.")
    own = _remaining_keys(part, "text", "annotations", "logprobs", "_meta", "meta")
    is_anthropic = not own.keys().isdisjoint(("cache_control", "citations"))
    return Content("text", text, provider=("anthropic" if is_anthropic else "openai") if own else None, own=own)


def _read_openai_image(part: Data, what: str) -> Content:
    """An image of OpenAI: of Chat, with the URL in an object, or of Responses."""
    image = part.get("image_url")
    inner = drop_nulls(image) if isinstance(image, Mapping) else {"url": image}
    own = {**_remaining_keys(part, "image_url", "file_id"), **_remaining_keys(inner, "url")}
    if part["type"] == "input_image" and own.get("detail") == "auto":  # the default
        del own["detail"]
    if part.get("file_id"):
        return Content("image", file=str(part["file_id"]), provider="openai", own=own)
    return Content("image", **_read_address(inner.get("url"), None, f"{what}.image_url"), provider="openai", own=own)


def _read_media(part: Data, what: str) -> Content:
    """An image, a document or a sound: of MCP, which has the bytes directly, or of Anthropic, with a source."""
    kind: ContentKind = part["type"]
    if "data" in part:
        return Content(kind, **_read_inline(part["data"], first_value(part, "mimeType", "mime_type"), f"{what}.data"))
    source, at = part.get("source"), f"{what}.source"
    if not isinstance(source, Mapping):
        raise StateError(f"{at} is {show_data(source)}, not an object.", hint=GIVE_CONTENT)
    form = source.get("type")
    if form == "base64":
        where = _read_inline(source.get("data"), source.get("media_type"), f"{at}.data")
    elif form == "url":
        where = _read_address(source.get("url"), source.get("media_type"), f"{at}.url")
        where["media"] = where["media"] or ("application/pdf" if kind == "document" else None)
    elif form == "file":
        where = {"file": str(source.get("file_id"))}
    elif form == "text" and isinstance(source.get("data"), str):
        where = _read_inline(source["data"].encode(), "text/plain", f"{at}.data")
    else:
        raise StateError(f"{at} is of the type {form!r}.", hint="Pass one of these: base64, url, file, text.")
    own, name = _remaining_keys(part, "source", "title"), part.get("title")
    return Content(kind, **where, name=name if isinstance(name, str) and name else None, provider="anthropic", own=own)


def _read_link(part: Data, _: str) -> Content:
    """A link to a resource of an MCP server, as text."""
    return Content("text", "\n".join(str(part[key]) for key in ("name", "uri", "description") if part.get(key)))


def _read_resource(part: Data, what: str) -> Content:
    """An embedded resource of an MCP server: its text or its bytes."""
    resource = drop_nulls(part["resource"])
    if "blob" not in resource:
        return Content("text", str(resource.get("text", "")))
    media = first_value(resource, "mime_type", "mimeType") or "application/octet-stream"
    where = _read_inline(resource["blob"], media, f"{what}.resource.blob")
    kind: ContentKind = next((kind for kind in MEDIA_KINDS if str(where["media"]).startswith(f"{kind}/")), "document")
    return Content(kind, **where)


MEDIA_KINDS: tuple[ContentKind, ...] = ("image", "audio", "video")
READERS: dict[str, Callable[[Data, str], Content]] = {
    "text": _read_text,
    "input_text": _read_text,
    "output_text": _read_text,
    "image_url": _read_openai_image,
    "input_image": _read_openai_image,
    "image": _read_media,
    "document": _read_media,
    "audio": _read_media,
    "resource": _read_resource,
    "resource_link": _read_link,
}

# Bytes, addresses and media types.

DATA_URL = re.compile(r"data:(?P<media>[^;,]*)(?P<more>(?:;[^;,]*)*?)(?P<base64>;base64)?,(?P<data>.*)", re.DOTALL)
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
GIVE_BYTES = "Pass bytes, base64 or a data URL; read a file first."


def _read_inline(value: Any, media: Any, what: str, name: str | None = None) -> Data:
    """Bytes, base64 or a data URL. The media type is the named one, else guessed by the first bytes or the name."""
    if isinstance(value, str) and (match := DATA_URL.fullmatch(value)):
        if not match["base64"]:
            raise StateError(f"{what}: the data URL {value!r:.60} is not in base64.", hint="Encode it in base64.")
        value, media = match["data"], match["media"] or media
    data = base64.b64encode(value).decode() if isinstance(value, bytes | bytearray) else _check_base64(value, what)
    if not data:
        raise StateError(f"{what} has no bytes.", hint="Remove it, or pass the bytes.")
    return {"media": _clean_media_type(media) or _guess_media_type(data) or _media_type_by_name(name), "data": data}


def _check_base64(value: Any, what: str) -> str:
    """Base64 in one line, with its padding, also from the alphabet for URLs."""
    if not isinstance(value, str):
        raise StateError(f"{what}: {value!r:.60} are not bytes.", hint=GIVE_BYTES)
    text = "".join(value.split()).translate(str.maketrans("-_", "+/"))
    text += "=" * (-len(text) % 4)
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise StateError(f"{what}: {value!r:.60} is not base64.", hint=GIVE_BYTES) from None
    return text


def _read_address(value: Any, media: Any, what: str) -> Data:
    """A data URL as its bytes, any other address as a URL."""
    scheme = value.partition(":")[0].lower() if isinstance(value, str) else ""
    if scheme == "data":
        return _read_inline(value, media, what)
    if scheme not in ("http", "https"):
        raise StateError(
            f"{what}: {value!r:.60} is not a URL that every provider can open.", hint="Pass an https or data URL."
        )
    return {"media": _clean_media_type(media) or _media_type_by_name(value.partition("?")[0]), "url": value}


def _clean_media_type(media: Any) -> str | None:
    """A media type without its parameters, by the name that providers know."""
    name = media.partition(";")[0].strip().lower() if isinstance(media, str) else ""
    return ALIASES.get(name, name) or None


def _media_type_by_name(name: str | None) -> str | None:
    return ENDINGS.get(name.rpartition(".")[2].lower()) if name else None


def _guess_media_type(data: str) -> str | None:
    head = base64.b64decode(data[:16])
    if head[:4] == b"RIFF":
        return RIFF.get(head[8:12])
    return next((media for start, media in BEGINNINGS.items() if head.startswith(start)), None)
