"""Limits of the service, and the queue that keeps them: requests at once, time, and size of bodies."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, TypeVar

from ...text.words import count_noun
from .problems import RefusedError, problem_of

T = TypeVar("T")
AGAIN = {"Retry-After": "1"}
"""Seconds after which it is worth another try."""


class ServiceLimits(NamedTuple):
    """The limits of one service."""

    size: int = 10_000_000
    """Bytes of a body."""
    seconds: float = 30
    """Seconds for a request, from the start of its work."""
    stall: float = 5
    """Seconds within which the next bytes of a body must arrive."""
    body_bytes: int = 640_000_000
    """Bytes of all bodies in memory, including those that are still arriving."""
    small: int = 65_536
    """Bytes of a body that do not count for `body_bytes`: slow, large bodies block no small request."""
    at_once: int = 64
    """Requests that run at the same time."""
    waiting: int = 256
    """Requests whose bodies have arrived: the running ones, and those in the queue."""
    threads: int = 4
    """Threads share one interpreter: more make all slower; with fewer, one long build delays the short ones."""


class RequestQueue:
    """Limits how many requests run at the same time, and runs their work in threads."""

    def __init__(self, limits: ServiceLimits) -> None:
        """Queue requests by these limits."""
        self.limits = limits
        self.inside = 0
        self.body_bytes = 0
        """Bytes of bodies in memory, without the first `small` bytes of each."""
        self.places = asyncio.Semaphore(limits.at_once)
        self.pool = ThreadPoolExecutor(limits.threads, "overture-serve")
        self.jobs: set[Future[Any]] = set()

    @asynccontextmanager
    async def acquire_slot(self) -> AsyncIterator[None]:
        """A slot among the running requests; a request is refused if the queue is full as well."""
        if self.inside >= self.limits.waiting:
            raise make_busy_error()
        self.inside += 1
        try:
            try:
                await asyncio.wait_for(self.places.acquire(), self.limits.seconds)
            except TimeoutError:
                raise make_busy_error() from None
            try:
                yield
            finally:
                self.places.release()
        finally:
            self.inside -= 1

    async def work(self, job: Callable[[], T]) -> T:
        """The result of a job, within the time limit. A thread that takes too long can't be ended: it is left alone."""
        done = self.pool.submit(job)
        self.jobs.add(done)
        done.add_done_callback(self.jobs.discard)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(done), self.limits.seconds)
        except TimeoutError:
            message = f"It took longer than {count_noun(float(self.limits.seconds), 'second')}. Send a smaller state."
            raise RefusedError(problem_of("too-slow", message)) from None

    def end(self) -> bool:
        """Take no further work, and return whether some is still running."""
        self.pool.shutdown(wait=False, cancel_futures=True)
        return any(job.running() for job in tuple(self.jobs))


def make_busy_error() -> RefusedError:
    """The error for a request that the service would accept at another time."""
    return RefusedError(problem_of("busy", "Too many requests at once. Try again in a moment."), AGAIN)
