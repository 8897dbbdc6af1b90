"""Shows a line for each agent with advice below, or one agent: its files in order, what it skips, and why."""

import posixpath
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeVar

from ...known_agents import agent_facts
from ...terminal.output import (
    PIPE_WIDTH,
    count_noun,
    dim,
    escape_controls,
    print_heading,
    print_line,
    print_table,
    print_wrapped,
    style,
    terminal_width,
)
from ...terminal.table_layout import GAP, measure_width
from ...text.path_printer import PathPrinter
from ...text.words import join_words
from ...tokens.counter import describe_tokens, format_tokens, name_unit
from ..advice.give_advice import Advice, describe_advice, fill_in_files
from ..agent_report import LISTED_KINDS, AgentFile, AgentReport
from .agent_table_cells import (
    EVIDENCE_PHRASE,
    EVIDENCE_WORD,
    SKILL_FORMATS,
    FileGroup,
    count_listed,
    describe_loaded,
    describe_on_demand,
    describe_skipped,
    do_skill_formats_differ,
    filter_texts,
    generalize_reason,
    group_files,
)

HEADS = ("agent", "tokens", "loads", "on demand", "skips", "how known")
DROPPED_FIRST = ("how known", "on demand", "skips")
"""Columns that a narrow terminal loses, in this order."""
MIN_TEXT_COLUMN = 24
"""Columns that `loads` and `skips` keep before another column is dropped."""


def show_table(reports: Sequence[AgentReport], printer: PathPrinter, others_known: int) -> None:
    """The table of agents, and below it what to ask next."""
    rows = [make_row(report, printer) for report in reports]
    columns = {head: [row[index] for row in rows] for index, head in enumerate(HEADS)}
    columns = {head: cells for head, cells in columns.items() if any(cells)}
    dropped = drop_columns(columns)
    heads = {head: name_unit(reports[0].tokenizer) if head == "tokens" else head for head in columns}
    for head in {"tokens", "on demand"} & columns.keys():  # numbers
        wide = max(map(measure_width, (heads[head], *columns[head])))
        heads[head], columns[head] = heads[head].rjust(wide), [cell.rjust(wide) for cell in columns[head]]
    texts = [index for index, head in enumerate(columns) if head in ("loads", "skips")]
    columns["agent"] = [style(cell, bold=True) for cell in columns["agent"]]
    if "how known" in columns:
        columns["how known"] = list(map(dim, columns["how known"]))
    cells = list(zip(*columns.values(), strict=True))
    print_table(cells, "", heads=list(heads.values()), wraps=texts, pipe_width=PIPE_WIDTH)
    notes = []
    if dropped:
        notes.append(dim(f"The terminal is too narrow for {join_words([f'`{head}`' for head in dropped])}."))
    problems = {each.name: sum(note.level != "info" for note in each.findings) for each in reports}
    if wrong := [f"{name} ({number})" for name, number in problems.items() if number]:
        notes.append(style(f"Problems: {', '.join(wrong)}. `overture agents NAME` lists them.", fg="yellow"))
    if do_skill_formats_differ(
        (sum(file.tokens for file in _list_texts(each)), ", ".join(count_listed(each)), each.tokens) for each in reports
    ):
        notes.append(dim(SKILL_FORMATS))
    if others_known:
        notes.append(dim(f"{count_noun(others_known, 'more agent')} known (`--all`)."))
    if notes:
        print_line()
    for each in notes:
        print_wrapped(each)


def _list_texts(report: AgentReport) -> list[AgentFile]:
    return filter_texts(report.of("loaded", "truncated"))


def drop_columns(columns: dict[str, list[str]]) -> list[str]:
    """Drops the columns that do not fit the terminal, and names them."""
    dropped: list[str] = []
    room = terminal_width() or PIPE_WIDTH
    for head in DROPPED_FIRST:
        needs = {name: max(map(measure_width, (name, *cells))) for name, cells in columns.items()}
        needs |= {name: min(needs[name], MIN_TEXT_COLUMN) for name in ("loads", "skips") if name in needs}
        if sum(needs.values()) + GAP * (len(needs) - 1) <= room:
            break
        if columns.pop(head, None) is not None:
            dropped.append(head)
    return dropped


