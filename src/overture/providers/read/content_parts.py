"""One part of a content in any provider's form becomes Content; unknown keys stay, for that provider."""

from collections.abc import Callable, Mapping
from typing import Any

from ...errors import StateError
from ...model.message import Content, ContentKind
from .media import MediaLocation, content_kind, media_type_by_name, normalize_media_type, read_address, read_inline
from .plain_data import drop_nulls, first_value, show_data

RawPart = dict[str, Any]
ALONE = "it can't be said to every provider. Add it with session.add(Message('user', text, blocks=(…,)))."


def make_content(
    kind: ContentKind,
    where: MediaLocation,
    provider: str | None,
    own: Mapping[str, Any] | None = None,
    name: Any = None,
) -> Content:
    """A content whose bytes are there. A file is that of whom it lies with, whoever named it."""
    media, data, url, file, whose = where
    named = name if isinstance(name, str) and name else None
    return Content(kind, "", media, data, url, file, named, whose or provider, dict(own or {}))


def remaining_keys(part: RawPart, *known_keys: str) -> RawPart:
    """The keys that were not looked at, without their nulls."""
    return {key: value for key, value in drop_nulls(part).items() if key not in ("type", *known_keys)}


def object_under_key(part: RawPart, key: str, what: str) -> RawPart:
    """The object under a key."""
    inner = part.get(key)
    if not isinstance(inner, Mapping):
        raise StateError(
            f"{what}.{key} is {show_data(inner)}, and no object. Give it as the SDK's documentation has it."
        )
    return drop_nulls(inner)


# OpenAI's parts, of Chat Completions and of Responses -> Content.


def read_image_url(part: RawPart, what: str) -> Content:
    """An image of Chat Completions."""
    given = part.get("image_url")
    inner = drop_nulls(given) if isinstance(given, Mapping) else {"url": given}
    own = {**remaining_keys(part, "image_url"), **remaining_keys(inner, "url")}
    return make_content("image", read_address(inner.get("url"), None, f"{what}.image_url"), "openai", own)


def read_input_image(part: RawPart, what: str) -> Content:
    """An image of Responses."""
    own = remaining_keys(part, "image_url", "file_id")
    if own.get("detail") == "auto":  # which counts where nothing is said
        del own["detail"]
    if part.get("file_id"):
        return make_content("image", MediaLocation(file=str(part["file_id"]), provider="openai"), "openai", own)
    return make_content("image", read_address(part.get("image_url"), None, f"{what}.image_url"), "openai", own)


def read_file_part(part: RawPart, what: str) -> Content:
    """A file in either form: `file` around it, or `input_file`."""
    inner = object_under_key(part, "file", what) if part["type"] == "file" else part
    name = inner.get("filename")
    own = {
        **remaining_keys(inner, "file_data", "file_id", "file_url", "filename"),
        **remaining_keys(part, "file", *inner),
    }
    if inner.get("file_id"):
        where = MediaLocation(media_type_by_name(name), file=str(inner["file_id"]), provider="openai")
    elif inner.get("file_url"):
        where = read_address(inner["file_url"], None, f"{what}.file_url")
    else:
        where = read_inline(inner.get("file_data"), None, f"{what}.file_data", name)
    return make_content(content_kind(where.media) if where.data else "document", where, "openai", own, name)


def read_input_audio(part: RawPart, what: str) -> Content:
    """A sound."""
    inner = object_under_key(part, "input_audio", what)
    where = read_inline(inner.get("data"), media_type_by_name(str(inner.get("format"))), f"{what}.input_audio.data")
    return make_content("audio", where, "openai", remaining_keys(part, "input_audio"))


# The parts of Anthropic, MCP, Gemini, Bedrock and Ollama -> Content.


def read_sourced(part: RawPart, what: str) -> Content:
    """Anthropic, with a source; and what an MCP server gives, which has the bytes without one."""
    kind: ContentKind = part["type"]
    if "data" in part:
        where = read_inline(part["data"], first_value(part, "mimeType", "mime_type"), f"{what}.data")
        return make_content(kind, where, None)
    source = object_under_key(part, "source", what)
    own, name = remaining_keys(part, "source", "title"), part.get("title")
    form, at = source.get("type"), f"{what}.source"
    if form == "base64":
        where = read_inline(source.get("data"), source.get("media_type"), f"{at}.data")
    elif form == "url":
        where = read_address(source.get("url"), source.get("media_type"), f"{at}.url")
        where = where._replace(media=where.media or ("application/pdf" if kind == "document" else None))
    elif form == "file":
        where = MediaLocation(file=str(source.get("file_id")), provider="anthropic")
    elif form == "text" and isinstance(source.get("data"), str):
        where = read_inline(source["data"].encode(), "text/plain", f"{at}.data")
    else:
        raise StateError(f"{at} is of the type {form!r}: {ALONE} Known to all: base64, url, file, text.")
    return make_content(kind, where, "anthropic", own, name)


