"""Ollama: requests of chat and generate written and read, answers in lines, counts.

One system message of one text. Its cache compares the bytes of the prefix.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import StateError
from ..model.diagnostic import Diagnostic
from ..model.message import Content, Message
from ..model.prompt.block import JOIN
from . import openai_chat
from .openai_shared import message_calls, message_pieces, read_request_tools
from .parsed_call import (
    CallPiece,
    CallUsage,
    JoinedEvents,
    RequestContent,
    ResponseCall,
    ResponseContent,
    find_count,
    make_usage,
)
from .read.pieces_and_calls import call_name, error_of, settings_of
from .read.plain_data import READ_WHOLE_STREAM, Data, a_dict, a_text, require_object
from .write.cache_plan_and_manifest import ProviderRequest, RequestInput
from .write.conversation import ConversationForm, make_provider_rows
from .write.messages import data_of, message_text, refuse_content, tool_of
from .write.tools import describe_tool, sort_keys

PROVIDER = "ollama"
SETTINGS = ("options", "format", "think", "keep_alive", "template", "raw")
COUNTS = ("prompt_eval_count", "prompt_eval_duration", "eval_count", "eval_duration", "load_duration", "total_duration")


def write_message(message: Message) -> list[dict[str, Any]]:
    """A content is one text; the provider's own blocks are further fields of the message, e.g. `images`."""
    row: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.parts:
        texts = [part.text for part in message.contents if part.kind == "text"]
        images = [_write_image(part) for part in message.contents if part.kind != "text"]
        row |= {"content": JOIN.join(texts), **({"images": images} if images else {})}
    for block in message.blocks:
        row |= block
    if message.role == "tool":
        row["tool_name"] = tool_of(message, "ollama")
    if message.calls:
        row["tool_calls"] = [
            {"function": {"name": call.name, "arguments": sort_keys(call.arguments)}} for call in message.calls
        ]
    return [row]


def _write_image(part: Content) -> str:
    """An image as Ollama has it; nothing else is accepted."""
    if part.kind != "image":
        raise refuse_content(part, PROVIDER, "it accepts text and images. Describe it as text")
    return data_of(part, PROVIDER)


def write_request(inputs: RequestInput) -> ProviderRequest:
    """`ollama.chat(model=…, **body)`."""
    body: dict[str, Any] = {"model": inputs.model} if inputs.model else {}
    system = inputs.prompt.text
    messages: list[dict[str, Any]] = [{"role": "system", "content": system}] if system else []
    where, start = "", 0
    for row in make_provider_rows(inputs, ConversationForm(PROVIDER, write_message, str, system="system")):
        messages.append(row.message)
        if row.sections:
            opening = message_text(row.message.get("content"))
            before = f"{opening}{JOIN}" if opening else ""
            messages[-1] = {**row.message, "content": before + row.sections}
            own = row.sections == inputs.sections
            where, start = (f"messages[{len(messages) - 1}].content", len(before)) if own else ("", 0)
    if messages:
        body["messages"] = messages
    if inputs.tools:
        body["tools"] = [{"function": describe_tool(tool, "parameters"), "type": "function"} for tool in inputs.tools]
    return ProviderRequest(body, ("messages[0].content",) if system else (), where, start)


def read_request(body: Data, _: str = "") -> RequestContent:
    """The content of a request; streaming is the default."""
    pieces = openai_chat.read_request(body).pieces if "messages" in body else tuple(_read_prompt_pieces(body))
    streams = body.get("stream") is not False
    return RequestContent(a_text(body.get("model")), pieces, "", streams, settings_of(body, *SETTINGS))


def _read_prompt_pieces(body: Data) -> Iterator[CallPiece]:
    yield from read_request_tools(body)
    if a_text(body.get("system")):
        yield CallPiece("system", "system", body["system"])
    prompt = {"content": a_text(body.get("prompt")) + a_text(body.get("suffix")), "images": body.get("images")}
    yield from message_pieces(prompt, "message", "user", 0)


def read_response(data: Data) -> ResponseContent:
    """The content of a response, or of a message by itself."""
    alone = data.get("role") == "assistant" and "message" not in data
    message = data if alone else a_dict(data.get("message"))
    error = error_of(data) if data.get("error") else ""
    done = alone or data.get("done") or error
    return ResponseContent(
        a_text(message.get("content")) or a_text(data.get("response")),
        tuple(ResponseCall(call, call_name(call)) for call in message_calls(message)),
        a_text(data.get("done_reason")),
        data,
        error=error,
        model=a_text(data.get("model")),
        missing=() if done else ("the response is incomplete: `done` is missing",),
        blocks=(message,),
    )


def check_response(data: Data) -> tuple[Diagnostic, ...]:
    """Refuse one line of a stream, and a response whose message is no object."""
    if data.get("done") is False:
        raise StateError("The response is one chunk of a stream, with `done: false`.", hint=READ_WHOLE_STREAM)
    if "message" in data:
        require_object(data["message"], "message")
    return ()


def keep_own(response: ResponseContent, _: bool = False) -> tuple[Data, ...]:
    """The fields to send back beside text and calls: the model's thinking."""
    thinking = response.blocks[0].get("thinking")
    return ({"thinking": thinking},) if thinking else ()


def join_events(events: Sequence[Data]) -> JoinedEvents:
    """The response that the lines of an answer make up; later fields replace earlier ones."""
    merged: Data = {}
    texts: dict[str, list[str]] = {"content": [], "thinking": []}
    calls: list[Data] = []
    generated: list[str] = []
    error = ""
    for event in events:
        error = error or (error_of(event) if event.get("error") else "")
        message = a_dict(event.get("message"))
        for name, pieces in texts.items():
            pieces.append(a_text(message.get(name)))
        generated.append(a_text(event.get("response")))
        calls += message_calls(message)
        merged |= event
    joined = {name: text for name, pieces in texts.items() if (text := "".join(pieces))}
    message = {**a_dict(merged.get("message")), **joined, **({"tool_calls": calls} if calls else {})}
    return JoinedEvents({**merged, "message": message, "response": "".join(generated)}, error)


def read_usage(data: Data) -> CallUsage | None:
    """The tokens of a response; the counts are fields of the response itself."""
    counts = {name: data[name] for name in COUNTS if isinstance(data.get(name), int | float)}
    read, written = (find_count(counts, name) for name in ("prompt_eval_count", "eval_count"))
    return make_usage(counts, data, input=(read,), output=(written,))
