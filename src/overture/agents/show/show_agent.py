"""One agent: its files in the order in which it is told them, what it reads later, what never, and why."""

import posixpath
from collections.abc import Sequence

from ...known_agents import agent_facts
from ...terminal.terminal import dim, heading, style, table, tell, visible
from ..report.agent_report import AgentFile, AgentReport
from .show_table import tokens
from .words import HOW_LONG, Line, Near, lines_of

FEW = 12
"""So many files that are read later, or not at all, are listed without `--all`."""


def show_agent(report: AgentReport, near: Near, everything: bool) -> None:
    """All of it, for a person."""
    show_head(report, near)
    show_told(report, near, everything)
    show_later(report, near, everything)
    show_unread(report, near, everything)
    if report.findings:
        show_problems(report, near, everything)
    if everything:
        _show_notes(report)


def show_head(report: AgentReport, near: Near) -> None:
    """Who it is, how that is known, and how large its own prompt is."""
    known = f"{HOW_LONG[report.known]}, last checked on {report.checked}"
    tell(f"{style(report.title, bold=True)}  {visible(report.version)}  {dim(known)}")
    if report.used:
        tell(dim(f"Used here: {', '.join(visible(_sign(sign, near)) for sign in report.used)}"))
    tell(dim(own_prompt(report)))


def _sign(sign: str, near: Near) -> str:
    return near(sign) if sign.startswith("/") else sign


def own_prompt(report: AgentReport) -> str:
    """How large it is; its words are not ours to print."""
    own = report.own
    if own.characters is None:
        return "How large its own prompt is, nobody has measured."
    tools = f", and {own.tools} tools" if own.tools else ""
    size = f" of about {own.tool_characters:,}" if own.tools and own.tool_characters else ""
    return f"Its own prompt comes besides: about {own.characters:,} characters{tools}{size}."


def show_told(report: AgentReport, near: Near, everything: bool) -> None:
    """What it is told at the start."""
    told = [file for file in report.of("loaded", "cut") if file.kind != "settings" or everything]
    if not told:
        heading("Told at the start: nothing of what is here")
        return
    heading(f"Told at the start, in this order: {tokens(report.tokens, exact=report.exact)} tokens")
    rows = [_told(line, near, exact=report.exact) for line in lines_of(told, everything)]
    wide = max(len(row[0]) for row in [("tokens",), *rows])
    table([(row[0].rjust(wide), *row[1:]) for row in rows], heads=("tokens".rjust(wide), "file", "how much, and why"))


def _told(line: Line, near: Near, *, exact: bool) -> tuple[str, str, str]:
    file = line.first
    why = visible(near.within(why_of(line)))
    if file.status == "cut":
        ends = f"line {file.last_line} of {file.lines}" if file.last_line else "its first line"
        said = f"{style(f'cut after {ends}', fg='yellow')}: {dim(why)}"
    else:
        said = dim(why)
    return tokens(line.tokens, exact=exact) if line.tokens else "", visible(line.name(near)), said


def why_of(line: Line) -> str:
    """Why, for one file or for several of one fate."""
    whys = dict.fromkeys(file.why for file in line.files)
    if len(whys) == 1:
        return line.first.why
    if line.first.same:
        return "the same files as others, which are read"
    return "each for files of its own: --all says for which" if line.first.status == "lazy" else _of_all(line)


def _of_all(line: Line) -> str:
    """The reason of the first, with `*.md` for its name where it names itself: it stands for the others too."""
    name = posixpath.basename(line.first.path)
    ends = {posixpath.splitext(file.path)[1] for file in line.files}
    why = line.first.why
    return f"{why.removesuffix(name)}*{ends.pop() if len(ends) == 1 else ''}" if why.endswith(f"/{name}") else why


def show_later(report: AgentReport, near: Near, everything: bool) -> None:
    """What it reads when it works on certain files, or when somebody asks."""
    later = report.of("lazy")
    if later:
        heading("Read later")
        _show_some(lines_of(later, everything), near, everything)


def show_unread(report: AgentReport, near: Near, everything: bool) -> None:
    """What it never reads; that nothing is left of a file is the worst, and stands first."""
    unread = sorted(report.of("unread"), key=lambda file: (file.last_line is None, not file.step))
    if not unread:
        return
    heading("Not read")
    _show_some(lines_of(unread, everything), near, everything)


def _show_some(lines: Sequence[Line], near: Near, everything: bool) -> None:
    """The files with why; of many, the first few."""
    shown = lines if everything or len(lines) <= FEW + 1 else lines[:FEW]
    rows = [(visible(line.name(near)), dim(visible(near.within(why_of(line))))) for line in shown]
    table(rows, heads=("file", "why"))
    if left := sum(len(line.files) for line in lines[len(shown) :]):
        tell(dim(f"and {left:,} more: `--all` lists them"), "  ")


def show_problems(report: AgentReport, near: Near, everything: bool) -> None:
    """What is wrong; of many, the first few."""
    heading("Problems")
    shown = report.findings if everything or len(report.findings) <= FEW + 1 else report.findings[:FEW]
    for note in shown:
        tell(style(visible(near.within(str(note))), fg="yellow"), "  ")
    if left := len(report.findings) - len(shown):
        tell(dim(f"and {left:,} more: `--all` lists them"), "  ")


def _show_notes(report: AgentReport) -> None:
    facts = agent_facts(report.name)
    if facts.notes:
        heading("Worth knowing")
        for each in facts.notes:
            tell(each, "  ")
    if facts.shows:
        heading(f"How {report.title} shows what it has read")
        tell(facts.shows, "  ")


def show_added(reports: Sequence[AgentReport], near: Near, paths: Sequence[str], everything: bool) -> None:
    """What each agent is told besides, when it works on these files."""
    who = "they work" if reports[1:] else "it works"
    tell(f"When {who} on {', '.join(visible(near(path)) for path in paths)}:")
    for report in reports:
        added = [file for file in report.of("loaded", "cut") if file.touched]
        later = [file for file in report.of("lazy") if file.touched]
        _show_added(report, near, [*added, *later], everything)


def _show_added(report: AgentReport, near: Near, added: Sequence[AgentFile], everything: bool) -> None:
    count = sum(file.tokens for file in added)
    said = f"adds {tokens(count, exact=report.exact)} tokens" if added else "adds nothing"
    heading(f"{report.title} {said} to the {tokens(report.tokens - count, exact=report.exact)} of the start")
    rows = [_told(line, near, exact=report.exact) for line in lines_of(added, everything)]
    table(rows)
