"""PtcRunner: a mission over typed data and tools, answered with one program; the inventory of its data."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice, zip_longest
from typing import Any, NamedTuple

from msgspec.structs import replace

from ...errors import StateError, explain_unknown, list_some
from ...model.diagnostic import Diagnostic, report_line_breaks, warning
from ...model.recipe.body import Body, Group, Part, Skip, keep_in_full
from ...model.recipe.cut_to_beginning import shorter_lines
from ...model.recipe.recipe import Recipe
from ...model.recipe.section import heading, section
from ...model.signature_and_docstring import UnsupportedTypeError
from ...model.source import Source, from_state
from ...model.state.agent_and_runtime import Limits, Mission
from ...model.tool import Tool, takes, text
from ...sections.literal import HIDDEN, LiteralLimits, is_hidden, write_literal
from ...sections.signature import (
    ANY,
    IDENTIFIER,
    Field,
    Function,
    MapOf,
    Type,
    find_faults,
    name_field_in_error,
    parse_function,
    parse_params,
    parse_type,
    render,
    render_type,
)
from ...sections.signature_schemas import MAX_INFERRED_LEVELS, from_schema, infer_all, params_from_schema, signature_of
from ...sections.template import FillRoom, split_placeholders
from ...sections.tools_and_guidelines import TOOLS_REST, active_names
from ...text.escape import choose_fence, escape_cell, inline_code, quote_text
from ...text.normalize import normalize_newlines, tidy, to_one_line
from ...text.scan_for_marks import scan
from ...text.truncate import shorten_to
from .. import read_prose

WORD = re.compile(r"[a-z]{3,}")
COMMON_WORDS = frozenset(
    WORD.findall(
        "all and any are but can each find for from get give given has have into its list make more must not one only "
        "out results return returns set should some that the them then these they this those tool tools use used uses "
        "using value values was when where which will with you your"
    )
)
"""Words that do not describe the purpose of a tool."""

ToolWithField = tuple[str, Tool]
"""A tool and its field of the state, `tools[2]`. The recipe's own tools have an empty field."""


class ToolSelection(NamedTuple):
    """The selected tools, a warning if all are shown because none matched, and the omitted ones."""

    tools: Sequence[ToolWithField]
    notes: tuple[Diagnostic, ...] = ()
    omits: tuple[str, ...] = ()


def select_tools(tools: Sequence[ToolWithField], mission: Mission | None) -> ToolSelection:
    """The tools that a PtcRunner mission asks for; an empty list asks for none. `return` and `fail` always stay."""
    if mission is None or mission.tools is None:
        return ToolSelection(tools)
    wanted = select_relevant(tools, mission) if mission.tools == "relevant" else select_named(tools, mission.tools)
    if mission.tools == "relevant" and not wanted and tools:
        return ToolSelection(tools, (warning("tools-trimmed", "mission.tools excludes all tools, so all are shown"),))
    selected = [(field, tool) for field, tool in tools if tool.name in wanted or tool.name in ("return", "fail")]
    shown = {id(tool) for _, tool in selected}
    omitted = [tool.name for _, tool in tools if id(tool) not in shown]
    if not omitted:
        return ToolSelection(tools)
    return ToolSelection(selected, omits=(f"mission.tools excludes {len(omitted)} of them: {', '.join(omitted)}",))


def select_named(tools: Sequence[ToolWithField], names: Sequence[str]) -> frozenset[str]:
    """The PtcRunner tools in `mission.tools`. An unknown name is an error."""
    known = {tool.name for _, tool in tools} | {"return", "fail"}
    for name in names:
        if name not in known:
            raise StateError(explain_unknown("Tool", name, known)).within("mission.tools")
    return frozenset(names)


def select_relevant(tools: Sequence[ToolWithField], mission: Mission) -> frozenset[str]:
    """PtcRunner's tools whose name or description shares a word with the mission's prompt."""
    prompt_words = extract_telling_words(mission.prompt)
    return frozenset(
        tool.name
        for _, tool in tools
        if prompt_words & extract_telling_words(f"{tool.name} {tool.description or tool.snippet or ''}")
    )


def extract_telling_words(text: str) -> frozenset[str]:
    """The words by which PtcRunner's tools are matched, without the endings of plurals and verbs."""
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower()
    return frozenset(stem_word(word) for word in WORD.findall(split) if word not in COMMON_WORDS)


