"""Samples that are taken in turn, and the rows that compare them.

The machine's clock moves while a benchmark runs. Each round therefore measures everything that a row compares, and the
figure of a row is the median of the rounds' own ratios or differences, with the quartiles as its spread.
"""

import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from msgspec import Struct, field

Measure = Literal["ratio", "faster", "above", "value"]
"""Ours divided by the other's; the other's divided by ours; ours less the other's; ours alone."""
SCALES = {"µs": 1e-3, "ms": 1e-6, "s": 1e-9, "MB": 1.0, "%": 1.0}
"""A nanosecond in each; memory is measured in its own unit."""


class Sample(Struct, frozen=True):
    """What one piece of work took in all rounds."""

    name: str
    minimum: float
    median: float
    spread: tuple[float, float]
    rounds: int


class Row(Struct, frozen=True, omit_defaults=True):
    """One line of the table."""

    topic: str
    work: str
    unit: str
    measure: Measure
    ours: Sample | None = None
    other: Sample | None = None
    value: float | None = None
    spread: tuple[float, float] | None = None
    goal: float | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the goal is met, if there is one and something was measured."""
        if self.goal is None or self.value is None:
            return None
        return self.value >= self.goal if self.measure == "faster" else self.value <= self.goal


class Result(Struct, frozen=True):
    """All rows of one run, and where it ran."""

    machine: dict[str, str]
    versions: dict[str, str]
    rows: list[Row] = field(default_factory=list)


class Options(Struct, frozen=True):
    """What a run is asked for."""

    rounds: int | None = None
    large: bool = False
    repositories: Path | None = None
    peers: Path = Path(__file__).parents[1] / ".venv-peers"

    def count(self, usual: int) -> int:
        """How many rounds, if not given."""
        return self.rounds or usual


def measure_time(work: Callable[[], object]) -> float:
    """Nanoseconds of this process's processor time."""
    start = time.process_time_ns()
    work()
    return time.process_time_ns() - start


def collect(one_round: Callable[[int], Mapping[str, float]], rounds: int) -> dict[str, list[float]]:
    """The figures of so many rounds, each of which measures everything once."""
    found = [one_round(number) for number in range(rounds)]
    return {name: [each[name] for each in found] for name in found[0]}


def summarize(name: str, figures: Sequence[float], scale: float = 1.0) -> Sample:
    """A sample, in its unit."""
    scaled = [each * scale for each in figures]
    return Sample(name, min(scaled), statistics.median(scaled), find_spread(scaled), len(scaled))


def find_spread(figures: Sequence[float]) -> tuple[float, float]:
    """From the first to the third quartile; of fewer than four figures, from the least to the most."""
    if len(figures) < 4:
        return min(figures), max(figures)
    first, _, third = statistics.quantiles(figures, n=4, method="inclusive")
    return first, third


def make_row(
    topic: str,
    work: str,
    unit: str,
    ours: Sequence[float],
    other: tuple[str, Sequence[float]] | None = None,
    measure: Measure = "ratio",
    goal: float | None = None,
    note: str = "",
) -> Row:
    """Compare, round by round; without anything to compare with, the figure is ours."""
    scale = SCALES[unit]
    mine = summarize("overture", ours, scale)
    if other is None:
        return Row(topic, work, unit, "value", mine, None, mine.median, mine.spread, goal, note)
    compute: Callable[[float, float], float] = {
        "ratio": lambda a, b: a / b,
        "faster": lambda a, b: b / a,
        "above": lambda a, b: (a - b) * scale,
        "value": lambda a, _: a * scale,
    }[measure]
    figures = [compute(max(a, 1.0), max(b, 1.0)) for a, b in zip(ours, other[1], strict=True)]
    theirs = summarize(other[0], other[1], scale)
    return Row(topic, work, unit, measure, mine, theirs, statistics.median(figures), find_spread(figures), goal, note)


def run_command(command: Sequence[str], cwd: Path, environ: Mapping[str, str]) -> float:
    """Nanoseconds of processor time of a process and of those it waited for."""
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=cwd, env=environ, stdin=nothing, stdout=nothing, stderr=subprocess.PIPE)
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)} failed with {process.returncode}: {said.decode()[-500:]}")
    return (used.ru_utime + used.ru_stime) * 1e9


def describe_machine() -> dict[str, str]:
    """What somebody has to know of the machine to compare two results."""
    lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines() if Path("/proc/cpuinfo").exists() else []
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "system": f"{platform.system()} {platform.machine()}",
        "processor": model,
        "cores": str(os.cpu_count()),
        "memory": f"{memory:.0f} GB",
        "load": f"{os.getloadavg()[0]:.1f}",
        "python": sys.version.split()[0],
    }


def show(label: str, value: float, unit: str, target: str = "") -> None:
    """One line of a script that has a page of its own."""
    print(f"{label:<78} {value:>9.2f} {unit}  {target}")
