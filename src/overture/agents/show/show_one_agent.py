"""Shows one agent: the files it loads in order, what it loads on demand, what it skips, and why."""

import posixpath
from collections import Counter
from collections.abc import Sequence

from ...known_agents import agent_facts
from ...terminal.output import (
    count_noun,
    dim,
    escape_controls,
    print_heading,
    print_line,
    print_table,
    print_wrapped,
    style,
)
from ...text.path_printer import PathPrinter
from ...text.words import join_words
from ...tokens.counter import describe_tokens, format_tokens, name_unit
from ..agent_report import LISTED_KINDS, AgentFile, AgentReport
from .agent_table_cells import EVIDENCE_PHRASE, FileGroup, count_listed, generalize_reason, group_files

MAX_LISTED_FILES = 12
"""So many files that are loaded on demand, or skipped, are listed without `--all`."""


def show_agent(report: AgentReport, printer: PathPrinter, everything: bool) -> None:
    """All of it, for a person."""
    show_head(report)
    show_loaded(report, printer, everything)
    _show_files("Loads on demand", report.of("on_demand"), printer, everything)
    # A file that is truncated to nothing is the worst, and comes first.
    skipped = sorted(report.of("skipped"), key=lambda file: (file.last_line is None, not file.step))
    _show_files("Skips", skipped, printer, everything)
    if report.findings:
        show_problems(report, printer, everything)
    if everything:
        _show_notes(report)
    show_tail(report, printer)


def show_head(report: AgentReport) -> None:
    """Who it is, and how much it loads."""
    loaded = list_loaded(report, everything=False)
    listed = count_listed(report)
    number = sum(file.kind not in LISTED_KINDS for file in loaded)
    files = count_noun(number, "file") if number else "no file" if listed else "nothing"
    lists = f" and lists {join_words(listed)}" if listed else ""
    tokens = (
        f", {format_tokens(report.tokens, exact=report.exact)} {name_unit(report.tokenizer, report.tokens)}"
        if loaded
        else ""
    )
    loads = f"loads {files}{lists} here{tokens}"
    print_wrapped(f"{style(report.title, bold=True)} {escape_controls(report.version)} {loads}")


def show_tail(report: AgentReport, printer: PathPrinter) -> None:
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


def show_loaded(report: AgentReport, printer: PathPrinter, everything: bool) -> None:
    """What it loads at the start, in its order."""
    loaded = list_loaded(report, everything=everything)
    if not loaded:
        return
    print_line()
    rows = [_make_loaded_row(line, printer, exact=report.exact) for line in group_files(loaded, everything)]
    wide = max(len(row[0]) for row in rows)
    print_table([(row[0].rjust(wide), *row[1:]) for row in rows])


def list_loaded(report: AgentReport, *, everything: bool) -> list[AgentFile]:
    """The files that it loads at the start; its settings only if it sends them, or with `--all`."""
    return [file for file in report.of("loaded", "truncated") if file.kind != "settings" or file.tokens or everything]


def _make_loaded_row(line: FileGroup, printer: PathPrinter, *, exact: bool) -> tuple[str, str, str]:
    """The row of a file that the agent loads: tokens, name, and why or where it is truncated."""
    file = line.first
    why = printer.within(explain_group(line))
    if file.status == "truncated":
        ends = f"after line {file.last_line:,} of {file.lines:,}" if file.last_line else "in its first line"
        description = f"{style(f'truncated {ends}', fg='yellow')}: {dim(why)}"
    else:
        description = dim(why)
    tokens = format_tokens(line.tokens, exact=exact) if line.tokens else ""
    return tokens, escape_controls(line.name(printer)), description


