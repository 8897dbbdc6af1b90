"""Tables with a title, made of structs: their columns are the fields."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import astuple, fields

from ..text.invisible import escape_to_line
from ..text.words import shorten_text
from .output import print_heading, print_line, print_table

MAX_EXAMPLE_CHARS = 70

Cell = str | int | float


class DataTable(NamedTuple):
    """A table with a title."""

    name: str
    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[Cell]]


def make_table(name: str, title: str, rows: Sequence[Struct]) -> DataTable:
    """A table of structs of one type; there is at least one. Columns that are empty, or 0, in every row are dropped."""
    heads = [field.name.replace("_", " ") for field in fields(rows[0])]
    cells = [[*map(make_cell, astuple(row))] for row in rows]
    used = [at for at in range(len(heads)) if any(row[at] for row in cells)]
    return DataTable(name, title, [heads[at] for at in used], [[row[at] for at in used] for row in cells])


def make_cell(value: object) -> Cell:
    """A value as a cell shows it: numbers as they are, all else as text on one line."""
    if isinstance(value, Mapping):
        return ", ".join(f"{word} {count}" for word, count in value.items())
    if isinstance(value, tuple):
        return escape_to_line(", ".join(map(str, value)))
    if value is None or isinstance(value, bool):
        return "yes" if value else ""
    return value if isinstance(value, int | float) else escape_to_line(str(value))


def format_cell(cell: Cell) -> str:
    """The text of a cell."""
    return cell if isinstance(cell, str) else f"{cell:,}"


def show_tables(tables: Iterable[DataTable], printed_rows: Mapping[str, int]) -> None:
    """Print how many rows each table has and the first, then some rows of those that are named."""
    examples, printed = list[list[str]](), list[DataTable]()
    for table in tables:
        if table.name in printed_rows:
            printed.append(table)
            continue
        example = " · ".join(cell for cell in table.rows[0] if isinstance(cell, str) and cell)  # numbers are no help
        examples.append([table.title, f"{len(table.rows):,}", shorten_text(f"e.g. {example}", MAX_EXAMPLE_CHARS)])
    if examples:
        print_line()
        print_table(examples)
    for table in printed:
        print_heading(table.title)
        count = printed_rows[table.name]
        count += len(table.rows) == count + 1  # a line about the omission would take the room of that row
        print_table([[*map(format_cell, row)] for row in table.rows[:count]], heads=table.heads)
        if len(table.rows) > count:
            print_line(f"  … and {len(table.rows) - count:,} more with --json")
