"""A provider is a module with the same functions for each; the form of a request or a response is detected."""

import re
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol, cast

from ..model.diagnostic import Diagnostic
from .parsed_call import CallUsage, Form, JoinedEvents, RequestContent, ResponseContent
from .read.plain_data import Data, a_dict, a_text, dicts
from .write.cache_plan_and_manifest import ProviderRequest, RequestInput


class Provider(Protocol):
    """The functions of a provider's module. Its readers raise nothing, whatever the data."""

    def write_request(self, inputs: RequestInput, /) -> ProviderRequest:
        """The request that contains a prompt, ready for the SDK."""

    def read_request(self, body: Data, path: str = "", /) -> RequestContent:
        """The content of a request; the path is that of its URL."""

    def read_response(self, data: Data, /) -> ResponseContent:
        """The content of a response."""

    def join_events(self, events: Sequence[Data], /) -> JoinedEvents:
        """The whole response that the events of a stream make up."""

    def read_usage(self, data: Data, /) -> CallUsage | None:
        """The tokens of a response; None if it reports none."""

    def check_response(self, data: Data, /) -> tuple[Diagnostic, ...]:
        """Refuse a response that contains no reply, with a StateError; else report the parts that are not used."""

    def keep_own(self, response: ResponseContent, broken: bool, /) -> tuple[Data, ...]:
        """The blocks of a reply to send back to this provider alone; `broken`: the arguments of a call are no JSON."""


def load_provider(form: str) -> Provider:
    """The module of a provider, by the name of its form."""
    return cast(Provider, import_module(f".{form.replace('-', '_')}", __package__))


def read_stream(provider: Provider, events: Sequence[Data]) -> ResponseContent:
    """The content of a response that arrived as events."""
    joined = provider.join_events(events)
    content = provider.read_response(joined.data)
    return content._replace(error=joined.error or content.error, missing=(*joined.missing, *content.missing))


PATHS: tuple[tuple[re.Pattern[str], Form], ...] = (
    (re.compile(r"/model/[^/]+/(?:converse|converse-stream|invoke|invoke-with-response-stream)$"), "bedrock"),
    (re.compile(r":(?:generateContent|streamGenerateContent)$"), "gemini"),
    (re.compile(r":(?:rawPredict|streamRawPredict)$"), "anthropic"),
    (re.compile(r"/chat/completions$"), "openai-chat"),
    (re.compile(r"/responses(?:/compact)?$"), "openai-responses"),
    (re.compile(r"/v\d+/messages$"), "anthropic"),
    (re.compile(r"/api/(?:chat|generate)$"), "ollama"),
)
NEVER = re.compile(
    r"count_?tokens|input_tokens|/batches|batchGenerate|embed|/models$|/moderations|/images|/audio|/files|/threads",
    re.IGNORECASE,
)
"""Paths that are never a call of a model, whatever the body: counting, embedding, batches, files."""
ROLES = ("user", "assistant", "system", "developer", "tool", "model")


def request_form(method: str, path: str, body: Any) -> Form | None:
    """The form of a request to a model; None for any other request. Without a readable body, its path decides."""
    where = path.partition("?")[0].rstrip("/")
    if method.upper() != "POST" or NEVER.search(where):
        return None
    named = next((form for pattern, form in PATHS if pattern.search(where)), None)
    if body is None:
        return named
    data = a_dict(body)
    if named is None:
        return _guess_form_by_shape(data)
    return named if _fits(named, data) else None


def _fits(form: Form, data: Data) -> bool:
    """Whether a body has the keys that this form requires; their values may be anything."""
    if form == "gemini":
        return "contents" in (a_dict(data.get("request")) or data)
    if form == "openai-responses":
        return "input" in data or "previous_response_id" in data or "prompt" in data
    return "messages" in data or (form in ("ollama", "bedrock") and ("prompt" in data or "system" in data))


def _guess_form_by_shape(data: Data) -> Form | None:
    """The form of a body with a model's name and messages, under an unknown path."""
    if not isinstance(data.get("model"), str):
        return None
    messages = dicts(data.get("messages"))
    if messages and all(message.get("role") in ROLES for message in messages):
        return "anthropic" if is_anthropic_request(data) else "openai-chat"
    items = data.get("input")
    has_prompt = "instructions" in data or "tools" in data
    return "openai-responses" if has_prompt and (isinstance(items, str) or dicts(items)) else None


def is_anthropic_request(data: Data) -> bool:
    """Whether a body with messages has keys that only Anthropic's have: `system` beside them, or its blocks."""
    blocks = [part for message in dicts(data.get("messages")) for part in dicts(message.get("content"))]
    tools = any("input_schema" in tool for tool in dicts(data.get("tools")))
    return (
        "system" in data
        or "anthropic_version" in data
        or tools
        or any(part.get("type") in ("tool_use", "tool_result") for part in blocks)
    )


GEMINI_KEYS = ("candidates", "prompt_feedback", "promptFeedback", "usage_metadata", "usageMetadata")
MESSAGE_KEYS = ("content", "tool_calls", "refusal")
OPENAI_TEXTS = ("output_text", "refusal")


def response_form(data: Data) -> Form | None:
    """The form of a response, or of a message by itself, as a choice has it; None if it is not known."""
    if "choices" in data:
        return "openai-chat"
    if isinstance(data.get("output"), list):
        return "openai-responses"
    if isinstance(data.get("output"), dict) or not isinstance(data.get("stream", True), bool):
        return "bedrock"
    if any(key in data for key in GEMINI_KEYS):
        return "gemini"
    if isinstance(data.get("message"), dict):
        return "ollama"
    if data.get("role") != "assistant" or not any(key in data for key in MESSAGE_KEYS):
        return None
    openai_texts = [part for part in dicts(data.get("content")) if a_text(part.get("type")) in OPENAI_TEXTS]
    if isinstance(data.get("content"), list) and "tool_calls" not in data and not openai_texts:
        return "anthropic"
    return "ollama" if "thinking" in data else "openai-chat"
