"""The parts of Anthropic, MCP, Gemini, Bedrock and Ollama -> Content."""

from collections.abc import Mapping

from ...errors import StateError
from ..content import Content, ContentKind
from .content_keys import ALONE, Part, content, rest, within
from .media import Where, addressed, by_ending, inline, kind_of, known
from .plain_data import pick, shown


def sourced(part: Part, what: str) -> Content:
    """Anthropic, with a source; and what an MCP server gives, which has the bytes without one."""
    kind: ContentKind = part["type"]
    if "data" in part:
        where = inline(part["data"], pick(part, "mimeType", "mime_type"), f"{what}.data")
        return content(kind, where, None)
    source = within(part, "source", what)
    own, name = rest(part, "source", "title"), part.get("title")
    form, at = source.get("type"), f"{what}.source"
    if form == "base64":
        where = inline(source.get("data"), source.get("media_type"), f"{at}.data")
    elif form == "url":
        where = addressed(source.get("url"), source.get("media_type"), f"{at}.url")
        where = where._replace(media=where.media or ("application/pdf" if kind == "document" else None))
    elif form == "file":
        where = Where(file=str(source.get("file_id")), provider="anthropic")
    elif form == "text" and isinstance(source.get("data"), str):
        where = inline(source["data"].encode(), "text/plain", f"{at}.data")
    else:
        raise StateError(f"{at} is of the type {form!r}: {ALONE} Known to all: base64, url, file, text.")
    return content(kind, where, "anthropic", own, name)


def blob(part: Part, key: str, what: str) -> list[Content]:
    """Gemini: the media type says what it is."""
    inner = within(part, key, what)
    name = pick(inner, "display_name", "displayName")
    media, at = pick(inner, "mime_type", "mimeType"), f"{what}.{key}"
    if "data" in inner:
        where = inline(inner["data"], media, f"{at}.data", name)
    else:
        where = addressed(pick(inner, "file_uri", "fileUri"), media, f"{at}.file_uri")
    return [content(kind_of(where.media), where, "gemini", rest(part, key), name)]


def only_text(part: Part, key: str, what: str) -> list[Content]:
    """Gemini and Bedrock: a text has no type."""
    text = part[key]
    if not isinstance(text, str):
        raise StateError(f"{what}.{key} is {shown(text)}, and no text.")
    own = rest(part, key)
    return [Content("text", text, provider="gemini" if own else None, own=own)] if text.strip() else []


def bedrock(part: Part, key: str, what: str) -> list[Content]:
    """Bedrock: the key says what it is."""
    inner = within(part, key, what)
    source, at = within(inner, "source", f"{what}.{key}"), f"{what}.{key}.source"
    kind: ContentKind = key  # type: ignore[assignment]  # these keys are our kinds
    media = by_ending(inner.get("format")) or known(f"{kind}/{inner.get('format')}")
    own = rest(inner, "source", "format", "name")
    if "bytes" in source:
        where = inline(source["bytes"], media, f"{at}.bytes")
    elif isinstance(source.get("text"), str):
        where = inline(source["text"].encode(), "text/plain", f"{at}.text")
    elif isinstance(source.get("s3Location"), Mapping):
        where = addressed(source["s3Location"].get("uri"), media, f"{at}.s3Location.uri")
        own |= rest(dict(source["s3Location"]), "uri")
    else:
        raise StateError(f"{at} has {', '.join(map(repr, source)) or 'nothing'}: {ALONE} Known to all: bytes, text.")
    return [content(kind, where, "bedrock", own, inner.get("name"))]


def images(part: Part, key: str, what: str) -> list[Content]:
    """Ollama: a list of images, and nothing that says of which type."""
    given = part[key] if isinstance(part[key], list) else [part[key]]
    wheres = [inline(item, None, f"{what}.{key}[{index}]") for index, item in enumerate(given)]
    return [content("image", where, "ollama") for where in wheres]
