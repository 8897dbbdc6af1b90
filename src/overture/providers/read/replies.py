"""The response of any SDK becomes a Reply: what the model said, what it calls, and its usage."""

import math
from collections.abc import Container, Mapping
from typing import Any, NamedTuple

from ...errors import StateError
from ...model.diagnostic import Diagnostic, warning
from ...model.message import Call, Message, Usage
from .plain_data import drop_nulls, first_value, list_dicts, refuse_misfits, require_finished
from .reply_blocks import (
    BLOCK_FORMS,
    RawBlock,
    blocks_text,
    find_calls,
    has_other_blocks,
    invalid_arguments,
    read_calls,
)


def read_usage(provider: str, data: dict[str, Any]) -> Usage | None:
    """The tokens of a response; None where it says nothing of them."""
    if provider == "ollama":
        return None if first_value(data, "prompt_eval_count", "eval_count") is None else _read_ollama(data)
    told = first_value(data, "usage", "usage_metadata", "usageMetadata")
    return USAGE_READERS[provider](told) if isinstance(told, dict) and told else None


def _read_anthropic(told: dict[str, Any]) -> Usage:
    read = _read_count(told, "cache_read_input_tokens", "cacheReadInputTokens")
    write = _read_count(told, "cache_creation_input_tokens", "cacheWriteInputTokens")
    # Both say beside the input what the cache had to do with: the whole is the sum.
    fresh = _read_count(told, "input_tokens", "inputTokens")
    return Usage(fresh + read + write, _read_count(told, "output_tokens", "outputTokens"), read, write)


def _read_openai(told: dict[str, Any]) -> Usage:
    details = first_value(told, "prompt_tokens_details", "input_tokens_details")
    return Usage(
        _read_count(told, "prompt_tokens", "input_tokens"),
        _read_count(told, "completion_tokens", "output_tokens"),
        _read_count(details, "cached_tokens"),
        _read_count(details, "cache_write_tokens"),
    )


def _read_gemini(told: dict[str, Any]) -> Usage:
    tools = _read_count(told, "tool_use_prompt_token_count", "toolUsePromptTokenCount")
    thoughts = _read_count(told, "thoughts_token_count", "thoughtsTokenCount")
    return Usage(
        _read_count(told, "prompt_token_count", "promptTokenCount") + tools,
        _read_count(told, "candidates_token_count", "candidatesTokenCount") + thoughts,
        _read_count(told, "cached_content_token_count", "cachedContentTokenCount"),
    )


def _read_ollama(told: dict[str, Any]) -> Usage:
    return Usage(_read_count(told, "prompt_eval_count"), _read_count(told, "eval_count"))


def _read_count(told: Any, *names: str) -> int:
    """A number of tokens; what can't be one, such as an infinite number, says nothing."""
    found = first_value(told, *names)
    return max(0, int(found)) if isinstance(found, int | float) and math.isfinite(found) else 0


USAGE_READERS = {
    "anthropic": _read_anthropic,
    "bedrock": _read_anthropic,
    "gemini": _read_gemini,
    "openai-chat": _read_openai,
    "openai-responses": _read_openai,
}


# Whose form a response has, and where in it the reply lies.


FORMS = {
    "openai-chat": "a ChatCompletion of OpenAI",
    "openai-responses": "a Response of OpenAI",
    "anthropic": "a Message of Anthropic",
    "gemini": "a GenerateContentResponse of Gemini",
    "bedrock": "what Bedrock's converse gave",
    "ollama": "a ChatResponse of Ollama",
}
READ_WHOLE_STREAM = "Read the stream to its end, and hand over the message that it adds up to."
DONE_STATUSES = ("completed", "incomplete", None)
"""How a Response may stand whose output can be used."""


class OpenedResponse(NamedTuple):
    """A response of which it is known whose it is."""

    provider: str
    said: Any
    """The list of blocks, or the message."""
    reason: str | None = None
    """Why the model stopped."""
    notes: tuple[Diagnostic, ...] = ()


def open_response(data: dict[str, Any]) -> OpenedResponse | None:
    """The reply in a response; None where the form is not known."""
    if data.get("type") == "error" or ("error" in data and not data.get("output")) or "Error" in data:
        told = first_value(data, "error", "Error")
        raise StateError(f"The response is an error: {str(told)!r:.120}. There is nothing in it that a model said.")
    for has, read in FORM_READERS:
        if any(key in data for key in has):
            return read(data)
    return None


