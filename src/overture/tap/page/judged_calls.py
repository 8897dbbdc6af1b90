"""Calls judged one after the other, as they are recorded: each is looked at once, and its texts are let go."""

from functools import lru_cache

from msgspec.structs import replace

from ...known_models.model_facts import TableForm
from ...tokens.counter import ESTIMATE, Counter
from ..call import Call
from ..judge.conversations import Threads
from ..judge.evidence import Evidence
from ..judge.misses import Judge, is_compared
from ..judge.tap_report import TapReport
from ..judge.told import added_up, report_of
from ..judge.verdict import CallVerdict
from ..show.conversation_names import Conversation, named
from ..show.report_lines import bill_line
from .call_rows import CauseRow, TalkRow

KNOWN = 20_000
"""Texts whose counts are remembered: most are sent again with the next call."""


class JudgedCalls:
    """The calls of one run. Given in the order of time, they are told as `tell` tells them, a call at a time."""

    def __init__(self, table: TableForm, count: Counter = ESTIMATE, evidence: Evidence | None = None) -> None:
        self.table, self.counter = table, count
        self.kept: dict[int, Call] = {}
        """Those to which a later one may be compared; of the others only the verdict is left."""
        self.evidence = evidence if evidence is not None else Evidence()
        self._known = self.evidence.size
        self.judge = Judge(self.kept, table, lru_cache(KNOWN)(count.by_lines), self.evidence)
        self.threads = Threads()
        self.ids: list[str] = []
        self.heads: list[Call] = []
        """The calls without their texts."""
        self.verdicts: list[CallVerdict] = []
        self.before: list[int | None] = []
        """The call to which each was compared."""
        self._last: dict[int, int] = {}
        self._talks: tuple[Conversation, ...] | None = None

    def add(self, call: Call) -> None:
        """Judge a call."""
        number = len(self.ids)
        self.kept[number] = call
        thread = self.threads.add(number, call)
        before = self._last.get(id(thread))
        told = self.judge.verdict(number, before, number in thread.compacted)
        self.ids.append(call.id)
        self.heads.append(replace(call, pieces=(), reply=""))
        self.before.append(before)
        self.verdicts.append(told)
        self._let_go(id(thread), number, before, keeps=is_compared(call, before))
        self._talks = None

    @property
    def learned(self) -> bool:
        """Whether later calls have shown something that counts for earlier ones: they are to be judged again."""
        return self.evidence.size > self._known

    def _let_go(self, thread: int, number: int, before: int | None, *, keeps: bool) -> None:
        if not keeps:
            del self.kept[number]
            return
        if before is not None:
            del self.kept[before]
        self._last[thread] = number

    @property
    def talks(self) -> tuple[Conversation, ...]:
        """The conversations so far."""
        if self._talks is None:
            self._talks = tuple(named(self.threads.all))
        return self._talks

    def talk_rows(self) -> tuple[TalkRow, ...]:
        """A row for each conversation."""
        return tuple(self._talk_row(talk) for talk in self.talks)

    def _talk_row(self, talk: Conversation) -> TalkRow:
        mine = [self.verdicts[number] for number in talk.calls]
        return TalkRow(
            talk.name,
            talk.why,
            len(mine),
            sum(told.price.input for told in mine),
            sum(told.price.read for told in mine),
            sum(told.price.output or 0 for told in mine),
            added_up(told.price.dollars for told in mine),
            added_up(loss.dollars for told in mine for loss in told.losses),
            any(told.price.at_least for told in mine),
        )

    def report(self) -> TapReport:
        """What `tell` tells, without the conversations."""
        return report_of(self.heads, self.verdicts, self.table, self.counter)

    @staticmethod
    def bill(report: TapReport) -> tuple[str, tuple[CauseRow, ...]]:
        """The sentence, and the causes."""
        rows = (CauseRow(each.reason, each.cause, each.calls, each.tokens, each.dollars) for each in report.causes[:12])
        return bill_line(report), tuple(rows)
