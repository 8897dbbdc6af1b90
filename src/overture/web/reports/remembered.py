"""Answers that take a while are made once, off the event loop, and given to all who ask until something changes."""

import asyncio
import time
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, TypeVar

from ..guard.limits import Turns
from .behind import Live

T = TypeVar("T")
MOST = 32
"""Answers that are kept: a path that somebody types can be any."""
FRESH = 10.0
"""Seconds: other agents read files that nobody watches for the prompt."""


class Known(NamedTuple):
    """An answer that is there, or is being made."""

    since: float
    made: "asyncio.Task[Any]"

    @property
    def is_old(self) -> bool:
        """Whether it is done, and was long ago."""
        return self.made.done() and time.monotonic() - self.since > FRESH


class Remembered:
    """Answers by what was asked, for one version of what the page shows."""

    def __init__(self, live: Live, turns: Turns) -> None:
        self.live, self.turns = live, turns
        self.version: int | None = None
        self.kept: dict[Hashable, Known] = {}

    async def give(self, asked: Hashable, make: Callable[[], T]) -> T:
        """What `make` gives, or gave a moment ago. Whoever asks while it is being made waits for the same."""
        if self.version != self.live.version:
            self.version, self.kept = self.live.version, {}
        known = self.kept.get(asked)
        if known is None or known.is_old:
            known = self._begun(asked, make)
        # One who goes away does not take the answer from the others.
        given: T = await asyncio.shield(known.made)
        return given

    def _begun(self, asked: Hashable, make: Callable[[], Any]) -> Known:
        self.kept.pop(asked, None)
        while len(self.kept) >= MOST:
            del self.kept[next(iter(self.kept))]
        kept = self.kept
        known = kept[asked] = Known(time.monotonic(), asyncio.ensure_future(self.turns.work(make)))
        known.made.add_done_callback(lambda done: _forget_failed(kept, asked, done))
        return known


def _forget_failed(kept: dict[Hashable, Known], asked: Hashable, done: "asyncio.Task[Any]") -> None:
    """What went wrong is told to whoever waits, and tried again for the next."""
    if (done.cancelled() or done.exception()) and asked in kept and kept[asked].made is done:
        del kept[asked]
