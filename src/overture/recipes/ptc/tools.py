"""The tools of a mission: which are listed, how the two modes call them, and how to make one from a function."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from ...errors import StateError, explain_unknown
from ...model.annotation_schema import UnsupportedTypeError
from ...model.diagnostic import Diagnostic, report_line_breaks, warning
from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.cut_to_beginning import shorter_lines
from ...model.recipe.section import heading, section
from ...model.source import Source, from_state
from ...model.state.agent_and_runtime import Mission
from ...model.tool import Tool, takes, text
from ...sections.signature.parse import name_field_in_error, parse_function, parse_params, parse_type
from ...sections.signature.types import ANY, Function, render
from ...sections.signature.types_from_schemas import from_schema, params_from_schema, signature_of
from ...sections.tools_and_guidelines import TOOLS_REST, active_names
from ...text.escape import choose_fence
from ...text.normalize import tidy, to_one_line
from ...text.scan_for_marks import scan

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
        (
            _list_tools(called, f"{CALL}\n\n"),
            _list_tools(planned, PLANNING),
        ),
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
