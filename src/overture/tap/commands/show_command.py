"""`overture tap show`: one call with its sections, tools, messages and response, or the bytes as they were sent."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click
import msgspec

from ...errors import ConfigError
from ...terminal.options import AS_JSON
from ...terminal.output import (
    count_noun,
    print_error,
    print_heading,
    print_line,
    print_table,
    print_wrapped,
    write,
    write_exactly,
    write_json,
)
from ...text.invisible import escape_to_line
from ...text.normalize import replace_surrogates
from ...text.words import shorten_text
from ...tokens.counter import Counter
from ...tokens.load_tokenizer import find_counter
from ..log_formats.log_entries import NEVER
from ..recorded_call import CallWire, RecordedCall
from .choose_store_and_calls import (
    CWD,
    STORE,
    TOKENIZER,
    RunNames,
    find_recorded_call,
    format_store_option,
    open_recorded_store,
)

if TYPE_CHECKING:
    from ..judge.prompt_sections import RequestPart
    from .describe_call_files import CallFilesView
    from .json_outputs import WireOutput


def make_wire_data(call: RecordedCall, wire: CallWire | None) -> "WireOutput | None":
    """The wire as JSON; a body that is no UTF-8 has U+FFFD in the place of its odd bytes."""
    from ..wire.curl import make_url

    if wire is None:
        return None
    return {
        "method": wire.method,
        "url": make_url(call, wire),
        "over": wire.over,
        "request_headers": list(wire.request_headers),
        "response_headers": list(wire.response_headers),
        "request": None if wire.request is None else replace_surrogates(wire.request),
    }


def make_head_lines(call: RecordedCall, wire: CallWire) -> Iterator[str]:
    """Both heads, as HTTP writes them, with an empty line between."""
    yield f"{wire.method} {wire.path} HTTP/1.1"
    yield from (f"{name}: {value}" for name, value in wire.request_headers)
    yield ""
    yield f"HTTP/1.1 {call.status}" if call.status else "no response"
    yield from (f"{name}: {value}" for name, value in wire.response_headers)


def show_wire(call: RecordedCall, wire: CallWire | None, wanted: str) -> None:
    """Print the output of an option, or one line if it was not recorded."""
    from ..wire.curl import make_curl

    if wire is None:
        why = "the log that it was imported from does not contain them."
        raise ConfigError(f"The call {call.id} has no recorded bytes: {why}")
    if wanted == "--request":
        if wire.request is None:
            message = f"The request's body of call {call.id} was not recorded."
            raise ConfigError(message, hint=f"`overture tap show {call.id}` shows why.")
        write_exactly(wire.body)
    elif wanted == "--headers":
        write_exactly(_encode_lines(*make_head_lines(call, wire)))
    else:
        write_exactly(make_curl(call, wire).encode("utf-8", "replace"))


def _encode_lines(*lines: str) -> bytes:
    """Lines that `show` prints, as bytes."""
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")


NOT_HELD = "The log that this call was imported from does not contain its system prompt."


def show_call(call: RecordedCall, count: Counter, everything: bool, store_option: str) -> None:
    """Show a call; with `everything`, also each span that is from a file."""
    from ..judge.prompt_sections import measure_parts
    from .describe_call_files import CallFilesView

    for line in describe_call(call):
        print_line(escape_to_line(line))
    sections, tools, messages, total = measure_parts(call, count.by_lines)
    source = ", of what the log contains" if set(call.unknown) - {"mark"} else ""
    print_heading(f"{count.describe(total)}, counted here ({count.name}){source}")
    for title, parts in (("section", sections), ("tool", tools), ("messages", messages)):
        if parts:
            print_line()
            rows = [[count.shown(part.tokens), f"{part.share:.1%}", _make_label(part)] for part in parts]
            print_table(rows, heads=("tokens", "share", title))
    _show_files(CallFilesView(call, tool_files=everything), everything)
    if call.select_pieces("system"):
        print_line(f"\nhint: `overture tap show {call.id} --text{store_option}` prints the whole system prompt")


def _show_files(files: "CallFilesView", everything: bool) -> None:
    if lines := list(files.make_lines(everything)):
        print_heading(f"Files, as they are now: {files.describe_share()}".removesuffix(": "))
        for line in lines:
            print_wrapped(line, "  ")
    if everything and (positions := list(files.list_positions())):
        print_line()
        print_table(positions, heads=("in the call", "from", "how"))


def describe_call(call: RecordedCall) -> Iterator[str]:
    """The lines that `show` prints before the tables of a call."""
    where = f"{call.path} (dry run: no provider was called)" if call.dry_run else f"{call.host}{call.path}"
    at = "at an unknown time" if call.at == NEVER else call.at
    yield f"{call.id}  {at}  {call.model or 'no model named'}  {call.form}  {where}"
    yield f"run {call.run or '?'}, {call.program or 'no program'} in {call.cwd or '?'}"
    times = f", first byte after {call.first_ms:,.0f} ms" if call.first_ms is not None else ""
    duration = f", complete after {call.whole_ms:,.0f} ms" if call.whole_ms is not None else ""
    yield f"status {call.status or 'none'}{', streamed' if call.stream else ''}{times}{duration}"
    yield _describe_usage(call)
    for name, text in (
        ("the provider about its cache", call.diagnosis),
        ("error", call.error),
        ("stop reason", call.stop),
        (
            "also set",
            _shorten(", ".join(f"{name} {value}" for name, value in {**call.settings, **call.others}.items())),
        ),
        ("tools called", ", ".join(call.calls)),
        ("response", _shorten(call.reply)),
    ):
        if text:
            yield f"{name}: {' '.join(text.split())}"
    yield from (f"not recorded: {each}" for each in call.missing)


def _describe_usage(call: RecordedCall) -> str:
    usage = call.usage
    if usage is None and call.dry_run:
        return "no counts: Overture answered this call itself"
    if usage is None:
        return "the log has no counts" if call.unknown else "the provider reported no tokens"
    named = (
        ("in", usage.input),
        ("from the cache", usage.read),
        ("to the cache", usage.written),
        ("out", usage.output),
    )
    return "the provider reported: " + ", ".join(f"{value:,} {name}" for name, value in named if value is not None)


def _shorten(text: str) -> str:
    """A text that `show` prints, on one line."""
    return shorten_text(" ".join(text.split()), 200)


def _make_label(part: "RequestPart") -> str:
    """How `show` names a part of the call, indented by its level."""
    many = f" ({count_noun(part.count, 'part')})" if part.count > 1 else ""
    return f"{'  ' * max(part.level - 1, 0)}{part.name}{many}"


def show_system_prompt(call: RecordedCall) -> None:
    """The system prompt, whole, as it was sent."""
    if not call.select_pieces("system"):
        why = NOT_HELD if "system" in call.unknown else f"The call {call.id} has no system prompt."
        print_error(f"warning: {why}")
        return
    write("\n\n".join(piece.text for piece in call.select_pieces("system")))


def make_call_data(call: RecordedCall, count: Counter, wire: CallWire | None) -> dict[str, Any]:
    """The call as JSON: as it is kept, with its parts, and as it was on the wire."""
    from ..judge.prompt_sections import measure_parts
    from .describe_call_files import CallFilesView

    sections, tools, messages, total = measure_parts(call, count.by_lines)
    parts = {"tokens": total, "sections": sections, "tools": tools, "messages": messages}
    data = {"call": msgspec.to_builtins(call), "parts": msgspec.to_builtins(parts), "tokenizer": count.name}
    return {**data, "files": CallFilesView(call, tool_files=True).to_data(), "wire": make_wire_data(call, wire)}


@click.command("show")
@click.argument("id", required=False)
@click.option("--text", is_flag=True, help="Print only the whole system prompt.")
@click.option("--sources", is_flag=True, help="List all text that came from a file, with file and line.")
@click.option("--request", is_flag=True, help="Print the request's body as sent, without secrets.")
@click.option("--headers", is_flag=True, help="Print the headers of request and response, without keys.")
@click.option("--curl", is_flag=True, help="Print a command that sends the request again.")
@STORE
@CWD
@TOKENIZER
@AS_JSON
def command(
    id: str | None, text: bool, sources: bool, request: bool, headers: bool, curl: bool,
    store: str | None, cwd: str | None, tokenizer: str | None, as_json: bool,
) -> int:  # fmt: skip
    """Show one call: its sections, tools, messages.

    Each part has its tokens and its share. Then the response, and your files, as they are now, that the request
    contains: which lines were sent, where one was truncated, and which instruction files were not sent and why.

    ID is an id from `overture tap list`, or its first characters. Default: the newest call.

    \b
    overture tap show                    the newest call
    overture tap show 3f --text          another call's system prompt
    overture tap show --sources          the file and line of each text
    overture tap show --request | jq .   its body, byte for byte
    overture tap show --curl | bash      send it again, with your key
    """
    wires = {"--request": request, "--headers": headers, "--curl": curl}
    wanted = _choose_output({**wires, "--text": text, "--json": as_json}, sources)
    with open_recorded_store(store, cwd) as open_store:
        stored = find_recorded_call(open_store, id)
        call, names = stored.read_call(), RunNames(open_store.list_runs(), [stored], id)
        wire = stored.read_wire() if as_json or wanted in wires else None
    if wanted in wires:
        show_wire(call, wire, wanted)
    elif text:
        show_system_prompt(call)
    elif as_json:
        write_json(make_call_data(call, find_counter(tokenizer), wire))
    else:
        for line in names.make_lines():
            print_line(line)
        show_call(call, find_counter(tokenizer), sources, format_store_option(store, cwd))
    return 0


def _choose_output(options: dict[str, bool], sources: bool) -> str:
    """The one thing that is asked for; empty: the call as a whole."""
    wanted_names = [name for name, wanted in options.items() if wanted]
    wanted_names += ["--sources"] if sources and wanted_names != ["--json"] else []
    if len(wanted_names) > 1:
        raise ConfigError(
            f"{', '.join(wanted_names[:-1])} and {wanted_names[-1]} can't be combined.", hint="Pass one of them."
        )
    return wanted_names[0] if wanted_names else ""
