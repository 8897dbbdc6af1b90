"""OpenTelemetry's spans of calls (GenAI, and the names that Traceloop and OpenInference give them), as OTLP JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from ..call import Call, CallUsage, Form, Unheld
from ..importers.found import Found, Value, not_held
from ..importers.times import NEVER, between, iso
from ..read.plain_values import Data, a_text, clean_data
from .span_messages import Told, told_by
from .spans import Span, is_otlp, logs_in, spans_in

ASKS = ("chat", "text_completion", "generate_content", "completion", "responses", "messages")
USAGE: dict[str, tuple[str, ...]] = {
    "input": ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"),
    "read": (
        "gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens",
        "gen_ai.usage.input_tokens.cached", "llm.token_count.prompt_details.cache_read",
    ),
    "written": (
        "gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_creation_input_tokens",
        "gen_ai.usage.cache_write.input_tokens", "llm.token_count.prompt_details.cache_write",
    ),
    "output": ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion"),
}  # fmt: skip
MODEL = ("gen_ai.request.model", "gen_ai.response.model", "llm.model_name", "llm.request.model")
KEY = ("gen_ai.conversation.id", "session.id", "langfuse.session.id", "traceloop.association.properties.session_id")
FORMS: tuple[tuple[str, Form], ...] = (
    ("anthropic", "anthropic"), ("bedrock", "bedrock"), ("gemini", "gemini"), ("vertex", "gemini"),
    ("ollama", "ollama"),
)  # fmt: skip


def is_mine(value: Any) -> bool:
    """Whether a value holds spans or their events."""
    return is_otlp(value)


def read(values: Iterator[Value]) -> Iterator[Found]:
    """The spans that ask a model. One without words waits for events that bring them, which may come later."""
    logs: dict[tuple[str, str], list[Span]] = {}
    waiting: list[tuple[str, Span]] = []
    told: set[str] = set()
    for each in values:
        if each.problem or not is_otlp(each.value):
            yield Found(each.place, problem=each.problem or "it is no OTLP: there are no resourceSpans")
            continue
        for event in logs_in(each.value):
            logs.setdefault((event.trace, event.span), []).append(event)
        for span in spans_in(each.value):
            words = told_by(span) if _asks(span) else Told()
            if words.pieces:
                told.add(a_text(span.attributes.get("gen_ai.response.id")))
                yield _found(each.place, span, words)
            elif _asks(span):
                waiting.append((each.place, span))
            else:
                yield Found(each.place)
    yield from _late(waiting, logs, told)


def _late(
    waiting: Sequence[tuple[str, Span]], logs: dict[tuple[str, str], list[Span]], told: set[str]
) -> Iterator[Found]:
    for place, span in waiting:
        words = told_by(span, logs.get((span.trace, span.span), ()))
        name = a_text(span.attributes.get("gen_ai.response.id"))
        # Two libraries may tell of the same answer: the one that tells more counts.
        yield Found(place) if name and name in told and not words.pieces else _found(place, span, words)


def _asks(span: Span) -> bool:
    own = span.attributes
    kind = a_text(own.get("gen_ai.operation.name")) or a_text(own.get("llm.request.type"))
    if kind:
        return kind in ASKS
    if "openinference.span.kind" in own:
        return bool(own["openinference.span.kind"] == "LLM")
    return any(name in own for name in MODEL) and any(name in own for name in USAGE["input"])


def _found(place: str, span: Span, words: Told) -> Found:
    name = f"otlp {span.trace} {span.span}" if span.span else ""
    return Found(place, call=_call(span, words), name=name)


def _call(span: Span, words: Told) -> Call:
    own = span.attributes
    kinds = {piece.kind for piece in words.pieces}
    unknown: tuple[Unheld, ...] = ("tool", "system", "message", "mark")
    if kinds:
        unknown = ("mark",) if "tool" in kinds else ("tool", "mark")
    code = own.get("http.response.status_code")
    status = (code if isinstance(code, int) and 400 <= code < 600 else 0) if span.error else 200
    reasons = own.get("gen_ai.response.finish_reasons", own.get("llm.finish_reason"))
    stop = a_text(next(iter(reasons), "")) if isinstance(reasons, list) else a_text(reasons)
    return Call(
        id="", at=iso(span.start) or NEVER, form=_form(own), host=_host(own), path=a_text(own.get("url.path")),
        model=_text(own, MODEL), status=status, pieces=words.pieces,
        whole_ms=between(span.start, span.end), reply=words.reply, calls=words.calls, stop=words.stop or stop,
        usage=_usage(own), error=span.error or None, missing=not_held("the span", unknown, _form(own)),
        key=_text(own, KEY),
        reply_id=a_text(own.get("gen_ai.response.id")), unknown=unknown,
    )  # fmt: skip


def _text(own: Data, names: tuple[str, ...]) -> str:
    return next((a_text(own[name]) for name in names if a_text(own.get(name))), "")


def _form(own: Data) -> Form:
    named = _text(own, ("gen_ai.provider.name", "gen_ai.system", "llm.provider", "llm.system")).lower()
    return next((form for word, form in FORMS if word in named), "openai-chat")


def _host(own: Data) -> str:
    port = own.get("server.port")
    at = f":{port}" if isinstance(port, int) and port not in (80, 443) else ""
    host = a_text(own.get("server.address"))
    return f"{host}{at}" if host else ""


def _usage(own: Data) -> CallUsage | None:
    counts = {
        name: next((n for key in keys if (n := _count(own.get(key))) is not None), None) for name, keys in USAGE.items()
    }
    whole, beside = counts["input"], (counts["read"] or 0) + (counts["written"] or 0)
    if whole is None:
        return None
    # The input is the whole one; some libraries write what the provider says, which leaves the cache out.
    raw = {key: own[key] for keys in USAGE.values() for key in keys if key in own}
    return CallUsage(
        whole if whole >= beside else whole + beside, counts["read"], counts["written"], counts["output"], None,
        clean_data(raw),
    )  # fmt: skip


def _count(value: Any) -> int | None:
    real = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 2**53
    return int(value) if real else None
