"""OTLP as JSON -> spans and events, each with its attributes as plain values."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from ...providers.read.plain_data import Data, a_dict, a_text, dicts

MAX_DEPTH = 50
SCALARS = ("stringValue", "boolValue", "doubleValue", "bytesValue")


class TraceSpan(NamedTuple):
    """A span, or a logged event of one."""

    name: str
    trace: str
    span: str
    start: Any
    end: Any
    attributes: Data
    events: tuple["TraceSpan", ...] = ()
    error: str = ""
    body: Any = None
    """Of an event that stands in a log of its own."""


def is_mine(value: Any) -> bool:
    """Whether a value holds spans or logs."""
    data = a_dict(value)
    return any(isinstance(data.get(key), list) for key in ("resourceSpans", "resource_spans", "resourceLogs"))


def list_spans(data: Data) -> Iterator[TraceSpan]:
    """The spans of an OTLP document."""
    for resource in dicts(data.get("resourceSpans", data.get("resource_spans"))):
        for scope in dicts(resource.get("scopeSpans", resource.get("instrumentationLibrarySpans"))):
            yield from (_make_span(each) for each in dicts(scope.get("spans")))


def list_log_events(data: Data) -> Iterator[TraceSpan]:
    """The events of a document that belong to spans."""
    for resource in dicts(data.get("resourceLogs")):
        for scope in dicts(resource.get("scopeLogs")):
            for each in dicts(scope.get("logRecords")):
                fields = read_attributes(each.get("attributes"))
                name = a_text(each.get("eventName")) or a_text(fields.get("event.name"))
                trace, span = a_text(each.get("traceId")), a_text(each.get("spanId"))
                at = each.get("timeUnixNano")
                yield TraceSpan(name, trace, span, at, at, fields, (), "", read_otlp_value(a_dict(each.get("body"))))


def _make_span(each: Data) -> TraceSpan:
    """A span or an event of OTLP, with its attributes as plain values."""
    status = a_dict(each.get("status"))
    failed = status.get("code") in (2, "STATUS_CODE_ERROR")
    events = tuple(
        TraceSpan(
            a_text(event.get("name")), "", "", event.get("timeUnixNano"), None, read_attributes(event.get("attributes"))
        )
        for event in dicts(each.get("events"))
    )
    fields = read_attributes(each.get("attributes"))
    error = a_text(status.get("message")) or a_text(fields.get("error.type")) or "the call failed"
    return TraceSpan(
        a_text(each.get("name")), a_text(each.get("traceId")), a_text(each.get("spanId")),
        each.get("startTimeUnixNano"), each.get("endTimeUnixNano"), fields, events, error if failed else "",
    )  # fmt: skip


def read_attributes(items: Any) -> Data:
    """Attributes by name: a list of keys and values, or an object as some exporters write it."""
    if isinstance(items, dict):
        return items
    return {a_text(each.get("key")): read_otlp_value(a_dict(each.get("value"))) for each in dicts(items)}


def read_otlp_value(value: Data, depth: int = 0) -> Any:
    """The value that a typed value of OTLP's stands for."""
    if depth > MAX_DEPTH:
        return None
    for kind in SCALARS:
        if kind in value:
            return value[kind]
    if "intValue" in value:
        number = value["intValue"]
        is_number = isinstance(number, str) and number.removeprefix("-").isdecimal() and len(number) < 20
        return int(number) if is_number else number
    if "arrayValue" in value:
        return [read_otlp_value(each, depth + 1) for each in dicts(a_dict(value["arrayValue"]).get("values"))]
    if "kvlistValue" in value:
        pairs = dicts(a_dict(value["kvlistValue"]).get("values"))
        return {a_text(pair.get("key")): read_otlp_value(a_dict(pair.get("value")), depth + 1) for pair in pairs}
    return None
