"""Langfuse's observations, as its page and its API hand them out: those of type GENERATION are calls."""

from collections.abc import Iterator
from typing import Any

from ...providers.parsed_call import read_count
from ...providers.read.plain_data import Data, a_dict, a_text, dicts
from ..recorded_call import CallUsage, RecordedCall, Unheld
from ..wire.clean_values import clean_data
from .log_entries import (
    LogEntry,
    LogValue,
    describe_unheld,
    make_body,
    parse_json_text,
    read_logged_request,
    read_logged_response,
)
from .log_times import NEVER, format_iso, measure_ms

KINDS = ("GENERATION", "SPAN", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL")
READ = ("input_cached_tokens", "cache_read_input_tokens", "input_cache_read", "input_cached")
WRITTEN = ("cache_creation_input_tokens", "input_cache_creation", "input_cache_write", "cache_write_input_tokens")
FAILED = "ERROR"
OLD = ("promptTokens", "completionTokens", "totalTokens")


def is_mine(value: Any) -> bool:
    """Whether a value holds observations of Langfuse's."""
    return any(_is_observation(row) for row in _list_rows(value))


def _is_observation(row: Data) -> bool:
    """Whether a row is an observation of Langfuse."""
    named = any(key in row for key in ("traceId", "trace_id", "projectId"))
    return row.get("type") in KINDS and named and _read_time(row) is not None


def _list_rows(value: Any) -> list[Data]:
    """The observations in a list, in a page of the API's, in a trace, or the one that a line is."""
    data = a_dict(value)
    for key in ("data", "observations"):
        if isinstance(data.get(key), list):
            return [row for each in dicts(data[key]) for row in _list_rows(each)]
    return [row for each in value for row in _list_rows(each)] if isinstance(value, list) else [data] if data else []


def read(values: Iterator[LogValue]) -> Iterator[LogEntry]:
    """The generations; within one document in the order of time, for pages begin with the newest."""
    for each in values:
        rows = _list_rows(each.value)
        if each.problem or not rows:
            yield LogEntry(each.position, problem=each.problem or "not a Langfuse observation")
            continue
        many = len(rows) > 1
        numbered = sorted(enumerate(rows, 1), key=lambda pair: format_iso(_read_time(pair[1])))
        for number, row in numbered:
            yield _make_entry(f"entry {number}" if many else each.position, row)


def _make_entry(position: str, row: Data) -> LogEntry:
    """The entry of a Langfuse observation, with a call if it is a generation."""
    if not _is_observation(row):
        return LogEntry(position, problem="not a Langfuse observation")
    if row.get("type") != "GENERATION":
        return LogEntry(position)
    return LogEntry(position, call=_make_call(row), name=f"langfuse {id}" if (id := a_text(row.get("id"))) else "")


def _read_time(row: Data) -> Any:
    """When a Langfuse observation began."""
    return row.get("startTime", row.get("start_time"))


def _make_call(row: Data) -> RecordedCall:
    """The call of a generation that Langfuse observed."""
    settings = a_dict(parse_json_text(row.get("modelParameters")))
    beside = {"tools": parse_json_text(settings.get("tools")), "model": row.get("model")}
    form, request = read_logged_request(row.get("input"), beside)
    response = read_logged_response(row.get("output"))
    unknown = _find_unknown(row, any(piece.kind == "tool" for piece in request.pieces))
    failed = row.get("level") == FAILED
    end = row.get("endTime", row.get("end_time"))
    begun = row.get("completionStartTime")
    return RecordedCall(
        id="",
        at=format_iso(_read_time(row)) or NEVER,
        form=form,
        host="",
        path="",
        model=a_text(row.get("model")) or request.model,
        status=0 if failed else 200,
        pieces=request.pieces,
        stream=begun is not None,
        first_ms=measure_ms(_read_time(row), begun),
        whole_ms=measure_ms(_read_time(row), end),
        reply=response.text,
        calls=response.call_names,
        stop=response.stop,
        usage=None if failed else _read_usage(row),
        error=(a_text(row.get("statusMessage")) or "the call failed") if failed else None,
        missing=describe_unheld("Langfuse's log", unknown, form),
        key=a_text(row.get("sessionId")),
        settings=request.settings,
        unknown=unknown,
    )


def _find_unknown(row: Data, tools: bool) -> tuple[Unheld, ...]:
    """If no tools are logged, they are unknown; marks are logged only with a whole body."""
    body = make_body(row.get("input"))
    if not body:
        return "tool", "system", "message", "mark"
    complete = isinstance(parse_json_text(row.get("input")), dict) and ("tools" in body or "system" in body)
    return () if complete else ("mark",) if tools else ("tool", "mark")


def _read_usage(row: Data) -> CallUsage | None:
    """The counts. Langfuse separates them: cache reads are not in the input, unless the sum shows that they are."""
    counts = a_dict(parse_json_text(row.get("usageDetails"))) or a_dict(parse_json_text(row.get("usage")))
    fields = ("input", "output", "total")
    plain = {name: _read_count(counts.get(name)) for name in fields}
    if plain["input"] is None:
        plain = {name: _read_count(row.get(old)) for name, old in zip(fields, OLD, strict=True)}
    if plain["input"] is None:
        return None
    read, written = (_find_first_count(counts, names) for names in (READ, WRITTEN))
    extra = sum(
        _read_count(counts[key]) or 0 for key in counts if key != "input" and key.startswith(("input", "cache_"))
    )
    included = plain["total"] is not None and plain["total"] == plain["input"] + (plain["output"] or 0)
    return CallUsage(
        plain["input"] + (0 if included else extra), read, written, plain["output"], None, clean_data(counts)
    )


def _find_first_count(counts: Data, names: tuple[str, ...]) -> int | None:
    """The first count under one of the names that Langfuse uses."""
    return next((number for name in names if (number := _read_count(counts.get(name))) is not None), None)


def _read_count(value: Any) -> int | None:
    """A number of tokens in Langfuse, which may be a text."""
    if isinstance(value, str) and value.isdecimal() and len(value) < 16:
        return int(value)
    return read_count(value)
