"""Judges the calls of one run as they are recorded."""

import time
from collections.abc import Sequence
from functools import lru_cache

from msgspec.structs import replace

from ...known_models.model_facts import TableForm
from ...text.normalize import shorten_text
from ...tokens.counter import ESTIMATE, Counter
from ..call import RecordedCall
from ..judge.causes import Evidence
from ..judge.conversations import ConversationIndex
from ..judge.misses import Judge, is_compared
from ..judge.predict_reads import time_of
from ..judge.report import TapReport, report_of, sum_verdicts
from ..judge.verdict import CallVerdict
from ..show.call_names import Conversation, first_words, named
from ..store.stored_call import StoredCall
from .call_rows import MAX_ROW_WORDS, TalkRow

KNOWN = 20_000
"""Texts whose counts are remembered: most are sent again with the next call."""


class IncrementalJudge:
    """The calls of one run, judged one at a time in the order of time, as `make_report` judges them."""

    def __init__(self, table: TableForm, count: Counter = ESTIMATE, evidence: Evidence | None = None) -> None:
        self.table, self.counter = table, count
        self.kept: dict[int, RecordedCall] = {}
        """Those to which a later one may be compared; of the others only the verdict is left."""
        self.evidence = evidence if evidence is not None else Evidence()
        self._known = self.evidence.size
        self.judge = Judge(self.kept, table, lru_cache(KNOWN)(count.by_lines), self.evidence)
        self.threads = ConversationIndex()
        self.ids: list[str] = []
        self.heads: list[RecordedCall] = []
        """The calls without their texts."""
        self.words: list[str] = []
        """How each answer begins."""
        self.titles: list[str] = []
        """The first words of each call's user."""
        self.verdicts: list[CallVerdict] = []
        self.before: list[int | None] = []
        """The call to which each was compared."""
        self._last: dict[int, int] = {}
        self._talks: tuple[Conversation, ...] | None = None

    def add(self, call: RecordedCall) -> None:
        """Judge a call."""
        number = len(self.ids)
        self.kept[number] = call
        thread = self.threads.add(number, call)
        before = self._last.get(id(thread))
        verdict = self.judge.verdict(number, before, number in thread.compacted)
        self.ids.append(call.id)
        self.heads.append(replace(call, pieces=(), reply=""))
        self.words.append(_begin(call.reply))
        self.titles.append(_begin(first_words(call)))
        self.before.append(before)
        self.verdicts.append(verdict)
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
        return tuple(self._talk_row(conversation) for conversation in self.talks)

    def _talk_row(self, conversation: Conversation) -> TalkRow:
        sums = sum_verdicts([self.verdicts[number] for number in conversation.calls])
        return TalkRow(
            conversation.name,
            next((self.titles[number] for number in conversation.calls if self.titles[number]), ""),
            conversation.why,
            len(conversation.calls),
            sums.input,
            sums.read,
            sums.output,
            sums.dollars,
            sums.lost or None,
            sums.at_least,
        )

    def report(self) -> TapReport:
        """The report on the calls so far, without the conversations, whose texts are not kept."""
        return report_of(self.heads, self.verdicts, self.table, self.counter)


def _begin(text: str) -> str:
    """The first words of a text, on one line."""
    return shorten_text(" ".join(text[: MAX_ROW_WORDS * 4].split()), MAX_ROW_WORDS)


class RunJudge:
    """The calls of a run in the order of time, and what is known of them so far."""

    def __init__(self, table: TableForm, count: Counter = ESTIMATE) -> None:
        self.table, self.counter = table, count
        self.calls: list[StoredCall] = []
        self.numbers: dict[str, int] = {}
        """Of each call, by its id."""
        self._making = self._shown = self._start()

    def _start(self, evidence: Evidence | None = None) -> IncrementalJudge:
        return IncrementalJudge(self.table, self.counter, evidence)

    @property
    def judged(self) -> IncrementalJudge:
        """What is shown: what was known before stays until as much is known anew."""
        return self._making if len(self._making.ids) >= len(self._shown.ids) else self._shown

    @property
    def done(self) -> bool:
        """Whether all are judged, with all that they show of their provider."""
        return len(self._making.ids) == len(self.calls) and not self._making.learned

    def take(self, calls: Sequence[StoredCall]) -> None:
        """The calls of the run as they are now. One that began before another that is judged makes all begin anew."""
        ordered = sorted(calls, key=lambda call: time_of(call.head))
        judged = len(self._making.ids)
        if [call.id for call in ordered[:judged]] != self._making.ids:
            ids = {call.id for call in ordered}
            self._shown = self._making if ids.issuperset(self._making.ids) else self._start()
            self._making = self._start()
        self.calls = ordered
        self.numbers = {call.id: number for number, call in enumerate(ordered)}

    def judge(self, seconds: float) -> None:
        """Go on, for so long at most; one call at least."""
        end = time.monotonic() + seconds
        while True:
            if len(self._making.ids) == len(self.calls) and self._making.learned:
                self._shown, self._making = self._making, self._start(self._making.evidence)
            if len(self._making.ids) == len(self.calls):
                break
            self._making.add(self.calls[len(self._making.ids)].whole())
            if time.monotonic() > end:
                break

    def whole(self, id: str) -> RecordedCall:
        """A call with its texts."""
        return self.calls[self.numbers[id]].whole()
