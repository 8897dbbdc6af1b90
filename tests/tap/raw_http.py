"""A tap in a thread, and what it recorded."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from overture.tap.proxy.open_tap import Tap, open_tap
from overture.tap.upstreams import resolve_upstreams
from overture.tap.wire.read_call import RawCall
from tests.contract.tap.upstream import Line as Line
from tests.contract.tap.upstream import Upstream as Upstream
from tests.contract.tap.upstream import answering as answering
from tests.contract.tap.upstream import asking as asking
from tests.contract.tap.upstream import read_all as read_all
from tests.contract.tap.upstream import talk as talk
from tests.contract.tap.upstream import upstream as upstream


class Tapped:
    """A tap that is open, and what it recorded."""

    def __init__(self, tap: Tap, raw_calls: list[RawCall]) -> None:
        self.tap, self.raw_calls, self.port = tap, raw_calls, tap.port

    def base(self, family: str) -> str:
        """The base URL of a family."""
        return self.tap.bases[family]

    def recorded(self, count: int = 1) -> list[RawCall]:
        """What was recorded, once there are so many."""
        end = time.monotonic() + 10
        while len(self.raw_calls) < count and time.monotonic() < end:
            time.sleep(0.005)
        return list(self.raw_calls)


@contextmanager
def tap_to(*upstreams: str, record: Callable[[RawCall], Any] | None = None, **more: Any) -> Iterator[Tapped]:
    """A tap in a thread; `upstreams` as the command line takes them."""
    raw_calls: list[RawCall] = []
    loop, ready, stop = asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    found: list[Tap] = []
    broken: list[str] = []
    loop.set_exception_handler(lambda _, context: broken.append(repr(context)))

    async def run() -> None:
        async with open_tap(resolve_upstreams(upstreams), record or raw_calls.append, **more) as tap:
            found.append(tap)
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),), daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield Tapped(found[0], raw_calls)
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(20)
        assert not thread.is_alive()
        loop.close()
        assert broken == []
