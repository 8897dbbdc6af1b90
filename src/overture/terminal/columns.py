"""Rows of cells -> lines that fit: how wide each column is, and what goes below the others."""

from collections.abc import Iterator, Sequence

from .long_cells import breadth, shortened, unstyled, wrapped

GAP = 2
"""Blanks between two columns."""
NARROW, LONG = 16, 48
"""A column that has to give way keeps as much; one that would be longer than LONG keeps half of that."""


def widths_for(rows: Sequence[Sequence[str]], room: int | None) -> list[int]:
    """How wide each column is: as it needs to be, or, where that is too much, the widest less.

    Where not even narrow columns have room, the last ones get none: they go below the others.
    """
    needs = [max(breadth(row[index]) for row in rows) for index in range(len(rows[0]))]
    if room is None or sum(needs) + GAP * (len(needs) - 1) <= room:
        return needs
    least = [min(need, LONG // 2 if need > LONG else NARROW) for need in needs]
    count = len(needs)
    while count > 1 and sum(least[:count]) + GAP * (count - 1) > room:
        count -= 1
    left = most = room - GAP * (count - 1)
    while (widths := _capped(needs[:count], least, most)) and sum(widths) > left and most:
        most -= 1
    return widths


def _capped(needs: Sequence[int], least: Sequence[int], most: int) -> list[int]:
    return [min(need, max(low, most)) for need, low in zip(needs, least, strict=False)]


def laid_out(
    rows: Sequence[Sequence[str]], room: int | None, wraps: frozenset[int], below: Sequence[str] = ()
) -> Iterator[str]:
    """The lines of a table. Columns in `wraps` go on in the next line, and others lose the middle of a long cell.

    `below` names the columns, for those that stand below the others.
    """
    widths = widths_for(rows, room)
    for row in rows:
        cells = [
            _cell(cell, width, index in wraps) for index, (cell, width) in enumerate(zip(row, widths, strict=False))
        ]
        for line in range(max(map(len, cells))):
            parts = [cell[line] if line < len(cell) else "" for cell in cells]
            yield (" " * GAP).join(padded(part, width) for part, width in zip(parts, widths, strict=True)).rstrip()
        if len(row) > len(widths) and not (below and row is rows[0]):
            others = [(f"{below[i]}: " if below else "") + row[i] for i in range(len(widths), len(row)) if row[i]]
            yield from wrapped("    " + "; ".join(others), room, "      ") if others else ()


def _cell(cell: str, width: int, wraps: bool) -> list[str]:
    """Its lines. A path by itself is easier to read without its middle than in two lines."""
    words = unstyled(cell).split()
    if not wraps or (len(words) == 1 and "/" in words[0]):
        return [shortened(cell, width)]
    inner = len(cell) - len(cell.lstrip())
    return list(wrapped(cell, width, " " * (inner + GAP) if inner else ""))


def padded(cell: str, width: int) -> str:
    """A cell with blanks up to a width."""
    return cell + " " * (width - breadth(cell))
