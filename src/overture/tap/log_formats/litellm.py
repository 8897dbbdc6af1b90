"""LiteLLM's logs: the payload that its loggers write for each call, and rows of its proxy's spend logs."""

import re
from collections.abc import Iterator
from typing import Any

from ...providers.read.plain_data import Data, a_dict, a_text, dicts
from ..recorded_call import CallUsage, RecordedCall, Unheld
from ..wire.clean_values import clean_data
from ..wire.read_call import read_call_usage
from .log_entries import (
    LogEntry,
    LogValue,
    describe_unheld,
    parse_json_text,
    read_logged_request,
    read_logged_response,
    split_url,
)
from .log_times import NEVER, format_iso, measure_ms

MODELS = ("completion", "messages", "responses", "generate_content")
NO_MODEL = ("embedding", "image", "transcription", "speech", "rerank", "moderation", "batch", "file")
GENERATED_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
REDACTED = "redacted-by-litellm"


def is_mine(value: Any) -> bool:
    """Whether a value is a call as LiteLLM logs it."""
    data = a_dict(value)
    return "call_type" in data and "model" in data and ("startTime" in data or "litellm_call_id" in data)


def read(values: Iterator[LogValue]) -> Iterator[LogEntry]:
    """The calls, also where several stand in one list."""
    for each in values:
        rows = each.value if isinstance(each.value, list) else [each.value]
        if each.problem:
            yield LogEntry(each.position, problem=each.problem)
            continue
        for number, row in enumerate(rows, 1):
            position = each.position if rows is not each.value else f"entry {number}"
            yield (_make_entry(position, row) if is_mine(row) else LogEntry(position, problem="not a LiteLLM call"))


def _make_entry(position: str, row: Data) -> LogEntry:
    """The entry of a row of LiteLLM's log, with a call if a model was called."""
    kind = a_text(row.get("call_type"))
    if kind and (any(word in kind for word in NO_MODEL) or not any(word in kind for word in MODELS)):
        return LogEntry(position)
    name = a_text(row.get("litellm_call_id")) or a_text(row.get("id")) or a_text(row.get("request_id"))
    return LogEntry(position, call=_make_call(row), name=f"litellm {name}" if name else "")


def _make_call(row: Data) -> RecordedCall:
    """The call of a row that LiteLLM logs."""
    beside = {**a_dict(row.get("model_parameters")), "model": row.get("model")}
    sent = parse_json_text(row.get("messages")) or a_dict(parse_json_text(row.get("proxy_server_request")))
    form, request = read_logged_request(sent, beside)
    response = parse_json_text(row.get("response"))
    content = read_logged_response(response)
    unknown = _find_unknown(row, sent, bool(request.pieces))
    status, error = _read_status(row)
    missing = describe_unheld("LiteLLM's log", unknown, form) if "message" not in unknown or error is None else ()
    return RecordedCall(
        id="", at=format_iso(row.get("startTime")) or NEVER, form=form, path="",
        host=split_url(a_text(row.get("api_base")))[1],
        model=request.model or content.model, status=status, pieces=request.pieces, stream=bool(row.get("stream")),
        first_ms=measure_ms(row.get("startTime"), row.get("completionStartTime")) if row.get("stream") else None,
        whole_ms=measure_ms(row.get("startTime"), row.get("endTime")), reply=content.text, calls=content.call_names,
        stop=content.stop, usage=_read_usage(row, response) if status == 200 else None, error=error, missing=missing,
        key=_read_session(row), settings=request.settings, reply_id=content.id, continues=request.continues,
        unknown=unknown,
    )  # fmt: skip


def _find_unknown(row: Data, sent: Any, has_pieces: bool) -> tuple[Unheld, ...]:
    """What LiteLLM's row does not hold of a request."""
    texts = [message.get("content") for message in dicts(sent)]
    if not has_pieces or any(isinstance(text, str) and REDACTED in text for text in texts):
        return "tool", "system", "message", "mark"
    # What is asked in Anthropic's own form has its system prompt beside the messages, where it is not logged.
    body = a_dict(sent)
    return ("system", "mark") if row.get("call_type") == "anthropic_messages" and "system" not in body else ()


def _read_status(row: Data) -> tuple[int, str | None]:
    """The HTTP status of a call in LiteLLM's log, and the error."""
    error = a_dict(row.get("error_information"))
    failed = row.get("status") == "failure" or a_text(row.get("error_str"))
    if not failed:
        return 200, None
    code = a_text(error.get("error_code"))
    message = a_text(row.get("error_str")) or a_text(error.get("error_message")) or "the call failed"
    return (int(code) if code.isdecimal() and 400 <= int(code[:4]) < 600 else 0), message


def _read_usage(row: Data, response: Any) -> CallUsage | None:
    """The tokens that LiteLLM counts."""
    # LiteLLM gives every provider's counts the names that OpenAI has.
    usage = read_call_usage("openai-chat", a_dict(response))
    if usage is not None:
        return usage
    counts = {key: row[key] for key in ("prompt_tokens", "completion_tokens") if isinstance(row.get(key), int)}
    return read_call_usage("openai-chat", {"usage": clean_data(counts)}) if any(counts.values()) else None


def _read_session(row: Data) -> str:
    """The session of a row of LiteLLM's log."""
    own, trace = a_dict(row.get("metadata")), a_text(row.get("trace_id"))
    # Without a name of the user's, every call has a trace of its own.
    return (
        a_text(row.get("session_id"))
        or a_text(own.get("session_id"))
        or ("" if GENERATED_ID.fullmatch(trace) else trace)
    )
