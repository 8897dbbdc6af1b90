"""Calls from OpenTelemetry spans with the GenAI conventions, in OTLP JSON."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...providers.openai_shared import SYSTEM_ROLES
from ...providers.parsed_call import find_count
from ...providers.read.pieces_and_calls import tool_piece, typed_text
from ...providers.read.plain_data import Data, a_dict, a_text, dicts, encode_canonical_json
from ..recorded_call import CallPiece, CallUsage, Form, PieceKind, RecordedCall, Unheld
from ..wire.clean_values import clean_data
from .log_entries import LogEntry, LogValue, describe_unheld, parse_json_text
from .log_times import NEVER, format_iso, measure_ms
from .otlp_spans import TraceSpan, list_log_events, list_spans
from .otlp_spans import is_mine as is_mine

EVENT = re.compile(r"gen_ai\.(system|user|assistant|tool)\.message")
CHOICE = "gen_ai.choice"
PARTS = {"tool_call": "tool call", "tool_call_response": "tool result", "reasoning": "thinking", "thinking": "thinking"}


class SpanCall(NamedTuple):
    """The call that a span describes."""

    pieces: tuple[CallPiece, ...] = ()
    reply: str = ""
    calls: tuple[str, ...] = ()
    stop: str = ""


def read_span_call(span: TraceSpan, logged: Sequence[TraceSpan] = ()) -> SpanCall:
    """The request's pieces and the answer's words."""
    own = span.attributes
    details = [each.attributes for each in (*span.events, *logged) if "gen_ai.input.messages" in each.attributes]
    own = {**own, **details[0]} if details else own
    messages = _read_messages(own, "gen_ai.input.messages")
    answer = _read_messages(own, "gen_ai.output.messages")
    if not messages:
        messages, answer = _read_events([*span.events, *logged], answer)
    pieces = [*_read_tools(own), *_read_system(own), *_make_pieces(messages)]
    return SpanCall(tuple(pieces), *_read_answer(answer))


def _read_messages(own: Data, name: str) -> list[Data]:
    """The messages in a span's attribute."""
    messages = parse_json_text(own.get(name))
    if isinstance(messages, list):
        return dicts(messages)
    return [{"role": "user", "content": messages}] if messages else []


def _read_events(events: Sequence[TraceSpan], answer: list[Data]) -> tuple[list[Data], list[Data]]:
    """Messages that are separate events, with their content as a body or as attributes."""
    messages: list[Data] = []
    for event in events:
        body = a_dict(event.body) or event.attributes
        if match := EVENT.fullmatch(event.name):
            messages.append({"role": match[1], **body})
        elif event.name == CHOICE:
            message = a_dict(parse_json_text(body.get("message"))) or body
            answer = [*answer, {**message, "finish_reason": body.get("finish_reason")}]
        elif "gen_ai.prompt" in body or "gen_ai.completion" in body:
            messages += dicts(parse_json_text(body.get("gen_ai.prompt")))
            answer = [*answer, *dicts(parse_json_text(body.get("gen_ai.completion")))]
    return messages, answer


def _read_tools(own: Data) -> Iterator[CallPiece]:
    """The tools in a span's attributes."""
    for tool in dicts(parse_json_text(own.get("gen_ai.tool.definitions"))):
        yield tool_piece(tool.get("name") or a_dict(tool.get("function")).get("name"), tool)


def _read_system(own: Data) -> Iterator[CallPiece]:
    """The system prompt in the attributes of an OpenTelemetry span."""
    instructions = parse_json_text(own.get("gen_ai.system_instructions"))
    for part in instructions if isinstance(instructions, list) else [instructions] if instructions else []:
        yield _make_piece(part, "system", "system", None)


def _make_pieces(messages: Sequence[Data]) -> Iterator[CallPiece]:
    """The pieces of messages as spans write them."""
    opening = True
    for index, message in enumerate(messages):
        role = a_text(message.get("role")) or "user"
        opening = opening and role in SYSTEM_ROLES
        kind: PieceKind = "system" if opening else "message"
        for part in _split_parts(message):
            yield _make_piece(part, kind, role, None if opening else index)


