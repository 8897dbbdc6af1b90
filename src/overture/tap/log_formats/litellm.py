"""LiteLLM's logs: the payload that its loggers write for each call, and rows of its proxy's spend logs."""

import re
from collections.abc import Iterator
from typing import Any

from ...providers.read.plain_data import Data, a_dict, a_text, dicts
from ..call import CallUsage, RecordedCall, Unheld
from ..importers.log import LogEntry, LogValue, not_held
from ..importers.times import NEVER, between, iso
from ..read.json_values import clean_data
from ..read.read_call import read_usage
from .bodies import asked_of, parsed, said_of

MODELS = ("completion", "messages", "responses", "generate_content")
NO_MODEL = ("embedding", "image", "transcription", "speech", "rerank", "moderation", "batch", "file")
MADE_UP = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
HOST = re.compile(r"[a-z][a-z0-9+.-]*://([^/?#]*)", re.IGNORECASE)
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
            yield LogEntry(each.place, problem=each.problem)
            continue
        for number, row in enumerate(rows, 1):
            position = each.place if rows is not each.value else f"entry {number}"
            yield (
                _found(position, row)
                if is_mine(row)
                else LogEntry(position, problem="it is no call that LiteLLM logged")
            )


def _found(position: str, row: Data) -> LogEntry:
    kind = a_text(row.get("call_type"))
    if kind and (any(word in kind for word in NO_MODEL) or not any(word in kind for word in MODELS)):
        return LogEntry(position)
    name = a_text(row.get("litellm_call_id")) or a_text(row.get("id")) or a_text(row.get("request_id"))
    return LogEntry(position, call=_call(row), name=f"litellm {name}" if name else "")


def _call(row: Data) -> RecordedCall:
    beside = {**a_dict(row.get("model_parameters")), "model": row.get("model")}
    sent = parsed(row.get("messages")) or a_dict(parsed(row.get("proxy_server_request")))
    form, request = asked_of(sent, beside)
    response = parsed(row.get("response"))
    content = said_of(response)
    unknown = _unknown(row, sent, bool(request.pieces))
    status, error = _status(row)
    missing = not_held("LiteLLM's log", unknown, form) if "message" not in unknown or error is None else ()
    return RecordedCall(
        id="", at=iso(row.get("startTime")) or NEVER, form=form, host=_host(row.get("api_base")), path="",
        model=request.model or content.model, status=status, pieces=request.pieces, stream=bool(row.get("stream")),
        first_ms=between(row.get("startTime"), row.get("completionStartTime")) if row.get("stream") else None,
        whole_ms=between(row.get("startTime"), row.get("endTime")), reply=content.text, calls=content.call_names,
        stop=content.stop, usage=_usage(row, response) if status == 200 else None, error=error, missing=missing,
        key=_session(row), settings=request.settings, reply_id=content.id, continues=request.continues, unknown=unknown,
    )  # fmt: skip


def _unknown(row: Data, sent: Any, has_pieces: bool) -> tuple[Unheld, ...]:
    texts = [message.get("content") for message in dicts(sent)]
    if not has_pieces or any(isinstance(text, str) and REDACTED in text for text in texts):
        return "tool", "system", "message", "mark"
    # What is asked in Anthropic's own form has its system prompt beside the messages, where it is not logged.
    body = a_dict(sent)
    return ("system", "mark") if row.get("call_type") == "anthropic_messages" and "system" not in body else ()


def _status(row: Data) -> tuple[int, str | None]:
    error = a_dict(row.get("error_information"))
    failed = row.get("status") == "failure" or a_text(row.get("error_str"))
    if not failed:
        return 200, None
    code = a_text(error.get("error_code"))
    message = a_text(row.get("error_str")) or a_text(error.get("error_message")) or "it failed"
    return (int(code) if code.isdecimal() and 400 <= int(code[:4]) < 600 else 0), message


def _usage(row: Data, response: Any) -> CallUsage | None:
    # LiteLLM gives every provider's counts the names that OpenAI has.
    found = read_usage("openai-chat", a_dict(response))
    if found is not None:
        return found
    counts = {key: row[key] for key in ("prompt_tokens", "completion_tokens") if isinstance(row.get(key), int)}
    return read_usage("openai-chat", {"usage": clean_data(counts)}) if any(counts.values()) else None


def _host(address: Any) -> str:
    found = HOST.match(a_text(address))
    return found[1].rpartition("@")[2] if found else ""


def _session(row: Data) -> str:
    own, trace = a_dict(row.get("metadata")), a_text(row.get("trace_id"))
    # Without a name that somebody gave it, every call has a trace of its own.
    return a_text(row.get("session_id")) or a_text(own.get("session_id")) or ("" if MADE_UP.fullmatch(trace) else trace)
