"""How far a long job is: what is done, at which rate, and the time left."""

import time
from datetime import timedelta

from ..terminal.output import count_noun, print_hint
from ..terminal.progress import report_step


class Rate:
    """Counts what is done, and shows it at a terminal while the job runs."""

    def __init__(self, noun: str, total: int | None = None) -> None:
        self.noun, self.total = noun, total
        self.done = 0
        self.began = time.monotonic()

    def add(self, count: int, part: float = 0.0) -> None:
        """Note that `count` more are done. `part` says how far the input is read, where no total is known."""
        self.done += count
        seconds = time.monotonic() - self.began
        part = min(self.done / self.total if self.total else part, 1.0)
        left = f" · {format_time(seconds / part - seconds)} left" if part else ""
        of = f"{self.done:,} of " if self.total else ""
        things = count_noun(self.total or self.done, self.noun)
        report_step(f"{of}{things} · {self.done / max(seconds, 0.001):,.0f}/s{left}")

    def report(self) -> None:
        """The last line, for whoever waited at a terminal: `processed 100,000 rows in 12.0 s (8,333/s)`."""
        seconds = max(time.monotonic() - self.began, 0.001)
        things = count_noun(self.done, self.noun)
        print_hint(f"processed {things} in {format_time(seconds)} ({self.done / seconds:,.0f}/s)")


def format_time(seconds: float) -> str:
    """`12.0 s`, or `1:03:05` for hours, minutes and seconds."""
    return f"{seconds:.1f} s" if seconds < 60 else str(timedelta(seconds=round(seconds)))
