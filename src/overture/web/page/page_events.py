"""Events of the page, sent from any thread to the browsers that listen on their event loops."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Literal, NamedTuple

from ...model.struct import encode_json

MAX_QUEUED_EVENTS = 100
"""Events that wait for a browser which does not read them; then the oldest are dropped."""
HEARTBEAT_SECONDS = 15.0
"""After so long without an event a comment line shows that the stream is alive."""


class PageEvent(NamedTuple):
    """One thing that happened."""

    name: Literal["turn", "broken", "mended", "calls", "end"]
    """`calls`: the tap has recorded something. `end`: the service ends, and so does the stream."""
    data: dict[str, Any] = {}

    @property
    def lines(self) -> bytes:
        """The event as it is sent. JSON has no line break, so nothing in it can begin another event."""
        return b"event: %s\ndata: %s\n\n" % (self.name.encode(), encode_json(self.data))


class Listener:
    """A browser that waits for events, on its event loop."""

    def __init__(self, topic: Hashable) -> None:
        """Wait for the events of one prompt of the page."""
        self.topic = topic
        self.loop = asyncio.get_running_loop()
        self.events: asyncio.Queue[PageEvent] = asyncio.Queue()

    def send(self, event: PageEvent) -> None:
        """Hand over an event, from any thread."""
        with suppress(RuntimeError):  # its loop has ended
            self.loop.call_soon_threadsafe(self._put, event)

    def _put(self, event: PageEvent) -> None:
        if self.events.qsize() >= MAX_QUEUED_EVENTS:
            self.events.get_nowait()
        self.events.put_nowait(event)


class PageEvents:
    """All browsers that listen to the page."""

    def __init__(self) -> None:
        """Begin without browsers."""
        self.attended = threading.Event()
        """Set while somebody listens."""
        self._lock = threading.Lock()
        self._listeners: set[Listener] = set()

    def publish(self, event: PageEvent, topic: Hashable = None) -> None:
        """Send an event to the browsers that look at one prompt, or to all."""
        with self._lock:
            listeners = [each for each in self._listeners if topic is None or each.topic == topic]
        for listener in listeners:
            listener.send(event)

    @property
    def listening(self) -> int:
        """How many browsers listen."""
        with self._lock:
            return len(self._listeners)

    def is_watched(self, topic: Hashable) -> bool:
        """Whether a browser looks at this prompt."""
        with self._lock:
            return any(each.topic == topic for each in self._listeners)

    @contextmanager
    def subscribe(self, topic: Hashable) -> Iterator[Listener]:
        """Listen on the running event loop."""
        listener = Listener(topic)
        with self._lock:
            self._listeners.add(listener)
            self.attended.set()
        try:
            yield listener
        finally:
            with self._lock:
                self._listeners.discard(listener)
                if not self._listeners:
                    self.attended.clear()

    async def stream(
        self, topic: Hashable, standing: Callable[[], Iterable[PageEvent]], heartbeat: float = HEARTBEAT_SECONDS
    ) -> AsyncIterator[bytes]:
        """Server-sent events until the service ends, beginning with what stands when the browser comes."""
        with self.subscribe(topic) as listener:
            yield b"retry: 1000\n\n"
            for event in standing():
                yield event.lines
            while True:
                try:
                    event = await asyncio.wait_for(listener.events.get(), heartbeat)
                except TimeoutError:
                    yield b": alive\n\n"
                    continue
                if event.name == "end":
                    return
                yield event.lines
