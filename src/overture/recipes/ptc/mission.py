"""The mission: the author's text with `{{a.b}}` filled from the data, the result's type, the last turn's error."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, islice, zip_longest
from typing import Any, NamedTuple

from ...errors import StateError, list_some
from ...model.diagnostic import Diagnostic, report_line_breaks, warning
from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.section import heading, section
from ...model.source import Source, from_state
from ...model.state.agent_and_runtime import Limits, Mission
from ...sections.literal import LiteralLimits, is_hidden, write_literal
from ...sections.signature.parse import name_field_in_error, parse_type
from ...sections.signature.types import IDENTIFIER, Field, MapOf, render_type
from ...sections.signature.validate import find_faults
from ...sections.template import FillRoom, split_placeholders
from ...text.escape import quote_text
from ...text.normalize import normalize_newlines, tidy, to_one_line
from ...text.truncate import cut_to_chars, shorten_to

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
    return cut_to_chars(text, limit), [report_cut(field, limit, len(text))] if len(text) > limit else []


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
            f"mission.prompt: {'; '.join(problems)}.",
            hint="Set each key, or write \\{{ for literal braces.",
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