def _open_choices(data: dict[str, Any]) -> OpenedResponse:
    first, notes = _first_row(data["choices"], "choices", "openai-chat")
    if "message" not in first:
        raise StateError(
            f"The response is one chunk of a stream, which has a `delta` and no `message`. {READ_WHOLE_STREAM}"
        )
    return OpenedResponse(
        "openai-chat", _require_mapping(first["message"], "choices[0].message"), first.get("finish_reason"), notes
    )


def _open_output(data: dict[str, Any]) -> OpenedResponse | None:
    output = data["output"]
    if isinstance(output, list):
        if data.get("status") not in DONE_STATUSES:
            why = first_value(data.get("error"), "message")
            raise StateError(f"The response is {data['status']!r}{f', {why!r:.80}' if why else ''}: it has no reply.")
        return OpenedResponse("openai-responses", output, first_value(data.get("incomplete_details"), "reason"))
    message = _require_mapping(first_value(output, "message"), "output.message")
    return OpenedResponse("bedrock", message.get("content") or [], data.get("stopReason"))


def _open_candidates(data: dict[str, Any]) -> OpenedResponse:
    feedback = first_value(data, "prompt_feedback", "promptFeedback")
    why = first_value(feedback, "block_reason", "blockReason")
    first, notes = _first_row(data.get("candidates"), "candidates", "gemini", f" It was blocked: {why}." if why else "")
    reason = first_value(first, "finish_reason", "finishReason")
    return OpenedResponse("gemini", first_value(first.get("content"), "parts") or [], reason, notes)


def _open_content(data: dict[str, Any]) -> OpenedResponse | None:
    if isinstance(data["content"], list) and data.get("role") == "assistant" and "tool_calls" not in data:
        return OpenedResponse("anthropic", data["content"], data.get("stop_reason"))
    return _open_message(data)


def _open_message(data: dict[str, Any]) -> OpenedResponse | None:
    """A chat message by itself, as `choices[0].message` has it."""
    if data.get("role") != "assistant":
        return None
    return OpenedResponse("ollama" if "thinking" in data else "openai-chat", data)


def _open_ollama(data: dict[str, Any]) -> OpenedResponse:
    if data.get("done") is False:
        raise StateError(f"The response is one chunk of a stream, which says `done: false`. {READ_WHOLE_STREAM}")
    return OpenedResponse("ollama", _require_mapping(data["message"], "message"), data.get("done_reason"))


def _refuse_stream(_: dict[str, Any]) -> OpenedResponse:
    raise StateError(f"The response is a stream of Bedrock's converse_stream. {READ_WHOLE_STREAM}")


def _first_row(rows: Any, key: str, provider: str, why: str = "") -> tuple[dict[str, Any], tuple[Diagnostic, ...]]:
    if not isinstance(rows, list) or not rows:
        raise StateError(f"The response has no {key}, and so no reply.{why} Nothing was added.")
    several = f"a response of {provider} has {len(rows)} {key}: the first is taken, the others are not kept"
    return drop_nulls(_require_mapping(rows[0], f"{key}[0]")), (warning("several-replies", several),) if len(
        rows
    ) > 1 else ()