def make_row(report: AgentReport, printer: PathPrinter) -> list[str]:
    """The cells of one agent, without colours."""
    known = EVIDENCE_WORD[report.known]
    return [
        report.name,
        format_tokens(report.tokens, exact=report.exact),
        describe_loaded(report, printer),
        describe_on_demand(report),
        describe_skipped(report, printer),
        f"{known} {report.version}" if report.known == "run" else known,
    ]


MAX_ADVICE = 6
"""Pieces of advice; a longer list is not read."""


def show_advice(advice: Sequence[Advice], printer: PathPrinter, names: Sequence[str] = ()) -> None:
    """Below the table, one line a problem, where agents disagree first; `names` are the command's arguments."""
    fix = " ".join(("overture agents --fix", *names))
    groups = group_advice(advice)
    for group in groups[:MAX_ADVICE]:
        print_wrapped(escape_controls(describe_group(group, printer)))
    if (rest := len(groups) - MAX_ADVICE) > 0:
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


T = TypeVar("T")
MAX_LISTED = 12
"""So many files that are loaded on demand, or skipped, and so many problems are listed without `--all`."""


def show_agent(report: AgentReport, printer: PathPrinter, everything: bool) -> None:
    """One agent: what it loads, later or never, its problems, and how all this is known."""
    # Its settings are shown only if it sends them, or with `--all`.
    loaded = [file for file in report.of("loaded", "truncated") if file.kind != "settings" or file.tokens]
    _show_head(report, loaded)
    if everything:
        loaded = list(report.of("loaded", "truncated"))
    if loaded:
        print_line()
        rows = [_make_loaded_row(line, printer, exact=report.exact) for line in group_files(loaded, everything)]
        wide = max(len(row[0]) for row in rows)
        print_table([(row[0].rjust(wide), *row[1:]) for row in rows])
    # A file that is truncated to nothing is the worst, and comes first.
    skipped = sorted(report.of("skipped"), key=lambda file: (file.last_line is None, not file.step))
    for heading, files in (("Loads on demand", report.of("on_demand")), ("Skips", skipped)):
        lines = group_files(files, everything)
        shown = _cut_list(lines, everything)
        if lines:
            print_heading(heading)
            print_table(
                [(escape_controls(line.name(printer)), dim(printer.within(explain_group(line)))) for line in shown]
            )
            _show_rest(sum(len(line.files) for line in lines[len(shown) :]))
    if findings := [note for note in report.findings if everything or note.level != "info"]:
        print_heading("Problems")
        shown_findings = _cut_list(findings, everything)
        for note in shown_findings:
            print_wrapped(style(printer.within(str(note)), fg="yellow"), "  ")
        _show_rest(len(findings) - len(shown_findings))
    if everything:
        _show_notes(report)
    _show_tail(report, printer)


def _cut_list(items: Sequence[T], everything: bool) -> Sequence[T]:
    """Of many, the first few; one that would be left over is shown, too."""
    return items if everything or len(items) <= MAX_LISTED + 1 else items[:MAX_LISTED]


def _show_rest(count: int) -> None:
    if count:
        print_wrapped(dim(f"and {count:,} more: `--all` lists them"), "  ")


def _show_head(report: AgentReport, loaded: Sequence[AgentFile]) -> None:
    """Who it is, and how much it loads."""
    listed = count_listed(report)
    number = sum(file.kind not in LISTED_KINDS for file in loaded)
    files = count_noun(number, "file") if number else "no file" if listed else "nothing"
    lists = f" and lists {join_words(listed)}" if listed else ""
    unit = name_unit(report.tokenizer, report.tokens)
    tokens = f", {format_tokens(report.tokens, exact=report.exact)} {unit}" if loaded else ""
    who = f"{style(report.title, bold=True)} {escape_controls(report.version)}"
    print_wrapped(f"{who} loads {files}{lists} here{tokens}")