def stem_word(word: str) -> str:
    """`emails`, `emailing` and `emailed` are one word."""
    for ending in ("ing", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def is_single_turn(mission: Mission | None, tools: tuple[Tool, ...]) -> bool:
    """Whether PtcRunner's mission is a single turn: as `mode` sets it, or with `max_turns` 1 and nothing to call."""
    if mission is None:
        return False
    if mission.mode is not None:
        return mission.mode == "single"
    return mission.max_turns == 1 and not list_callable_names(mission, tools)


def list_callable_names(mission: Mission | None, tools: tuple[Tool, ...]) -> list[str]:
    """The tools that PtcRunner's program can call, without those that Overture adds to end a mission."""
    shown = select_tools([("", tool) for tool in tools], mission).tools
    return [tool.name for _, tool in shown if not tool.planning_only]


def report_contradictions(mission: Mission, tools: tuple[Tool, ...]) -> Iterator[Diagnostic]:
    """The warnings about PtcRunner's tools and settings that contradict `mission.mode`."""
    if mission.mode != "single":
        return
    if mission.max_turns is not None and mission.max_turns > 1:
        message = f"mission.max_turns is {mission.max_turns}, but mission.mode 'single' describes one turn"
        advice = "set max_turns to 1, or mode to 'agent'"
        yield Diagnostic("warning", "mode-turns", f"{message}: {advice}", field="mission.max_turns")
    if names := list_callable_names(mission, tools):
        message = f"mission.mode is 'single', but the program can call {', '.join(names)}; its value is the answer"
        advice = "set mission.tools to [] to show none, or mode to 'agent'"
        yield Diagnostic("warning", "mode-tools", f"{message}: {advice}", field="mission.mode")


ERROR_SCHEMA = takes(
    {"reason": text("The kind of error, in a word."), "message": text("What went wrong.")},
    {
        "op": text("The operation that failed."),
        "details": {"type": "object", "description": "Whatever else is known of it."},
    },
)
FINISH = (
    Tool(
        "return",
        "Complete the mission successfully. Data must match your mission's signature.",
        takes({"data": {"description": "The result of the mission, of any type."}}),
        signature="(data :any) -> :exit-success",
    ),
    Tool(
        "fail",
        "Terminate with an error. Use when the mission cannot be completed.",
        takes({"error": {**ERROR_SCHEMA, "description": "Why the mission can't be completed."}}),
        signature="(error {:reason :keyword, :message :string, :op :string?, :details :map?}) -> :exit-error",
    ),
)
CALL = "## Tools you can call"
PLAN = "## Tools for planning (do not call)"
PLANNING = f"{PLAN}\n\nThese tools are shown for context but cannot be called directly:\n\n"


@section("tools", frame=heading("# Available Tools"), priority=85, headings=(CALL, PLAN))
def ptc_available_tools(tools: tuple[Tool, ...], mission: Mission | None) -> Body:
    """The tools that the program can call, then those that it can only plan with."""
    placed = [(f"tools[{index}]", tool) for index, tool in enumerate(tools)]
    shown, notes, omits = select_tools(placed, mission)
    called = [
        *((field, tool) for field, tool in shown if not tool.planning_only),
        *list_finishing_tools(tools, mission),
    ]
    planned = [(field, tool) for field, tool in shown if tool.planning_only]
    if not called and not planned:
        return Skip("; ".join(("a single turn without tools has nothing to call", *omits)), notes)
    broken = [note for field, tool in shown for note in report_line_breaks(f"{field}.name", tool.name)]
    return Group(
        (_list_tools(called, f"{CALL}\n\n"), _list_tools(planned, PLANNING)),
        sep="\n\n",
        notes=(*notes, *broken),
        omits=omits,
    )


def _list_tools(tools: list[ToolWithField], before: str) -> Group:
    """PtcRunner's tools, one entry each."""
    entries = tuple(write_tool_entry(field, tool) for field, tool in tools)
    return Group(entries, sep="\n\n", before=before, loose="fair", rest=TOOLS_REST)


def list_finishing_tools(tools: tuple[Tool, ...], mission: Mission | None) -> list[ToolWithField]:
    """PtcRunner's `return` and `fail`, unless the caller has its own or there is only one turn."""
    if is_single_turn(mission, tools):
        return []
    names = active_names(tools)
    return [("", tool) for tool in FINISH if tool.name not in names]


def write_tool_entry(field: str, tool: Tool) -> Group:
    """A tool in PtcRunner's list, under its name: the signature in a code block, then what it does."""
    name = to_one_line(tool.name)
    line = name + render(find_tool_signature(field, tool))
    fence = choose_fence(line)
    origin = "signature" if tool.signature else "parameters" if tool.parameters else "name"
    return Group(
        (
            Part(name, _make_field_source(field, "name"), name=tool.name, before="### "),
            Part(line, _make_field_source(field, origin), name=tool.name, before=f"{fence}\n", after=f"\n{fence}"),
            write_tool_description(field, tool),
        ),
        leaner=list_shorter_entries,
    )


def list_shorter_entries(tool: Group) -> tuple[Group, ...]:
    """Shorter forms of PtcRunner's tools: less description, down to the first sentence; only the signature."""
    name, line, about = [part for part in tool.parts if isinstance(part, Part)]
    words = [replace(about, text=text) for text in shorter_lines(to_one_line(about.text))]
    return *[Group((name, line, short)) for short in words], Group((name, line))


def find_tool_signature(field: str, tool: Tool) -> Function:
    """The signature of a PtcRunner tool: its own, or one from the JSON Schema of its arguments and its result."""
    if tool.signature is not None:
        return name_field_in_error(f"{field}.signature", tool.signature, parse_function)
    return Function(params_from_schema(tool.parameters), from_schema(tool.returns) if tool.returns else ANY)


def write_tool_description(field: str, tool: Tool) -> Part:
    """The description in PtcRunner's list of tools. It can't contain the heading of another tool."""
    text = choose_description_text(tool)
    guard = tuple(line for _, line in scan(text).headings if line.startswith("### "))
    source = _make_field_source(field, "description" if tool.description else "snippet")
    # A program needs our `return` and `fail` to end: a budget removes them last.
    return Part(text, source, name=tool.name, guard=guard, priority=50 if field else 90)


def choose_description_text(tool: Tool) -> str:
    """The description, or else the snippet."""
    return tidy(tool.description or tool.snippet or "")[0]


def _make_field_source(field: str, name: str) -> Source | None:
    return from_state(f"{field}.{name}") if field else None


def tool_from(
    source: Callable[..., Any] | Mission,
    *,
    name: str | None = None,
    description: str | None = None,
    signature: str | None = None,
    planning_only: bool = False,
) -> Tool:
    """Make a Tool from a function, or from a sub-agent's mission, with name, description and signature.

    Keywords override. The default description is the first paragraph of the docstring or of the mission's prompt.
    For a function, the result is that of `overture.tool`, with a signature in addition to the schema.
    """
    from ...model.function_tool import define_tool

    tool = (
        _make_mission_tool(source, name)
        if isinstance(source, Mission)
        else define_tool(source, name=name, passed=(UnsupportedTypeError,))
    )
    if signature:
        typed = name_field_in_error(f"{tool.name}.signature", signature, parse_function)
        tool = replace(tool, parameters=None, returns=None)  # the caller's signature replaces the schemas
    else:
        typed = _parse_mission_signature(source) if isinstance(source, Mission) else signature_of(source)
    return replace(
        tool, description=description or tool.description, signature=render(typed), planning_only=planning_only
    )


def _make_mission_tool(source: Mission, name: str | None) -> Tool:
    if not name:
        raise StateError(f"{source!r:.80} has no name.", hint="Pass one: tool_from(…, name='search').")
    return Tool(name, to_one_line(source.prompt.strip().partition("\n\n")[0]) or None)


def _parse_mission_signature(source: Mission) -> Function:
    params = name_field_in_error("data_signature", source.data_signature, parse_params) if source.data_signature else ()
    result = (
        name_field_in_error("output_signature", source.output_signature, parse_type) if source.output_signature else ANY
    )
    return Function(params, result)


MAX_VALUE_CHARS = 500
"""Characters of a value, if the mission sets no limit."""
MAX_REPORTED_FAULTS = 5
"""Mismatches between data and signature that are reported one by one."""
HASHES = re.compile(r"(?:^|(?<=\n))( {0,3})(?=#{1,6}(?:[ \t][^\n]*)?\Z)")
"""The start of a last line that is a heading, or becomes one when text follows it."""


UNLIMITED = LiteralLimits(items=None, keys=None, text=None, names=None, depth=100)


def find_max_value_chars(mission: Mission) -> int:
    """The maximum characters of a value in PtcRunner's mission, or of an error's text."""
    limit = (mission.limits or Limits()).string_truncate
    return MAX_VALUE_CHARS if limit is None else limit


def write_value(field: str, value: Any, limit: int) -> tuple[str, list[Diagnostic]]:
    """A value in PtcRunner's mission: a text unchanged, anything else as a literal; at most `limit` characters."""
    if not isinstance(value, str):
        literal = write_literal(value, UNLIMITED._replace(room=limit))
        notes = [report_cut(field, limit)] if literal.cut else []
        if literal.placeholder:
            lost = f"{field} is written as {literal.placeholder}, without its value; pass a text or a number"
            notes.append(warning("data-opaque", lost))
        return literal.text, notes
    text = normalize_newlines(value)
    return shorten_to(text, limit, dots_beyond=True), [report_cut(field, limit, len(text))] if len(text) > limit else []


def report_cut(field: str, limit: int, size: int | None = None) -> Diagnostic:
    """A warning about a truncated value in PtcRunner's mission."""
    total = "" if size is None else f" of its {size:,}"
    raised = "raise mission.limits.string_truncate to show more"
    return warning("value-cut", f"{field} is truncated to {limit:,}{total} characters; {raised}")


def contain_value(text: str, where: str, before: str, goes_on: bool) -> tuple[str, list[Diagnostic]]:
    """A value, escaped if it would start a heading that the author's text completes.

    `before` is the author's text before it; `goes_on` is whether text follows on its last line. Headings of the
    recipe and fences inside the value are sanitized when the part is rendered.
    """
    begins_line = "\n" in text or not before or before.endswith("\n")
    if goes_on and begins_line and HASHES.search(text):
        note = warning("contained-heading", f"{where}: text that begins a heading is written with `\\#`")
        return HASHES.sub(r"\1\\", text, count=1), [note]
    return text, []


BRACES = re.compile(r"\{\{([^{}\n]+)\}\}")
"""Any text in double braces is a key. An unknown key is an error: it is never printed as it is."""
INDEX = re.compile(r"[0-9]{1,9}")
MISSING = object()


class MissionPiece(NamedTuple):
    """A piece of the author's text, or a placeholder in it."""

    text: str
    key: str
    """The key of a placeholder; empty for other text."""
    line: int


def fill(prompt: str, data: Mapping[str, Any], limit: int) -> Group:
    """The author's text of PtcRunner's mission unchanged, and between it the values, as separate parts."""
    pieces = list(split_prompt(prompt))
    check_keys((piece.key for piece in pieces if piece.key), data)
    values = _write_mission_values(pieces, data, limit)
    # Adjacent values are one part: together they could form text that neither may contain.
    runs = [list(run) for _, run in groupby(pieces, key=lambda piece: bool(piece.key))]
    parts: list[Part] = []
    notes: list[Diagnostic] = []
    before = ""
    for run, after in zip_longest(runs, runs[1:]):
        if run[0].key:
            goes_on = after is not None and not after[0].text.startswith("\n")
            part, value_notes = make_value_part(run, values, before, goes_on)
            notes += value_notes
        else:
            before = "".join(piece.text for piece in run)
            part = Part(before, Source("state", name="mission.prompt", line=run[0].line), trusted=True)
        parts.append(part)
    return Group(tuple(parts), sep="", notes=tuple(notes))


Value = tuple[str, list[Diagnostic]]


def _write_mission_values(pieces: list[MissionPiece], data: Mapping[str, Any], limit: int) -> dict[str, Value]:
    """Each key with its written value, and the diagnostics about it."""
    values: dict[str, Value] = {}
    room = FillRoom()
    for key in [piece.key for piece in pieces if piece.key]:
        if key not in values:
            values[key] = write_value(f"mission.data.{key}", look_up_key(data, key), limit)
        if refused := room.refuses(key, len(values[key][0])):
            raise StateError(
                f"mission.prompt: {refused}.", hint="Use it once, or lower mission.limits.string_truncate."
            )
    return values


def make_value_part(
    run: list[MissionPiece], known: Mapping[str, Value], before: str, goes_on: bool
) -> tuple[Part, list[Diagnostic]]:
    """A part with adjacent values, and the diagnostics about them."""
    values = [known[piece.key] for piece in run]
    where = f"mission.data.{run[0].key}" if len(run) == 1 else "mission.data"
    text, escaped = contain_value("".join(text for text, _ in values), where, before, goes_on)
    cuts = list(dict.fromkeys(note for _, notes in values for note in notes))
    return Part(text, from_state(where), name=run[0].key), cuts + escaped


def split_prompt(prompt: str) -> Iterator[MissionPiece]:
    """Split the prompt of PtcRunner's mission into pieces, without the blank lines around it."""
    text, skipped = tidy(prompt)
    for words, name, line in split_placeholders(text, BRACES):
        if words:
            yield MissionPiece(words, (name or "").strip(), line + skipped)


def check_keys(keys: Iterable[str], data: Mapping[str, Any]) -> None:
    """Raise one error for all missing and all hidden keys."""
    keys = list(dict.fromkeys(keys))
    secret = [key for key in keys if any(map(is_hidden, key.split(".")))]
    shown = set(keys).difference(secret)
    absent = [key for key in keys if key in shown and look_up_key(data, key) is MISSING]
    problems = []
    if absent:
        problems.append(f"mission.data has no value for {_list_keys(absent)}")
    if secret:
        problems.append(f"keys that begin with _ are never shown: {_list_keys(secret)}")
    if problems:
        raise StateError(
            f"mission.prompt: {'; '.join(problems)}.", hint="Set each key, or write \\{{ for literal braces."
        )


def _list_keys(keys: list[str]) -> str:
    return list_some(f"{{{{{key:.200}}}}}" for key in keys)


def look_up_key(data: Any, key: str) -> Any:
    """The value under `a.b` or `a.0.b`, or MISSING."""
    for step in key.split("."):
        if isinstance(data, Mapping) and step in data:
            data = data[step]
        elif isinstance(data, (list, tuple)) and INDEX.fullmatch(step) and int(step) < len(data):
            data = data[int(step)]
        else:
            return MISSING
    return data


@section("mission", pace="turn", frame=heading("# Mission"), priority=100, required=True)
def ptc_mission(mission: Mission | None) -> Body:
    """The user's task, and the type of its result."""
    if mission is None:
        return Skip("no mission is given")
    filled = fill(mission.prompt, mission.data or {}, find_max_value_chars(mission))
    body = Group((filled, *write_return_format(mission)), sep="\n\n")
    return body if mission.prompt.strip() or mission.output_signature else Skip("the mission's prompt is blank")


def write_return_format(mission: Mission) -> tuple[Part, ...]:
    """`Return format: {count :int}`, if the mission has an output signature."""
    if mission.output_signature is None:
        return ()
    type = name_field_in_error("mission.output_signature", mission.output_signature, parse_type)
    return (Part(render_type(type), from_state("mission.output_signature"), before="Return format: "),)


ERROR_CONTEXT = "- **Context**: `ctx/fail` contains the full error details"


def _write_error(field: str, full: str, limit: int, what: str) -> tuple[Part, list[Diagnostic]]:
    """One line about an error, and a warning if it is truncated."""
    text, cut = write_value(field, full, limit)
    return Part(text, from_state(field), name=field, before=f"- **{what}**: ", whole=full if cut else ""), cut


@section("previous-turn-error", pace="turn", frame=heading("# Previous Turn Error"), priority=90)
def ptc_previous_turn_error(mission: Mission | None) -> Body:
    """The error of the previous turn, so that the program can be fixed."""
    if mission is None or mission.error is None:
        return Skip("the previous turn did not fail")
    error, limit = mission.error, find_max_value_chars(mission)
    # One line each, so that they stay list items, with the same limit as other values.
    kind, kind_cut = _write_error("mission.error.type", to_one_line(error.type) or "unknown_error", limit, "Error")
    message, message_cut = _write_error(
        "mission.error.message", to_one_line(error.message) or "Unknown error", limit, "Message"
    )
    parts = (kind, message, ERROR_CONTEXT)
    broken = report_line_breaks("mission.error.type", error.type)  # a message may have several lines
    absent = warning("error-details", "the prompt mentions ctx/fail, but mission.error.details is not set")
    return Group(
        parts,
        before="Your previous program failed with:\n",
        after="\n\nPlease fix the issue and try again.",
        notes=(*broken, *kind_cut, *message_cut, *(() if error.details is not None else (absent,))),
    )


def report_misfits(mission: Mission, declared: tuple[Field, ...]) -> Iterator[Diagnostic]:
    """Warnings about the mission's data: it does not match the signature, or a program can't write its keys."""
    data = mission.data or {}
    for key in data:
        if not IDENTIFIER.fullmatch(key):
            name = quote_text(shorten_to(key, 60))
            yield warning("data-key", f"mission.data: a program can't write ctx/{name}; rename the key")
    if "fail" in data and mission.error is not None and mission.error.details is not None:
        yield warning(
            "data-key", "mission.data.fail is replaced by mission.error.details, which is ctx/fail; rename it"
        )
    faults = find_faults(data, MapOf(declared))
    for fault in islice(faults, MAX_REPORTED_FAULTS):
        yield warning("data-mismatch", f"mission.data.{fault}; see mission.data_signature")
    if more := sum(1 for _ in faults):
        yield warning(
            "data-mismatch",
            f"mission.data: {more} more {'value does' if more == 1 else 'values do'} not match mission.data_signature",
        )


ROWS_REST = "| [{shown} of {all} rows are shown: there is no room for the others.] | | |"
HEAD = """Available in `ctx/`:

| Key | Type | Sample |
|-----|------|--------|
"""
NOTE = """

Note: Firewalled fields (prefixed with `_`) show `[Hidden]` in the Sample column
but are available in your program at runtime."""

MAX_TYPE_CHARS = 300
"""Characters beyond which an inferred type is written with fewer levels."""

MAX_SAMPLE_CHARS = 1000
"""Characters of a sample in addition to the texts of `string_truncate` characters."""


@section("data-inventory", pace="turn", frame=heading("# Data Inventory"), priority=80)
def ptc_data_inventory(mission: Mission | None) -> Body:
    """The data that the program reads as `ctx/name`: type and sample of each."""
    if mission is None:
        return Skip("no mission is given")
    declared = parse_declared_fields(mission)
    notes = tuple(report_misfits(mission, declared))
    values = list_data_values(mission)
    if not values:
        return Skip("the mission has no data", notes=notes)
    types = {field.name: field.type for field in declared}
    limits = mission.limits or Limits()
    rows = [write_data_row(key, value, types.get(key), limits, field) for key, (value, field) in values.items()]
    hides = any(hide for _, hide in rows)
    shown = tuple(part for part, _ in rows)
    return Group(shown, before=HEAD, after=NOTE if hides else "", notes=notes, loose="fair", rest=ROWS_REST)


def list_data_values(mission: Mission) -> dict[str, tuple[Any, str]]:
    """Each key of PtcRunner's data with its value and field; the details of an error have the key `fail`."""
    values = {key: (value, f"mission.data.{key}") for key, value in (mission.data or {}).items()}
    if mission.error is not None and mission.error.details is not None:
        values.pop("fail", None)
        values["fail"] = mission.error.details, "mission.error.details"
    return values


def parse_declared_fields(mission: Mission) -> tuple[Field, ...]:
    """The keys and types of PtcRunner's data, from `data_signature`."""
    if mission.data_signature is None:
        return ()
    return name_field_in_error("mission.data_signature", mission.data_signature, parse_params)


def write_data_row(key: str, value: Any, declared: Type | None, limits: Limits, field: str) -> tuple[Part, bool]:
    """A row of PtcRunner's data inventory, and whether it has a hidden value."""
    name = key if IDENTIFIER.fullmatch(key) else quote_text(shorten_to(key, 100))
    type = render_type(declared) if declared else infer_type(value, is_hidden(key))
    sample, hides = write_sample(key, value, limits)
    cells = (inline_code(f"ctx/{name}"), inline_code(type), sample)
    return Part(" | ".join(map(escape_cell, cells)), from_state(field), name=key, before="| ", after=" |"), hides


def write_sample(key: str, value: Any, limits: Limits) -> tuple[str, bool]:
    """A sample in PtcRunner's inventory, such as `[1, 2, 3, ...]` (5 items), and whether it has a hidden value."""
    if is_hidden(key):
        return HIDDEN, True
    literal = write_literal(value, choose_sample_limits(limits))
    return inline_code(literal.text) + (f" ({literal.total})" if literal.total else ""), literal.hides


def choose_sample_limits(limits: Limits) -> LiteralLimits:
    """The limits of a sample in PtcRunner's inventory: the defaults, or the mission's `string_truncate`."""
    items, text = limits.list_sample, limits.string_truncate
    if text is None:
        return LiteralLimits(items=items)
    return LiteralLimits(items=items, text=text, dots_beyond=True, room=MAX_SAMPLE_CHARS + text * max(1, items))


def infer_type(value: Any, secret: bool) -> str:
    """The type of a value of PtcRunner's data, as detailed as a cell can hold; without keys for a hidden value."""
    rendered = ""
    for levels in range(MAX_INFERRED_LEVELS, 0, -1):
        rendered = render_type(infer_all((value,), levels, secret))
        if len(rendered) <= MAX_TYPE_CHARS:
            break
    return rendered


ROLE = read_prose(__package__, "role.md")
ROLE_SINGLE = read_prose(__package__, "role-single.md")
ROLE_DIRECT = read_prose(__package__, "role-direct.md")
RULES = read_prose(__package__, "rules.md")
RULES_AGENT = r"""
6. Call `(return result)` when the mission is complete
7. Call `(fail {:reason :keyword :message "..."})` on unrecoverable errors"""
REFERENCE = read_prose(__package__, "reference.md")
PATTERNS = read_prose(__package__, "patterns.md")
PATTERNS_SINGLE = read_prose(__package__, "patterns-single.md")
OUTPUT = read_prose(__package__, "output.md")
OUTPUT_SINGLE = read_prose(__package__, "output-single.md")
TOPICS = tuple(line for line in f"{REFERENCE}\n{PATTERNS}".split("\n") if line.startswith("## "))


NO_MISSION = "no mission is set: the prompt asks for a program without a purpose; set mission.prompt"


@section("role", pace="static", frame=heading("# Role"), priority=100, required=True)
def ptc_role(mission: Mission | None, tools: tuple[Tool, ...]) -> Body:
    """What the model writes: programs over several turns, one program that calls tools, or one expression."""
    missing = Diagnostic("warning", "mission-missing", NO_MISSION, field="mission")
    notes = () if mission and mission.prompt.strip() else (missing,)
    if mission is None or not is_single_turn(mission, tools):
        return Group((ROLE,), notes=notes) if notes else ROLE
    text = ROLE_DIRECT if list_callable_names(mission, tools) else ROLE_SINGLE
    return Group((text,), notes=(*notes, *report_contradictions(mission, tools)))


@section("rules", pace="static", frame=heading("# Rules"), priority=95, required=True, in_program=True)
def ptc_rules(mission: Mission | None, tools: tuple[Tool, ...]) -> Body:
    """The limits of a program; how to end a mission, if there is a tool for it."""
    return RULES if is_single_turn(mission, tools) else RULES + RULES_AGENT


@section("reference", pace="static", frame=heading("# PTC-Lisp Quick Reference"), priority=20, headings=TOPICS)
def ptc_reference(mission: Mission | None, tools: tuple[Tool, ...]) -> Body:
    """The language on one card."""
    if mission is not None and mission.limits is not None and mission.limits.omit_reference:
        return Skip("mission.limits.omit_reference is set")
    card = f"{REFERENCE}\n\n{PATTERNS_SINGLE if is_single_turn(mission, tools) else PATTERNS}"
    return Part(card, trusted=True, leaner=keep_in_full)


@section("output-format", pace="static", frame=heading("# Output Format"), priority=95, required=True)
def ptc_output_format(mission: Mission | None, tools: tuple[Tool, ...]) -> Body:
    """One code block, and nothing around it."""
    return OUTPUT_SINGLE if is_single_turn(mission, tools) else OUTPUT


RECIPE = Recipe(
    "ptc",
    sections=(
        ptc_role,
        ptc_rules,
        ptc_data_inventory,
        ptc_available_tools,
        ptc_reference,
        ptc_output_format,
        ptc_mission,
        ptc_previous_turn_error,
    ),
    about="An agent that answers with one PTC-Lisp program: typed data, tool signatures, language card, mission.",
)
