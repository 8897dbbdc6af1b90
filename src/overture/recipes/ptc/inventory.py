"""The data inventory: one row for each key of the data, with its type and a sample."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from ...model.diagnostic import Diagnostic, warning
from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.section import heading, section
from ...model.source import from_state
from ...model.state.agent_and_runtime import Limits, Mission
from ...sections.literal import HIDDEN, LiteralLimits, is_hidden, shorten_to, write_literal
from ...sections.signature.convert import MAX_INFERRED_LEVELS, infer_all
from ...sections.signature.parse import name_field_in_error, parse_params
from ...sections.signature.types import IDENTIFIER, Field, MapOf, Type, render_type
from ...sections.signature.validate import find_faults
from ...text.escape import escape_cell, inline_code, quote_text

ROWS_REST = "| [{shown} of {all} rows are shown: there is no room for the others.] | | |"
HEAD = """Available in `ctx/`:

| Key | Type | Sample |
|-----|------|--------|
"""
NOTE = """

Note: Firewalled fields (prefixed with `_`) show `[Hidden]` in the Sample column
but are available in your program at runtime."""

MAX_TYPE_CHARS = 300
"""Characters beyond which an inferred type is told with fewer levels."""

MAX_SAMPLE_CHARS = 1000
"""Characters of a sample beside the texts for which the mission asks."""

MAX_REPORTED_FAULTS = 5
"""How many misfits between data and signature are reported one by one."""


@section("data-inventory", pace="turn", frame=heading("# Data Inventory"), priority=80)
def data_inventory(mission: Mission | None) -> Body:
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
    """Each key of the data with its value and its field, and the details of an error as `fail`."""
    values = {key: (value, f"mission.data.{key}") for key, value in (mission.data or {}).items()}
    if mission.error is not None and mission.error.details is not None:
        values.pop("fail", None)
        values["fail"] = mission.error.details, "mission.error.details"
    return values


def parse_declared_fields(mission: Mission) -> tuple[Field, ...]:
    """The keys and types that `data_signature` gives."""
    if mission.data_signature is None:
        return ()
    return name_field_in_error("mission.data_signature", mission.data_signature, parse_params)


def write_data_row(key: str, value: Any, declared: Type | None, limits: Limits, field: str) -> tuple[Part, bool]:
    """A row of the table, and whether it hides anything."""
    name = key if IDENTIFIER.fullmatch(key) else quote_text(shorten_to(key, 100))
    type = render_type(declared) if declared else infer_type(value, is_hidden(key))
    sample, hides = write_sample(key, value, limits)
    cells = (inline_code(f"ctx/{name}"), inline_code(type), sample)
    return Part(" | ".join(map(escape_cell, cells)), from_state(field), name=key, before="| ", after=" |"), hides


def write_sample(key: str, value: Any, limits: Limits) -> tuple[str, bool]:
    """`[1, 2, 3, ...]` (5 items); and whether anything in it is hidden."""
    if is_hidden(key):
        return HIDDEN, True
    written = write_literal(value, choose_sample_limits(limits))
    return inline_code(written.text) + (f" ({written.total})" if written.total else ""), written.hides


def choose_sample_limits(limits: Limits) -> LiteralLimits:
    """How much a sample shows: little, or as much of every text in it as the mission wants."""
    items, text = limits.list_sample, limits.string_truncate
    if text is None:
        return LiteralLimits(items=items)
    return LiteralLimits(items=items, text=text, dots_beyond=True, room=MAX_SAMPLE_CHARS + text * max(1, items))


def infer_type(value: Any, secret: bool = False) -> str:
    """The type of a value, in as much detail as a cell takes; of a hidden one, not the keys."""
    rendered = ""
    for levels in range(MAX_INFERRED_LEVELS, 0, -1):
        rendered = render_type(infer_all((value,), levels, secret))
        if len(rendered) <= MAX_TYPE_CHARS:
            break
    return rendered


def report_misfits(mission: Mission, declared: tuple[Field, ...]) -> Iterator[Diagnostic]:
    """Where the data is not what the signature says, and keys that a program can't write."""
    data = mission.data or {}
    for key in data:
        if not IDENTIFIER.fullmatch(key):
            name = quote_text(shorten_to(key, 60))
            yield warning("data-key", f"mission.data: a program can't write ctx/{name}; rename the key")
    if "fail" in data and mission.error is not None and mission.error.details is not None:
        yield warning(
            "data-key", "mission.data.fail is replaced by mission.error.details, which is ctx/fail; rename it"
        )
    found = find_faults(data, MapOf(declared))
    for fault in islice(found, MAX_REPORTED_FAULTS):
        yield warning("data-mismatch", f"mission.data.{fault}; see mission.data_signature")
    if more := sum(1 for _ in found):
        yield warning(
            "data-mismatch",
            f"mission.data: {more} more {'value does' if more == 1 else 'values do'} not match mission.data_signature",
        )