def _split_parts(message: Data) -> list[Any]:
    """The parts of a message of a span, whatever form they have."""
    content = parse_json_text(message.get("parts", message.get("content")))
    parts = content if isinstance(content, list) else [] if content is None or content == "" else [content]
    if message.get("role") == "tool" and len(parts) == 1 and isinstance(parts[0], str):
        parts = [{"type": "tool_call_response", "response": parts[0]}]
    return [*parts, *({"type": "tool_call", **call} for call in dicts(parse_json_text(message.get("tool_calls"))))]


def _make_piece(part: Any, kind: PieceKind, role: str, index: int | None) -> CallPiece:
    """A part of a message of a span as a piece."""
    data = a_dict(part)
    if not data:
        return CallPiece(kind, role, a_text(part) or encode_canonical_json(part), message=index)
    sort, text = a_text(data.get("type")), data.get("content", data.get("text"))
    if sort in ("text", "") and isinstance(text, str):
        return CallPiece(kind, role, text, message=index)
    if sort in PARTS:
        result = data.get("response", data.get("result", data.get("content")))
        words = result if isinstance(result, str) and PARTS[sort] != "tool call" else encode_canonical_json(data)
        return CallPiece(kind, role, words, PARTS[sort], message=index)
    what, words = typed_text(data)
    return CallPiece(kind, role, words, what, message=index)


def _read_answer(messages: Sequence[Data]) -> tuple[str, tuple[str, ...], str]:
    """The words and tool calls that the model answered, by the span."""
    parts = [part for message in messages for part in _split_parts(message)]
    texts = [_make_piece(part, "message", "assistant", 0) for part in parts]
    calls = [a_dict(part) for part in parts if a_text(a_dict(part).get("type")) in ("tool_call", "tool_use")]
    names = [a_text(call.get("name")) or a_text(a_dict(call.get("function")).get("name")) for call in calls]
    stop = next((a_text(message.get("finish_reason")) for message in messages if message.get("finish_reason")), "")
    return "".join(piece.text for piece in texts if piece.what == "text"), tuple(names), stop


CALL_OPERATIONS = ("chat", "text_completion", "generate_content", "completion", "responses", "messages")
USAGE: dict[str, tuple[str, ...]] = {
    "input": ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
    "read": ("gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens"),
    "written": (
        "gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_creation_input_tokens",
        "gen_ai.usage.cache_write.input_tokens",
    ),
    "output": ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
}  # fmt: skip
MODEL = ("gen_ai.request.model", "gen_ai.response.model")
FORMS: tuple[tuple[str, Form], ...] = (
    ("anthropic", "anthropic"), ("bedrock", "bedrock"), ("gemini", "gemini"), ("vertex", "gemini"),
    ("ollama", "ollama"),
)  # fmt: skip


def read(values: Iterator[LogValue]) -> Iterator[LogEntry]:
    """The spans that ask a model. One without words waits for events that bring them, which may come later."""
    logs: dict[tuple[str, str], list[TraceSpan]] = {}
    waiting: list[tuple[str, TraceSpan]] = []
    read_spans: set[str] = set()
    for each in values:
        if each.problem or not is_mine(each.value):
            yield LogEntry(each.position, problem=each.problem or "not OTLP: `resourceSpans` is missing")
            continue
        for event in list_log_events(each.value):
            logs.setdefault((event.trace, event.span), []).append(event)
        for span in list_spans(each.value):
            if not _is_call(span):
                yield LogEntry(each.position)
            elif (words := read_span_call(span)).pieces:
                read_spans.add(a_text(span.attributes.get("gen_ai.response.id")))
                yield _make_entry(each.position, span, words)
            else:
                waiting.append((each.position, span))
    yield from _read_waiting(waiting, logs, read_spans)


