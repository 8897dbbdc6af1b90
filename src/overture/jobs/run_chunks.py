"""Runs one function over many chunks: in this process, in several with a few chunks in flight, or on an engine."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any

import click

from ..errors import OvertureError
from .engines import LOCAL, Chunks, Function, run_on_daft, run_on_ray

Results = Generator[tuple[int, Any], None, None]
CHUNKS_PER_PROCESS = 2
"""One that runs and one that waits: memory stays the same however many chunks there are."""
PROCESSES = click.option(
    "--processes", type=click.IntRange(1), metavar="N", help="How many processes run. Default: one per core."
)
RESUME = click.option("--resume", is_flag=True, help="Go on where an earlier run of the same command stopped.")


def run_chunks(
    function: Function, setup: Callable[[], Any], chunks: Chunks, processes: int | None = None, engine: str = LOCAL
) -> Results:
    """The result of `function(context, chunk)` for each numbered chunk, in the order in which they are done.

    `setup` makes the context once in each process. Both are functions of a module, or partials of such: processes
    import them. A chunk whose process dies is tried once more, alone; then the error names it. Closing the generator
    ends the processes, whatever they are at. Machines of an engine need the same files at the same paths.
    """
    if engine != LOCAL:
        yield from (run_on_ray if engine == "ray" else run_on_daft)(function, setup, chunks)
        return
    processes, waiting = processes or _count_cores(), iter(chunks)
    head = list(islice(waiting, 2))
    waiting = chain(head, waiting)
    if processes == 1 or len(head) < 2:  # starting processes takes longer than one chunk
        context = setup() if head else None
        for number, chunk in waiting:
            yield number, function(context, chunk)
        return
    while suspects := (yield from _run_pool(function, setup, waiting, processes)):
        for suspect in suspects:  # which of them ended its process is not known: each runs alone
            if (yield from _run_pool(function, setup, iter([suspect]), 1)):
                raise OvertureError(
                    f"Chunk {suspect[0]} ended its process twice.",
                    cause="The process was killed, or ran out of memory.",
                    hint="Run the same command with `--resume`, with fewer `--processes` if memory is short.",
                )


def _count_cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _run_pool(
    function: Function, setup: Callable[[], Any], waiting: Iterator[tuple[int, Any]], processes: int
) -> Generator[tuple[int, Any], None, list[tuple[int, Any]]]:
    """The results; returns the chunks that were in flight when a process died."""
    in_flight: dict[int, Any] = {}
    running: dict[Future[Any], int] = {}
    with _open_pool(setup, processes) as pool:
        try:
            while True:
                for number, chunk in islice(waiting, processes * CHUNKS_PER_PROCESS - len(running)):
                    in_flight[number] = chunk
                    running[pool.submit(_call, function, chunk)] = number
                if not running:
                    return []
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    result, number = future.result(), running.pop(future)
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


def _call(function: Function, chunk: Any) -> Any:
    return function(_context[-1], chunk)
