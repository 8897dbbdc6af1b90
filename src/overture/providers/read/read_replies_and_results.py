"""The response of any SDK becomes a Reply: the model's text, its calls and its usage."""

import json
from collections.abc import Container, Mapping
from typing import Any, NamedTuple

from ...errors import StateError
from ...model.diagnostic import Diagnostic, warning
from ...model.message import Call, Message, Usage
from ..detect_provider import load_provider, response_form
from ..parsed_call import Form
from .pieces_and_calls import invalid_arguments, read_calls
from .plain_data import Data, drop_nulls, first_value, refuse_misfits, require_finished
from .read_content import SplitContent, read_content

FORMS: tuple[Form, ...] = ("openai-chat", "openai-responses", "anthropic", "gemini", "bedrock", "ollama")
GIVE_RESPONSE = f"Pass the response of one of these: {', '.join(FORMS)}; or its text and calls to assistant()."


class ReadResult(NamedTuple):
    """The content of a result."""

    content: SplitContent
    failed: bool = False


@refuse_misfits
def read_result(result: Any, what: str) -> ReadResult:
    """A result: a text, parts, or the result of an MCP client. Of structured data alone, its JSON is the text."""
    dump = getattr(result, "model_dump", None)
    data = dump(mode="json", exclude_none=True) if dump and not isinstance(result, type) else result
    if not (isinstance(data, Mapping) and isinstance(data.get("content"), list) and not {"role", "type"} & set(data)):
        return ReadResult(read_content(result, what))
    structured = first_value(data, "structured_content", "structuredContent")
    only_structured = structured is not None and not data["content"]
    parts = [json.dumps(structured, ensure_ascii=False)] if only_structured else data["content"]
    return ReadResult(read_content(parts, what), bool(first_value(data, "is_error", "isError")))


class Reply(NamedTuple):
    """The reply in a response."""

    provider: str
    text: str
    calls: tuple[Call, ...]
    blocks: tuple[Data, ...] = ()
    """All of it in the provider's own form, if it has more than text and calls."""
    usage: Usage | None = None
    notes: tuple[Diagnostic, ...] = ()
    model: str = ""

    @property
    def message(self) -> Message:
        """The reply as an assistant's message."""
        provider = self.provider if self.blocks else None
        return Message(
            "assistant", self.text, "reply", calls=self.calls, blocks=self.blocks, provider=provider, usage=self.usage
        )


@refuse_misfits
def read_reply(response: Any, known: Container[str]) -> Reply:
    """The reply in a response: an object of the SDK, a dict or JSON. Missing ids are made, none of them `known`."""
    data = drop_nulls(require_finished(response, "The response", GIVE_RESPONSE))
    if data.get("type") == "error" or ("error" in data and not data.get("output")) or "Error" in data:
        error = first_value(data, "error", "Error")
        raise StateError(f"The response is an error: {str(error)!r:.120}.", cause="It contains no model output.")
    form = response_form(data)
    if form is None:
        keys = ", ".join(map(repr, list(data)[:6])) or "none"
        raise StateError(f"The response has an unknown form: its keys are {keys}.", hint=GIVE_RESPONSE)
    provider = load_provider(form)
    notes = provider.check_response(data)
    content = provider.read_response(data)
    wanted = [call.data for call in content.calls if not call.own]
    calls = read_calls(wanted, known, "The response's calls")
    if form == "gemini":
        # Call and result must have the same id if one of them has any.
        for call, own in zip(calls, wanted, strict=True):
            own["id"] = call.id
    blocks = provider.keep_own(content, any(invalid_arguments(call) is not None for call in calls))
    usage = provider.read_usage(data)
    nothing = [] if content.text or calls or blocks else [_explain_nothing(form, content.stop)]
    notes = (*notes, *nothing)
    return Reply(form, content.text, calls, blocks, usage.tokens if usage else None, notes, content.model)


def _explain_nothing(form: str, stop: str) -> Diagnostic:
    why = f" It ended because of {stop!r}." if stop else ""
    return warning("empty-reply", f"a reply of {form} has no text and no tool call.{why}")
