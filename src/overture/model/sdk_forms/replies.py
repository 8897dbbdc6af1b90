"""The response of any SDK -> Reply: what the model said, what it wants to call, and what it cost."""

from collections.abc import Container
from typing import Any, NamedTuple

from ...errors import StateError
from ..diagnostic import Diagnostic, warning
from ..message import Call, Message, Usage
from .calls import calls_of, invalid_arguments
from .plain_data import dicts, finished, lean, pick, refuse_misfits
from .reply_blocks import KINDS, Block, calls_in, more_than_said, text_in
from .response_forms import FORMS, Opened, opened
from .usage import usage_of

GIVE = f"Give the response of one of these: {', '.join(FORMS)}; or its text and calls to assistant()."
KEPT = ("reasoning_content", "reasoning_details", "audio")
"""What a server may want back beside a chat message's text and calls."""
UNANSWERED = ("computer_call", "local_shell_call", "shell_call", "apply_patch_call", "mcp_approval_request")
"""Items of OpenAI's own tools that the caller has to answer in a form of their own."""
PLAIN_CALL = frozenset({"id", "type", "function", "index"})


class Reply(NamedTuple):
    """What there is in a response."""

    provider: str
    text: str
    calls: tuple[Call, ...]
    blocks: tuple[Block, ...] = ()
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
def reply_of(response: Any, taken: Container[str]) -> Reply:
    """The reply in a response, as an object of the SDK, a dict or JSON. Ids that it lacks are made, none of `taken`."""
    data = lean(finished(response, "The response", GIVE))
    found = opened(data)
    if found is None:
        raise StateError(f"The response has the form of none that is known: its keys are {_keys(data)}. {GIVE}")
    read = _said_in_blocks if found.provider in KINDS else _said_in_fields
    text, calls, blocks = read(found, taken)
    notes = (*found.notes, *_left(blocks), *([] if text or calls or blocks else [_nothing(found)]))
    return Reply(found.provider, text, calls, blocks, usage_of(found.provider, data), notes)


def _said_in_blocks(found: Opened, taken: Container[str]) -> tuple[str, tuple[Call, ...], tuple[Block, ...]]:
    """Anthropic, Bedrock, Gemini and Responses say all in one list, whose order counts."""
    kind = KINDS[found.provider]
    blocks = [_without_parsed(block) for block in dicts(found.said)]
    raw = calls_in(blocks, kind)
    calls = calls_of(raw, taken, "The response's calls")
    more = more_than_said(blocks, kind)
    if found.provider == "gemini":
        # Call and result have to name the same id where one of them has any.
        for call, own in zip(calls, raw, strict=True):
            own["id"] = call.id
    return text_in(blocks, kind), calls, tuple(blocks) if more else ()


def _said_in_fields(found: Opened, taken: Container[str]) -> tuple[str, tuple[Call, ...], tuple[Block, ...]]:
    """Chat Completions and Ollama have one text, calls beside it, and perhaps what the model thought."""
    message = lean(found.said)
    raw = message.get("tool_calls") or [call for call in [message.get("function_call")] if call]
    calls = calls_of(raw, taken, "The response's calls")
    kept = KEPT if found.provider == "openai-chat" else ("thinking",)
    fields = {key: message[key] for key in kept if message.get(key)}
    if "audio" in fields:
        fields["audio"] = {"id": pick(fields["audio"], "id")}
    broken = any(invalid_arguments(call) is not None for call in calls)
    if found.provider == "openai-chat" and not broken and any(set(call) - PLAIN_CALL for call in dicts(raw)):
        fields["tool_calls"] = [{key: call[key] for key in call if key != "index"} for call in dicts(raw)]
    return _content(message), calls, (fields,) if fields else ()


def _content(message: dict[str, Any]) -> str:
    """The text of a chat message; a refusal is what the model said, too."""
    content = message.get("content") or message.get("refusal") or pick(message.get("audio"), "transcript") or ""
    if isinstance(content, str):
        return content
    return "".join(str(pick(part, "text", "refusal") or "") for part in dicts(content))


def _without_parsed(block: Block) -> Block:
    """A block as the API gave it: what the SDK read out of it, and nulls, are no part of it."""
    own = {key: value for key, value in block.items() if key not in ("parsed", "parsed_arguments", "parsed_output")}
    for key in ("content", "summary"):
        if isinstance(own.get(key), list) and all(isinstance(item, dict) for item in own[key]):
            own[key] = [{k: v for k, v in lean(item).items() if k != "parsed"} for item in own[key]]
    return own


def _left(blocks: tuple[Block, ...]) -> list[Diagnostic]:
    """A line for each item that waits for an answer which is no result of a call."""
    way = "session.add(Message('assistant', blocks=(…,), provider='openai-responses'))"
    told = "a reply holds an item {!r}, which is no call of a tool of yours: answer it in OpenAI's own form with {}"
    kinds = [block.get("type") for block in blocks]
    return [warning("unanswered-item", told.format(kind, way)) for kind in kinds if kind in UNANSWERED]


def _nothing(found: Opened) -> Diagnostic:
    why = f" It ended because of {found.reason!r}." if found.reason else ""
    return warning("empty-reply", f"a reply of {found.provider} says nothing and calls no tool.{why}")


def _keys(data: dict[str, Any]) -> str:
    return ", ".join(map(repr, list(data)[:6])) or "none"
