"""The context as a drawing: a bar of the model's window, its kinds, and the largest parts. For light and dark."""

from collections.abc import Iterator, Sequence

from ..text.escape import escape_svg
from ..text.path_printer import shorten_path
from ..text.words import count_noun
from .context import (
    Context,
    ContextKind,
    ContextShare,
    bar_lengths,
    format_percent,
    group_by_kind,
    headline,
    share_name,
)

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
    """Draw it. The same context gives the same picture."""
    kinds = group_by_kind(context)
    parts = sorted(
        ((share, kind.label) for kind in kinds for share in kind.shares if share.tokens), key=lambda row: -row[0].tokens
    )[:MAX_LISTED_PARTS]
    y = 150 + 26 * (len(kinds) + (context.free is not None))
    height = y + 40 + 26 * len(parts) + MARGIN if parts else y
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">',
        f"<title>{escape_svg(headline(context))}</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="back" width="{WIDTH}" height="{height}"/>',
        _draw_text(MARGIN, 46, shorten_path(context.recipe, 24), "big"),
        _draw_text(WIDTH - MARGIN, 46, headline(context), "soft end"),
        *_draw_bar(context, kinds),
        *_draw_legend(context, kinds),
        *_draw_largest_parts(parts, y),
    ]
    return "\n".join([*lines, "</svg>"]) + "\n"


def _draw_bar(context: Context, kinds: Sequence[ContextKind]) -> Iterator[str]:
    free = max(context.free or 0, 0)
    sizes = bar_lengths([*(kind.tokens for kind in kinds), free], WIDTH - 2 * MARGIN)
    x = MARGIN
    for kind, size in zip(kinds, sizes, strict=False):
        if size:
            paint = f'fill="{COLOURS[kind.label]}"'
            yield f'<rect {paint} x="{x}" y="70" width="{size}" height="{BAR}">{_tip(kind.label, kind.tokens)}</rect>'
        x += size
    if sizes[-1]:
        yield f'<rect class="free" x="{x}" y="70" width="{sizes[-1]}" height="{BAR}">{_tip("free", free)}</rect>'


def _tip(label: str, tokens: int) -> str:
    return f"<title>{label}: {count_noun(tokens, 'token')}</title>"


def _draw_legend(context: Context, kinds: Sequence[ContextKind]) -> Iterator[str]:
    rows = [(kind.label, kind.tokens, f'fill="{COLOURS[kind.label]}"') for kind in kinds]
    rows += [("free", context.free, 'class="free"')] if context.free is not None else []
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
    styled = f' class="{kind}"' if kind else ""
    return f'<text x="{x}" y="{y}"{styled}>{escape_svg(text)}</text>'
