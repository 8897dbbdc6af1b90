"""`overture` alone shows who gets which instructions here, what never arrives, and what to do next."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from ..agents.table import AgentInfo, Question, Table, ask, count_tokens, list_starts, make_table, open_agents_in
from ..agents.verdicts import Verdicts
from ..agents.views import (
    Block,
    Cell,
    Rows,
    describe_later,
    describe_loaded,
    print_view,
)
from ..check.engine import RULES, find_problems
from ..check.findings import SEVERITIES, Severity
from ..known_agents import AGENTS
from ..model.struct import Frozen, note
from ..terminal.output import write_json
from ..text.path_printer import PathPrinter, make_root_printer
from ..text.words import count_noun, join_words, shorten_text
from ..tokens.counter import format_tokens, name_unit

MAX_ROWS, MAX_PROBLEMS, MAX_NAMED = 6, 3, 3
"""Lines of agents and of problems, and files of folders below, that fit the first screen."""
MAX_PROBLEM_CHARS = 155
LOST = ("unreadable", "never-arrives", "truncated", "loaded-twice", "agents-disagree")
"""Codes of problems that come first."""
NO_FILES = "No instruction files or skills here."
NOTHING_LOADS = "No instruction files or skills load at the start here."
NEXT = {
    "overture agents --fix": "shows what would bring them; it asks first.",
    "overture check": "lists every problem with its line.",
    "overture agents --files": "shows which agents read each file.",
    "overture tap -- claude": "shows what an agent sends without one.",
}


class SummaryAgent(Frozen, frozen=True, omit_defaults=False):
    """An agent, and what it loads at the start."""

    name: str
    title: str
    set_up: Annotated[bool, note("whether the project has a file or folder of the agent")]
    files: Annotated[tuple[str, ...], note("what it loads, in its order, relative to the project")]
    tokens: Annotated[int, note("of its files and of what it lists")]
    truncated: tuple[str, ...]
    on_demand: int
    never: Annotated[tuple[str, ...], note("instruction files that never arrive")]


class SummaryDifference(Frozen, frozen=True, omit_defaults=False):
    """Agents, and the instruction files that they do not get whole."""

    agents: tuple[str, ...]
    paths: tuple[str, ...]


class SummaryProblem(Frozen, frozen=True, omit_defaults=False):
    """Something to change."""

    code: str
    severity: Severity
    message: str
    path: str | None = None
    line: int | None = None


class FolderSummary(Frozen, frozen=True, omit_defaults=False):
    """What `overture` says of a folder."""

    agents: tuple[SummaryAgent, ...]
    agree: Annotated[bool, note("whether all of them get the same instructions, wherever they work")]
    differences: tuple[SummaryDifference, ...]
    problems: tuple[SummaryProblem, ...]
    next: Annotated[str, note("the command to run next")]


def show_summary(*, as_json: bool) -> None:
    """Print the summary of the working directory."""
    base = open_agents_in()
    question = ask(base)
    table = make_table(question, list_starts(question.files, base.cwd))
    verdicts = Verdicts(table, question.files)
    printer = make_root_printer(table.root) if as_json else PathPrinter(base.cwd, base.home)
    summary = _summarize(table, verdicts, tuple(_list_problems(question, table, verdicts, printer)))
    if as_json:
        write_json(summary)
    else:
        print_view(_view(table, verdicts, summary, PathPrinter(base.cwd, base.home)))


def _list_problems(
    question: Question, table: Table, verdicts: Verdicts, printer: PathPrinter
) -> Iterator[SummaryProblem]:
    """What is wrong, the worst first: errors, then instructions that do not arrive."""
    found = find_problems(question, table, verdicts)[1].findings
    for each in sorted(found, key=lambda each: (SEVERITIES.index(each.severity), (*LOST, each.code).index(each.code))):
        path = printer.relative(each.path) if each.path else None
        yield SummaryProblem(each.code, each.severity, printer.within(each.message), path, each.line)


def _summarize(table: Table, verdicts: Verdicts, problems: Sequence[SummaryProblem]) -> FolderSummary:
    agents = tuple(_summarize_agent(table, verdicts, agent) for agent in table.agents)
    groups = verdicts.lacking
    lacking = tuple(
        SummaryDifference(tuple(names), tuple(map(table.shorten, paths))) for paths, names in groups.items() if paths
    )
    warned = [each for each in problems if each.severity != "note"]
    loads_nothing = not any(agent.files or agent.tokens for agent in agents)
    if any(each.severity == "error" for each in warned):
        command = "overture check"
    elif any(each.code in ("never-arrives", "loaded-twice", "agents-disagree") for each in warned):
        command = "overture agents --fix"
    elif warned or len(groups) > 1:
        command = "overture check"
    else:
        command = "overture tap -- claude" if loads_nothing and not table.judged else "overture agents --files"
    return FolderSummary(agents, len(groups) < 2, lacking if len(groups) > 1 else (), tuple(problems), command)


def _summarize_agent(table: Table, verdicts: Verdicts, agent: AgentInfo) -> SummaryAgent:
    uses = table.at(agent.name)
    loaded = [use for use in uses if use.how in ("loaded", "truncated") and use.is_text]
    return SummaryAgent(
        agent.name, agent.title, bool(agent.signs.project), tuple(table.shorten(use.path) for use in loaded),
        count_tokens(uses), tuple(table.shorten(use.path) for use in loaded if use.how == "truncated"),
        sum(use.how == "on_demand" and use.is_text for use in uses),
        tuple(table.shorten(path) for path in verdicts.of(agent.name)["never"]),
    )  # fmt: skip


def _view(table: Table, verdicts: Verdicts, summary: FolderSummary, printer: PathPrinter) -> Iterator[Block]:
    if not any(agent.files or agent.tokens for agent in summary.agents):
        yield from _view_empty(table, summary, printer)
        return
    yield _view_agents(table, verdicts, printer)
    if rest := len(table.agents) - MAX_ROWS:
        yield from [Cell(f"and {count_noun(rest, 'more agent')} in use: `overture agents`", "weak")] if rest > 0 else []
    warned = [each for each in summary.problems if each.severity != "note"]
    # What is dangerous and what is lost; the rest is counted, and `overture check` lists it.
    shown = [each for each in warned if each.code in LOST or RULES[each.code].is_security][:MAX_PROBLEMS]
    for problem in shown:
        where = "" if problem.code in ("never-arrives", "truncated", "loaded-twice", "agents-disagree") else (
            f"{problem.path}{f':{problem.line}' if problem.line else ''}: "
        )  # fmt: skip
        yield Cell(f"{problem.severity}: {shorten_text(where + problem.message, MAX_PROBLEM_CHARS)}", "warning")
    if shown and len(warned) > len(shown):
        yield Cell(f"and {count_noun(len(warned) - len(shown), 'more problem')}: `overture check`", "warning")
    if agreement := _describe_agreement(summary):
        yield Cell(agreement)
    yield Cell(f"Next: `{summary.next}` {NEXT[summary.next]}", "weak")
    others = count_noun(len(AGENTS) - len(table.agents), "more agent")
    yield Cell(f"Tokens are counted as {table.tokenizer}. {others}: `overture agents --all`", "weak")


def _view_agents(table: Table, verdicts: Verdicts, printer: PathPrinter) -> Rows:
    """A line for each agent; agents with equal ones share it."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for agent in table.agents[:MAX_ROWS]:
        uses, never = table.at(agent.name), len(verdicts.of(agent.name)["never"])
        later = describe_later(uses)
        cells = (
            format_tokens(count_tokens(uses), exact=table.exact), describe_loaded(uses, printer), later,
            count_noun(never, "file") if never else "",
        )  # fmt: skip
        rows.setdefault(cells, []).append(agent.title)
    heads = ["agent", name_unit(table.tokenizer), "loads", "on demand", "never arrives"]
    cells_by_row = [(", ".join(titles), *cells) for cells, titles in rows.items()]
    width = max(len(cells[1]) for cells in cells_by_row)
    kept = [at for at in range(len(heads)) if any(cells[at] for cells in cells_by_row)]
    shown = []
    for row in cells_by_row:
        texts = [row[0], row[1].rjust(width), *row[2:]]
        shown.append(tuple(Cell(texts[at], "strong" if at == 0 else "warning" if at == 4 else "plain") for at in kept))
    return Rows(tuple(heads[at] for at in kept), shown, (kept.index(0), kept.index(2)))


