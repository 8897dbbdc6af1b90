"""Groups agents by what each does with a file: loads, truncates, lists or skips it, and why."""

import posixpath
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated

from ..model.struct import Frozen, note
from ..text.words import count_noun, join_words
from .agent_report import STATUS_WORDS, AgentFile, AgentReport, FileStatus, name_status
from .agents_in_use import COMMON_AGENTS
from .loaded_files import explain_on_demand

NOT_LOOKED_FOR = "not looked for"
STATUS_ORDER: tuple[FileStatus, ...] = ("loaded", "truncated", "listed", "on_demand", "skipped")
MAX_NAMED_AGENTS = 3
"""Agents of one answer that are named; the others are counted."""


class FileAnswer(Frozen, frozen=True, omit_defaults=False):
    """The agents that treat one file in the same way."""

    status: FileStatus
    why: Annotated[str, note("the reason, the same for all of them; empty where the status says it all")]
    agents: Annotated[tuple[str, ...], note("the most used first")]
    titles: Annotated[tuple[str, ...], note("the same agents as people call them")]
    tokens: Annotated[int, note("tokens that one of these agents loads of the file at the start, at the most")] = 0
    last_line: Annotated[int | None, note("of a truncated file: the last line that is loaded")] = None

    @property
    def is_looked_for(self) -> bool:
        """Whether these agents do something with the file."""
        return self.why != NOT_LOOKED_FOR

    def describe(self, *, everyone: bool = False) -> str:
        """`loaded by Codex, Cursor and 25 others`."""
        agents = name_agents(self.titles, everyone=everyone)
        if not self.is_looked_for:
            return f"not looked for by {agents}"
        at = f" after line {self.last_line:,}" if self.last_line else ""
        under = f" {self.why}" if self.why.startswith("as ") else ""
        why = f": {self.why}" if self.why and not under else ""
        return f"{STATUS_WORDS.get(self.status, self.status)}{at}{under} by {agents}{why}"


def name_agents(titles: Sequence[str], *, everyone: bool = False) -> str:
    """`Codex, Cursor, Zed and 24 others`; one that would be left over is named, too."""
    if everyone or len(titles) <= MAX_NAMED_AGENTS + 1:
        return join_words(titles)
    return join_words([*titles[:MAX_NAMED_AGENTS], f"{len(titles) - MAX_NAMED_AGENTS} others"])


def answer_for_file(reports: Sequence[AgentReport], paths: Sequence[str]) -> tuple[FileAnswer, ...]:
    """What the agents do with a file of these names, grouped by answer: those that load it first."""
    groups: dict[tuple[FileStatus, str, int | None], list[tuple[AgentReport, int]]] = {}
    for report in sorted(reports, key=_rank_agent):
        status, why, last_line, tokens = _choose_best_answer(report, paths)
        groups.setdefault((status, why, last_line), []).append((report, tokens))
    answers = [
        FileAnswer(
            status,
            why,
            tuple(report.name for report, _ in group),
            tuple(report.title for report, _ in group),
            max(tokens for _, tokens in group),
            last_line,
        )
        for (status, why, last_line), group in groups.items()
    ]
    return tuple(sorted(answers, key=_rank_answer))


def _rank_answer(answer: FileAnswer) -> tuple[bool, int, bool]:
    return not answer.is_looked_for, STATUS_ORDER.index(answer.status), bool(answer.why)


def _rank_agent(report: AgentReport) -> tuple[bool, int]:
    common = COMMON_AGENTS.index(report.name) if report.name in COMMON_AGENTS else len(COMMON_AGENTS)
    return not report.used, common


Answer = tuple[FileStatus, str, int | None, int]


def _choose_best_answer(report: AgentReport, paths: Sequence[str]) -> Answer:
    """Of several names of one file, what the agent does with the one that it loads, or else looks for."""
    files = {file.path: file for file in report.files}
    answers = [_make_answer(report, files, files[path], paths) for path in paths if path in files]
    answers = answers or list(_answer_for_folder(report, paths))
    return min(answers, key=_rank_status, default=_NOT_LOOKED_FOR)


def _rank_status(answer: Answer) -> tuple[int, bool, bool]:
    return STATUS_ORDER.index(answer[0]), bool(answer[1]), answer[1] == NOT_LOOKED_FOR


_NOT_LOOKED_FOR: Answer = ("skipped", NOT_LOOKED_FOR, None, 0)


def _make_answer(report: AgentReport, files: dict[str, AgentFile], file: AgentFile, paths: Sequence[str]) -> Answer:
    """An agent's answer for a file: its status and reason, or those of the same file by another name."""
    if file.same is not None and (other := files.get(file.same)) is not None and other.status != "skipped":
        if file.same in paths:
            return _make_answer(report, files, other, paths)
        return name_status(other), f"as {file.same}", other.last_line, other.tokens
    status = name_status(file)
    if status in ("loaded", "listed"):
        imported = file.why.startswith("imported by") and not paths[1:]
        return status, file.why if imported else "", None, file.tokens
    if status == "truncated":
        return status, "", file.last_line, file.tokens
    if file.why.startswith(when := explain_on_demand(posixpath.dirname(file.path), "")):
        return status, file.why.removeprefix(when).removeprefix("; "), None, 0
    why = shorten_reason(report.title, file.why)
    beside = posixpath.join(posixpath.dirname(file.path), why.removeprefix("hidden by "))
    return status, f"hidden by {beside}" if why.startswith("hidden by ") and beside in files else why, None, 0


def _answer_for_folder(report: AgentReport, paths: Sequence[str]) -> Iterator[Answer]:
    """A folder is loaded as far as files in it are."""
    for path in paths:
        below = [file for file in report.files if file.path.startswith(f"{path.rstrip('/')}/")]
        reasons = {shorten_reason(report.title, file.why) for file in below if file.status == "skipped"}
        if any(file.status != "skipped" for file in below) or reasons - {NOT_LOOKED_FOR}:
            (status, best), *others = count_statuses(below)
            later = (f"{count} {STATUS_WORDS.get(each, each)}" for each, count in others if each != "skipped")
            why = ", ".join([f"{best} of {count_noun(len(below), 'file')} in it", *later])
            yield status, why, None, sum(file.tokens for file in below if file.status in ("loaded", "truncated"))


def count_statuses(files: Sequence[AgentFile]) -> Sequence[tuple[FileStatus, int]]:
    """How many of these files have each status, the best first."""
    counts = Counter(map(name_status, files))
    return [(each, counts[each]) for each in STATUS_ORDER if counts[each]]


def shorten_reason(title: str, why: str) -> str:
    """A reason without what follows from it, and without the agent's name: so that it is the same for several."""
    if why.startswith((f"{title} does not read ", f"{title} does not look for ")):
        return NOT_LOOKED_FOR
    if why.startswith("hidden by "):
        return why.partition(": where that exists")[0].partition(", which comes first")[0]
    place, where, _ = why.partition(f", where {title} ")
    return f"not looked for {place}" if where else why.replace(f"{title} looks for", "it looks for")