def read_blob(part: RawPart, key: str, what: str) -> list[Content]:
    """Gemini: the media type says what it is."""
    inner = object_under_key(part, key, what)
    name = first_value(inner, "display_name", "displayName")
    media, at = first_value(inner, "mime_type", "mimeType"), f"{what}.{key}"
    if "data" in inner:
        where = read_inline(inner["data"], media, f"{at}.data", name)
    else:
        where = read_address(first_value(inner, "file_uri", "fileUri"), media, f"{at}.file_uri")
    return [make_content(content_kind(where.media), where, "gemini", remaining_keys(part, key), name)]


def read_only_text(part: RawPart, key: str, what: str) -> list[Content]:
    """Gemini and Bedrock: a text has no type."""
    text = part[key]
    if not isinstance(text, str):
        raise StateError(f"{what}.{key} is {show_data(text)}, and no text.")
    own = remaining_keys(part, key)
    return [Content("text", text, provider="gemini" if own else None, own=own)] if text.strip() else []


def read_bedrock(part: RawPart, key: str, what: str) -> list[Content]:
    """Bedrock: the key says what it is."""
    inner = object_under_key(part, key, what)
    source, at = object_under_key(inner, "source", f"{what}.{key}"), f"{what}.{key}.source"
    kind: ContentKind = key  # type: ignore[assignment]  # these keys are our kinds
    media = media_type_by_name(inner.get("format")) or normalize_media_type(f"{kind}/{inner.get('format')}")
    own = remaining_keys(inner, "source", "format", "name")
    if "bytes" in source:
        where = read_inline(source["bytes"], media, f"{at}.bytes")
    elif isinstance(source.get("text"), str):
        where = read_inline(source["text"].encode(), "text/plain", f"{at}.text")
    elif isinstance(source.get("s3Location"), Mapping):
        where = read_address(source["s3Location"].get("uri"), media, f"{at}.s3Location.uri")
        own |= remaining_keys(dict(source["s3Location"]), "uri")
    else:
        raise StateError(f"{at} has {', '.join(map(repr, source)) or 'nothing'}: {ALONE} Known to all: bytes, text.")
    return [make_content(kind, where, "bedrock", own, inner.get("name"))]


def read_images(part: RawPart, key: str, what: str) -> list[Content]:
    """Ollama: a list of images, and nothing that says of which type."""
    given = part[key] if isinstance(part[key], list) else [part[key]]
    wheres = [read_inline(item, None, f"{what}.{key}[{index}]") for index, item in enumerate(given)]
    return [make_content("image", where, "ollama") for where in wheres]


# One part of a content in a provider's form -> Content. What the form has beside it stays, for that provider.


OWN_TEXT = {"cache_control": "anthropic", "citations": "anthropic"}
RESULTS = ("tool_result", "toolResult", "function_response", "functionResponse", "function_call_output")
CALLS = ("tool_use", "toolUse", "function_call", "functionCall")


def read_content_part(part: RawPart, what: str) -> list[Content]:
    """The contents of a part, by its type or by the one key that says what it is."""
    kind = part.get("type")
    if isinstance(kind, str):
        if kind in TYPES:
            return [each for each in [TYPES[kind](part, what)] if each.kind != "text" or each.text.strip()]
        raise StateError(_refuse_part(kind, what))
    for key, read in KEYS.items():
        if part.get(key) is not None:
            return read(part, key, what)
    raise StateError(_refuse_part(next(iter(part), ""), what))


def _refuse_part(name: str, what: str) -> str:
    if name in RESULTS:
        return f"{what} is a result of a tool ({name!r}). Add it with session.result(call, …)."
    if name in CALLS:
        return f"{what} is a call of a tool ({name!r}). Add it with session.assistant(text, calls)."
    if name == "cachePoint":
        return f"{what} is a cache point. Leave it away: render sets them."
    known_types = ", ".join(sorted({*TYPES, *KEYS}))
    return f"{what} is of the form {name!r}: {ALONE} Known to all: {known_types}."


def _read_text(part: RawPart, what: str) -> Content:
    text = part.get("text")
    if not isinstance(text, str):
        raise StateError(f"{what}.text is {show_data(text)}, and no text.")
    own = remaining_keys(part, "text", "annotations", "logprobs")
    provider = next((OWN_TEXT[key] for key in own if key in OWN_TEXT), "openai") if own else None
    return Content("text", text, provider=provider, own=own)


TYPES: dict[str, Callable[[RawPart, str], Content]] = {
    "text": _read_text,
    "input_text": _read_text,
    "output_text": _read_text,
    "image_url": read_image_url,
    "input_image": read_input_image,
    "file": read_file_part,
    "input_file": read_file_part,
    "input_audio": read_input_audio,
    "image": read_sourced,
    "document": read_sourced,
    "audio": read_sourced,
}
KEYS: dict[str, Callable[[RawPart, str, str], list[Content]]] = {
    "inline_data": read_blob,
    "inlineData": read_blob,
    "file_data": read_blob,
    "fileData": read_blob,
    "image": read_bedrock,
    "document": read_bedrock,
    "audio": read_bedrock,
    "video": read_bedrock,
    "images": read_images,
    "text": read_only_text,
}
