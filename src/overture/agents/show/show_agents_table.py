"""Shows a line for each agent, and below the table the advice for them."""

from collections.abc import Iterator, Sequence

from ...terminal.output import (
    PIPE_WIDTH,
    count_noun,
    dim,
    escape_controls,
    print_line,
    print_table,
    print_wrapped,
    style,
    terminal_width,
)
from ...terminal.table_layout import GAP, measure_width
from ...text.path_printer import PathPrinter
from ...text.words import join_words
from ...tokens.counter import format_tokens, name_unit
from ..advice.give_advice import Advice, describe_advice, fill_in_files
from ..agent_report import AgentReport
from .agent_table_cells import (
    SKILL_FORMATS,
    count_listed,
    describe_evidence,
    describe_loaded,
    describe_on_demand,
    describe_skipped,
    do_skill_formats_differ,
    filter_texts,
)

HEADS = ("agent", "tokens", "loads", "on demand", "skips", "how known")
DROPPED_FIRST = ("how known", "on demand", "skips")
"""Columns that a narrow terminal loses, in this order."""
MIN_TEXT_COLUMN = 24
"""Columns that `loads` and `skips` keep before another column is dropped."""
NUMBERS = ("tokens", "on demand")


def show_table(reports: Sequence[AgentReport], printer: PathPrinter, others_known: int) -> None:
    """The table of agents, and below it what to ask next."""
    rows = [make_row(report, printer) for report in reports]
    columns = {head: [row[index] for row in rows] for index, head in enumerate(HEADS)}
    columns = {head: cells for head, cells in columns.items() if any(cells)}
    dropped = drop_columns(columns)
    heads = {head: name_unit(reports[0].tokenizer) if head == "tokens" else head for head in columns}
    for head in NUMBERS:
        if head in columns:
            wide = max(map(measure_width, (heads[head], *columns[head])))
            heads[head], columns[head] = heads[head].rjust(wide), [cell.rjust(wide) for cell in columns[head]]
    cells = zip(*(_style_column(head, column) for head, column in columns.items()), strict=True)
    texts = [index for index, head in enumerate(columns) if head in ("loads", "skips")]
    print_table(list(cells), "", heads=list(heads.values()), wraps=texts, pipe_width=PIPE_WIDTH)
    notes = []
    if dropped:
        notes.append(dim(f"The terminal is too narrow for {join_words([f'`{head}`' for head in dropped])}."))
    problems = {each.name: sum(note.level != "info" for note in each.findings) for each in reports}
    if wrong := [f"{name} ({number})" for name, number in problems.items() if number]:
        notes.append(style(f"Problems: {', '.join(wrong)}. `overture agents NAME` lists them.", fg="yellow"))
    if do_skill_formats_differ(map(_measure_loaded, reports)):
        notes.append(dim(SKILL_FORMATS))
    if others_known:
        notes.append(dim(f"{count_noun(others_known, 'more agent')} known (`--all`)."))
    if notes:
        print_line()
    for each in notes:
        print_wrapped(each)


def _measure_loaded(report: AgentReport) -> tuple[int, str, int]:
    texts = filter_texts(report.of("loaded", "truncated"))
    return sum(file.tokens for file in texts), ", ".join(count_listed(report)), report.tokens


def drop_columns(columns: dict[str, list[str]]) -> list[str]:
    """Drops the columns that do not fit the terminal, and names them."""
    dropped: list[str] = []
    room = terminal_width() or PIPE_WIDTH
    for head in DROPPED_FIRST:
        needs = [_measure_column(name, cells) for name, cells in columns.items()]
        if sum(needs) + GAP * (len(needs) - 1) <= room:
            break
        if columns.pop(head, None) is not None:
            dropped.append(head)
    return dropped


def _measure_column(head: str, cells: Sequence[str]) -> int:
    """The columns that one of the table needs; texts may be wrapped."""
    need = max(map(measure_width, (head, *cells)))
    return min(need, MIN_TEXT_COLUMN) if head in ("loads", "skips") else need


def _style_column(head: str, cells: Sequence[str]) -> list[str]:
    if head == "agent":
        return [style(cell, bold=True) for cell in cells]
    return [dim(cell) for cell in cells] if head == "how known" else list(cells)


def make_row(report: AgentReport, printer: PathPrinter) -> list[str]:
    """The cells of one agent, without colours."""
    return [
        report.name,
        format_tokens(report.tokens, exact=report.exact),
        describe_loaded(report, printer),
        describe_on_demand(report),
        describe_skipped(report, printer),
        describe_evidence(report),
    ]


# Advice as a few lines.


MAX_ADVICE = 6
"""Pieces of advice; a longer list is not read."""


def show_advice(advice: Sequence[Advice], printer: PathPrinter, names: Sequence[str] = ()) -> None:
    """Below the table, one line a problem, where agents disagree first; `names` are the command's arguments."""
    fix = " ".join(("overture agents --fix", *names))
    groups = group_advice(advice)
    for group in groups[:MAX_ADVICE]:
        print_wrapped(escape_controls(describe_group(group, printer)))
    if rest := len(groups) - MAX_ADVICE if len(groups) > MAX_ADVICE else 0:
        print_wrapped(dim(f"and {rest:,} more: `{fix}` lists them"))
    if any(each.change for each in advice):
        print_line()
        print_wrapped(dim(f"hint: `{fix}` shows these changes and asks before it writes"))


def group_advice(advice: Sequence[Advice]) -> list[list[Advice]]:
    """Groups equal advice for several folders."""
    groups: dict[object, list[Advice]] = {}
    for each in advice:
        kind = each.change.kind if each.change else None
        groups.setdefault((each.agents, each.problem, kind, each.on_demand), []).append(each)
    return list(groups.values())


def describe_group(group: Sequence[Advice], printer: PathPrinter) -> str:
    """One line for advice that is the same for several folders."""
    first = group[0]
    files = list(dict.fromkeys(printer(path) for each in group for path in each.files))
    fixes = list(_join_fixes(group))
    fix = f"{fixes[0]}, and likewise in {count_noun(len(fixes) - 1, 'more folder')}" if fixes[1:] else fixes[0]
    tokens = sum(each.tokens for each in group)
    problem = fill_in_files(first.problem, files)
    return describe_advice(problem, fix, tokens, exact=first.exact, on_demand=first.on_demand)


def _join_fixes(group: Sequence[Advice]) -> Iterator[str]:
    """A fix for each file: lines that are added to one together; of several values of a setting, the last has all."""
    by_path: dict[str, list[Advice]] = {}
    for each in group:
        by_path.setdefault(each.change.path if each.change else each.fix, []).append(each)
    for same in by_path.values():
        lines = [each.change.said.partition(": a line ")[2] for each in same if each.change]
        several = len(lines) > 1 and all(lines)
        yield same[-1].fix.replace(f"a line {lines[-1]}", f"the lines {join_words(lines)}") if several else same[-1].fix
