"""Shows a line for each agent, and below the table the advice for them."""

from collections.abc import Sequence

from ...terminal.output import (
    dim,
    escape_controls,
    print_line,
    print_table,
    print_wrapped,
    style,
    terminal_width,
)
from ...text.normalize import join_words
from ...text.paths import PathPrinter
from ...tokens.counter import format_tokens, name_unit
from ..advice.advice import Advice
from ..agent_report import AgentFile, AgentReport
from .table_words import describe_evidence, filter_kind, filter_texts, find_most_relevant

HEADS = ("agent", "files", "skills", "tokens", "cut", "later", "not read", "how known")

REQUIRED_COLUMNS = (0, 1, 3, 7)
"""The columns that are there also where they would be empty."""
OPTIONAL_COLUMNS = (2, 5)
MIN_WIDTH_FOR_ALL = 100
"""In a terminal that is narrower, skills and what is read later are left to `overture agents NAME`."""


def show_table(reports: Sequence[AgentReport], printer: PathPrinter, others_known: int) -> None:
    """The table, and below it what to ask next."""
    rows = [_colour_row(make_row(report, printer)) for report in reports]
    keep = [index for index in range(len(HEADS)) if index in REQUIRED_COLUMNS or any(row[index] for row in rows)]
    if (terminal_width() or MIN_WIDTH_FOR_ALL) < MIN_WIDTH_FOR_ALL:
        keep = [index for index in keep if index not in OPTIONAL_COLUMNS]
    heads = [name_unit(reports[0].tokenizer) if HEADS[i] == "tokens" else HEADS[i] for i in keep]
    print_table([[row[i] for i in keep] for row in rows], "", heads=heads, wraps=())
    print_line()
    if wrong := [f"{report.name} ({len(report.findings)})" for report in reports if report.findings]:
        print_wrapped(style(f"Problems: {', '.join(wrong)}. `overture agents NAME` lists them.", fg="yellow"))
    first = reports[0].name
    print_wrapped(
        dim(f"`overture agents {first}` names its files, with why; `--files` shows each file, and who reads it.")
    )
    if others_known:
        print_wrapped(dim(f"{others_known} more agents are known: `--all` shows what each would load."))


def _colour_row(row: list[str]) -> list[str]:
    name, files, skills, tokens, cut, later, unread, known = row
    return [style(name, bold=True), files, skills, tokens, style(cut, fg="yellow"), later, unread, dim(known)]


def make_row(report: AgentReport, printer: PathPrinter) -> list[str]:
    """The cells of one agent, without colours."""
    told = report.of("loaded", "cut")
    unread = [file for file in filter_texts(report.of("unread")) if file.same is None]
    skills = len(filter_kind(told, "skill"))
    return [
        report.name,
        str(len(filter_texts(told))),
        str(skills) if skills else "",
        format_tokens(report.tokens, exact=report.exact),
        format_truncation(report, printer),
        str(len(filter_texts(report.of("lazy"))) or ""),
        _format_skipped(unread, find_most_relevant(report, printer.folder), printer),
        describe_evidence(report),
    ]


def format_truncation(report: AgentReport, printer: PathPrinter) -> str:
    """`AGENTS.md:412`: where the first one ends that is cut; one of which nothing is left comes first."""
    cut = [file for file in report.files if file.last_line is not None]
    if not cut:
        return ""
    more = f" and {len(cut) - 1} more" if cut[1:] else ""
    return escape_controls(_format_end(cut[0], printer)) + more


def _format_end(file: AgentFile, printer: PathPrinter) -> str:
    return f"{printer(file.path)}:{file.last_line}" if file.status == "cut" else f"{printer(file.path)}, all of it"


def _format_skipped(unread: Sequence[AgentFile], telling: AgentFile | None, printer: PathPrinter) -> str:
    if telling is None:
        return ""
    name = printer(telling.path)
    return name if len(unread) == 1 else f"{len(unread)}, as {name}"


# Advice as a few lines.


MAX_ADVICE = 6
"""Pieces of advice; with more than that, nobody reads them."""
MAX_NAMED_FILES = 3
"""Files that one of them names besides."""


def show_advice(advice: Sequence[Advice]) -> None:
    """One line each, what can be mended first; nothing where there is none."""
    groups = group_advice(advice)
    for group in groups[:MAX_ADVICE]:
        tokens = format_tokens(sum(each.tokens for each in group), exact=group[0].exact)
        print_wrapped(f"{escape_controls(_sentence(group))} {dim(f'{tokens} tokens')}", "  ")
    if left := len(groups) - MAX_ADVICE if len(groups) > MAX_ADVICE else 0:
        print_wrapped(dim(f"and {left:,} more: `overture agents --fix` names them all"), "  ")
    if any(each.change for each in advice):
        print_wrapped(dim("`overture agents --fix` shows what would mend this, and writes it once you agree."), "  ")


def group_advice(advice: Sequence[Advice]) -> list[list[Advice]]:
    """Pieces that say the same of several folders, together."""
    groups: dict[object, list[Advice]] = {}
    for index, each in enumerate(advice):
        cause = each.sentence.rpartition(": ")[0]
        groups.setdefault((each.agents, cause, each.change.kind) if each.change and cause else index, []).append(each)
    return list(groups.values())


def _sentence(group: Sequence[Advice]) -> str:
    first, *others = group
    if not others or not first.change:
        return first.sentence
    paths = [each.change.said.partition(": ")[0] for each in others if each.change]
    more = [f"{len(paths) - MAX_NAMED_FILES:,} more"] if len(paths) > MAX_NAMED_FILES else []
    named = [*paths[:MAX_NAMED_FILES], *more]
    listed = join_words(named)
    return f"{first.sentence.rstrip('.')}; and likewise {listed}."
