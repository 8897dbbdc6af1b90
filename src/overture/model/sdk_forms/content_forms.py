"""One part of a content in a provider's form -> Content. What the form has beside it stays, for that provider."""

from collections.abc import Callable

from ...errors import StateError
from ..content import Content
from .content_keys import ALONE, Part, rest
from .openai_content import file, image_url, input_audio, input_image
from .other_content import bedrock, blob, images, only_text, sourced
from .plain_data import shown

OWN_TEXT = {"cache_control": "anthropic", "citations": "anthropic"}
RESULTS = ("tool_result", "toolResult", "function_response", "functionResponse", "function_call_output")
CALLS = ("tool_use", "toolUse", "function_call", "functionCall")


def contents_in(part: Part, what: str) -> list[Content]:
    """The contents of a part, by its type or by the one key that says what it is."""
    kind = part.get("type")
    if isinstance(kind, str):
        if kind in TYPES:
            return [each for each in [TYPES[kind](part, what)] if each.kind != "text" or each.text.strip()]
        raise StateError(_refusal(kind, what))
    for key, read in KEYS.items():
        if part.get(key) is not None:
            return read(part, key, what)
    raise StateError(_refusal(next(iter(part), ""), what))


def _refusal(name: str, what: str) -> str:
    if name in RESULTS:
        return f"{what} is a result of a tool ({name!r}). Add it with session.result(call, …)."
    if name in CALLS:
        return f"{what} is a call of a tool ({name!r}). Add it with session.assistant(text, calls)."
    if name == "cachePoint":
        return f"{what} is a cache point. Leave it away: render sets them."
    known_types = ", ".join(sorted({*TYPES, *KEYS}))
    return f"{what} is of the form {name!r}: {ALONE} Known to all: {known_types}."


def _text(part: Part, what: str) -> Content:
    text = part.get("text")
    if not isinstance(text, str):
        raise StateError(f"{what}.text is {shown(text)}, and no text.")
    own = rest(part, "text", "annotations", "logprobs")
    provider = next((OWN_TEXT[key] for key in own if key in OWN_TEXT), "openai") if own else None
    return Content("text", text, provider=provider, own=own)


TYPES: dict[str, Callable[[Part, str], Content]] = {
    "text": _text,
    "input_text": _text,
    "output_text": _text,
    "image_url": image_url,
    "input_image": input_image,
    "file": file,
    "input_file": file,
    "input_audio": input_audio,
    "image": sourced,
    "document": sourced,
    "audio": sourced,
}
KEYS: dict[str, Callable[[Part, str, str], list[Content]]] = {
    "inline_data": blob,
    "inlineData": blob,
    "file_data": blob,
    "fileData": blob,
    "image": bedrock,
    "document": bedrock,
    "audio": bedrock,
    "video": bedrock,
    "images": images,
    "text": only_text,
}
