"""The turns that the page shows, how two of them differ, and the browsers that wait for the next.

Turns are added on any thread. Subscribers wait on an event loop, and get each event there.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any, Literal, NamedTuple

from msgspec.structs import replace

from ...discover.load_tokenizer import COUNTER_NAMES, find_counter
from ...known_models.model_facts import TableForm
from ...providers.render import facts_for
from ...report.sheet.compare_sheets import SheetDifference, TurnRow, compare_sheets, predict_cache_between
from ...report.sheet.published_lines import ShownTurn
from ...report.sheet.sheet import SheetBlock, SheetWithTools
from ..service.problems import RefusedError, problem_of

WHOLE_FIELDS = ("omitted", "sources", "cuts", "problems", "paces", "context", "price", "inputs")
"""Fields that are shared with the turn before if they are equal as a whole."""


def share_equal_texts(shown: SheetWithTools, before: SheetWithTools | None) -> SheetWithTools:
    """The same, with as little of its own as can be."""
    if before is None:
        return shown
    sheet, old = shown.sheet, before.sheet
    known = {block.name: block for block in (*old.blocks, *old.messages)}
    texts = {piece.text: piece.text for block in known.values() for piece in block.pieces}
    changes: dict[str, Any] = {
        name: tuple(_share_block_texts(block, known.get(block.name), texts) for block in getattr(sheet, name))
        for name in ("blocks", "messages")
    }
    changes |= {name: same for name in WHOLE_FIELDS if (same := getattr(old, name)) == getattr(sheet, name)}
    return SheetWithTools(replace(sheet, **changes), before.tools if before.tools == shown.tools else shown.tools)


def _share_block_texts(block: SheetBlock, before: SheetBlock | None, texts: dict[str, str]) -> SheetBlock:
    """A block of the newest turn that shares its texts with the turn before."""
    if block == before:
        return before
    pieces = [replace(piece, text=texts.get(piece.text, piece.text)) for piece in block.pieces]
    return replace(block, pieces=tuple(pieces))


MAX_TURNS = 200
"""Turns; older ones are forgotten."""
QUEUED = 100
"""News that wait for a browser which does not read them; then the oldest are dropped."""


class PageEvent(NamedTuple):
    """One thing that happened."""

    name: Literal["turn", "broken", "mended", "gone", "calls", "end"]
    """`calls`: what the tap has recorded is not what it was. `end`: the service ends, and so does the stream."""
    data: dict[str, Any] = {}


class Listener:
    """A browser that waits for news, on its event loop."""

    def __init__(self) -> None:
        """Wait for events of the history on this event loop."""
        self.loop = asyncio.get_running_loop()
        self.events: asyncio.Queue[PageEvent] = asyncio.Queue()

    def send(self, event: PageEvent) -> None:
        """Hand it over, from any thread."""
        with suppress(RuntimeError):  # its loop has ended, and no subscriber waits there
            self.loop.call_soon_threadsafe(self._put, event)

    def _put(self, event: PageEvent) -> None:
        """Queue an event for a browser; the oldest of too many is dropped."""
        if self.events.qsize() >= QUEUED:
            self.events.get_nowait()
        self.events.put_nowait(event)


class TurnHistory:
    """What was shown, oldest first, and what is wrong now."""

    def __init__(
        self, live: Literal["files", "session"] = "files", title: str = "", parent: "TurnHistory | None" = None
    ) -> None:
        """Begin without turns, of files or of a session."""
        self.live, self.title, self.parent = live, title, parent
        self.broken: str | None = None
        self.gone: str | None = None
        """Why there will be no more turns: the session that was followed is over."""
        self.ready = threading.Event()
        """Set with the first turn."""
        self.attended = threading.Event()
        """Set while somebody listens."""
        self._lock = threading.Lock()
        self._turns: deque[ShownTurn] = deque(maxlen=MAX_TURNS)
        self._listeners: set[Listener] = set()
        self._relays: set[Listener] = set()
        """Those who listen to a fork: what is not of its own turns is told to them too."""

    def fork(self) -> "TurnHistory":
        """A history with the same turns so far, to which others are added."""
        other = TurnHistory(self.live, self.title, self)
        with self._lock:
            other._turns.extend(self._turns)
            other.broken = self.broken
        other.ready.set()
        return other

    @property
    def next(self) -> int:
        """The number that the next turn will have."""
        with self._lock:
            return self._turns[-1].row.turn + 1 if self._turns else 1

    def add(self, shown: SheetWithTools, row: TurnRow) -> None:
        """Adds a turn, and notifies subscribers. Parts that equal those of the turn before are stored once."""
        with self._lock:
            last = self._turns[-1].shown if self._turns else None
            self._turns.append(ShownTurn(share_equal_texts(shown, last), row))
        self.ready.set()
        self.publish(PageEvent("turn", {"turn": row.turn}))

    def turn(self, number: int | None = None) -> SheetWithTools | None:
        """The turn of that number, or the newest, which also has the current problem; None: it is not stored."""
        with self._lock:
            turns, broken = tuple(self._turns), self.broken
        if number is not None and not (turns and number == turns[-1].row.turn):
            return next((each.shown for each in turns if each.row.turn == number), None)
        newest = turns[-1].shown if turns else None
        if newest is None or newest.sheet.broken == broken:
            return newest
        return replace(newest, sheet=replace(newest.sheet, broken=broken))

    @property
    def rows(self) -> tuple[TurnRow, ...]:
        """All stored turns, oldest first."""
        with self._lock:
            return tuple(each.row for each in self._turns)

    def break_off(self, message: str) -> None:
        """Reports a problem; the newest turn stays."""
        with self._lock:
            known, self.broken = self.broken, message
        if known != message:
            self.publish(PageEvent("broken", {"message": message}))

    def recover(self) -> None:
        """Reports that the problem is gone."""
        with self._lock:
            known, self.broken = self.broken, None
        if known is not None:
            self.publish(PageEvent("mended"))

    def leave(self, why: str) -> None:
        """Reports the end of the history; the turns stay."""
        with self._lock:
            self.gone = why
        self.publish(PageEvent("gone", {"message": why}))

    def begin_again(self, title: str) -> None:
        """Forget the turns of one session, for those of another."""
        with self._lock:
            self.title, self.gone, self.broken = title, None, None
            self._turns.clear()
        self.ready.clear()

    def publish(self, event: PageEvent) -> None:
        """Notifies all browsers that listen."""
        with self._lock:
            listeners = (*self._listeners, *(self._relays if event.name == "calls" else ()))
        for listener in listeners:
            listener.send(event)

    @property
    def listening(self) -> int:
        """How many browsers wait for the next turn of this history."""
        with self._lock:
            return len(self._listeners) + len(self._relays)

    @contextmanager
    def subscribe(self) -> Iterator[Listener]:
        """Subscribes on the running event loop; the current state is sent first."""
        listener = Listener()
        with self._lock:
            self._listeners.add(listener)
            self.attended.set()
            if self._turns:
                listener.events.put_nowait(PageEvent("turn", {"turn": self._turns[-1].row.turn}))
            if self.broken is not None:
                listener.events.put_nowait(PageEvent("broken", {"message": self.broken}))
            if self.gone is not None:
                listener.events.put_nowait(PageEvent("gone", {"message": self.gone}))
        if self.parent is not None:
            with self.parent._lock:
                self.parent._relays.add(listener)
                self.parent.attended.set()
        try:
            yield listener
        finally:
            self._leave(listener)
            if self.parent is not None:
                self.parent._leave(listener)

    def _leave(self, listener: Listener) -> None:
        """Drop the listener of a browser that went away."""
        with self._lock:
            self._listeners.discard(listener)
            self._relays.discard(listener)
            if not self._listeners and not self._relays:
                self.attended.clear()


def get_turn(history: TurnHistory, number: int | None, name: str) -> SheetWithTools:
    """A turn by its number, or the newest; one that is not there is a refusal."""
    shown = history.turn(number)
    if shown is None:
        message = f"Turn {number} is not available: the page has the newest {MAX_TURNS} turns since it was started."
        raise RefusedError(problem_of("not-found", message, name))
    return shown


def diff_turns(history: TurnHistory, models: TableForm, a: int | None, b: int | None) -> SheetDifference:
    """How turn `b` differs from turn `a`; without numbers, the newest from the one before it."""
    history = history.fork()  # another session may take the place of this one at any time
    later = get_turn(history, b, "b")
    number = later.sheet.turn
    rows = history.rows
    earlier = get_turn(history, max(number - 1, rows[0].turn) if a is None else a, "a")
    price, tokenizer = later.sheet.price, later.sheet.tokenizer
    day = datetime.fromisoformat(later.sheet.at).date() if later.sheet.at else None
    facts = facts_for(price.provider, price.model, models, day)
    # A custom counter is not here, and the best installed one replaces it.
    counter = find_counter(tokenizer if tokenizer in COUNTER_NAMES else None)
    note = predict_cache_between(earlier, later, facts, counter, timed=history.live == "session")
    return compare_sheets(earlier.sheet, later.sheet, note)