def _require_mapping(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise StateError(f"The response's {where} is {value!r:.60}, and no object. Hand over what the SDK gave.")
    return dict(value)


FORM_READERS = (
    (("choices",), _open_choices),
    (("output",), _open_output),
    (("stream",), _refuse_stream),
    (("candidates", "prompt_feedback", "promptFeedback", "usage_metadata", "usageMetadata"), _open_candidates),
    (("message",), _open_ollama),
    (("content",), _open_content),
    (("tool_calls", "refusal"), _open_message),
)


# The response of any SDK -> Reply: what the model said, what it wants to call, and what it cost.


GIVE_RESPONSE = f"Give the response of one of these: {', '.join(FORMS)}; or its text and calls to assistant()."
KEPT_KEYS = ("reasoning_content", "reasoning_details", "audio")
"""What a server may want back beside a chat message's text and calls."""
UNANSWERED = ("computer_call", "local_shell_call", "shell_call", "apply_patch_call", "mcp_approval_request")
"""Items of OpenAI's own tools that the caller has to answer in a form of their own."""
PLAIN_CALL = frozenset({"id", "type", "function", "index"})


class Reply(NamedTuple):
    """What there is in a response."""

    provider: str
    text: str
    calls: tuple[Call, ...]
    blocks: tuple[RawBlock, ...] = ()
    """All of it in the provider's own form, where text and calls are not all."""
    usage: Usage | None = None
    notes: tuple[Diagnostic, ...] = ()

    @property
    def message(self) -> Message:
        """The same as a message of the assistant's."""
        provider = self.provider if self.blocks else None
        return Message(
            "assistant", self.text, "reply", calls=self.calls, blocks=self.blocks, provider=provider, usage=self.usage
        )


@refuse_misfits
def read_reply(response: Any, taken: Container[str]) -> Reply:
    """The reply in a response, as an object of the SDK, a dict or JSON. Ids that it lacks are made, none of `taken`."""
    data = drop_nulls(require_finished(response, "The response", GIVE_RESPONSE))
    found = open_response(data)
    if found is None:
        raise StateError(
            f"The response has the form of none that is known: its keys are {_list_keys(data)}. {GIVE_RESPONSE}"
        )
    read = _read_blocks if found.provider in BLOCK_FORMS else _read_fields
    text, calls, blocks = read(found, taken)
    notes = (*found.notes, *_report_unanswered(blocks), *([] if text or calls or blocks else [_explain_nothing(found)]))
    return Reply(found.provider, text, calls, blocks, read_usage(found.provider, data), notes)


def _read_blocks(found: OpenedResponse, taken: Container[str]) -> tuple[str, tuple[Call, ...], tuple[RawBlock, ...]]:
    """Anthropic, Bedrock, Gemini and Responses say all in one list, whose order counts."""
    kind = BLOCK_FORMS[found.provider]
    blocks = [_without_parsed(block) for block in list_dicts(found.said)]
    raw = find_calls(blocks, kind)
    calls = read_calls(raw, taken, "The response's calls")
    more = has_other_blocks(blocks, kind)
    if found.provider == "gemini":
        # Call and result have to name the same id where one of them has any.
        for call, own in zip(calls, raw, strict=True):
            own["id"] = call.id
    return blocks_text(blocks, kind), calls, tuple(blocks) if more else ()


def _read_fields(found: OpenedResponse, taken: Container[str]) -> tuple[str, tuple[Call, ...], tuple[RawBlock, ...]]:
    """Chat Completions and Ollama have one text, calls beside it, and perhaps what the model thought."""
    message = drop_nulls(found.said)
    raw = message.get("tool_calls") or [call for call in [message.get("function_call")] if call]
    calls = read_calls(raw, taken, "The response's calls")
    kept = KEPT_KEYS if found.provider == "openai-chat" else ("thinking",)
    fields = {key: message[key] for key in kept if message.get(key)}
    if "audio" in fields:
        fields["audio"] = {"id": first_value(fields["audio"], "id")}
    broken = any(invalid_arguments(call) is not None for call in calls)
    if found.provider == "openai-chat" and not broken and any(set(call) - PLAIN_CALL for call in list_dicts(raw)):
        fields["tool_calls"] = [{key: call[key] for key in call if key != "index"} for call in list_dicts(raw)]
    return _message_text(message), calls, (fields,) if fields else ()


def _message_text(message: dict[str, Any]) -> str:
    """The text of a chat message; a refusal is what the model said, too."""
    content = message.get("content") or message.get("refusal") or first_value(message.get("audio"), "transcript") or ""
    if isinstance(content, str):
        return content
    return "".join(str(first_value(part, "text", "refusal") or "") for part in list_dicts(content))


def _without_parsed(block: RawBlock) -> RawBlock:
    """A block as the API gave it: what the SDK read out of it, and nulls, are no part of it."""
    own = {key: value for key, value in block.items() if key not in ("parsed", "parsed_arguments", "parsed_output")}
    for key in ("content", "summary"):
        if isinstance(own.get(key), list) and all(isinstance(item, dict) for item in own[key]):
            own[key] = [{k: v for k, v in drop_nulls(item).items() if k != "parsed"} for item in own[key]]
    return own


def _report_unanswered(blocks: tuple[RawBlock, ...]) -> list[Diagnostic]:
    """A line for each item that waits for an answer which is no result of a call."""
    way = "session.add(Message('assistant', blocks=(…,), provider='openai-responses'))"
    told = "a reply holds an item {!r}, which is no call of a tool of yours: answer it in OpenAI's own form with {}"
    kinds = [block.get("type") for block in blocks]
    return [warning("unanswered-item", told.format(kind, way)) for kind in kinds if kind in UNANSWERED]


def _explain_nothing(found: OpenedResponse) -> Diagnostic:
    why = f" It ended because of {found.reason!r}." if found.reason else ""
    return warning("empty-reply", f"a reply of {found.provider} says nothing and calls no tool.{why}")


def _list_keys(data: dict[str, Any]) -> str:
    return ", ".join(map(repr, list(data)[:6])) or "none"
