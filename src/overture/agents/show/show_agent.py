"""Shows one agent: the files it loads in order, what it loads on demand, what it skips, and why."""

import posixpath
from collections.abc import Sequence

from ...known_agents import agent_facts
from ...terminal.output import dim, escape_controls, print_heading, print_table, print_wrapped, style
from ...text.path_printer import PathPrinter
from ...tokens.counter import format_tokens, name_unit
from ..agent_report import AgentFile, AgentReport
from .table_words import EVIDENCE_PHRASE, FileGroup, generalize_reason, group_files

MAX_LISTED_FILES = 12
"""So many files that are read later, or not at all, are listed without `--all`."""


def show_agent(report: AgentReport, printer: PathPrinter, everything: bool) -> None:
    """All of it, for a person."""
    show_head(report, printer)
    show_loaded(report, printer, everything)
    show_on_demand(report, printer, everything)
    show_skipped(report, printer, everything)
    if report.findings:
        show_problems(report, printer, everything)
    if everything:
        _show_notes(report)


def show_head(report: AgentReport, printer: PathPrinter) -> None:
    """Who it is, how that is known, and how large its own prompt is."""
    known = f"{EVIDENCE_PHRASE[report.known]}, last checked on {report.checked}"
    print_wrapped(f"{style(report.title, bold=True)}  {escape_controls(report.version)}  {dim(known)}")
    if report.used:
        print_wrapped(dim(f"Used here: {', '.join(escape_controls(_sign(sign, printer)) for sign in report.used)}"))
    print_wrapped(dim(describe_own_prompt(report)))


def _sign(sign: str, printer: PathPrinter) -> str:
    return printer(sign) if sign.startswith("/") else sign


def describe_own_prompt(report: AgentReport) -> str:
    """How large it is; its words are not ours to print."""
    own = report.own
    if own.characters is None:
        return "How large its own prompt is, nobody has measured."
    tools = f", and {own.tools} tools" if own.tools else ""
    size = f" of about {own.tool_characters:,}" if own.tools and own.tool_characters else ""
    return f"Its own prompt comes besides: about {own.characters:,} characters{tools}{size}."


def show_loaded(report: AgentReport, printer: PathPrinter, everything: bool) -> None:
    """What it is told at the start."""
    loaded = [file for file in report.of("loaded", "cut") if file.kind != "settings" or everything]
    if not loaded:
        print_heading("Told at the start: nothing of what is here")
        return
    total = f"{format_tokens(report.tokens, exact=report.exact)} {name_unit(report.tokenizer)}"
    print_heading(f"Told at the start, in this order: {total}")
    rows = [_loaded_row(line, printer, exact=report.exact) for line in group_files(loaded, everything)]
    wide = max(len(row[0]) for row in [("tokens",), *rows])
    print_table(
        [(row[0].rjust(wide), *row[1:]) for row in rows], heads=("tokens".rjust(wide), "file", "how much, and why")
    )


def _loaded_row(line: FileGroup, printer: PathPrinter, *, exact: bool) -> tuple[str, str, str]:
    file = line.first
    why = printer.within(explain_group(line))
    if file.status == "cut":
        ends = f"line {file.last_line} of {file.lines}" if file.last_line else "its first line"
        description = f"{style(f'cut after {ends}', fg='yellow')}: {dim(why)}"
    else:
        description = dim(why)
    return (
        format_tokens(line.tokens, exact=exact) if line.tokens else "",
        escape_controls(line.name(printer)),
        description,
    )


def explain_group(line: FileGroup) -> str:
    """Why, for one file or for several of one fate."""
    if len(line.files) == 1:
        return line.first.why
    whys = list(dict.fromkeys(generalize_reason(file.path, file.why) for file in line.files))
    if len(whys) == 1:
        return whys[0]
    if line.first.same:
        return "the same files as others, which are read"
    return "each for files of its own: --all says for which" if line.first.status == "lazy" else _explain_all(line)


def _explain_all(line: FileGroup) -> str:
    """The reason of the first, with `*.md` for its name where it names itself: it stands for the others too."""
    name = posixpath.basename(line.first.path)
    ends = {posixpath.splitext(file.path)[1] for file in line.files}
    why = line.first.why
    return f"{why.removesuffix(name)}*{ends.pop() if len(ends) == 1 else ''}" if why.endswith(f"/{name}") else why


def show_on_demand(report: AgentReport, printer: PathPrinter, everything: bool) -> None:
    """What it reads when it works on certain files, or when somebody asks."""
    later = report.of("lazy")
    if later:
        print_heading("Read later")
        _show_some(group_files(later, everything), printer, everything)


def show_skipped(report: AgentReport, printer: PathPrinter, everything: bool) -> None:
    """What it never reads; that nothing is left of a file is the worst, and stands first."""
    unread = sorted(report.of("unread"), key=lambda file: (file.last_line is None, not file.step))
    if not unread:
        return
    print_heading("Not read")
    _show_some(group_files(unread, everything), printer, everything)


def _show_some(lines: Sequence[FileGroup], printer: PathPrinter, everything: bool) -> None:
    """The files with why; of many, the first few."""
    shown = lines if everything or len(lines) <= MAX_LISTED_FILES + 1 else lines[:MAX_LISTED_FILES]
    rows = [(escape_controls(line.name(printer)), dim(printer.within(explain_group(line)))) for line in shown]
    print_table(rows, heads=("file", "why"))
    if rest := sum(len(line.files) for line in lines[len(shown) :]):
        print_wrapped(dim(f"and {rest:,} more: `--all` lists them"), "  ")


def show_problems(report: AgentReport, printer: PathPrinter, everything: bool) -> None:
    """What is wrong; of many, the first few."""
    found = [note for note in report.findings if everything or note.level != "info"]
    if not found:
        return
    print_heading("Problems")
    shown = found if everything or len(found) <= MAX_LISTED_FILES + 1 else found[:MAX_LISTED_FILES]
    for note in shown:
        print_wrapped(style(printer.within(str(note)), fg="yellow"), "  ")
    if rest := len(found) - len(shown):
        print_wrapped(dim(f"and {rest:,} more: `--all` lists them"), "  ")


def _show_notes(report: AgentReport) -> None:
    facts = agent_facts(report.name)
    if facts.notes:
        print_heading("Worth knowing")
        for each in facts.notes:
            print_wrapped(each, "  ")
    if facts.shows:
        print_heading(f"How {report.title} shows what it has read")
        print_wrapped(facts.shows, "  ")


def show_added(reports: Sequence[AgentReport], printer: PathPrinter, paths: Sequence[str], everything: bool) -> None:
    """What each agent is told besides, when it works on these files."""
    who = "they work" if reports[1:] else "it works"
    print_wrapped(f"When {who} on {', '.join(printer(path) for path in paths)}:")
    for report in reports:
        added = [file for file in report.of("loaded", "cut") if file.touched]
        later = [file for file in report.of("lazy") if file.touched]
        _show_added(report, printer, [*added, *later], everything)


def _show_added(report: AgentReport, printer: PathPrinter, added: Sequence[AgentFile], everything: bool) -> None:
    count = sum(file.tokens for file in added)
    effect = f"adds {format_tokens(count, exact=report.exact)} tokens" if added else "adds nothing"
    print_heading(
        f"{report.title} {effect} to the {format_tokens(report.tokens - count, exact=report.exact)} of the start"
    )
    rows = [_loaded_row(line, printer, exact=report.exact) for line in group_files(added, everything)]
    print_table(rows)
