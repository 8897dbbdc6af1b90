"""Numbers -> boxes of their size, as near to squares as can be, that fill a box."""

from collections.abc import Sequence
from typing import NamedTuple


class Box(NamedTuple):
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float

    def inside(self, gap: float, top: float = 0.0) -> "Box":
        """The same, smaller by a gap on every side and by more at the top."""
        width, height = self.width - 2 * gap, self.height - 2 * gap - top
        return Box(self.x + gap, self.y + gap + top, max(width, 0), max(height, 0))


def squarified(values: Sequence[int], box: Box) -> list[Box]:
    """A box for each value, in its size and as near to a square as can be, together filling `box`."""
    order = sorted(range(len(values)), key=lambda i: (-values[i], i))
    boxes = [Box(box.x, box.y, 0, 0)] * len(values)
    scale = box.width * box.height / max(sum(values), 1)
    while order and box.width > 0 and box.height > 0:
        short = min(box.width, box.height)
        row = 1
        while row < len(order) and _worst(values, order, row + 1, scale, short) <= _worst(
            values, order, row, scale, short
        ):
            row += 1
        box = _lay_row(values, order[:row], scale, box, boxes)
        order = order[row:]
    return boxes


def _worst(values: Sequence[int], order: Sequence[int], row: int, scale: float, short: float) -> float:
    """How far the least square box of a row is from a square."""
    areas = [values[i] * scale for i in order[:row]]
    whole = sum(areas)
    return max(short**2 * max(areas) / whole**2, whole**2 / (short**2 * min(areas)))


def _lay_row(values: Sequence[int], row: Sequence[int], scale: float, box: Box, boxes: list[Box]) -> Box:
    """Put a row along the shorter side; what is left of the box comes back."""
    deep = sum(values[i] for i in row) * scale / min(box.width, box.height)
    x, y = box.x, box.y
    for i in row:
        long = values[i] * scale / deep
        across = box.width < box.height
        boxes[i] = Box(x, y, long, deep) if across else Box(x, y, deep, long)
        x, y = (x + long, y) if across else (x, y + long)
    if box.width < box.height:
        return Box(box.x, box.y + deep, box.width, box.height - deep)
    return Box(box.x + deep, box.y, box.width - deep, box.height)
