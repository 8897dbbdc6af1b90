"""`overture stats`: how long the prompt is, by section, pace and source."""

from collections.abc import Sequence
from typing import Any

import click

from ..report.stats import Row, Sized, Stats, stats
from .gather import Ask, gather
from .options import AS_JSON, building
from .show import PACES, dim, heading, say, table, visible, write_json

WIDTH = 32


@click.command("stats")
@building
@AS_JSON
def command(as_json: bool, **options: Any) -> None:
    """Show how long the prompt is, by section, pace and source; and what the system's own document says of its size.

    Tokens are estimated, as the ~ says.
    """
    told = stats(gather(Ask(**options)).build())
    if as_json:
        write_json(told)
    else:
        show(told)


def show(told: Stats) -> None:
    """The measures for a person."""
    say(f"{click.style(told.recipe, bold=True)}  {told.chars:,} characters, ~{told.tokens:,} tokens")
    for title, rows in (("Sections", told.sections), ("Paces", told.paces), ("Sources", told.sources)):
        heading(title)
        bars(rows, told.chars)
    if told.documented:
        heading("Sizes, beside those of the system's document")
        table([_sized(row) for row in told.documented])


def _sized(row: Sized) -> tuple[str, ...]:
    return row.name, f"{row.chars:,} characters", f"~{row.tokens:,} tokens", dim(row.document)


def bars(rows: Sequence[Row], whole: int) -> None:
    """A line with a bar for each row."""
    table(
        [(visible(row.name), f"{row.chars:,}".rjust(7), f"~{row.tokens:,}".rjust(7), _bar(row, whole)) for row in rows]
    )


def _bar(row: Row, whole: int) -> str:
    eighths = round(row.chars / max(whole, 1) * WIDTH * 8)
    full, part = divmod(eighths, 8)
    return click.style("█" * full + " ▏▎▍▌▋▊▉"[part].strip(), fg=PACES.get(row.name, "blue"))
