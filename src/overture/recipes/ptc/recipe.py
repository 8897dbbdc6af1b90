"""PtcRunner: a mission over typed data and tools, answered with one program."""

from ...model.diagnostic import Diagnostic
from ...model.recipe.body import Body, Group, Part, Skip, keep_in_full
from ...model.recipe.recipe import DocumentedSize, Recipe
from ...model.recipe.section import heading, section
from ...model.state.agent_and_runtime import Mission
from ...model.tool import Tool
from .. import prose
from .inventory import data_inventory
from .mission import mission, previous_turn_error
from .tools import available_tools, callable_names, report_contradictions, single_turn

SIZES = (
    DocumentedSize("Role & Purpose", "~50 tokens, fixed", section="role"),
    DocumentedSize("Environment Rules", "~80 tokens, fixed", section="rules"),
    DocumentedSize("Data Inventory", "~10 tokens per field", section="data-inventory"),
    DocumentedSize("Tool Schemas", "~30 tokens per tool", section="tools"),
    DocumentedSize("PTC-Lisp Reference", "~400 tokens, can be trimmed", section="reference"),
    DocumentedSize("Output Format", "~50 tokens, fixed", section="output-format"),
    DocumentedSize("Mission Prompt", "variable, user-defined", section="mission"),
)
ROLE = prose(__package__, "role.md")
ROLE_SINGLE = prose(__package__, "role-single.md")
ROLE_DIRECT = prose(__package__, "role-direct.md")
RULES = prose(__package__, "rules.md")
RULES_AGENT = r"""
6. Call `(return result)` when the mission is complete
7. Call `(fail {:reason :keyword :message "..."})` on unrecoverable errors"""
REFERENCE = prose(__package__, "reference.md")
PATTERNS = prose(__package__, "patterns.md")
PATTERNS_SINGLE = prose(__package__, "patterns-single.md")
OUTPUT = prose(__package__, "output.md")
OUTPUT_SINGLE = prose(__package__, "output-single.md")
TOPICS = tuple(line for line in f"{REFERENCE}\n{PATTERNS}".split("\n") if line.startswith("## "))


NO_MISSION = "no mission is set: the prompt asks for a program without a purpose; set mission.prompt"


@section("role", pace="static", frame=heading("# Role"), priority=100, required=True)
def role(mission: Mission | None, tools: tuple[Tool, ...]) -> Body:
    """What the model writes: programs over several turns, one program that calls tools, or one expression."""
    missing = Diagnostic("warning", "mission-missing", NO_MISSION, field="mission")
    notes = () if mission and mission.prompt.strip() else (missing,)
    if mission is None or not single_turn(mission, tools):
        return Group((ROLE,), notes=notes) if notes else ROLE
    text = ROLE_DIRECT if callable_names(mission, tools) else ROLE_SINGLE
    return Group((text,), notes=(*notes, *report_contradictions(mission, tools)))


@section("rules", pace="static", frame=heading("# Rules"), priority=95, required=True, in_program=True)
def rules(mission: Mission | None, tools: tuple[Tool, ...]) -> Body:
    """The limits of a program; how to end a mission, if there is a tool for it."""
    return RULES if single_turn(mission, tools) else RULES + RULES_AGENT


@section("reference", pace="static", frame=heading("# PTC-Lisp Quick Reference"), priority=20, headings=TOPICS)
def reference(mission: Mission | None, tools: tuple[Tool, ...]) -> Body:
    """The language on one card."""
    if mission is not None and mission.limits is not None and mission.limits.omit_reference:
        return Skip("mission.limits.omit_reference is set")
    card = f"{REFERENCE}\n\n{PATTERNS_SINGLE if single_turn(mission, tools) else PATTERNS}"
    return Part(card, trusted=True, leaner=keep_in_full)


@section("output-format", pace="static", frame=heading("# Output Format"), priority=95, required=True)
def output_format(mission: Mission | None, tools: tuple[Tool, ...]) -> Body:
    """One code block, and nothing around it."""
    return OUTPUT_SINGLE if single_turn(mission, tools) else OUTPUT


RECIPE = Recipe(
    "ptc",
    sections=(
        role,
        rules,
        data_inventory,
        available_tools,
        reference,
        output_format,
        mission,
        previous_turn_error,
    ),
    about="An agent that answers with one PTC-Lisp program: typed data, tool signatures, language card, mission.",
    sizes=SIZES,
)
