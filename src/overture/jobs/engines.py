"""Runs chunks where somebody runs an engine already: as tasks of Ray, or as rows of a Daft frame."""

import os
import pickle
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from itertools import islice
from typing import Any, Generic, TypeVar

import click

from ..errors import ConfigError

T = TypeVar("T")
Function = Callable[[Any, Any], Any]
"""Takes what `setup` made, and a chunk."""
Chunks = Iterable[tuple[int, Any]]

LOCAL = "local"
ENGINES = (LOCAL, "ray", "daft")
MAX_RETRIES = 5
TASKS_PER_CORE = 2
DAFT_WINDOW = 32
"""Chunks in one frame: memory stays the same however many there are."""


def require_packages(what: str, *names: str, extra: str = "batch") -> None:
    """Fail before any work begins where a package is missing."""
    if missing := [name for name in names if find_spec(name) is None]:
        raise ConfigError(f"{what}: {' and '.join(missing)} is not installed.", hint=f"pip install 'overture[{extra}]'")


def _check_engine(_context: click.Context, _option: click.Parameter, engine: str) -> str:
    if engine != LOCAL:
        require_packages(f"--engine {engine}", engine, extra=engine)
    return engine


ENGINE = click.option(
    "--engine", type=click.Choice(ENGINES), default=LOCAL, show_default=True, callback=_check_engine,
    help="Where it runs.",
)  # fmt: skip


class ProcessValue(Generic[T]):
    """A value that each process makes once. To another process it travels without the value."""

    def __init__(self, make: Callable[[], T]) -> None:
        self.make, self.token = make, os.urandom(8).hex()

    def get(self) -> T:
        """The value of this process."""
        if self.token not in _values:
            _values[self.token] = self.make()
        value: T = _values[self.token]
        return value


_values: dict[str, Any] = {}


def run_on_ray(function: Function, setup: Callable[[], Any], chunks: Chunks) -> Iterator[tuple[int, Any]]:
    """Tasks on Ray's cluster, or here; it runs those of a dead worker again."""
    import ray

    ray.init(ignore_reinit_error=True, log_to_driver=False)
    task, job = ray.remote(max_retries=MAX_RETRIES)(_run_task), ray.put((function, ProcessValue(setup)))
    window = TASKS_PER_CORE * max(1, int(ray.cluster_resources().get("CPU", 1)))
    waiting, running = iter(chunks), dict[Any, int]()
    while True:
        for number, chunk in islice(waiting, window - len(running)):
            running[task.remote(job, chunk)] = number
        if not running:
            return
        for done in ray.wait(list(running))[0]:
            yield running.pop(done), ray.get(done)


def run_on_daft(function: Function, setup: Callable[[], Any], chunks: Chunks) -> Iterator[tuple[int, Any]]:
    """A frame of a few chunks at a time, a row for each, on whichever runner Daft is set to."""
    import daft

    job, waiting = (function, ProcessValue(setup)), iter(chunks)

    @daft.func(return_dtype=daft.DataType.binary())  # type: ignore[untyped-decorator]
    def run(chunk: bytes) -> bytes:
        return pickle.dumps(_run_task(job, pickle.loads(chunk)))

    while window := list(islice(waiting, DAFT_WINDOW)):
        frame = daft.from_pydict({"chunk": [pickle.dumps(chunk) for _, chunk in window]})
        made = frame.select(run(daft.col("chunk")).alias("made")).to_pydict()["made"]
        for (number, _), result in zip(window, made, strict=True):
            yield number, pickle.loads(result)


def _run_task(job: tuple[Function, ProcessValue[Any]], chunk: Any) -> Any:
    function, context = job
    return function(context.get(), chunk)
