"""Plots of a kept result for docs/benchmarks.md: `python bench/plot.py FOLDER` writes one SVG for each group of rows.

Bars start at the axis's least power of ten; all axes are logarithmic, since rows differ by orders of magnitude. A mark
shows the goal. Each figure also stands as text, so colour says nothing that is not written.
"""

import math
import sys
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

from measure import Result, Row

from report import KEPT, format_number, get_unit, read_result

WIDTH, LEFT, RIGHT, STEP, TOP = 880, 400, 660, 27, 46
MILLISECONDS = {"µs": 1e-3, "ms": 1.0, "s": 1e3}
STYLE = """
.back { fill: #ffffff }
text { font: 13px system-ui, sans-serif; fill: #1f2328; stroke: #ffffff; stroke-width: 3px; paint-order: stroke }
.title { font-weight: 600; font-size: 15px }
.axis { fill: #59636e; font-size: 11px } line { stroke: #d1d9e0 } .goal { stroke: #1f2328; stroke-width: 3 }
.met { fill: #2f81d6 } .unmet { fill: #d9822b } .other { fill: #8c959f }
@media (prefers-color-scheme: dark) {
.back { fill: #0d1117 } text { fill: #e6edf3; stroke: #0d1117 } .axis { fill: #9198a1 } line { stroke: #3d444d }
.goal { stroke: #e6edf3 }
.met { fill: #4493f8 } .unmet { fill: #e3a14f } .other { fill: #6e7781 } }
"""


class Bar(NamedTuple):
    """One line of a plot."""

    label: str
    value: float
    text: str
    goal: float | None = None
    kind: str = "other"


class Plot(NamedTuple):
    """Bars of one unit."""

    name: str
    title: str
    bars: list[Bar]


def make_plots(result: Result) -> Iterator[Plot]:
    """Those for which there are rows."""
    rows = [row for row in result.rows if row.value is not None]
    plain = [row for row in rows if row.topic == "build" and row.other and "plain" in row.other.name]
    against = [row for row in rows if "against" in row.work and row.topic == "build"]
    commands = [row for row in rows if row.topic == "commands" and row.measure == "above"]
    waits = [row for row in rows if row.topic in ("session", "page", "tap", "large") and row.unit in MILLISECONDS]
    waits = [row for row in waits if row.measure in ("above", "value")]
    plots = [
        Plot("build", "Building a prompt: times as long as a plain function", [*map(_ratio, plain)]),
        Plot("libraries", "10 files and 200 skills, new texts: ms for one build", [*_libraries(plain, against)]),
        Plot("discovery", "Read 10 files and 200 skills from disk, and build: ms", [*_loaders(rows)]),
        Plot("commands", "Commands in the example: ms above a bare Python", [*_times(commands, "repositories", False)]),
        Plot("repositories", "Commands in repositories, the slowest: ms", [*_times(commands, "repositories", True)]),
        Plot("waits", "Sessions, page, tap and a large tree: ms", [*map(_time, waits)]),
    ]
    yield from (plot for plot in plots if plot.bars)


def _kind(row: Row) -> str:
    return {True: "met", False: "unmet", None: "other"}[row.met]


def _text(row: Row) -> str:
    assert row.value is not None
    goal = "" if row.goal is None else f", goal {row.goal:g}: {'met' if row.met else 'not met'}"
    return f"{format_number(row.value)} {get_unit(row)}{goal}"


def _ratio(row: Row) -> Bar:
    return Bar(
        row.work.replace("10 files and 200 skills: ", "").replace("in a process that has built others", "later"),
        row.value or 0,
        _text(row),
        row.goal,
        _kind(row),
    )


def _time(row: Row) -> Bar:
    scale, goal = MILLISECONDS[row.unit], row.goal
    label = row.work.replace("`", "").replace("page, script and prompt", "all")
    return Bar(label, (row.value or 0) * scale, _text(row), goal and goal * scale, _kind(row))


def _times(rows: Iterable[Row], word: str, has: bool) -> Iterator[Bar]:
    for row in rows:
        if (word in row.work) == has:
            yield _time(row)._replace(label=row.work.replace("`", "").replace(" in the example", ""))


def _libraries(plain: list[Row], against: list[Row]) -> Iterator[Bar]:
    """Medians, the fastest first."""
    bars = []
    for row in [plain[0], *against] if plain and against else []:
        assert row.other is not None
        bars.append(Bar(row.other.name, row.other.median / 1000, f"{format_number(row.other.median / 1000)} ms"))
    if bars and plain[0].ours:
        own = plain[0].ours.median / 1000
        bars.append(Bar("overture, with the source of every part", own, f"{format_number(own)} ms", kind="met"))
    yield from sorted(bars, key=lambda bar: bar.value)


def _loaders(rows: list[Row]) -> Iterator[Bar]:
    for row in rows:
        if row.topic == "discovery" and row.ours:
            if row.other and row.work.endswith("cold"):
                yield Bar(row.other.name, row.other.median, f"{format_number(row.other.median)} ms")
            label, figure = f"overture, {row.work.rpartition(': ')[2]}", f"{format_number(row.ours.median)} ms"
            yield Bar(label, row.ours.median, f"{figure}; {_text(row)}" if row.other else figure, kind=_kind(row))


def draw(plot: Plot) -> str:
    """The plot as SVG."""
    values = [each for bar in plot.bars for each in (bar.value, bar.goal) if each]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    low, high = min(low, math.floor(math.log10(min(values) * 0.7))), max(high, low + 1)
    height = TOP + STEP * len(plot.bars) + 34

    def at(value: float) -> float:
        return LEFT + (RIGHT - LEFT) * max(0.0, (math.log10(max(value, 1e-9)) - low) / (high - low))

    said = "; ".join(f"{bar.label}: {bar.text}" for bar in plot.bars)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'role="img" aria-labelledby="title desc">',
        f'<title id="title">{escape(plot.title)}</title>',
        f'<desc id="desc">{escape(said)}.</desc>',
        f"<style>{STYLE}</style>",
        f'<rect class="back" width="{WIDTH}" height="{height}"/>',
        f'<text class="title" x="16" y="26">{escape(plot.title)}</text>',
    ]
    for power in range(low, high + 1, 1 + (high - low) // 6):
        x, bottom = at(10.0**power), height - 30
        name = f"{10.0**power:,.0f}" if power > 0 else f"{10.0**power:g}"
        lines.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 6}" y2="{bottom}"/>')
        lines.append(f'<text class="axis" x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{name}</text>')
    for number, bar in enumerate(plot.bars):
        y = TOP + STEP * number
        end = max(at(bar.value), LEFT + 2.0)
        edge = max(end, at(bar.goal)) if bar.goal else end
        lines.append(f'<text x="{LEFT - 8}" y="{y + 14}" text-anchor="end">{escape(bar.label)}</text>')
        lines.append(f'<rect class="{bar.kind}" x="{LEFT}" y="{y + 2}" width="{end - LEFT:.1f}" height="16"/>')
        if bar.goal:
            x = at(bar.goal)
            lines.append(f'<line class="goal" x1="{x:.1f}" x2="{x:.1f}" y1="{y - 1}" y2="{y + 21}"/>')
        lines.append(f'<text x="{edge + 8:.1f}" y="{y + 14}">{escape(bar.text)}</text>')
    return "\n".join([*lines, "</svg>", ""])


def main(folder: Path) -> None:
    """Write all plots of the kept result."""
    for plot in make_plots(read_result(KEPT)):
        (folder / f"bench-{plot.name}.svg").write_text(draw(plot), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
