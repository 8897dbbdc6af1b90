"""One run of a store, judged as it grows: a little at a time, so that nobody waits for thousands of calls."""

import time
from collections.abc import Sequence

from ...known_models.model_facts import TableForm
from ..call import Call
from ..judge.kept_prefixes import time_of
from ..store.kept_call import KeptCall
from .judged_calls import JudgedCalls


class JudgedRun:
    """The calls of a run in the order of time, and what is known of them so far."""

    def __init__(self, table: TableForm) -> None:
        self.table = table
        self.calls: list[KeptCall] = []
        self.numbers: dict[str, int] = {}
        """Of each call, by its id."""
        self._making = self._shown = JudgedCalls(table)

    @property
    def judged(self) -> JudgedCalls:
        """What is shown: what was known before stays until as much is known anew."""
        return self._making if len(self._making.ids) >= len(self._shown.ids) else self._shown

    @property
    def done(self) -> bool:
        """Whether all are judged, with all that they show of their provider."""
        return len(self._making.ids) == len(self.calls) and not self._making.learned

    def take(self, calls: Sequence[KeptCall]) -> None:
        """The calls of the run as they are now. One that began before another that is judged makes all begin anew."""
        ordered = sorted(calls, key=lambda call: time_of(call.head))
        judged = len(self._making.ids)
        if [call.id for call in ordered[:judged]] != self._making.ids:
            kept = {call.id for call in ordered}
            self._shown = self._making if kept.issuperset(self._making.ids) else JudgedCalls(self.table)
            self._making = JudgedCalls(self.table)
        self.calls = ordered
        self.numbers = {call.id: number for number, call in enumerate(ordered)}

    def judge(self, seconds: float) -> None:
        """Go on, for so long at most; one call at least."""
        end = time.monotonic() + seconds
        while True:
            if len(self._making.ids) == len(self.calls) and self._making.learned:
                self._shown, self._making = self._making, JudgedCalls(self.table, evidence=self._making.evidence)
            if len(self._making.ids) == len(self.calls):
                break
            self._making.add(self.calls[len(self._making.ids)].whole())
            if time.monotonic() > end:
                break

    def whole(self, id: str) -> Call:
        """A call with its texts."""
        return self.calls[self.numbers[id]].whole()
