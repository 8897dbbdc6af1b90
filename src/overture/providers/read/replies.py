"""The response of any SDK becomes a Reply: what the model said, what it calls, and its usage."""

from collections.abc import Container
from typing import Any, NamedTuple

from ...errors import StateError
from ...model.diagnostic import Diagnostic, warning
from ...model.message import Call, Message, Usage
from ..call_content import Form
from ..provider import load_provider
from ..which_form import response_form
from .calls import invalid_arguments, read_calls
from .framework_data import read_framework_reply
from .plain_data import Data, drop_nulls, first_value, refuse_misfits, require_finished

FORMS: tuple[Form, ...] = ("openai-chat", "openai-responses", "anthropic", "gemini", "bedrock", "ollama")
FRAMEWORKS = "LangChain, pydantic-ai, openai-agents, LiteLLM, Google ADK"
GIVE_RESPONSE = (
    f"Pass the response of one of these: {', '.join(FORMS)}, {FRAMEWORKS}; or its text and calls to assistant()."
)


class Reply(NamedTuple):
    """What there is in a response."""

    provider: str
    text: str
    calls: tuple[Call, ...]
    blocks: tuple[Data, ...] = ()
    """All of it in the provider's own form, where text and calls are not all."""
    usage: Usage | None = None
    notes: tuple[Diagnostic, ...] = ()
    model: str = ""

    @property
    def message(self) -> Message:
        """The same as a message of the assistant's."""
        provider = self.provider if self.blocks else None
        return Message(
            "assistant", self.text, "reply", calls=self.calls, blocks=self.blocks, provider=provider, usage=self.usage
        )


@refuse_misfits
def read_reply(response: Any, known: Container[str]) -> Reply:
    """The reply in a response, as an object of the SDK, a dict or JSON. Ids that it lacks are made, none of `known`."""
    response, left_out = read_framework_reply(response)
    data = drop_nulls(require_finished(response, "The response", GIVE_RESPONSE))
    _refuse_error(data)
    form = response_form(data)
    if form is None:
        raise StateError(f"The response has an unknown form: its keys are {_list_keys(data)}.", hint=GIVE_RESPONSE)
    provider = load_provider(form)
    notes = provider.check_response(data)
    content = provider.read_response(data)
    wanted = [call.data for call in content.calls if not call.own]
    calls = read_calls(wanted, known, "The response's calls")
    if form == "gemini":
        # Call and result have to name the same id where one of them has any.
        for call, own in zip(calls, wanted, strict=True):
            own["id"] = call.id
    blocks = provider.keep_own(content, any(invalid_arguments(call) is not None for call in calls))
    usage = provider.read_usage(data)
    nothing = [] if content.text or calls or blocks else [_explain_nothing(form, content.stop)]
    notes = (*left_out, *notes, *nothing)
    return Reply(form, content.text, calls, blocks, usage.tokens if usage else None, notes, content.model)


def _refuse_error(data: Data) -> None:
    if data.get("type") == "error" or ("error" in data and not data.get("output")) or "Error" in data:
        error = first_value(data, "error", "Error")
        raise StateError(f"The response is an error: {str(error)!r:.120}.", cause="It contains no model output.")


def _explain_nothing(form: str, stop: str) -> Diagnostic:
    why = f" It ended because of {stop!r}." if stop else ""
    return warning("empty-reply", f"a reply of {form} has no text and no tool call.{why}")


def _list_keys(data: Data) -> str:
    return ", ".join(map(repr, list(data)[:6])) or "none"
