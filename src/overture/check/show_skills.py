"""`overture check --skills`: the skills, the source of each, and their problems."""

from collections.abc import Iterator, Sequence

from ..model.diagnostic import Diagnostic
from ..model.state.discovery import Look
from ..model.state.reasons import because, explain_reason
from ..terminal.gather_state import GatheredState
from ..terminal.output import (
    OUTCOME_NAMES,
    OUTCOMES,
    dim,
    escape_controls,
    print_diagnostics,
    print_line,
    print_table,
    print_wrapped,
    style,
    terminal_width,
    write_json,
)
from ..terminal.table_layout import measure_width
from ..text.normalize import to_one_line
from ..text.path_printer import PathPrinter
from ..text.words import shorten_text
from .findings_and_input import Finding
from .output_formats import SkillRow
from .rules_by_code import all_rules

MIN_DESCRIPTION_LENGTH = 24
"""Characters of a description that any terminal shows; a pipe and --json have all of it."""


def show_skills(gathered: GatheredState, findings: Sequence[Finding], printer: PathPrinter, as_json: bool) -> bool:
    """The skills that are found here, with the source and the problems of each; returns whether any has one.

    A skill that breaks a rule of the Agent Skills format is listed with a warning, or skipped if the recipe demands it,
    as opal does. Findings of `overture check` in the text of a skill are shown, too.
    """
    looks = [look for look in gathered.found.looked_at if look.what == "skill"]
    paths = {look.path for look in looks}
    wrong = [d for d in gathered.found.diagnostics if _is_on_skills(d, paths)]
    wrong += _report_findings(gathered, findings, wrong)
    print_diagnostics(wrong)
    # A place with skills in which the recipe does not look is no skill.
    rows, unread = list_skill_rows(gathered, looks), [look for look in looks if look.outcome == "unread"]
    if as_json:
        write_json({"skills": rows, "unread": unread, "diagnostics": wrong})
        return bool(wrong)
    if not rows:
        print_line("No skills here.")
    else:
        print_table(list(_make_table(rows, printer)), indent="", heads=("skill", "status", "place", "about"))
    for look in unread:
        print_wrapped(f"Skipped: {printer(look.path)}: {printer.within(look.detail)}")
    if not rows:
        print_wrapped(dim("hint: `overture explain --all` shows every folder that was searched"))
    return bool(wrong)


def _report_findings(gathered: GatheredState, findings: Sequence[Finding], known: list[Diagnostic]) -> list[Diagnostic]:
    """The findings of `overture check` in skills; notes are omitted, since they break no rule."""
    skills = {skill.location for skill in gathered.state.skills}
    reported = {(note.path, each) for note in known for each in (note.code, note.message)}
    return [
        Diagnostic(each.severity, each.code, each.message, each.path, each.line, column=each.column)
        for each in findings
        if each.path in skills and each.severity != "info" and not _repeats_report(each, reported)
    ]


def _repeats_report(finding: Finding, reported: set[tuple[str | None, str]]) -> bool:
    """Whether a finding repeats a report from the time when that file was read: by its code, or in the same words."""
    return any((finding.path, each) in reported for each in (*all_rules()[finding.code].takes, finding.message))


def _is_on_skills(diagnostic: Diagnostic, paths: set[str]) -> bool:
    missing = diagnostic.code == "config-missing" and diagnostic.message.startswith("features.skills")
    return missing or diagnostic.code.startswith("skill") or diagnostic.path in paths


def list_skill_rows(gathered: GatheredState, looks: Sequence[Look]) -> list[SkillRow]:
    """Every skill that exists: listed, hidden from the model, hidden by another, or skipped, by its folder's name."""
    outside = {look.path for look in gathered.found.looked_at if look.outside}
    rows: list[SkillRow] = [
        {
            "name": skill.name,
            "outcome": "hidden" if skill.disable_model_invocation else "listed",
            "location": skill.location,
            "description": skill.description,
            "detail": explain_reason(because("user-only")) if skill.disable_model_invocation else "",
            "outside": skill.location in outside,
        }
        for skill in gathered.state.skills
    ]
    rows += [
        {
            "name": look.path.removesuffix("/SKILL.md").rpartition("/")[2],
            "outcome": look.outcome,
            "location": look.path,
            "description": "",
            "detail": look.detail,
            "outside": look.outside,
        }
        for look in looks
        if look.outcome not in ("loaded", "absent", "off", "unread")
    ]
    return rows


def _make_table(rows: Sequence[SkillRow], printer: PathPrinter) -> Iterator[tuple[str, ...]]:
    """A line for each skill; a terminal shows as much of a description as there is room for."""
    names = [escape_controls(row["name"]) for row in rows]
    # The folder of a skill's own folder; of any other skill, its file.
    places = [printer(row["location"].removesuffix(f"/{row['name']}/SKILL.md")) for row in rows]
    width = terminal_width()
    outcomes = [OUTCOME_NAMES.get(row["outcome"], row["outcome"]) for row in rows]
    used_width = sum(max(map(measure_width, column)) + 2 for column in (names, outcomes, places))
    for row, name, outcome, place in zip(rows, names, outcomes, places, strict=True):
        colour = OUTCOMES.get("loaded" if row["outcome"] == "listed" else row["outcome"], "yellow")
        detail = printer.within(row["detail"])
        why = f"hidden {detail}" if row["outcome"] == "hidden" and detail.startswith("by ") else detail
        about = escape_controls(why or to_one_line(row["description"]))
        if width is not None and not row["detail"]:
            about = shorten_text(about, max(MIN_DESCRIPTION_LENGTH, width - used_width))
        yield style(name, bold=True), style(outcome, fg=colour), place, dim(about)
