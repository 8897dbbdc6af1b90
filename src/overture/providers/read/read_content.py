"""Reads the content of a user's message or a tool's result, in any provider's form -> a text, and other Content."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from ...errors import StateError
from ...model.message import Content
from ...model.struct import explain_error
from .media import ALONE, read_inline, remaining_keys
from .plain_data import Data, drop_nulls, refuse_misfits, require_finished, require_list, show_data

ContentInput = str | Content | Mapping[str, Any] | Sequence[Any]
"""A text, one part, a whole message of a user, or a list of parts."""
GIVE_CONTENT = "Pass a text, or a list of texts, images and documents in any provider's form."
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
    elif isinstance(content, Content) or hasattr(content, "model_dump") or _is_part(content):
        content = [content]
    elif not isinstance(content, list | tuple):
        own = " Send your own objects as text: json.dumps(…)." if isinstance(content, Mapping) else ""
        raise StateError(f"{what} is {show_data(content)}.", hint=f"{GIVE_CONTENT}{own}")
    contents = [each for index, part in enumerate(content) for each in read_parts(part, f"{what}[{index}]")]
    return _split_around_text(_join_texts(contents))


def _is_part(value: Any) -> bool:
    """Whether an object has a key that makes it a part of a content."""
    return isinstance(value, Mapping) and any(key in value for key in ("type", "kind", *KEYS))


def _read_message_parts(message: Mapping[str, Any], what: str) -> list[Any]:
    """The parts of a whole message in the form of a request."""
    if message["role"] != "user":
        raise StateError(f"{what} is a message of role {message['role']!r}.", hint=GIVE_CONTENT)
    content = message.get("content") or message.get("parts") or []
    parts = [content] if isinstance(content, str) else require_list(content, what)
    return [*parts, *([{"images": message["images"]}] if message.get("images") else [])]


def read_parts(part: Any, what: str) -> list[Content]:
    """The contents of one part: Ollama has all images in one."""
    if isinstance(part, Content):
        return [_check_content(part, what)]
    if isinstance(part, str):
        return [Content("text", part)] if part.strip() else []
    if isinstance(part, bytes | bytearray):
        raise StateError(f"{what} is bytes of an unknown type.", hint="Pass e.g. {'type': 'image', 'source': {…}}.")
    data = drop_nulls(require_finished(part, what, GIVE_CONTENT))
    if "kind" in data:
        return [_check_content(_convert_content(data, what), what)]
    return read_content_part(data, what)


def _convert_content(data: dict[str, Any], what: str) -> Content:
    """A Content from data that has its fields."""
    try:
        return msgspec.convert(data, Content)
    except msgspec.ValidationError as problem:
        raise StateError(explain_error(problem, Content, data, what)) from None


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
    where = read_inline(part.data, part.media, what, part.name)
    return replace(part, data=where.data, media=where.media)


def _join_texts(contents: list[Content]) -> list[Content]:
    """The contents, with adjacent texts joined."""
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


OWN_TEXT = {"cache_control": "anthropic", "citations": "anthropic"}
RESULTS = ("tool_result", "toolResult", "function_response", "functionResponse", "function_call_output")
CALLS = ("tool_use", "toolUse", "function_call", "functionCall")
TEXT_TYPES = ("text", "input_text", "output_text")
TYPES = {
    "image_url": "openai_shared.read_image_url",
    "input_image": "openai_shared.read_input_image",
    "file": "openai_shared.read_file_part",
    "input_file": "openai_shared.read_file_part",
    "input_audio": "openai_shared.read_input_audio",
    "image": "anthropic.read_part",
    "document": "anthropic.read_part",
    "audio": "anthropic.read_part",
}
"""The reader of each type of part. A provider is imported when one of its parts is read."""
KEYS = {
    "inline_data": "gemini.read_part",
    "inlineData": "gemini.read_part",
    "file_data": "gemini.read_part",
    "fileData": "gemini.read_part",
    "image": "bedrock.read_part",
    "document": "bedrock.read_part",
    "audio": "bedrock.read_part",
    "video": "bedrock.read_part",
    "images": "ollama.read_images",
    "text": "",
}
"""The reader of each key of a part without a type."""


def _load_reader(name: str) -> Callable[..., Any]:
    """The function that reads a provider's part of content, imported when it is needed."""
    module, _, function = name.partition(".")
    reader: Callable[..., Any] = getattr(import_module(f"...{module}", __name__), function)
    return reader


def read_content_part(part: Data, what: str) -> list[Content]:
    """The contents of a part, by its type, or by its key if it has no type."""
    kind = part.get("type")
    if isinstance(kind, str):
        if kind in TEXT_TYPES:
            return [each for each in [_read_text(part, what)] if each.text.strip()]
        if kind in TYPES:
            return [_load_reader(TYPES[kind])(part, what)]
        raise StateError(_refuse_part(kind, what))
    for key, reader in KEYS.items():
        if part.get(key) is not None:
            read: list[Content] = _load_reader(reader)(part, key, what) if reader else _read_untyped(part, key, what)
            return read
    raise StateError(_refuse_part(next(iter(part), ""), what))


def _refuse_part(name: str, what: str) -> str:
    """Why a part can't be content of a message, and what to do."""
    if name in RESULTS:
        return f"{what} is a tool result ({name!r}). Add it with session.result(call, …)."
    if name in CALLS:
        return f"{what} is a tool call ({name!r}). Add it with session.assistant(text, calls)."
    if name == "cachePoint":
        return f"{what} is a cache point. Remove it: render sets them."
    known_types = ", ".join(sorted({*TEXT_TYPES, *TYPES, *KEYS}))
    return f"{what} is of the form {name!r}: {ALONE} Types for every provider: {known_types}."


def _read_text(part: Data, what: str) -> Content:
    """A text part of any provider as Content."""
    text = part.get("text")
    if not isinstance(text, str):
        raise StateError(f"{what}.text is {show_data(text)}, not a text.")
    own = remaining_keys(part, "text", "annotations", "logprobs")
    provider = next((OWN_TEXT[key] for key in own if key in OWN_TEXT), "openai") if own else None
    return Content("text", text, provider=provider, own=own)


def _read_untyped(part: Data, key: str, what: str) -> list[Content]:
    """A text of Gemini or Bedrock, which has no type."""
    text = part[key]
    if not isinstance(text, str):
        raise StateError(f"{what}.{key} is {show_data(text)}, not a text.")
    own = remaining_keys(part, key)
    return [Content("text", text, provider="gemini" if own else None, own=own)] if text.strip() else []
