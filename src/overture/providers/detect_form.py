"""In whose form a request or a response is: a request by its path or its shape, a response by its keys."""

import re
from typing import Any

from .call_content import Form
from .read.plain_data import Data, a_dict, a_text, dicts

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


def request_form(method: str, path: str, body: Any) -> Form | None:
    """The form of a request to a model, None where it is none. Without a body that can be read, its path decides."""
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
    """Whether a body holds what such a request has to say; its values may still be anything."""
    if form == "gemini":
        return "contents" in (a_dict(data.get("request")) or data)
    if form == "openai-responses":
        return "input" in data or "previous_response_id" in data or "prompt" in data
    return "messages" in data or (form in ("ollama", "bedrock") and ("prompt" in data or "system" in data))


def _guess_form_by_shape(data: Data) -> Form | None:
    """A request with a model's name and messages, under a path that nobody knows, is one all the same."""
    if not isinstance(data.get("model"), str):
        return None
    messages = dicts(data.get("messages"))
    if messages and all(message.get("role") in ROLES for message in messages):
        return "anthropic" if is_anthropic_request(data) else "openai-chat"
    items = data.get("input")
    has_prompt = "instructions" in data or "tools" in data
    return "openai-responses" if has_prompt and (isinstance(items, str) or dicts(items)) else None


def is_anthropic_request(data: Data) -> bool:
    """Whether a body with messages has what only Anthropic's have: a system prompt beside them, or its blocks."""
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
    """The form of a response; None where it is not known. A message by itself, as a choice has it, is one."""
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
    if isinstance(data.get("content"), list) and "tool_calls" not in data and not _has_openai_texts(data):
        return "anthropic"
    return "ollama" if "thinking" in data else "openai-chat"


def _has_openai_texts(message: Data) -> bool:
    return any(a_text(part.get("type")) in OPENAI_TEXTS for part in dicts(message["content"]))
