"""What the agent can do and how: memory, tools, the way to call them, guidelines, silent replies."""

from ...model.body import Body, Group, Part, Skip
from ...model.diagnostic import warning
from ...model.rule import Rule
from ...model.section import heading, section
from ...model.source import from_state
from ...model.tidy import one_line
from ...model.tool import Tool
from ...sections.rules import active_names, bullets, fired
from ...sections.rules import guidelines as table_bullets
from ...sections.tools import MORE, in_full, short_line
from .. import prose
from .rules import MEMORY, RULES

CALLING = prose(__package__, "calling.md")
SILENCE = prose(__package__, "silence.md")
MEMORY_TOOLS = "What you learn can outlast this session. Your tools for that: "
NO_TOOLS = Skip("no tool is active")
DESCRIPTION = 160
"""Characters of a description that a native tool's line shows."""


@section("memory", frame=heading("## Long-Term Memory"), priority=45, rules=MEMORY)
def memory(rules: tuple[Rule, ...], tools: tuple[Tool, ...]) -> Body:
    """How to use the active memory tools, and which they are."""
    names = [
        Part(one_line(tool.name), from_state(f"tools[{index}].name"), tool.name, before="`", after="`")
        for index, tool in enumerate(tools)
        if tool.name.startswith("memory_") and not tool.planning_only
    ]
    if not names:
        return Skip("no memory tool is active")
    hints = bullets(fired(rules, tools)) or ""
    return Group((Group(tuple(names), sep=", ", before=MEMORY_TOOLS, after="."), hints), sep="\n\n")


@section("tools", frame=heading("## Available Tools"), priority=85)
def tools(tools: tuple[Tool, ...], native_tools: bool) -> Body:
    """The active tools: a line each where the provider knows their schemas, or else in full."""
    active = [(index, tool) for index, tool in enumerate(tools) if not tool.planning_only]
    passed = [tool.name for tool in tools if tool.planning_only]
    message = f"Moltis lists only tools that can be called: {', '.join(passed)} (planning only) left out"
    notes = (warning("tool-planning-only", message),) if passed else ()
    if not active:
        return Skip(NO_TOOLS.reason, notes)
    if native_tools:
        lines = tuple([short_line(index, tool, DESCRIPTION) for index, tool in active])
        return Group(lines, notes=notes, loose="fair", rest=MORE)
    headings = tuple(f"### {one_line(tool.name)}" for _, tool in active)
    described = tuple([in_full(index, tool, "###", headings) for index, tool in active])
    return Group(described, sep="\n\n", notes=notes, loose="fair", rest=MORE)


@section("calling", pace="static", frame=heading("## How to call tools"), priority=85)
def calling(tools: tuple[Tool, ...], native_tools: bool) -> Body:
    """How to write a tool call, where the provider has no form of its own for it."""
    if native_tools:
        return Skip("the provider calls tools natively")
    return CALLING if active_names(tools) else NO_TOOLS


@section("guidelines", pace="static", frame=heading("## Guidelines"), priority=60, rules=RULES)
def guidelines(rules: tuple[Rule, ...], tools: tuple[Tool, ...]) -> Body:
    """How to work: two general lines, and more for the active tools."""
    return table_bullets(rules, tools) or Skip("no rule fires")


@section("silent-replies", pace="static", frame=heading("## Silent Replies"), priority=35)
def silent_replies(tools: tuple[Tool, ...]) -> Body:
    """When to say nothing: the output of a tool may be the whole answer."""
    return SILENCE if active_names(tools) else NO_TOOLS
