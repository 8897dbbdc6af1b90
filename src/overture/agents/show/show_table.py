"""A line for each agent: what it is told here, what is cut, and what it does not read."""

from collections.abc import Sequence

from ...terminal.terminal import dim, room, say, style, table, tell, visible
from ..report.agent_report import AgentFile, AgentReport
from .words import Near, how_known, most_telling, others, texts

HEADS = ("agent", "files", "skills", "tokens", "cut", "later", "not read", "how known")

ALWAYS = (0, 1, 3, 7)
"""The columns that are there also where they would be empty."""
FIRST_TO_GO = (2, 5)
WIDE = 100
"""In a terminal that is narrower, skills and what is read later are left to `overture agents NAME`."""


def show_table(reports: Sequence[AgentReport], near: Near, others_known: int) -> None:
    """The table, and below it what to ask next."""
    rows = [_coloured(row_of(report, near)) for report in reports]
    keep = [index for index in range(len(HEADS)) if index in ALWAYS or any(row[index] for row in rows)]
    if (room() or WIDE) < WIDE:
        keep = [index for index in keep if index not in FIRST_TO_GO]
    table([[row[i] for i in keep] for row in rows], "", heads=[HEADS[i] for i in keep], wraps=())
    say()
    if wrong := [f"{report.name} ({len(report.findings)})" for report in reports if report.findings]:
        tell(style(f"Problems: {', '.join(wrong)}. `overture agents NAME` lists them.", fg="yellow"))
    first = reports[0].name
    tell(dim(f"`overture agents {first}` names its files, with why; `--files` shows each file, and who reads it."))
    if others_known:
        tell(dim(f"{others_known} further agents are not used here, by what one sees: `--all` shows them too."))


def _coloured(row: list[str]) -> list[str]:
    name, files, skills, tokens, cut, later, unread, known = row
    return [style(name, bold=True), files, skills, tokens, style(cut, fg="yellow"), later, unread, dim(known)]


def row_of(report: AgentReport, near: Near) -> list[str]:
    """The cells of one agent, without colours."""
    told = report.of("loaded", "cut")
    unread = [file for file in texts(report.of("unread")) if file.same is None]
    skills = len(others(told, "skill"))
    return [
        report.name,
        str(len(texts(told))),
        str(skills) if skills else "",
        tokens(report.tokens, exact=report.exact),
        cut_cell(report, near),
        str(len(texts(report.of("lazy"))) or ""),
        _unread(unread, most_telling(report, near.cwd), near),
        how_known(report),
    ]


def tokens(count: int, *, exact: bool) -> str:
    """`~1,234`; an estimate has a ~."""
    return f"{count:,}" if exact or not count else f"~{count:,}"


def cut_cell(report: AgentReport, near: Near) -> str:
    """`AGENTS.md:412`: where the first one ends that is cut; one of which nothing is left comes first."""
    cut = [file for file in report.files if file.last_line is not None]
    if not cut:
        return ""
    more = f" and {len(cut) - 1} more" if cut[1:] else ""
    return visible(_where(cut[0], near)) + more


def _where(file: AgentFile, near: Near) -> str:
    return f"{near(file.path)}:{file.last_line}" if file.status == "cut" else f"{near(file.path)}, all of it"


def _unread(unread: Sequence[AgentFile], telling: AgentFile | None, near: Near) -> str:
    if telling is None:
        return ""
    name = visible(near(telling.path))
    return name if len(unread) == 1 else f"{len(unread)}, as {name}"
