"""The difference of two tables: what each agent in use gets now, no longer, cut elsewhere, or for another reason."""

from collections import Counter as Tally
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple

from msgspec.structs import replace

from ..agents.in_use import Signs
from ..agents.survey import survey_project
from ..agents.table import Question, Table, ask, count_tokens, list_starts, make_table, open_agents_in
from ..agents.uses import Use, explain_use, shorten_reason
from ..agents.verdicts import LOST, VERDICT_CODES, VerdictFinding, Verdicts, explain_finding
from ..check.engine import find_problems
from ..check.findings import Finding
from ..discovery.paths import contains_path
from ..discovery.tree_files import Tree, list_changed_paths
from ..discovery.world import TOP, World
from ..errors import ConfigError, OvertureError
from ..model.agent_rules import FileKind
from ..model.diagnostic import Level
from ..model.state.reasons import NO_REASON, Reason, explain_hidden
from ..model.struct import Frozen, note
from ..text.path_printer import make_root_printer, readable_path
from ..tokens.counter import Counter, format_tokens
from .lines import Hunk, LineChange, LinesOfAgent, find_hunks, list_line_changes
from .revisions import (
    ReadTree,
    RevisionInfo,
    RevisionPair,
    check_complete,
    list_submodule_notes,
    make_shared_world,
)


class FileUse(Frozen, frozen=True):
    """What an agent does with a file."""

    how: str
    reason: Reason = NO_REASON
    text: Annotated[str, note("the reason in words")] = ""
    tokens: int = 0
    last_line: Annotated[int | None, note("the last line that is loaded; none: all are")] = None
    lines: int | None = None
    times: int = 1


Change = Literal["added", "removed", "changed", "text", "skipped"]
"""added: the agent gets it now · removed: no longer · text: another text, in a lock · skipped: it never arrives"""


class FileChange(Frozen, frozen=True, omit_defaults=False):
    """A file with which an agent does something else."""

    path: str
    change: Change
    starts: Annotated[tuple[str, ...], note("the folders in which the agent is started, where that is so")]
    before: FileUse | None
    after: FileUse | None
    kind: FileKind = "instructions"


class AgentChange(Frozen, frozen=True, omit_defaults=False):
    """What a change does to one agent."""

    title: str
    before: Annotated[int, note("tokens that it gets when it starts in the working directory")]
    after: int
    files: tuple[FileChange, ...] = ()
    lines: tuple[LineChange, ...] = ()


class FindingRow(Frozen, frozen=True, omit_defaults=False):
    """A finding of one of the two sides."""

    code: str
    level: Level
    message: str
    paths: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()


class FindingChanges(Frozen, frozen=True, omit_defaults=False):
    """Findings of only one side."""

    added: tuple[FindingRow, ...] = ()
    removed: tuple[FindingRow, ...] = ()


