"""The options of a long job, and the rate that it shows: how many items are done, per second, and the time left."""

import time
from datetime import timedelta

import click

from ..errors import require_packages
from .output import count_noun, print_hint
from .progress_line import report_step

LOCAL = "local"


def _check_engine(_context: click.Context, _option: click.Parameter, engine: str) -> str:
    if engine != LOCAL:
        require_packages(f"--engine {engine}", engine, engine)
    return engine


PROCESSES = click.option(
    "--processes", type=click.IntRange(1), metavar="N", help="How many processes run. Default: one per core."
)
RESUME = click.option("--resume", is_flag=True, help="Go on where an earlier run of the same command stopped.")
ENGINE = click.option(
    "--engine", type=click.Choice((LOCAL, "ray", "daft")), default=LOCAL, show_default=True, callback=_check_engine,
    help="Where it runs.",
)  # fmt: skip


class Rate:
    """Counts what is done, and shows it at a terminal while the job runs."""

    def __init__(self, noun: str, total: int | None = None) -> None:
        """The rate of a job that begins now; `noun` is what it counts."""
        self.noun, self.total = noun, total
        self.done = 0
        self.began = time.monotonic()

    def add(self, count: int, part: float = 0.0) -> None:
        """Adds `count` done items to the rate. `part` is the share of the input that is read, if no total is known."""
        self.done += count
        seconds = time.monotonic() - self.began
        part = min(self.done / self.total if self.total else part, 1.0)
        left = f" · {format_time(seconds / part - seconds)} left" if part else ""
        of = f"{self.done:,} of " if self.total else ""
        things = count_noun(self.total or self.done, self.noun)
        report_step(f"{of}{things} · {self.done / max(seconds, 0.001):,.0f}/s{left}")

    def report(self) -> None:
        """The last line, for a user at a terminal: `processed 100,000 rows in 12.0 s (8,333/s)`."""
        seconds = max(time.monotonic() - self.began, 0.001)
        things = count_noun(self.done, self.noun)
        print_hint(f"processed {things} in {format_time(seconds)} ({self.done / seconds:,.0f}/s)")


def format_time(seconds: float) -> str:
    """`12.0 s`, or `1:03:05` for hours, minutes and seconds."""
    return f"{seconds:.1f} s" if seconds < 60 else str(timedelta(seconds=round(seconds)))
