"""The response of any SDK or agent framework becomes a Reply: the model's text, its calls and its usage."""

import base64
import json
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any, NamedTuple

from ...errors import StateError
from ...model.diagnostic import Diagnostic, warning
from ...model.message import Call, Content, Message, Usage
from ..detect_provider import load_provider, response_form
from ..parsed_call import Form
from .media import content_kind
from .pieces_and_calls import invalid_arguments, read_calls
from .plain_data import Data, drop_nulls, first_value, refuse_misfits, require_finished, to_plain_data
from .read_content import SplitContent, read_content

CALL_BLOCKS = ("tool_use", "tool_call", "function_call", "invalid_tool_call")
"""Blocks of LangChain that repeat a call from its list of calls."""
FORMS: tuple[Form, ...] = ("openai-chat", "openai-responses", "anthropic", "gemini", "bedrock", "ollama")
FRAMEWORKS = "LangChain, pydantic-ai, openai-agents, LiteLLM, Google ADK"
GIVE_RESPONSE = (
    f"Pass the response of one of these: {', '.join(FORMS)}, {FRAMEWORKS}; or its text and calls to assistant()."
)


class FrameworkReply(NamedTuple):
    """A reply in a provider's form, and a note about the parts that are not kept."""

    data: Any
    notes: tuple[Diagnostic, ...] = ()


def read_framework_reply(response: Any) -> FrameworkReply:
    """A framework's reply as a response of a provider; any other response unchanged."""
    for attributes, read in REPLY_FORMS:
        if not isinstance(response, Mapping | type) and all(hasattr(response, name) for name in attributes):
            return read(response)
    return FrameworkReply(response)


def _read_langchain_reply(message: Any) -> FrameworkReply:
    """A reply of LangChain, with calls whose arguments are no JSON: the model needs their results too."""
    calls = [(each["id"], each["name"], each["args"]) for each in (*message.tool_calls, *message.invalid_tool_calls)]
    blocks = [message.content] if isinstance(message.content, str) else message.content
    texts = [block if isinstance(block, str) else block.get("text", "") for block in blocks]
    others = [str(block.get("type")) for block in blocks if isinstance(block, Mapping) and "text" not in block]
    return _make_reply("LangChain", texts, calls, count_langchain_tokens(message), others)


def count_langchain_tokens(message: Any) -> tuple[int, int, int, int] | None:
    """Tokens of input and output, read from the cache and written to it: one sum, or one for each lifetime."""
    usage = message.usage_metadata
    if not usage:
        return None
    details = usage.get("input_token_details") or {}
    written = ("cache_creation", "ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens")
    tables = ((usage, ("input_tokens",)), (usage, ("output_tokens",)), (details, ("cache_read",)), (details, written))
    into, out, read, wrote = (sum(table.get(key) or 0 for key in keys) for table, keys in tables)
    return into, out, read, wrote


def _read_pydantic_reply(response: Any) -> FrameworkReply:
    """The response of Pydantic AI as texts, calls and usage, so that it is read as a Reply."""
    by_kind: dict[str, list[Any]] = {}
    for part in response.parts:
        by_kind.setdefault(part.part_kind, []).append(part)
    texts = [part.content for part in by_kind.pop("text", [])]
    calls = [(part.tool_call_id, part.tool_name, part.args) for part in by_kind.pop("tool-call", [])]
    usage = response.usage
    counts = (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens)
    return _make_reply("pydantic-ai", texts, calls, counts if any(counts) else None, by_kind)


def _make_reply(
    framework: str, texts: Iterable[str], calls: Iterable[tuple[Any, Any, Any]], counts: Any, others: Iterable[str]
) -> FrameworkReply:
    """A reply in the form of OpenAI's Chat, without reasoning and files, which the framework keeps itself."""
    wanted = [{"id": id, "function": {"name": name, "arguments": arguments}} for id, name, arguments in calls]
    message = {"role": "assistant", "content": "".join(texts), "tool_calls": wanted}
    data: Data = {"choices": [{"message": message}]}
    if counts:
        input, output, read, written = counts
        details = {"cached_tokens": read, "cache_write_tokens": written}
        data["usage"] = {"prompt_tokens": input, "completion_tokens": output, "prompt_tokens_details": details}
    dropped = sorted(set(others) - set(CALL_BLOCKS))
    text = f"a reply of {framework} contains {', '.join(dropped)}, which the session does not keep"
    return FrameworkReply(data, (warning("reply-parts", text),) if dropped else ())


def _read_adk_reply(response: Any) -> FrameworkReply:
    """The response of Google's ADK in Gemini's form, so that it is read as a Reply."""
    if response.content is None and (response.error_message or response.error_code):
        return FrameworkReply({"error": response.error_message or response.error_code})
    candidates = [{"content": to_plain_data(response.content)}] if response.content else []
    return FrameworkReply({"candidates": candidates, "usage_metadata": to_plain_data(response.usage_metadata)})