class TableDiff(Frozen, frozen=True, omit_defaults=False):
    """The difference of what the agents in use get in two revisions."""

    before: RevisionInfo
    after: RevisionInfo
    root: str
    same: Annotated[bool, note("no agent gets anything else")]
    agents: Annotated[dict[str, AgentChange], note("by name")]
    findings: FindingChanges
    tokenizer: str
    exact: Annotated[bool, note("false: the tokens are an estimate")]
    notes: Annotated[tuple[str, ...], note("what was not looked at, and warnings of git")] = ()
    partly: Annotated[bool, note("true: not all of the project was looked at")] = False

    def format(self, tokens: int, *, signed: bool = False) -> str:
        return format_tokens(tokens, exact=self.exact, signed=signed)

    def group_files(self) -> list[tuple[list[str], FileChange]]:
        """Each change of a file once, with all agents that it is one for."""
        groups: dict[FileChange, list[str]] = {}
        for agent in self.agents.values():
            for each in agent.files:
                groups.setdefault(each, []).append(agent.title)
        return sorted(((titles, change) for change, titles in groups.items()), key=lambda row: row[1].path)

    def group_lines(self) -> "list[LineGroup]":
        """Each changed line once, with the agents that get it and those that never do; neighbours together."""
        lines: dict[tuple[str, str, int], tuple[str, list[str], dict[tuple[Reason, str], list[str]]]] = {}
        for agent in self.agents.values():
            for run in agent.lines:
                for number, text in enumerate(run.text, run.line):
                    _, gets, never = lines.setdefault((run.path, run.change, number), (text, [], {}))
                    who = never.setdefault((run.reason, run.why), []) if run.when == "never" else gets
                    who.append(agent.title)
        groups: list[LineGroup] = []
        for (path, change, number), (text, gets, never) in lines.items():
            losers = tuple(NeverGets(tuple(titles), *why) for why, titles in never.items())
            group = LineGroup(path, change, number, (text,), tuple(gets), losers)
            if groups and groups[-1].is_before(group):
                last = groups.pop()
                group = last._replace(text=(*last.text, text))
            groups.append(group)
        return groups


class NeverGets(NamedTuple):
    """Agents that never get a line, and why."""

    titles: tuple[str, ...]
    reason: Reason
    why: str


class LineGroup(NamedTuple):
    """Neighbouring changed lines of a file that the same agents get."""

    path: str
    change: str
    line: int
    text: tuple[str, ...]
    gets: tuple[str, ...]
    never: tuple[NeverGets, ...]

    def is_before(self, other: "LineGroup") -> bool:
        """Whether it ends where another begins."""
        same = self[:2] == other[:2] and self[4:] == other[4:]
        return same and self.line + len(self.text) == other.line


class Side(NamedTuple):
    """One of the two, with its table."""

    info: RevisionInfo
    table: Table
    question: Question | None

    def text(self, path: str) -> str:
        return self.question.files.text(path) if self.question else ""

    def rows(self, agent: str, path: str) -> list[Use]:
        """What an agent does with a file from each start; what only this checkout has is omitted."""
        uses = self.table.by_path.get(path, ())
        return [use for use in uses if use.agent == agent and not use.personal and use.same_as is None]


class Findings(NamedTuple):
    """What is wrong with the files of one side."""

    verdicts: Sequence[VerdictFinding] = ()
    others: Sequence[Finding] = ()


def find_findings(side: Side) -> Findings:
    """The verdicts of one side, and what else `overture check` finds there."""
    if side.question is None:
        return Findings()
    verdicts = Verdicts(side.table, side.question.files)
    result = find_problems(side.question, side.table, verdicts)[1]
    return Findings(verdicts.findings, [each for each in result.findings if each.code not in VERDICT_CODES])


def compare_revisions(
    pair: RevisionPair, trees: Sequence[ReadTree], names: Sequence[str] = (), counter: Counter | None = None
) -> TableDiff:
    """The difference of both revisions for these agents, or for those in use in either."""
    first = _open_side(pair, *trees[0], names, counter, may_fail=True)
    before = _make_side(first)
    if before.question and pair.after and _is_unaffected(first[1], trees, before.question):
        read = [first, (trees[1][0], *first[1:])]
        after = before._replace(info=trees[1][0])
    else:
        read = [first, _open_side(pair, *trees[1], names, counter, may_fail=False)]
        before, after = _make_tables(read, before)
    if not (before.question or after.question):
        raise ConfigError("Neither side can be read.", cause=before.info.why, hint="Pass another --cwd.")
    notes = dict.fromkeys(note for each in (pair.before, pair.after) if each for note in each.notes)
    for (info, world, _), side in zip(read, (before, after), strict=True):
        check_complete(info, world)
        notes |= dict.fromkeys((*list_submodule_notes(info, world), *(str(each) for each in side.table.notes)))
    return compare_tables(before, after, readable_path(pair.root), tuple(map(readable_path, notes)))


