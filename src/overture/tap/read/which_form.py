"""Which requests are calls of a model, and in whose form: by the path, and where that says nothing, by the shape."""

import re
from typing import Any

from ..call import Form
from .json_values import Data, a_dict, dicts

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
"""Paths of what is no call of a model, however it looks: counting, embedding, batches, files."""
ROLES = ("user", "assistant", "system", "developer", "tool", "model")


def form_of(method: str, path: str, body: Any) -> Form | None:
    """The form of a request to a model, None where it is none. Without a body that can be read, its path decides."""
    where = path.partition("?")[0].rstrip("/")
    if method.upper() != "POST" or NEVER.search(where):
        return None
    named = next((form for pattern, form in PATHS if pattern.search(where)), None)
    if body is None:
        return named
    data = a_dict(body)
    if named is None:
        return _by_shape(data)
    return named if _fits(named, data) else None


def _fits(form: Form, data: Data) -> bool:
    """Whether a body holds what such a request has to say; its values may still be anything."""
    if form == "gemini":
        return "contents" in (a_dict(data.get("request")) or data)
    if form == "openai-responses":
        return "input" in data or "previous_response_id" in data or "prompt" in data
    return "messages" in data or (form in ("ollama", "bedrock") and ("prompt" in data or "system" in data))


def _by_shape(data: Data) -> Form | None:
    """A request with a model's name and messages, under a path that nobody knows, is one all the same."""
    if not isinstance(data.get("model"), str):
        return None
    messages = dicts(data.get("messages"))
    if messages and all(message.get("role") in ROLES for message in messages):
        return "anthropic" if _is_anthropic(data) else "openai-chat"
    items = data.get("input")
    told = "instructions" in data or "tools" in data
    return "openai-responses" if told and (isinstance(items, str) or dicts(items)) else None


def _is_anthropic(data: Data) -> bool:
    tools = dicts(data.get("tools"))
    return "system" in data or "anthropic_version" in data or any("input_schema" in tool for tool in tools)