def _read_waiting(
    waiting: Sequence[tuple[str, TraceSpan]], logs: dict[tuple[str, str], list[TraceSpan]], read_spans: set[str]
) -> Iterator[LogEntry]:
    """The entries of spans that waited until all log records were read."""
    for position, span in waiting:
        words = read_span_call(span, logs.get((span.trace, span.span), ()))
        name = a_text(span.attributes.get("gen_ai.response.id"))
        # Two libraries may log the same response: the one with more content counts.
        yield (
            LogEntry(position)
            if name and name in read_spans and not words.pieces
            else _make_entry(position, span, words)
        )


def _is_call(span: TraceSpan) -> bool:
    """Whether an OpenTelemetry span is a call of a model."""
    own = span.attributes
    if kind := a_text(own.get("gen_ai.operation.name")):
        return kind in CALL_OPERATIONS
    return any(name in own for name in MODEL) and any(name in own for name in USAGE["input"])


def _make_entry(position: str, span: TraceSpan, words: SpanCall) -> LogEntry:
    """The log entry of an OpenTelemetry span."""
    name = f"otlp {span.trace} {span.span}" if span.span else ""
    return LogEntry(position, call=_make_call(span, words), name=name)


def _make_call(span: TraceSpan, words: SpanCall) -> RecordedCall:
    """The call of an OpenTelemetry span."""
    own = span.attributes
    kinds = {piece.kind for piece in words.pieces}
    unknown: tuple[Unheld, ...] = ("tool", "system", "message", "mark")
    if kinds:
        unknown = ("mark",) if "tool" in kinds else ("tool", "mark")
    code = own.get("http.response.status_code")
    status = (code if isinstance(code, int) and 400 <= code < 600 else 0) if span.error else 200
    reasons = own.get("gen_ai.response.finish_reasons")
    stop = a_text(next(iter(reasons), "")) if isinstance(reasons, list) else a_text(reasons)
    return RecordedCall(
        id="", at=format_iso(span.start) or NEVER, form=_find_form(own), host=_read_host(own),
        path=a_text(own.get("url.path")), model=_read_text(own, MODEL), status=status, pieces=words.pieces,
        whole_ms=measure_ms(span.start, span.end), reply=words.reply, calls=words.calls, stop=words.stop or stop,
        usage=_read_usage(own), error=span.error or None, missing=describe_unheld("the span", unknown, _find_form(own)),
        key=a_text(own.get("gen_ai.conversation.id")),
        reply_id=a_text(own.get("gen_ai.response.id")), unknown=unknown,
    )  # fmt: skip


def _read_text(own: Data, names: tuple[str, ...]) -> str:
    """The first text among the span's attributes of these names."""
    return next((a_text(own[name]) for name in names if a_text(own.get(name))), "")


def _find_form(own: Data) -> Form:
    """The provider's form, by the span's attributes."""
    named = _read_text(own, ("gen_ai.provider.name", "gen_ai.system")).lower()
    return next((form for word, form in FORMS if word in named), "openai-chat")


def _read_host(own: Data) -> str:
    """The host and port in the span's attributes."""
    port = own.get("server.port")
    at = f":{port}" if isinstance(port, int) and port not in (80, 443) else ""
    host = a_text(own.get("server.address"))
    return f"{host}{at}" if host else ""


def _read_usage(own: Data) -> CallUsage | None:
    """The tokens in a span's attributes."""
    counts = {name: find_count(own, *keys) for name, keys in USAGE.items()}
    total, beside = counts["input"], (counts["read"] or 0) + (counts["written"] or 0)
    if total is None:
        return None
    # `input` includes the cache; some libraries write the provider's count, which does not.
    raw = {key: own[key] for keys in USAGE.values() for key in keys if key in own}
    return CallUsage(
        total if total >= beside else total + beside, counts["read"], counts["written"], counts["output"], None,
        clean_data(raw),
    )  # fmt: skip
