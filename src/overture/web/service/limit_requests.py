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
    """What one service takes."""

    size: int = 10_000_000
    """Bytes of a body."""
    seconds: float = 30
    """From the moment on at which a request has its turn."""
    stall: float = 5
    """Seconds in which something more of a body has to arrive."""
    held: int = 640_000_000
    """Bytes of all bodies that are in memory, those that are still arriving included."""
    small: int = 65_536
    """Bytes of a body that always has room: large bodies that come slowly block no other client."""
    at_once: int = 64
    """Requests that are worked on."""
    waiting: int = 256
    """Requests whose bodies are there: those that are worked on, and those that wait for their turn."""
    threads: int = 4
    """They share one interpreter: more would make all slower, fewer would let one long build hold up the short ones."""


class RequestQueue:
    """Lets so many requests in at once, and gives their work to threads."""

    def __init__(self, limits: ServiceLimits) -> None:
        self.limits = limits
        self.inside = 0
        self.held = 0
        """Bytes of bodies beyond what each may have anyway."""
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
        """Takes no further work; returns whether some is still running."""
        self.pool.shutdown(wait=False, cancel_futures=True)
        return any(job.running() for job in tuple(self.jobs))


def make_busy_error() -> RefusedError:
    """The refusal of a request that would be taken at another time."""
    return RefusedError(problem_of("busy", "Too many requests at once. Try again in a moment."), AGAIN)
