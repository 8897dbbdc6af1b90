"""Runs chunks where somebody runs an engine already: as tasks of Ray, or as rows of a Daft frame."""

import os
import pickle
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from itertools import islice
from typing import Any, TypeVar

import click

from ..errors import ConfigError, explain_unknown

C = TypeVar("C")
R = TypeVar("R")

LOCAL = "local"
ENGINES = (LOCAL, "ray", "daft")
ENGINE = click.option(
    "--engine", default=LOCAL, show_default=True, metavar="NAME", help=f"Where it runs: {', '.join(ENGINES)}."
)
MAX_RETRIES = 5
TASKS_PER_CORE = 2
DAFT_WINDOW = 32
"""Chunks in one frame: memory stays the same however many there are."""


def require_packages(what: str, *names: str, extra: str = "batch") -> None:
    """Fail before any work begins where a package is missing."""
    if missing := [name for name in names if find_spec(name) is None]:
        raise ConfigError(f"{what}: {' and '.join(missing)} is not installed.", hint=f"pip install 'overture[{extra}]'")


def check_engine(engine: str) -> str:
    """An engine that is not known, or whose package is missing, is an error before any work begins."""
    if engine not in ENGINES:
        raise ConfigError(explain_unknown("Engine", engine, ENGINES))
    if engine != LOCAL:
        require_packages(f"--engine {engine}", engine, extra=engine)
    return engine


def run_on_engine(
    engine: str, function: Callable[[Any, C], R], setup: Callable[[], Any], chunks: Iterable[tuple[int, C]]
) -> Iterator[tuple[int, R]]:
    """The same as `run_chunks`. Workers on other machines need the same files at the same paths."""
    yield from (_run_on_ray if engine == "ray" else _run_on_daft)(function, setup, chunks)


def _run_on_ray(
    function: Callable[[Any, C], R], setup: Callable[[], Any], chunks: Iterable[tuple[int, C]]
) -> Iterator[tuple[int, R]]:
    """Tasks on Ray's cluster, or here; it runs those of a dead worker again."""
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


def _run_on_daft(
    function: Callable[[Any, C], R], setup: Callable[[], Any], chunks: Iterable[tuple[int, C]]
) -> Iterator[tuple[int, R]]:
    """A frame of a few chunks at a time, a row for each, on whichever runner Daft is set to."""
    import daft

    job, waiting = (function, setup, os.urandom(8).hex()), iter(chunks)

    @daft.func(return_dtype=daft.DataType.binary())  # type: ignore[untyped-decorator]
    def run(chunk: bytes) -> bytes:
        return pickle.dumps(_run_task(job, pickle.loads(chunk)))

    while window := list(islice(waiting, DAFT_WINDOW)):
        frame = daft.from_pydict({"chunk": [pickle.dumps(chunk) for _, chunk in window]})
        made = frame.select(run(daft.col("chunk")).alias("made")).to_pydict()["made"]
        for (number, _), result in zip(window, made, strict=True):
            yield number, pickle.loads(result)


_contexts: dict[str, Any] = {}
"""What `setup` made in this process, by job."""


def _run_task(job: tuple[Callable[[Any, C], R], Callable[[], Any], str], chunk: C) -> R:
    function, setup, token = job
    if token not in _contexts:
        _contexts[token] = setup()
    return function(_contexts[token], chunk)