Opened = tuple[RevisionInfo, World, Question | None]


def _open_side(
    pair: RevisionPair, info: RevisionInfo, tree: Tree, names: Sequence[str], counter: Counter | None, *, may_fail: bool
) -> Opened:
    """The agents of one side; none if the folder is missing there, or its settings can't be read and that may be."""
    world = make_shared_world(tree)
    if not world.is_folder(pair.folder):
        return replace(info, why=f"the folder {readable_path(pair.cwd)!r} does not exist"), world, None
    try:
        base = open_agents_in(pair.folder, world=world)
        files: Any = world.disk
        asked = set(files.asked)
        survey_project(base)  # it lists all folders; what it finds is compared by itself
        files.asked = asked
        return info, world, ask(base, names, counter=counter, shared=True)
    except OvertureError as problem:
        check_complete(info, world)
        if not may_fail:
            raise ConfigError(make_root_printer(TOP).relative_within(str(problem.within(info.name)))) from None
        why = make_root_printer(TOP).relative_within(readable_path(str(problem)))
        return replace(info, why=why), world, None


def _is_unaffected(world: World, trees: Sequence[ReadTree], question: Question) -> bool:
    """Whether no changed file was looked at, nor is one that agents look for: then the second table is as the first.

    It saves the time of a table for most commits, which change only code.
    """
    files: Any = world.disk
    for path, is_content in list_changed_paths(trees[0][1], trees[1][1]):
        full = f"{TOP}/{path}"
        if full in files.asked or not is_content:
            return False  # a file that is new or gone may be one that texts name
    base = open_agents_in(question.base.cwd, world=make_shared_world(trees[1][1]))
    return survey_project(base) == question.files.survey


def _make_side(opened: Opened, names: Sequence[str] = (), starts: Iterable[str] = ()) -> Side:
    """One side with its table: of its own agents and folders, or of these as far as it has the folders."""
    info, world, question = opened
    if question is None:
        return Side(info, Table(TOP, TOP, (), (), ()), None)
    if names:
        question = question._replace(names=tuple(names), signs={n: question.signs.get(n, Signs()) for n in names})
    there = [start for start in starts if world.is_folder(start)]
    return Side(info, make_table(question, there or list_starts(question.files, question.base.cwd)), question)


def _make_tables(read: Sequence[Opened], before: Side) -> tuple[Side, Side]:
    """The tables of both sides, of the same agents and from the same folders. That of the first may be made already."""
    questions = [question for _, _, question in reversed(read) if question]
    names = tuple(dict.fromkeys(name for question in questions for name in question.names))
    starts = dict.fromkeys(start for each in questions for start in list_starts(each.files, each.base.cwd))
    known = {agent.name for agent in before.table.agents}, set(before.table.starts)
    is_whole = before.question is None or known == (set(names), {s for s in starts if read[0][1].is_folder(s)})
    return before if is_whole else _make_side(read[0], names, starts), _make_side(read[1], names, starts)


def compare_tables(before: Side, after: Side, root: str, notes: tuple[str, ...] = ()) -> TableDiff:
    filled = after if after.question else before
    find_changed_lines = cache(lambda path: find_hunks(before.text(path), after.text(path)))
    agents: dict[str, AgentChange] = {}
    for agent in filled.table.agents:
        files = tuple(_compare_files(agent.name, before, after))
        lines = tuple(_compare_lines(agent.name, before, after, find_changed_lines))
        tokens = [
            count_tokens(use for use in side.table.at(agent.name) if not use.personal) for side in (before, after)
        ]
        agents[agent.name] = AgentChange(agent.title, tokens[0], tokens[1], files, lines)
    sides = (find_findings(after), find_findings(before)) if before.table is not after.table else (Findings(),) * 2
    findings = FindingChanges(
        (*_list_new_findings(*sides, after), *_list_new_problems(*sides, after)),
        (*_list_new_findings(*sides[::-1], before), *_list_new_problems(*sides[::-1], before)),
    )
    return TableDiff(
        before.info, after.info, root,
        not any(each.files or each.lines for each in agents.values()), agents, findings,
        filled.table.tokenizer, filled.table.exact, notes, bool(before.table.notes or after.table.notes),
    )  # fmt: skip


