"""Records what has passed, in a thread of its own. The traffic never waits for it, and never ends with it."""

import queue
import threading
from collections.abc import Callable

import msgspec

from ....errors import spoken
from ...exchange import Exchange
from .copy import Copy, Room

Record = Callable[[Exchange], None]
MOST_WAITING = 2000
MOST_SAID = 100
PATIENCE = 10.0
"""Seconds that the end waits for what is still to be recorded."""


class Recorder:
    """Hands exchanges to a function, one at a time; says what could not be recorded."""

    def __init__(self, record: Record, room: Room | None = None) -> None:
        self.room = room or Room()
        self._record = record
        self._waiting: queue.Queue[Copy | None] = queue.Queue()
        self._lock = threading.Lock()
        self._lost: list[str] = []
        self._lost_more = 0
        self._thread = threading.Thread(target=self._run, name="overture-tap-recorder", daemon=True)
        self._thread.start()

    @property
    def lost(self) -> tuple[str, ...]:
        """What is in no record, in words."""
        with self._lock:
            more = (f"and {self._lost_more} more",) if self._lost_more else ()
            return (*self._lost, *more)

    def put(self, copy: Copy) -> None:
        """Have it recorded when there is time; from the loop, so it never waits."""
        if self._waiting.qsize() >= MOST_WAITING:
            self.room.give(copy.size)
            self._lose(copy, f"{MOST_WAITING} others wait to be recorded")
        else:
            self._waiting.put(copy)

    def close(self) -> None:
        """Wait until what has passed is recorded, but not for ever."""
        self._waiting.put(None)
        self._thread.join(PATIENCE)
        if self._thread.is_alive():
            self.say(
                f"The recording did not end within {PATIENCE:.0f} s; {self._waiting.qsize()} calls may be missing."
            )

    def _run(self) -> None:
        while (copy := self._waiting.get()) is not None:
            try:
                self._try(copy)
            finally:
                self.room.give(copy.size)

    def _try(self, copy: Copy) -> None:
        """Record it; where that fails, record that it failed, without the bodies."""
        try:
            exchange = copy.exchange()
            self._record(exchange)
        except Exception as problem:  # whatever the recording does, the traffic goes on
            said = spoken(f"recording failed: {type(problem).__name__}: {problem}")[:300]
            try:
                bare = msgspec.structs.replace(
                    copy.exchange(), request=b"", response=b"", missing=(*copy.missing, f"request and response: {said}")
                )
                self._record(bare)
            except Exception:
                self._lose(copy, said)

    def _lose(self, copy: Copy, why: str) -> None:
        self.say(
            f"{copy.at.isoformat(timespec='seconds')} {copy.route.family.name} {copy.route.upstream.called}: {why}"
        )

    def say(self, words: str) -> None:
        """Note what is in no record."""
        with self._lock:
            if len(self._lost) < MOST_SAID:
                self._lost.append(words)
            else:
                self._lost_more += 1