def _show_tail(report: AgentReport, printer: PathPrinter) -> None:
    """The size of its own prompt, the sign of its use here, and the sources of all this."""
    print_line()
    print_wrapped(dim(describe_own_prompt(report)))
    if report.used:
        signs = (printer(sign) if sign.startswith("/") else sign for sign in report.used)
        print_wrapped(dim(f"Set up here: {', '.join(map(escape_controls, signs))}."))
    of = f" of {escape_controls(report.version)}" if report.known == "run" else ""
    known = EVIDENCE_PHRASE[report.known] + of
    print_wrapped(dim(f"{known[:1].upper()}{known[1:]}; last checked {report.checked}."))


def describe_own_prompt(report: AgentReport) -> str:
    """How large it is; its words are not ours to print."""
    own = report.own
    if own.characters is None:
        return "The size of its own prompt has not been measured."
    tools = f" and {count_noun(own.tools, 'tool')}" if own.tools else ""
    size = f" (about {own.tool_characters:,})" if own.tools and own.tool_characters else ""
    return f"Its own prompt (about {own.characters:,} characters){tools}{size} {'come' if tools else 'comes'} on top."


def _make_loaded_row(line: FileGroup, printer: PathPrinter, *, exact: bool) -> tuple[str, str, str]:
    """The row of a file that the agent loads: tokens, name, and why or where it is truncated."""
    file, why = line.first, dim(printer.within(explain_group(line)))
    if file.status == "truncated":
        ends = f"after line {file.last_line:,} of {file.lines:,}" if file.last_line else "in its first line"
        why = f"{style(f'truncated {ends}', fg='yellow')}: {why}"
    tokens = format_tokens(line.tokens, exact=exact) if line.tokens else ""
    return tokens, escape_controls(line.name(printer)), why


def explain_group(line: FileGroup) -> str:
    """Why, for one file or for several of one status: the common reason, or the most frequent one with its count."""
    if len(line.files) == 1:
        return line.first.why
    whys = list(dict.fromkeys(generalize_reason(file.path, file.why) for file in line.files))
    if len(whys) == 1:
        return whys[0]
    if line.first.same:
        return f"the same files as others, which are {'listed' if line.first.kind == 'skill' else 'loaded'}"
    if line.first.status == "on_demand":
        return "each applies to certain files: `--all` shows which"
    ends = {posixpath.splitext(file.path)[1] for file in line.files}
    pattern = f"*{ends.pop() if len(ends) == 1 else ''}"
    (why, count), *others = Counter(_name_pattern(file, pattern) for file in line.files).most_common()
    return f"{why} ({count} of {len(line.files)}): `--all` shows the others" if others else why


def _name_pattern(file: AgentFile, pattern: str) -> str:
    """The reason of a file, with `*.md` for its name where the file is named: it holds for the others too."""
    name = posixpath.basename(file.path)
    return f"{file.why.removesuffix(name)}{pattern}" if file.why.endswith(f"/{name}") else file.why


def _show_notes(report: AgentReport) -> None:
    """What is worth knowing about one agent, and how to see what it has loaded."""
    facts = agent_facts(report.name)
    for heading, texts in (
        ("Worth knowing", facts.notes),
        (f"How to see what {report.title} has loaded", filter(None, [facts.shows])),
    ):
        for index, each in enumerate(texts):
            if not index:
                print_heading(heading)
            print_wrapped(each, "  ")


def show_added(reports: Sequence[AgentReport], printer: PathPrinter, paths: Sequence[str], everything: bool) -> None:
    """Agent by agent, what it loads in addition when it works on these files."""
    who = "they work" if reports[1:] else "it works"
    print_wrapped(f"When {who} on {', '.join(printer(path) for path in paths)}:")
    for report in reports:
        added = [file for file in report.of("loaded", "truncated", "on_demand") if file.touched]
        count = sum(file.tokens for file in added)
        effect = f"adds {describe_tokens(count, exact=report.exact)}" if added else "adds nothing"
        at_start = describe_tokens(report.tokens - count, exact=report.exact)
        print_heading(f"{report.title} {effect} (at the start: {at_start})")
        print_table([_make_loaded_row(line, printer, exact=report.exact) for line in group_files(added, everything)])
