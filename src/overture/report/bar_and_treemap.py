"""Tokens as SVG: the context as a bar of the model's window, for light and dark, and a prompt as a treemap."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..model.prompt.prompt import Prompt
from ..text.escape import escape_svg
from ..text.path_printer import shorten_path
from ..text.words import count_noun, shorten_text
from .context import (
    Context,
    ContextShare,
    bar_lengths,
    format_percent,
    group_by_kind,
    headline,
    share_name,
)
from .stats_and_cut_notes import count_by_source

WIDTH, MARGIN, BAR, LEFT = 960, 32, 40, 560
LETTER = 7.3
"""About how wide a letter is at 14 pixels."""
MAX_LISTED_PARTS = 12
COLOURS = {
    "system prompt": "#3b82c4",
    "tools": "#8b6fc9",
    "skills": "#2f9e77",
    "nested files": "#c2861f",
    "messages": "#cf5f5f",
}
FONT = "system-ui, 'Segoe UI', Helvetica, Arial, sans-serif"
STYLE = (
    f"text {{ font-family: {FONT}; font-size: 14px; fill: #1f2328 }} .big {{ font-size: 22px; font-weight: 600 }} "
    ".soft { fill: #656d76 } .back { fill: #ffffff } .free { fill: #e6e8eb } .end { text-anchor: end } "
    "@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .soft { fill: #9198a1 } .back { fill: #0d1117 } "
    ".free { fill: #2a313c } }"
)


def draw_context(context: Context) -> str:
    """Draw a context. The same context gives the same picture."""
    kinds = group_by_kind(context)
    rows = [(kind.label, kind.tokens, f'fill="{COLOURS[kind.label]}"') for kind in kinds]
    rows += [("free", context.free, 'class="free"')] if context.free is not None else []
    shares = [(share, kind.label) for kind in kinds for share in kind.shares if share.tokens]
    parts = sorted(shares, key=lambda row: -row[0].tokens)[:MAX_LISTED_PARTS]
    y = 150 + 26 * len(rows)
    height = y + 40 + 26 * len(parts) + MARGIN if parts else y
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">',
        f"<title>{escape_svg(headline(context))}</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="back" width="{WIDTH}" height="{height}"/>',
        _draw_text(MARGIN, 46, shorten_path(context.recipe, 24), "big"),
        _draw_text(WIDTH - MARGIN, 46, headline(context), "soft end"),
        *_draw_bar(rows),
        *_draw_kind_legend(context, rows),
        *_draw_largest_parts(parts, y),
    ]
    return "\n".join([*lines, "</svg>"]) + "\n"


KindRow = tuple[str, int, str]
"""The name of a kind, its tokens and its colour."""


def _draw_bar(rows: Sequence[KindRow]) -> Iterator[str]:
    sizes = bar_lengths([max(tokens, 0) for _, tokens, _ in rows], WIDTH - 2 * MARGIN)
    x = MARGIN
    for (label, tokens, paint), size in zip(rows, sizes, strict=True):
        if size:
            tip = f"<title>{label}: {count_noun(tokens, 'token')}</title>"
            yield f'<rect {paint} x="{x}" y="70" width="{size}" height="{BAR}">{tip}</rect>'
        x += size


def _draw_kind_legend(context: Context, rows: Sequence[KindRow]) -> Iterator[str]:
    total = context.window or context.tokens
    for index, (label, tokens, paint) in enumerate(rows):
        y = 146 + 26 * index
        yield f'<rect x="{MARGIN}" y="{y - 12}" width="14" height="14" rx="3" {paint}/>'
        yield _draw_text(MARGIN + 24, y, label)
        yield _draw_text(MARGIN + 260, y, f"{tokens:,}", "end")
        yield _draw_text(MARGIN + 330, y, format_percent(tokens, total), "soft end")
        if label != "free" and tokens:
            yield _draw_share_bar(y, tokens, context.tokens, paint)


def _draw_largest_parts(parts: Sequence[tuple[ContextShare, str]], y: int) -> Iterator[str]:
    if not parts:
        return
    yield _draw_text(MARGIN, y + 12, "The largest parts", "soft")
    max_tokens = parts[0][0].tokens
    for index, (share, label) in enumerate(parts):
        row = y + 40 + 26 * index
        yield _draw_text(MARGIN, row, shorten_path(share_name(share, label), int((LEFT - MARGIN - 100) / LETTER)))
        yield _draw_text(LEFT - 16, row, f"{share.tokens:,}", "end")
        yield _draw_share_bar(row, share.tokens, max_tokens, f'fill="{COLOURS[label]}"')


def _draw_share_bar(y: int, tokens: int, total: int, paint: str) -> str:
    """A bar at the right, as long as its share."""
    size = max(2, round((WIDTH - MARGIN - LEFT) * tokens / max(total, 1)))
    return f'<rect x="{LEFT}" y="{y - 12}" width="{size}" height="14" rx="3" {paint}/>'


def _draw_text(x: float, y: float, text: str, kind: str = "") -> str:
    """A text in the bar or the treemap."""
    styled = f' class="{kind}"' if kind else ""
    return f'<text x="{x}" y="{y}"{styled}>{escape_svg(text)}</text>'


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
    """A box for each value, sized by it and nearly square; together they fill `box`."""
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
"""The maximum of boxes side by side: more could not be distinguished."""


def _find_row_end(areas: Iterator[float], short: float) -> int:
    """How many boxes, largest first, make the row with the best squares; 0: all of them."""
    largest, total, worst = 0.0, 0.0, float("inf")
    for count, area in enumerate(areas):
        largest, total = largest or area, total + area
        now = max(short**2 * largest / total**2, total**2 / (short**2 * area))
        if now > worst:
            return count
        worst = now
    return 0


def _lay_out_row(values: Sequence[int], row: Sequence[int], scale: float, box: Box, boxes: list[Box]) -> Box:
    """Place a row along the shorter side; return the rest of the box."""
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


MAP_WIDTH, MAP_HEIGHT, MAP_HEAD = 1200, 700, 56
MAP_LETTER = 7.2
"""About how wide a letter is at 13 pixels."""
PACES = {"static": "#2f7d5b", "session": "#2f6f9f", "turn": "#b7791f"}
MAP_FONT = f'font-family="{FONT}"'


def draw_treemap(prompt: Prompt) -> str:
    """Draw a prompt. The same prompt gives the same picture."""
    counts = [max(n, 1) for n in prompt.block_tokens]
    boxes = squarify(counts, Box(12, MAP_HEAD, MAP_WIDTH - 24, MAP_HEIGHT - MAP_HEAD - 12))
    title = f"{prompt.recipe.name}: {prompt.counter.describe(prompt.tokens)}"
    about = f"{count_noun(len(prompt.text), 'character')}, counted with {prompt.counter.name}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {MAP_WIDTH} {MAP_HEIGHT}" {MAP_FONT}>',
        f"<title>{escape_svg(title)}</title>",
        f'<rect width="{MAP_WIDTH}" height="{MAP_HEIGHT}" fill="#f7f7f5"/>',
        f'<text x="14" y="34" font-size="22" font-weight="600" fill="#1c1c1a">{escape_svg(title)}</text>',
        f'<text x="{MAP_WIDTH - 14}" y="33" font-size="13" fill="#6b6b66" text-anchor="end">{escape_svg(about)}</text>',
        *_draw_pace_legend(40 + 13 * len(title)),
    ]
    for index in sorted(range(len(counts)), key=lambda i: -counts[i]):
        lines += _draw_section_box(prompt, index, boxes[index])
    return "\n".join([*lines, "</svg>"]) + "\n"


def _draw_pace_legend(x: float) -> Iterator[str]:
    for pace, colour in PACES.items():
        yield f'<rect x="{x:.1f}" y="22" width="12" height="12" rx="3" fill="{colour}"/>'
        yield f'<text x="{x + 17:.1f}" y="33" font-size="13" fill="#6b6b66">{pace}</text>'
        x += 34 + MAP_LETTER * len(pace)


def _draw_section_box(prompt: Prompt, index: int, box: Box) -> Iterator[str]:
    block, tokens = prompt.blocks[index], prompt.block_tokens[index]
    colour = PACES[block.pace]
    box = box.inside(2)
    shown = prompt.counter.shown(tokens)
    yield f"<g><title>{escape_svg(block.name)}: {prompt.counter.describe(tokens)}, {block.pace}</title>"
    yield _draw_box(box, colour, 5)
    if box.height > 22:
        yield from _draw_label(f"{block.name}  {shown}", box.x + 8, box.y + 17, box.width - 16, 13, "#ffffff", "600")
    yield from _draw_source_boxes(prompt, index, box.inside(4, 20 if box.height > 30 else 0))
    yield "</g>"


def _draw_source_boxes(prompt: Prompt, index: int, box: Box) -> Iterator[str]:
    """A paler box for each source of the block, if there is more than one, and room for them."""
    rows = sorted(count_by_source(prompt, index).items(), key=lambda row: -row[1])
    if len(rows) < 2 or box.width < 24 or box.height < 16:
        return
    for (name, tokens), inner in zip(rows, squarify([max(n, 1) for _, n in rows], box), strict=True):
        inner = inner.inside(1)
        shown = prompt.counter.shown(tokens)
        yield f"<g><title>{escape_svg(name)}: {prompt.counter.describe(tokens)}</title>"
        yield _draw_box(inner, "#ffffff", 3, 0.82)
        short = "/".join(name.split("/")[-2:]) if len(name) * MAP_LETTER * 0.86 > inner.width - 12 else name
        if inner.height > 16:
            yield from _draw_label(short, inner.x + 6, inner.y + 14, inner.width - 12, 11, "#26323a", "400")
        if inner.height > 32:
            yield from _draw_label(shown, inner.x + 6, inner.y + 28, inner.width - 12, 11, "#6b7780", "400")
        yield "</g>"


def _draw_box(box: Box, colour: str, radius: int, opacity: float = 1) -> str:
    faded = f' fill-opacity="{opacity}"' if opacity < 1 else ""
    where = f'x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"'
    return f'<rect {where} rx="{radius}" fill="{colour}"{faded}/>'


def _draw_label(text: str, x: float, y: float, room: float, size: int, colour: str, weight: str) -> Iterator[str]:
    """The text, shortened to the available room."""
    letters = int(room / (MAP_LETTER * size / 13))
    if letters < 3:
        return
    style = f'font-size="{size}" font-weight="{weight}" fill="{colour}"'
    yield f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape_svg(shorten_text(text, letters))}</text>'