def _compare_files(agent: str, before: Side, after: Side) -> Iterator[FileChange]:
    """The files with which the agent does something else, each with all starts where it does that."""
    groups: dict[object, tuple[Use | None, Use | None, Change, list[str]]] = {}
    both = set(before.table.starts) & set(after.table.starts)
    for start in dict.fromkeys((*after.table.starts, *before.table.starts)):
        old, new = (
            {use.path: use for use in side.table.at(agent, start) if not use.personal} for side in (before, after)
        )
        for path in dict.fromkeys((*new, *old)):
            was, now = old.get(path), new.get(path)
            if start not in both and not contains_path(start, path):
                continue  # the folder itself is new, or gone: what is around it is as it was
            change = _name_change(was, now)
            if change == "skipped" and any(use.is_delivered for use in after.rows(agent, path)):
                change = None
            if change is not None:
                key = path, change, _identify(was), _identify(now)
                groups.setdefault(key, (was, now, change, []))[3].append(start)
    for was, now, change, starts in groups.values():
        use = now or was
        assert use is not None
        path, *folders = (readable_path(after.table.shorten(path)) for path in (use.path, *starts))
        uses = [_describe_use(each, side) if each else None for each, side in ((was, before), (now, after))]
        yield FileChange(path, change, tuple(folders), uses[0], uses[1], use.kind)


def _name_change(was: Use | None, now: Use | None) -> Change | None:
    had, has = (use is not None and use.is_delivered for use in (was, now))
    if had != has:
        return "added" if has else "removed"
    if _identify(was) == _identify(now):
        return None
    if had:
        return "changed"
    is_lost = now is not None and now.code in LOST and now.kind != "settings" and now.same_as is None
    return "skipped" if is_lost else None


def _identify(use: Use | None) -> object:
    """What of a row counts in the comparison: neither its tokens, nor lines that only moved."""
    if use is None:
        return None
    args = () if use.code == "imported" else use.reason.args
    return use.how, use.code, use.reason.path, args, use.last_line, use.times


def _describe_use(use: Use, side: Side) -> FileUse:
    reason = shorten_reason(use.reason, side.table.shorten)
    text = explain_use(use, side.table.titles.get(use.agent, use.agent), side.table.shorten)
    return FileUse(
        use.how, replace(reason, code=use.code), readable_path(text), use.tokens, use.last_line, use.lines, use.times
    )  # fmt: skip


def _compare_lines(agent: str, before: Side, after: Side, find_changed_lines: object) -> Iterator[LineChange]:
    """The changed lines of files that are there in both, and that should reach the agent."""
    paths = dict.fromkeys(
        use.path for use in after.table.uses if use.agent == agent and use.path in before.table.by_path
    )
    for path in paths:
        old, new = before.rows(agent, path), after.rows(agent, path)
        if not old or not new or not any(map(_should_arrive, (*old, *new))):
            continue
        hunks: list[Hunk] = find_changed_lines(path)  # type: ignore[operator]
        if not hunks or not (before.text(path) and after.text(path)):
            continue
        sides = [
            LinesOfAgent(_sort_lost(rows), side.text(path), _find_imports(side, agent, path))
            for side, rows in ((before, old), (after, new))
        ]
        for each in list_line_changes(path, hunks, *sides):
            reason = shorten_reason(each.reason, after.table.shorten)
            why = readable_path(explain_hidden(reason, "it")) if each.when == "never" else ""
            yield replace(each, path=readable_path(after.table.shorten(path)), reason=reason, why=why)


