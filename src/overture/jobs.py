"""Runs one function over many chunks: in this process, in several with a few chunks in flight, or on an engine."""

import gc
import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any, Generic, TypeVar

from .errors import OvertureError
from .terminal.job_options_and_rate import LOCAL

T = TypeVar("T")
Function = Callable[[Any, Any], Any]
"""Takes the result of `setup`, and a chunk."""
Chunks = Iterator[tuple[int, Any]]
Results = Generator[tuple[int, Any], None, None]

MAX_RETRIES = 5
CHUNKS_PER_PROCESS = 2
"""One that runs and one that waits: memory stays the same however many chunks there are."""
DAFT_WINDOW = 32
"""Chunks in one frame."""


class ProcessValue(Generic[T]):
    """A value that each process makes once. To another process it travels without the value."""

    def __init__(self, make: Callable[[], T]) -> None:
        self.make, self.token = make, os.urandom(8).hex()

    def get(self) -> T:
        """The value that this process made for all its chunks of the job."""
        if self.token not in _values:
            _values[self.token] = self.make()
        value: T = _values[self.token]
        return value


_values: dict[str, Any] = {}


def run_chunks(
    function: Function,
    setup: Callable[[], Any],
    chunks: Iterable[tuple[int, Any]],
    processes: int | None = None,
    engine: str = LOCAL,
) -> Results:
    """The result of `function(context, chunk)` for each numbered chunk, in the order in which they are done.

    `setup` makes the context once in each process. Both are functions of a module, or partials of such: processes
    import them. A chunk whose process dies is tried once more, alone; then the error names it. Closing the generator
    ends the processes, whatever they are at. Machines of an engine need the same files at the same paths.
    """
    waiting, context = iter(chunks), ProcessValue(setup)
    if engine != LOCAL:
        yield from (_run_on_ray if engine == "ray" else _run_on_daft)((function, context), waiting)
        return
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    processes, head = processes or cores, list(islice(waiting, 2))
    waiting = chain(head, waiting)
    if processes == 1 or len(head) < 2:  # starting processes takes longer than one chunk
        value = context.get()
        gc.freeze()  # what exists by now stays: the garbage collector skips it
        try:
            yield from ((number, function(value, chunk)) for number, chunk in waiting)
        finally:
            gc.unfreeze()  # DuckDB prints what it finds frozen when Python ends
        return
    while suspects := (yield from _run_pool(function, context, waiting, processes)):
        for suspect in suspects:  # which of them ended its process is not known: each runs alone
            if (yield from _run_pool(function, context, iter([suspect]), 1)):
                raise OvertureError(
                    f"Chunk {suspect[0]} ended its process twice.",
                    cause="The process was killed, or ran out of memory.",
                    hint="Run the same command with `--resume`, with fewer `--processes` if memory is short.",
                )


def _run_pool(
    function: Function, context: ProcessValue[Any], waiting: Chunks, processes: int
) -> Generator[tuple[int, Any], None, list[tuple[int, Any]]]:
    """The results; returns the chunks that were in flight when a process died."""
    running: dict[Future[Any], tuple[int, Any]] = {}
    with _open_pool(context, processes) as pool:
        try:
            while True:
                for number, chunk in islice(waiting, processes * CHUNKS_PER_PROCESS - len(running)):
                    running[pool.submit(_call, function, context.token, chunk)] = number, chunk
                if not running:
                    return []
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    result = future.result()
                    yield running.pop(future)[0], result
        except BrokenProcessPool:
            return sorted(running.values(), key=lambda each: each[0])


@contextmanager
def _open_pool(context: ProcessValue[Any], processes: int) -> Iterator[ProcessPoolExecutor]:
    """A pool whose processes end with the block."""
    before = set(multiprocessing.active_children())
    spawn = multiprocessing.get_context("spawn")  # a fork would copy locks that threads hold
    pool = ProcessPoolExecutor(processes, spawn, _begin, (context,))
    try:
        yield pool
    finally:
        for process in set(multiprocessing.active_children()) - before:
            process.kill()
        # One that is killed while it writes leaves half a result. Only without our own end of that pipe has it an end.
        pool._result_queue._writer.close()  # type: ignore[attr-defined]
        pool.shutdown(wait=True, cancel_futures=True)


def _begin(context: ProcessValue[Any]) -> None:
    """Prepare a process: it leaves Ctrl-C to the one that started it, and ends with that one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    context.get()
    gc.freeze()


def _end_with_parent() -> None:
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)


def _call(function: Function, token: str, chunk: Any) -> Any:
    return function(_values[token], chunk)


def _run_on_ray(job: tuple[Function, ProcessValue[Any]], waiting: Chunks) -> Results:
    """Tasks on Ray's cluster, or here; it runs those of a dead worker again."""
    import ray

    ray.init(ignore_reinit_error=True, log_to_driver=False)
    task, shared = ray.remote(max_retries=MAX_RETRIES)(_run_task), ray.put(job)
    window = CHUNKS_PER_PROCESS * max(1, int(ray.cluster_resources().get("CPU", 1)))
    running = dict[Any, int]()
    while True:
        for number, chunk in islice(waiting, window - len(running)):
            running[task.remote(shared, chunk)] = number
        if not running:
            return
        for done in ray.wait(list(running))[0]:
            yield running.pop(done), ray.get(done)


def _run_on_daft(job: tuple[Function, ProcessValue[Any]], waiting: Chunks) -> Results:
    """A frame of a few chunks at a time, a row for each, on whichever runner Daft is set to."""
    import daft

    @daft.func(return_dtype=daft.DataType.binary())  # type: ignore[untyped-decorator]
    def run(chunk: bytes) -> bytes:
        return pickle.dumps(_run_task(job, pickle.loads(chunk)))

    while window := list(islice(waiting, DAFT_WINDOW)):
        frame = daft.from_pydict({"chunk": [pickle.dumps(chunk) for _, chunk in window]})
        results = frame.select(run(daft.col("chunk")).alias("made")).to_pydict()["made"]
        for (number, _), result in zip(window, results, strict=True):
            yield number, pickle.loads(result)


def _run_task(job: tuple[Function, ProcessValue[Any]], chunk: Any) -> Any:
    function, context = job
    return function(context.get(), chunk)