def explain_group(line: FileGroup) -> str:
    """Why, for one file or for several of one status."""
    if len(line.files) == 1:
        return line.first.why
    whys = list(dict.fromkeys(generalize_reason(file.path, file.why) for file in line.files))
    if len(whys) == 1:
        return whys[0]
    if line.first.same:
        return f"the same files as others, which are {'listed' if line.first.kind == 'skill' else 'loaded'}"
    if line.first.status == "on_demand":
        return "each applies to certain files: `--all` shows which"
    return _explain_all(line)


def _explain_all(line: FileGroup) -> str:
    """The common reason; of several, the most frequent one with its count."""
    ends = {posixpath.splitext(file.path)[1] for file in line.files}
    pattern = f"*{ends.pop() if len(ends) == 1 else ''}"
    (why, count), *others = Counter(_name_pattern(file, pattern) for file in line.files).most_common()
    return f"{why} ({count} of {len(line.files)}): `--all` shows the others" if others else why


def _name_pattern(file: AgentFile, pattern: str) -> str:
    """The reason of a file, with `*.md` for its name where the file is named: it holds for the others too."""
    name = posixpath.basename(file.path)
    return f"{file.why.removesuffix(name)}{pattern}" if file.why.endswith(f"/{name}") else file.why


def _show_files(heading: str, files: Sequence[AgentFile], printer: PathPrinter, everything: bool) -> None:
    """The files that it loads later, or skips, with why; of many, the first few."""
    if not files:
        return
    print_heading(heading)
    lines = group_files(files, everything)
    shown = lines if everything or len(lines) <= MAX_LISTED_FILES + 1 else lines[:MAX_LISTED_FILES]
    rows = [(escape_controls(line.name(printer)), dim(printer.within(explain_group(line)))) for line in shown]
    print_table(rows)
    if rest := sum(len(line.files) for line in lines[len(shown) :]):
        print_wrapped(dim(f"and {rest:,} more: `--all` lists them"), "  ")


def show_problems(report: AgentReport, printer: PathPrinter, everything: bool) -> None:
    """The problems; of many, the first few."""
    findings = [note for note in report.findings if everything or note.level != "info"]
    if not findings:
        return
    print_heading("Problems")
    shown = findings if everything or len(findings) <= MAX_LISTED_FILES + 1 else findings[:MAX_LISTED_FILES]
    for note in shown:
        print_wrapped(style(printer.within(str(note)), fg="yellow"), "  ")
    if rest := len(findings) - len(shown):
        print_wrapped(dim(f"and {rest:,} more: `--all` lists them"), "  ")


def _show_notes(report: AgentReport) -> None:
    """Print what is worth knowing about one agent, and how to see what it has loaded."""
    facts = agent_facts(report.name)
    if facts.notes:
        print_heading("Worth knowing")
        for each in facts.notes:
            print_wrapped(each, "  ")
    if facts.shows:
        print_heading(f"How to see what {report.title} has loaded")
        print_wrapped(facts.shows, "  ")


def show_added(reports: Sequence[AgentReport], printer: PathPrinter, paths: Sequence[str], everything: bool) -> None:
    """Agent by agent, what it loads in addition when it works on these files."""
    who = "they work" if reports[1:] else "it works"
    print_wrapped(f"When {who} on {', '.join(printer(path) for path in paths)}:")
    for report in reports:
        added = [file for file in report.of("loaded", "truncated") if file.touched]
        later = [file for file in report.of("on_demand") if file.touched]
        _show_added(report, printer, [*added, *later], everything)


def _show_added(report: AgentReport, printer: PathPrinter, added: Sequence[AgentFile], everything: bool) -> None:
    """Print what one agent loads in addition."""
    count = sum(file.tokens for file in added)
    effect = f"adds {describe_tokens(count, exact=report.exact)}" if added else "adds nothing"
    at_start = describe_tokens(report.tokens - count, exact=report.exact)
    print_heading(f"{report.title} {effect} (at the start: {at_start})")
    rows = [_make_loaded_row(line, printer, exact=report.exact) for line in group_files(added, everything)]
    print_table(rows)