REPLY_FORMS: tuple[tuple[tuple[str, ...], Callable[[Any], FrameworkReply]], ...] = (
    (("tool_calls", "invalid_tool_calls", "usage_metadata"), _read_langchain_reply),  # AIMessage
    (("parts", "usage", "kind", "model_name"), _read_pydantic_reply),  # pydantic-ai: ModelResponse
    (("content", "usage_metadata", "turn_complete"), _read_adk_reply),  # Google ADK: LlmResponse
)


class ReadResult(NamedTuple):
    """The content of a result."""

    content: SplitContent
    failed: bool = False


@refuse_misfits
def read_result(result: Any, what: str) -> ReadResult:
    """A result: a text, parts, or an object of MCP or a framework."""
    if hasattr(result, "tool_call_id") and hasattr(result, "part_kind"):
        return _read_pydantic_result(result, what)
    if hasattr(result, "tool_call_id") and hasattr(result, "status"):  # LangChain: ToolMessage
        return ReadResult(read_content(result.content, what), result.status == "error")
    dump = getattr(result, "model_dump", None)
    data = dump(mode="json", exclude_none=True) if dump and not isinstance(result, type) else result
    if isinstance(data, Mapping) and isinstance(data.get("content"), list) and not {"role", "type"} & set(data):
        return _read_mcp_result(data, what)
    return ReadResult(read_content(result, what))


def _read_pydantic_result(part: Any, what: str) -> ReadResult:
    """The text and files of a return, or the framework's message to the model that asks for another try."""
    if not hasattr(part, "model_response_str"):
        return ReadResult(read_content(part.model_response(), what), True)
    text = part.content if isinstance(part.content, str) else part.model_response_str()
    files = [_read_pydantic_file(each) for each in getattr(part, "files", ())]
    failed = getattr(part, "outcome", "success") in ("failed", "retried")
    return ReadResult(read_content([text, *files], what) if files else read_content(text, what), failed)


def _read_pydantic_file(file: Any) -> Content:
    """A file of pydantic-ai: bytes, or an address."""
    media = file.media_type
    if hasattr(file, "url"):
        return Content(content_kind(media), media=media, url=file.url)
    return Content(content_kind(media), media=media, data=base64.b64encode(file.data).decode())


def _read_mcp_result(result: Mapping[str, Any], what: str) -> ReadResult:
    """The content; if a server returns only structured data, its JSON."""
    parts = [_read_mcp_part(part) for part in result["content"]]
    structured = first_value(result, "structured_content", "structuredContent")
    if not parts and structured is not None:
        parts = [json.dumps(structured, ensure_ascii=False)]
    return ReadResult(read_content(parts, what), bool(first_value(result, "is_error", "isError")))


def _read_mcp_part(part: Any) -> Any:
    """A part; a link as text, and an embedded resource as its text or its bytes."""
    if not isinstance(part, Mapping) or part.get("type") not in ("resource", "resource_link"):
        return part
    if part["type"] == "resource_link":
        return "\n".join(str(part[key]) for key in ("name", "uri", "description") if part.get(key))
    resource = drop_nulls(part["resource"])
    if "blob" not in resource:
        return resource.get("text", "")
    media = str(first_value(resource, "mime_type", "mimeType") or "application/octet-stream")
    return Content(content_kind(media), media=media, data=resource["blob"])


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
    response, framework_notes = read_framework_reply(response)
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
        # Call and result must have the same id if one of them has any.
        for call, own in zip(calls, wanted, strict=True):
            own["id"] = call.id
    blocks = provider.keep_own(content, any(invalid_arguments(call) is not None for call in calls))
    usage = provider.read_usage(data)
    nothing = [] if content.text or calls or blocks else [_explain_nothing(form, content.stop)]
    notes = (*framework_notes, *notes, *nothing)
    return Reply(form, content.text, calls, blocks, usage.tokens if usage else None, notes, content.model)


def _refuse_error(data: Data) -> None:
    """Raise an error if a response is an error and thus no Reply."""
    if data.get("type") == "error" or ("error" in data and not data.get("output")) or "Error" in data:
        error = first_value(data, "error", "Error")
        raise StateError(f"The response is an error: {str(error)!r:.120}.", cause="It contains no model output.")


def _explain_nothing(form: str, stop: str) -> Diagnostic:
    """The warning about a reply without text and calls."""
    why = f" It ended because of {stop!r}." if stop else ""
    return warning("empty-reply", f"a reply of {form} has no text and no tool call.{why}")


def _list_keys(data: Data) -> str:
    """The first keys of a response, for an error about its form."""
    return ", ".join(map(repr, list(data)[:6])) or "none"
