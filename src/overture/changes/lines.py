"""The lines of a file that differ, and whether an agent gets them: at its start, on demand, or never."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Annotated, Literal, NamedTuple

from ..agents.uses import LISTED_KINDS, Use
from ..model.state.reasons import NO_REASON, Reason, because
from ..model.struct import Frozen, note
from ..report.text_diff import LineMatcher

When = Literal["start", "on_demand", "never"]


class LineChange(Frozen, frozen=True, omit_defaults=False):
    """Neighbouring lines of a file that were added or removed, and what an agent gets of them."""

    path: str
    change: Literal["added", "removed"]
    line: Annotated[int, note("number of the first: of removed ones in the file as it was")]
    text: tuple[str, ...]
    when: Annotated[When, note("never: the agent gets them from no folder in which it may start")] = "start"
    reason: Annotated[Reason, note("why never")] = NO_REASON
    why: Annotated[str, note("the same in words")] = ""

    @property
    def last_line(self) -> int:
        return self.line + len(self.text) - 1


class Hunk(NamedTuple):
    """Where two versions of a file differ: each line with its number."""

    removed: list[tuple[int, str]]
    added: list[tuple[int, str]]


def find_hunks(before: str, after: str) -> list[Hunk]:
    old, new = ([*enumerate(text.splitlines(), 1)] for text in (before, after))
    opcodes = LineMatcher([text for _, text in old], [text for _, text in new]).get_opcodes()
    return [Hunk(old[a:a_end], new[b:b_end]) for what, a, a_end, b, b_end in opcodes if what != "equal"]


class Arrival(NamedTuple):
    """What becomes of a line."""

    when: When
    reason: Reason = NO_REASON


class LinesOfAgent:
    """Which lines of a file one agent gets, from whichever folder it is started in."""

    def __init__(self, uses: Sequence[Use], text: str, imports: set[int]) -> None:
        """`uses` are its rows of the file, and `imports` the lines in whose place it loads another file."""
        self.delivered, self.uses = [use for use in uses if use.is_delivered], uses
        self.imports, self.head = imports, _count_frontmatter(text)

    def find(self, number: int) -> Arrival:
        whens = {when for use in self.delivered if (when := self._find_in(use, number))}
        if whens:
            return Arrival("start" if "start" in whens else "on_demand")
        last = [use.last_line for use in self.delivered if use.last_line is not None]
        if last:
            return Arrival("never", because("limit", "", "at", max(last)))
        return Arrival("never", because("stripped") if self.delivered else self.uses[0].reason)

    def _find_in(self, use: Use, number: int) -> When | None:
        if use.kind in LISTED_KINDS or use.how == "listed":
            return "start" if number <= self.head and use.how == "listed" else "on_demand"
        if use.last_line is not None and number > use.last_line:
            return None
        # Of settings at the head of a file, and of imports, the agent gets what they do.
        is_in = any(first <= number <= last for first, last in use.spans) or not use.spans
        if not is_in and number > self.head and number not in self.imports:
            return None
        return "on_demand" if use.how == "on_demand" else "start"


def _count_frontmatter(text: str) -> int:
    lines = text.splitlines()
    if not lines or lines[0].strip() != "---":
        return 0
    return next((number for number, line in enumerate(lines[1:], 2) if line.strip() == "---"), 0)


def list_line_changes(
    path: str, hunks: Sequence[Hunk], before: LinesOfAgent, after: LinesOfAgent
) -> Iterator[LineChange]:
    """The lines of a file that differ, as runs of which an agent gets all or none."""
    for hunk in hunks:
        yield from _split_run(path, "removed", hunk.removed, before)
        yield from _split_run(path, "added", hunk.added, after)


def _split_run(
    path: str, change: Literal["added", "removed"], lines: Sequence[tuple[int, str]], agent: LinesOfAgent
) -> Iterator[LineChange]:
    arrivals: list[Arrival | None] = [
        agent.find(number) if any(map(str.isalnum, text)) else None for number, text in lines
    ]
    known = next(filter(None, arrivals), agent.find(lines[0][0]) if lines else None)
    rows = []
    for arrival, line in zip(arrivals, lines, strict=True):
        known = arrival or known  # a line without a word goes with the one before it
        rows.append((known, line))
    for key, group in groupby(rows, key=lambda row: row[0]):
        run = [line for _, line in group]
        if key is not None:
            yield LineChange(path, change, run[0][0], tuple(text for _, text in run), key.when, key.reason)