def _describe_agreement(summary: FolderSummary) -> str:
    getting = [agent for agent in summary.agents if agent.files or agent.on_demand]
    if len(summary.agents) < 2 or not getting:
        return ""
    if summary.agree:
        return f"{'Both' if len(summary.agents) == 2 else f'All {len(summary.agents)}'} get the same instructions."
    lacking = {name for each in summary.differences for name in each.agents}
    same = [agent.title for agent in summary.agents if agent.name not in lacking]
    whole = f"; {join_words(same)} {'gets' if len(same) == 1 else 'get'} all of them" if same else ""
    number = len({path for each in summary.differences for path in each.paths})
    differ = f"{count_noun(number, 'instruction file')} {'differs' if number == 1 else 'differ'}"
    return f"Not all get the same: {differ}{whole}."


def _view_empty(table: Table, summary: FolderSummary, printer: PathPrinter) -> Iterator[Block]:
    """What is here although no agent loads anything, and what to do."""
    paths = [file.path for file in table.judged]
    yield Cell(NOTHING_LOADS if paths or summary.problems else NO_FILES, "strong")
    empty = next((use.path for use in table.uses if use.code == "empty" and use.start == table.cwd), None)
    if empty:
        yield Cell(f"{printer(empty)} is empty: write what agents should know here.")
    elif paths:
        more = [count_noun(len(paths) - MAX_NAMED, "more file")] if len(paths) > MAX_NAMED else []
        yield Cell(f"Folders below have {join_words([*map(printer, paths[:MAX_NAMED]), *more])}.")
    else:
        yield Cell("Write an `AGENTS.md`: most agents load it when they start.", "weak")
    for problem in summary.problems[:1]:
        yield Cell(f"{problem.severity}: {problem.message}", "warning")
    yield Cell(f"Next: `{summary.next}` {NEXT[summary.next]}", "weak")
