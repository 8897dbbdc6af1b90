"""The tools that a program can call, those it can only plan with, and the two that end a mission."""

from msgspec.structs import replace

from ...model.line_breaks import line_breaks
from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.section import heading, section
from ...model.source import Source, from_state
from ...model.state.tasks import Mission
from ...model.state.tool import Tool, takes, text
from ...sections.escape_markup import fence_around
from ...sections.guidelines import active_names
from ...sections.shorten_text import briefer
from ...sections.signature.parse import parse_function
from ...sections.signature.schema import from_schema, params_from_schema
from ...sections.signature.types import ANY, Function, render, signed
from ...sections.tool_lines import MORE
from ...text.normalize import one_line, tidy
from ...text.scan import scan
from .mode import single_turn
from .shown_tools import Placed, trimmed

REASON = takes(
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
        takes({"error": {**REASON, "description": "Why the mission can't be completed."}}),
        signature="(error {:reason :keyword, :message :string, :op :string?, :details :map?}) -> :exit-error",
    ),
)
CALL = "## Tools you can call"
PLAN = "## Tools for planning (do not call)"
PLANNING = f"{PLAN}\n\nThese tools are shown for context but cannot be called directly:\n\n"


@section("tools", frame=heading("# Available Tools"), priority=85, headings=(CALL, PLAN))
def available_tools(tools: tuple[Tool, ...], mission: Mission | None) -> Body:
    """The tools that the program can call, then those that it can only plan with."""
    placed = [(f"tools[{index}]", tool) for index, tool in enumerate(tools)]
    shown, notes, omits = trimmed(placed, mission)
    called = [*((field, tool) for field, tool in shown if not tool.planning_only), *finish(tools, mission)]
    planned = [(field, tool) for field, tool in shown if tool.planning_only]
    if not called and not planned:
        return Skip("; ".join(("a single turn without tools has nothing to call", *omits)), notes)
    broken = [note for field, tool in shown for note in line_breaks(f"{field}.name", tool.name)]
    return Group(
        (
            _listed(called, f"{CALL}\n\n"),
            _listed(planned, PLANNING),
        ),
        sep="\n\n",
        notes=(*notes, *broken),
        omits=omits,
    )


def _listed(tools: list[Placed], before: str) -> Group:
    entries = tuple(entry(field, tool) for field, tool in tools)
    return Group(entries, sep="\n\n", before=before, loose="fair", rest=MORE)


def finish(tools: tuple[Tool, ...], mission: Mission | None) -> list[Placed]:
    """`return` and `fail`, unless the caller has its own or there is only one turn."""
    if single_turn(mission, tools):
        return []
    given = active_names(tools)
    return [("", tool) for tool in FINISH if tool.name not in given]


def entry(field: str, tool: Tool) -> Group:
    """A tool under its name: the signature in a code block, then what it does."""
    name = one_line(tool.name)
    line = name + render(signature(field, tool))
    fence = fence_around(line)
    said = "signature" if tool.signature else "parameters" if tool.parameters else "name"
    return Group(
        (
            Part(name, _source(field, "name"), name=tool.name, before="### "),
            Part(line, _source(field, said), name=tool.name, before=f"{fence}\n", after=f"\n{fence}"),
            description(field, tool),
        ),
        leaner=leaner_entry,
    )


def leaner_entry(tool: Group) -> tuple[Group, ...]:
    """Less of what it does, down to the first sentence; the signature alone, which is what a call needs."""
    name, line, about = [part for part in tool.parts if isinstance(part, Part)]
    words = [replace(about, text=said, marks=None) for said in briefer(one_line(about.text))]
    return *[Group((name, line, short)) for short in words], Group((name, line))


def signature(field: str, tool: Tool) -> Function:
    """As the tool gives it, or else from the JSON Schema of its arguments and of its result."""
    if tool.signature is not None:
        return signed(f"{field}.signature", tool.signature, parse_function)
    return Function(params_from_schema(tool.parameters), from_schema(tool.returns) if tool.returns else ANY)


def description(field: str, tool: Tool) -> Part:
    """What the tool does. It can't write the heading of another tool."""
    text = said(tool)
    marks = scan(text)
    guard = tuple(line for _, line in marks.headings if line.startswith("### "))
    source = _source(field, "description" if tool.description else "snippet")
    # `return` and `fail` are ours, and no program ends without them: under a budget they go last.
    return Part(text, source, name=tool.name, marks=marks, guard=guard, priority=50 if field else 90)


def said(tool: Tool) -> str:
    """The description, or else the snippet."""
    return tidy(tool.description or tool.snippet or "")[0]


def _source(field: str, name: str) -> Source | None:
    return from_state(f"{field}.{name}") if field else None
