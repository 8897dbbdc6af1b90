"""Prints one call: its sections, tools, messages and response, or the bytes as they were sent."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from ...errors import ConfigError
from ...terminal.output import (
    count_noun,
    print_error,
    print_heading,
    print_line,
    print_table,
    print_wrapped,
    write,
    write_exactly,
)
from ...text.normalize import shorten_text
from ...tokens.counter import Counter
from ..call import RecordedCall
from ..judge.report import RequestPart, measure_parts
from ..wire.call_wire import CallWire
from ..wire.curl import make_curl
from ..wire.wire_data import NO_BODY, NO_EVENTS, NO_WIRE, make_event_lines, make_head_lines, make_wire_data
from .show_files import CallFilesView


def show_wire(call: RecordedCall, wire: CallWire | None, wanted: str) -> None:
    """Print what an option asks for; what is not there is one line that says so."""
    if wire is None:
        raise ConfigError(NO_WIRE.format(id=call.id))
    if wanted == "--request":
        if wire.request is None:
            raise ConfigError(NO_BODY[0].format(id=call.id), hint=NO_BODY[1].format(id=call.id))
        write_exactly(wire.body)
    elif wanted == "--headers":
        write_exactly(_encode_lines(*make_head_lines(call, wire)))
    elif wanted == "--curl":
        write_exactly(make_curl(call, wire).encode("utf-8", "replace"))
    elif wire.events is None:
        raise ConfigError(NO_EVENTS[0].format(id=call.id), hint=NO_EVENTS[1])
    else:
        write_exactly(_encode_lines(*make_event_lines(wire)))


def _encode_lines(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")


NOT_HELD = "The log that the call was imported from does not hold its system prompt."


def show_call(call: RecordedCall, count: Counter, everything: bool = False) -> None:
    """Show a call; with everything, each stretch of it that is from a file."""
    for line in describe_call(call):
        print_line(line)
    sections, tools, messages, total = measure_parts(call, count)
    source = ", of what the log holds" if set(call.unknown) - {"mark"} else ""
    print_heading(f"{count.shown(total)} tokens as counted here ({count.name}){source}")
    for title, parts in (("section", sections), ("tool", tools), ("messages", messages)):
        _show_parts(title, parts, count)
    _show_files(CallFilesView(call), everything)
    if call.select_pieces("system"):
        print_line(f"\n`overture tap show {call.id} --text` prints the whole system prompt.")


def _show_files(files: CallFilesView, everything: bool) -> None:
    if lines := list(files.make_lines(everything)):
        print_heading("Files, as they are now" + (f": {share}" if (share := files.describe_share()) else ""))
        for line in lines:
            print_wrapped(line, "  ")
    positions = list(files.list_positions()) if everything else []
    if positions:
        print_line()
        print_table(positions, heads=("in the call", "from", "how"))


def describe_call(call: RecordedCall) -> Iterator[str]:
    """The lines before the tables."""
    yield f"{call.id}  {call.at}  {call.model or 'no model named'}  {call.form}  {call.host}{call.path}"
    yield f"run {call.run or '?'}, {call.program or 'no program'} in {call.cwd or '?'}"
    times = f", first byte after {call.first_ms:,.0f} ms" if call.first_ms is not None else ""
    duration = f", whole after {call.whole_ms:,.0f} ms" if call.whole_ms is not None else ""
    yield f"status {call.status or 'none'}{', streamed' if call.stream else ''}{times}{duration}"
    yield _describe_usage(call)
    for name, text in (
        ("the provider on its cache", call.diagnosis),
        ("error", call.error),
        ("ended", call.stop),
        (
            "also set",
            _shorten(", ".join(f"{name} {value}" for name, value in {**call.settings, **call.others}.items())),
        ),
        ("tools called", ", ".join(call.calls)),
        ("answer", _shorten(call.reply)),
    ):
        if text:
            yield f"{name}: {' '.join(text.split())}"
    yield from (f"not recorded: {each}" for each in call.missing)


def _describe_usage(call: RecordedCall) -> str:
    usage = call.usage
    if usage is None:
        return "the log holds no counts" if call.unknown else "the provider said nothing of tokens"
    named = (
        ("in", usage.input),
        ("from the cache", usage.read),
        ("to the cache", usage.written),
        ("out", usage.output),
    )
    return "the provider counted: " + ", ".join(f"{value:,} {name}" for name, value in named if value is not None)


def _shorten(text: str, limit: int = 200) -> str:
    return shorten_text(" ".join(text.split()), limit)


def _show_parts(title: str, parts: Sequence[RequestPart], count: Counter) -> None:
    rows = [[count.shown(part.tokens), f"{part.share:.1%}", _make_label(part)] for part in parts]
    if rows:
        print_line()
        print_table(rows, heads=("tokens", "share", title))


def _make_label(part: RequestPart) -> str:
    many = f" ({count_noun(part.count, 'part')})" if part.count > 1 else ""
    return f"{'  ' * max(part.level - 1, 0)}{part.name}{many}"


def write_text(call: RecordedCall) -> None:
    """The system prompt, whole, as it was sent."""
    if not call.select_pieces("system"):
        print_error(NOT_HELD if "system" in call.unknown else f"The call {call.id} has no system prompt.")
        return
    write("\n\n".join(piece.text for piece in call.select_pieces("system")))


def make_call_data(call: RecordedCall, count: Counter, wire: CallWire | None = None) -> dict[str, Any]:
    """The call as JSON: as it is kept, with its parts, and as it was on the wire."""
    sections, tools, messages, total = measure_parts(call, count)
    parts = {"tokens": total, "sections": sections, "tools": tools, "messages": messages}
    data = {"call": msgspec.to_builtins(call), "parts": msgspec.to_builtins(parts), "tokenizer": count.name}
    return {**data, "files": CallFilesView(call).to_data(), "wire": make_wire_data(call, wire)}
