"""Runs chunks as tasks of Ray, on its cluster or here; it runs those of a dead worker again."""

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

C = TypeVar("C")
R = TypeVar("R")

MAX_RETRIES = 5
TASKS_PER_CORE = 2


def run_on_ray(
    function: Callable[[Any, C], R], setup: Callable[[], Any], chunks: Iterable[tuple[int, C]]
) -> Iterator[tuple[int, R]]:
    """The same as `run_chunks`. Workers on other machines need the same files at the same paths."""
    import ray

    ray.init(ignore_reinit_error=True, log_to_driver=False)
    task, job = ray.remote(max_retries=MAX_RETRIES)(_run_task), ray.put((function, setup, os.urandom(8).hex()))
    window = TASKS_PER_CORE * max(1, int(ray.cluster_resources().get("CPU", 1)))
    waiting, running = iter(chunks), dict[Any, int]()
    while True:
        for number, chunk in islice(waiting, window - len(running)):
            running[task.remote(job, chunk)] = number
        if not running:
            return
        for done in ray.wait(list(running))[0]:
            yield running.pop(done), ray.get(done)


_contexts: dict[str, Any] = {}
"""What `setup` made in this process, by job."""


def _run_task(job: tuple[Callable[[Any, C], R], Callable[[], Any], str], chunk: C) -> R:
    function, setup, token = job
    if token not in _contexts:
        _contexts[token] = setup()
    return function(_contexts[token], chunk)
