"""PtcRunner: a mission over typed data and tools, answered with one program; the inventory of its data."""

from typing import Any

from ...model.diagnostic import Diagnostic
from ...model.recipe.body import Body, Group, Part, Skip, keep_in_full
from ...model.recipe.recipe import Recipe
from ...model.recipe.section import heading, section
from ...model.source import from_state
from ...model.state.agent_and_runtime import Limits, Mission
from ...model.tool import Tool
from ...sections.literal import HIDDEN, LiteralLimits, is_hidden, write_literal
from ...sections.signature.parse import name_field_in_error, parse_params
from ...sections.signature.types import IDENTIFIER, Field, Type, render_type
from ...sections.signature.types_from_schemas import MAX_INFERRED_LEVELS, infer_all
from ...text.escape import escape_cell, inline_code, quote_text
from ...text.truncate import shorten_to
from .. import read_prose
from .mission import ptc_mission, ptc_previous_turn_error, report_misfits
from .tools import is_single_turn, list_callable_names, ptc_available_tools, report_contradictions

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
