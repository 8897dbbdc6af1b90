"""Whose form a response has, and where in it the reply lies."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ...errors import StateError
from ..diagnostic import Diagnostic, warning
from .plain_data import lean, pick

FORMS = {
    "openai-chat": "a ChatCompletion of OpenAI",
    "openai-responses": "a Response of OpenAI",
    "anthropic": "a Message of Anthropic",
    "gemini": "a GenerateContentResponse of Gemini",
    "bedrock": "what Bedrock's converse gave",
    "ollama": "a ChatResponse of Ollama",
}
WHOLE = "Read the stream to its end, and hand over the message that it adds up to."
DONE = ("completed", "incomplete", None)
"""How a Response may stand whose output can be used."""


class Opened(NamedTuple):
    """A response of which it is known whose it is."""

    provider: str
    said: Any
    """The list of blocks, or the message."""
    reason: str | None = None
    """Why the model stopped."""
    notes: tuple[Diagnostic, ...] = ()


def opened(data: dict[str, Any]) -> Opened | None:
    """The reply in a response; None where the form is not known."""
    if data.get("type") == "error" or ("error" in data and not data.get("output")) or "Error" in data:
        told = pick(data, "error", "Error")
        raise StateError(f"The response is an error: {str(told)!r:.120}. There is nothing in it that a model said.")
    for has, read in READERS:
        if any(key in data for key in has):
            return read(data)
    return None


def _choices(data: dict[str, Any]) -> Opened:
    first, notes = _first(data["choices"], "choices", "openai-chat")
    if "message" not in first:
        raise StateError(f"The response is one chunk of a stream, which has a `delta` and no `message`. {WHOLE}")
    return Opened("openai-chat", _mapping(first["message"], "choices[0].message"), first.get("finish_reason"), notes)


def _output(data: dict[str, Any]) -> Opened | None:
    output = data["output"]
    if isinstance(output, list):
        if data.get("status") not in DONE:
            why = pick(data.get("error"), "message")
            raise StateError(f"The response is {data['status']!r}{f', {why!r:.80}' if why else ''}: it has no reply.")
        return Opened("openai-responses", output, pick(data.get("incomplete_details"), "reason"))
    message = _mapping(pick(output, "message"), "output.message")
    return Opened("bedrock", message.get("content") or [], data.get("stopReason"))


def _candidates(data: dict[str, Any]) -> Opened:
    feedback = pick(data, "prompt_feedback", "promptFeedback")
    why = pick(feedback, "block_reason", "blockReason")
    first, notes = _first(data.get("candidates"), "candidates", "gemini", f" It was blocked: {why}." if why else "")
    reason = pick(first, "finish_reason", "finishReason")
    return Opened("gemini", pick(first.get("content"), "parts") or [], reason, notes)


def _content(data: dict[str, Any]) -> Opened | None:
    if isinstance(data["content"], list) and data.get("role") == "assistant" and "tool_calls" not in data:
        return Opened("anthropic", data["content"], data.get("stop_reason"))
    return _message(data)


def _message(data: dict[str, Any]) -> Opened | None:
    """A chat message by itself, as `choices[0].message` has it."""
    if data.get("role") != "assistant":
        return None
    return Opened("ollama" if "thinking" in data else "openai-chat", data)


def _of_ollama(data: dict[str, Any]) -> Opened:
    if data.get("done") is False:
        raise StateError(f"The response is one chunk of a stream, which says `done: false`. {WHOLE}")
    return Opened("ollama", _mapping(data["message"], "message"), data.get("done_reason"))


def _streamed(_: dict[str, Any]) -> Opened:
    raise StateError(f"The response is a stream of Bedrock's converse_stream. {WHOLE}")


def _first(rows: Any, key: str, provider: str, why: str = "") -> tuple[dict[str, Any], tuple[Diagnostic, ...]]:
    if not isinstance(rows, list) or not rows:
        raise StateError(f"The response has no {key}, and so no reply.{why} Nothing was added.")
    several = f"a response of {provider} has {len(rows)} {key}: the first is taken, the others are not kept"
    return lean(_mapping(rows[0], f"{key}[0]")), (warning("several-replies", several),) if len(rows) > 1 else ()


def _mapping(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise StateError(f"The response's {where} is {value!r:.60}, and no object. Hand over what the SDK gave.")
    return dict(value)


READERS = (
    (("choices",), _choices),
    (("output",), _output),
    (("stream",), _streamed),
    (("candidates", "prompt_feedback", "promptFeedback", "usage_metadata", "usageMetadata"), _candidates),
    (("message",), _of_ollama),
    (("content",), _content),
    (("tool_calls", "refusal"), _message),
)
