"""Tokens as boxes: the shares of sections and sources, as SVG."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..model.prompt.prompt import Prompt
from ..text.escape import escape_svg
from ..text.words import count_noun, shorten_text
from .stats import count_by_source


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


def squarify(values: Sequence[int], box: Box) -> list[Box]:
    """A box for each value, in its size and as near to a square as can be, together filling `box`."""
    order = sorted(range(len(values)), key=lambda i: (-values[i], i))
    boxes = [Box(box.x, box.y, 0, 0)] * len(values)
    scale = box.width * box.height / max(sum(values), 1)
    at = 0
    while at < len(order) and box.width > 0 and box.height > 0:
        row = order[at : at + MAX_ROW_BOXES]
        row = row[: _find_row_end((values[i] * scale for i in row), min(box.width, box.height)) or len(row)]
        box = _lay_out_row(values, row, scale, box, boxes)
        at += len(row)
    return boxes


MAX_ROW_BOXES = 1000
"""Boxes side by side, at the most: more could not be told apart."""


def _find_row_end(areas: Iterator[float], short: float) -> int:
    """How many of the boxes, the largest first, make the row that is nearest to squares; 0: all of them."""
    largest, total, worst = 0.0, 0.0, float("inf")
    for count, area in enumerate(areas):
        largest, total = largest or area, total + area
        now = max(short**2 * largest / total**2, total**2 / (short**2 * area))
        if now > worst:
            return count
        worst = now
    return 0


def _lay_out_row(values: Sequence[int], row: Sequence[int], scale: float, box: Box, boxes: list[Box]) -> Box:
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


WIDTH, HEIGHT, HEAD = 1200, 700, 56
LETTER = 7.2
"""About how wide a letter is at 13 pixels."""
PACES = {"static": "#2f7d5b", "session": "#2f6f9f", "turn": "#b7791f"}
FONT = "font-family=\"system-ui, 'Segoe UI', Helvetica, Arial, sans-serif\""


def draw_treemap(prompt: Prompt) -> str:
    """Draw a prompt. The same prompt gives the same picture."""
    counts = [max(n, 1) for n in prompt.block_tokens]
    boxes = squarify(counts, Box(12, HEAD, WIDTH - 24, HEIGHT - HEAD - 12))
    title = f"{prompt.recipe.name}: {prompt.counter.describe(prompt.tokens)}"
    about = f"{count_noun(len(prompt.text), 'character')}, counted with {prompt.counter.name}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" {FONT}>',
        f"<title>{escape_svg(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#f7f7f5"/>',
        f'<text x="14" y="34" font-size="22" font-weight="600" fill="#1c1c1a">{escape_svg(title)}</text>',
        f'<text x="{WIDTH - 14}" y="33" font-size="13" fill="#6b6b66" text-anchor="end">{escape_svg(about)}</text>',
        *_draw_legend(40 + 13 * len(title)),
    ]
    for index in sorted(range(len(counts)), key=lambda i: -counts[i]):
        lines += _draw_section(prompt, index, boxes[index])
    return "\n".join([*lines, "</svg>"]) + "\n"


def _draw_legend(x: float) -> Iterator[str]:
    for pace, colour in PACES.items():
        yield f'<rect x="{x:.1f}" y="22" width="12" height="12" rx="3" fill="{colour}"/>'
        yield f'<text x="{x + 17:.1f}" y="33" font-size="13" fill="#6b6b66">{pace}</text>'
        x += 34 + LETTER * len(pace)


def _draw_section(prompt: Prompt, index: int, box: Box) -> Iterator[str]:
    block, tokens = prompt.blocks[index], prompt.block_tokens[index]
    colour = PACES[block.pace]
    box = box.inside(2)
    shown = prompt.counter.shown(tokens)
    yield f"<g><title>{escape_svg(block.name)}: {prompt.counter.describe(tokens)}, {block.pace}</title>"
    yield _draw_rect(box, colour, 5)
    if box.height > 22:
        yield from _draw_label(f"{block.name}  {shown}", box.x + 8, box.y + 17, box.width - 16, 13, "#ffffff", "600")
    yield from _draw_sources(prompt, index, box.inside(4, 20 if box.height > 30 else 0))
    yield "</g>"


def _draw_sources(prompt: Prompt, index: int, box: Box) -> Iterator[str]:
    """What gave the block its text, each in a paler box: only where there is more than one, and room for it."""
    rows = sorted(count_by_source(prompt, index).items(), key=lambda row: -row[1])
    if len(rows) < 2 or box.width < 24 or box.height < 16:
        return
    for (name, tokens), inner in zip(rows, squarify([max(n, 1) for _, n in rows], box), strict=True):
        inner = inner.inside(1)
        shown = prompt.counter.shown(tokens)
        yield f"<g><title>{escape_svg(name)}: {prompt.counter.describe(tokens)}</title>"
        yield _draw_rect(inner, "#ffffff", 3, 0.82)
        short = "/".join(name.split("/")[-2:]) if len(name) * LETTER * 0.86 > inner.width - 12 else name
        if inner.height > 16:
            yield from _draw_label(short, inner.x + 6, inner.y + 14, inner.width - 12, 11, "#26323a", "400")
        if inner.height > 32:
            yield from _draw_label(shown, inner.x + 6, inner.y + 28, inner.width - 12, 11, "#6b7780", "400")
        yield "</g>"


def _draw_rect(box: Box, colour: str, radius: int, opacity: float = 1) -> str:
    faded = f' fill-opacity="{opacity}"' if opacity < 1 else ""
    where = f'x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"'
    return f'<rect {where} rx="{radius}" fill="{colour}"{faded}/>'


def _draw_label(text: str, x: float, y: float, room: float, size: int, colour: str, weight: str) -> Iterator[str]:
    """The text, as much of it as there is room for."""
    letters = int(room / (LETTER * size / 13))
    if letters < 3:
        return
    style = f'font-size="{size}" font-weight="{weight}" fill="{colour}"'
    yield f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape_svg(shorten_text(text, letters))}</text>'