def _should_arrive(use: Use) -> bool:
    """Whether the agent gets a file, or loses one of a name that it reads; others are not for it."""
    return use.is_delivered or (use.is_text and use.code in LOST)


def _sort_lost(rows: Sequence[Use]) -> list[Use]:
    """The rows, first those that say what the project can change."""
    return sorted(rows, key=lambda use: use.code not in LOST)


def _find_imports(side: Side, agent: str, path: str) -> set[int]:
    """The lines of a file in whose place the agent loads another."""
    reasons = (use.reason for use in side.table.uses if use.agent == agent and use.reason.path == path)
    return {
        int(each.args[0]) for each in reasons if each.code == "imported" and each.args and str(each.args[0]).isdecimal()
    }


def _list_new_problems(some: Findings, others: Findings, side: Side) -> Iterator[FindingRow]:
    """What else is wrong on one side alone; a line that only moved is the same."""
    known = Tally((each.code, each.path, each.message) for each in others.others)
    for each in some.others:
        key = each.code, each.path, each.message
        known[key] -= 1
        if known[key] < 0:
            shown = readable_path(side.table.shorten(each.path)) if each.path else ""
            where = f"{shown}:{each.line}: " if shown and each.line else f"{shown}: " if shown else ""
            message = where + readable_path(each.message.replace(f"{side.table.root}/", ""))
            level: Level = "info" if each.severity == "note" else each.severity
            yield FindingRow(each.code, level, message, (shown,) if shown else ())


def _list_new_findings(some: Findings, others: Findings, side: Side) -> Iterator[FindingRow]:
    """The findings of one side, about those agents and files of which the other has none."""
    known = {(e.code, e.cause, agent, path) for e in others.verdicts for agent in e.agents for path in e.paths}
    for each in some.verdicts:
        new = [
            (agent, path) for agent in each.agents for path in each.paths
            if (each.code, each.cause, agent, path) not in known
        ]  # fmt: skip
        if new:
            agents, paths = (tuple(dict.fromkeys(column)) for column in zip(*new, strict=True))
            row = replace(each, agents=agents, paths=paths)
            message = readable_path(explain_finding(row, side.table, side.table.shorten))
            shown = tuple(readable_path(side.table.shorten(path)) for path in paths)
            yield FindingRow(each.code, each.level, message, shown, agents)


# In words


def name_change(change: FileChange) -> tuple[str, str]:
    """What an agent does with a file now, and why or what it did before."""
    was, now, starts = change.before, change.after, change.starts
    where = "" if "." in starts or not starts else f"started in {starts[0]}"
    where += f" and {len(starts) - 1:,} more" * (bool(where) and len(starts) > 1)
    before, after = (name_use(use) if use else "" for use in (was, now))
    why = now.text if now else ""
    match change.change:
        case "skipped":
            word = "never arrives"
        case "added":
            word = f"{after} now"
        case "removed":
            word = f"no longer {HOW.get(was.how, '') if was else ''}"
        case "text":
            word = "changed"
        case "changed":
            word = f"{after} now" if before != after else "another reason"
            why = f"it was {before}" if before != after else why
    return word, "; ".join(filter(None, (why, where)))


HOW = {"loaded": "loaded", "truncated": "truncated", "on_demand": "loaded on demand", "listed": "listed"}


def name_use(use: FileUse) -> str:
    """`truncated at line 460 of 522`."""
    last = f" at line {use.last_line:,}" if use.last_line is not None else ""
    last += f" of {use.lines:,}" if last and use.lines else ""
    return f"{HOW.get(use.how, 'skipped')}{last}{f' {use.times} times' if use.times > 1 else ''}"


def name_lines(group: LineGroup) -> str:
    """`AGENTS.md:3`, `AGENTS.md:3-5`."""
    last = group.line + len(group.text) - 1
    return f"{group.path}:{group.line}" + (f"-{last}" if last > group.line else "")
