"""Runs one function over many chunks: in this process, or in several with a bounded number of chunks in flight."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any, TypeVar

from ..errors import ConfigError, OvertureError

C = TypeVar("C")
R = TypeVar("R")
Results = Generator[tuple[int, R], None, None]

CHUNKS_PER_PROCESS = 2
"""One that runs and one that waits: memory stays the same however many chunks there are."""


def run_chunks(
    function: Callable[[Any, C], R], setup: Callable[[], Any], chunks: Iterable[tuple[int, C]], processes: int
) -> Results[R]:
    """The result of `function(context, chunk)` for each numbered chunk, in the order in which they are done.

    `setup` makes the context once in each process. Both are functions of a module, or partials of such: processes
    import them. A chunk whose process dies is tried once more, alone; then the error names it. Closing the generator
    ends the processes, whatever they are at.
    """
    waiting, suspects = iter(chunks), list[tuple[int, C]]()
    head = list(islice(waiting, 2))
    waiting = chain(head, waiting)
    if processes == 1 or len(head) < 2:  # starting processes takes longer than one chunk
        context = setup() if head else None
        for number, chunk in waiting:
            yield number, function(context, chunk)
        return
    while suspects or (suspects := (yield from _run_pool(function, setup, waiting, processes))):
        # Which of them ended its process is not known: each runs alone before the others go on.
        suspect = suspects.pop(0)
        if (yield from _run_pool(function, setup, iter([suspect]), 1)):
            raise OvertureError(
                f"Chunk {suspect[0]} ended its process twice.",
                cause="The process was killed, or ran out of memory.",
                hint="Run the same command with `--resume`, with fewer `--processes` if memory is short.",
            )


def _run_pool(
    function: Callable[[Any, C], R], setup: Callable[[], Any], waiting: Iterator[tuple[int, C]], processes: int
) -> Generator[tuple[int, R], None, list[tuple[int, C]]]:
    """The results; returns the chunks that were in flight when a process died."""
    in_flight: dict[int, C] = {}
    running: dict[Future[R], int] = {}
    with _open_pool(setup, processes) as pool:
        try:
            while True:
                for number, chunk in islice(waiting, processes * CHUNKS_PER_PROCESS - len(running)):
                    in_flight[number] = chunk
                    running[pool.submit(_call, function, chunk)] = number
                if not running:
                    return []
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    result = future.result()
                    number = running.pop(future)
                    del in_flight[number]
                    yield number, result
        except BrokenProcessPool:
            return sorted(in_flight.items())


@contextmanager
def _open_pool(setup: Callable[[], Any], processes: int) -> Iterator[ProcessPoolExecutor]:
    """A pool whose processes end with the block."""
    before = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")  # a fork would copy locks that threads hold
    pool = ProcessPoolExecutor(processes, context, _begin, (setup,))
    try:
        yield pool
    finally:
        for process in set(multiprocessing.active_children()) - before:
            process.kill()
        pool.shutdown(wait=True, cancel_futures=True)


_context: list[Any] = []
"""What `setup` made in this process."""


def _begin(setup: Callable[[], Any]) -> None:
    """Prepare a process: it leaves Ctrl-C to the one that started it, and ends with that one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _context.append(setup())


def _end_with_parent() -> None:
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)


def _call(function: Callable[[Any, C], R], chunk: C) -> R:
    return function(_context[-1], chunk)


def check_processes(processes: int | None) -> int:
    """How many processes run: those that somebody asks for, else one per core that this process may use."""
    if processes is not None and processes < 1:
        raise ConfigError(f"--processes {processes} is not a number of processes.", hint="Pass 1 or more.")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return processes or cores
