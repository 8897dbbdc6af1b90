"""Played sessions as SVG: a bar for each turn, with the predicted cache reads and the cause of each miss."""

from collections.abc import Iterator, Sequence

from ...text.escape import escape_svg
from .cache_report import CacheReport, PlayedSession
from .predict_cache import TurnNote, describe_turn_miss

WIDTH, BAR, LEFT, ROW = 1040, 520, 70, 20
COLOURS = {
    "read": "#2f9e6e",
    "same": "#a9d8c2",
    "new": "#e8a33d",
    "mark": "#1d3557",
    "ink": "#1b1f24",
    "dim": "#6a737d",
}
LEGEND = (("read", "read from the cache (predicted)"), ("same", "same bytes, not read"), ("new", "new or changed"))
STYLE = "font-family:system-ui,sans-serif;font-size:12px"


def draw_cache(reports: Sequence[CacheReport]) -> str:
    """The picture as SVG text, the same for the same reports."""
    lines: list[str] = []
    y = 56
    for report in reports:
        lines += _draw_text(16, y, f"{report.recipe} on {report.facts.model}", weight="600", size=14)
        y += 22
        max_tokens = max((turn.tokens for session in report.sessions for turn in session.turns), default=1) or 1
        for session in report.sessions:
            lines += _draw_session(session, y, max_tokens)
            y += 24 + ROW * len(session.turns) + 8
        y += 12
    date = reports[0].facts.as_known_on if reports else ""
    lines += _draw_text(16, y, f"Tools and system prompt, as predicted from bytes and a price table of {date}.", "dim")
    size = f'width="{WIDTH}" height="{y + 20}" viewBox="0 0 {WIDTH} {y + 20}"'
    named = 'role="img" aria-label="Predicted reads from the prompt cache"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} style="{STYLE}" {named}>'
    back = '<rect width="100%" height="100%" fill="#ffffff"/>'
    return "\n".join([head, back, *_draw_legend(), *lines, "</svg>", ""])


def _draw_legend() -> Iterator[str]:
    """The legend of the drawing: what is read from the cache, same, and new."""
    x = 16
    for name, words in LEGEND:
        yield _draw_rect(x, 16, 12, 12, name)
        yield from _draw_text(x + 18, 26, words)
        x += 36 + 7 * len(words)
    yield _draw_triangle(x + 6, 16)
    yield from _draw_text(x + 18, 26, "breakpoint")


def _draw_session(session: PlayedSession, y: int, max_tokens: int) -> Iterator[str]:
    """The bars of one played session."""
    cost = "" if session.cost is None else f", {'at least ' * session.at_least}${session.cost:.5f}"
    yield from _draw_text(16, y + 12, f"{session.name}: {session.about}", weight="600")
    yield from _draw_text(LEFT + BAR + 12, y + 12, f"{session.effective:.0%} read after the first turn{cost}", "dim")
    for number, turn in enumerate(session.turns):
        yield from _draw_turn(turn, number, y + 24 + number * ROW, BAR / max_tokens)


def _draw_turn(turn: TurnNote, number: int, y: int, scale: float) -> Iterator[str]:
    """The bar of one turn: read from the cache, the same as before, and new."""
    yield from _draw_text(LEFT - 8, y + 12, f"turn {number + 1}", "dim", anchor="end")
    same = max(turn.common, turn.cached)
    for start, end, name in ((0, turn.cached, "read"), (turn.cached, same, "same"), (same, turn.tokens, "new")):
        if end > start:
            yield _draw_rect(LEFT + start * scale, y, (end - start) * scale, ROW - 5, name)
    for mark in turn.marks:
        yield _draw_triangle(LEFT + mark * scale, y - 3)
    yield from _draw_text(LEFT + BAR + 12, y + 12, describe_turn_miss(turn), "dim")


def _draw_rect(x: float, y: float, width: float, height: float, name: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{COLOURS[name]}"/>'


def _draw_triangle(x: float, y: float) -> str:
    return f'<path d="M{x - 4:.1f} {y:.1f}h8l-4 6z" fill="{COLOURS["mark"]}"/>'


def _draw_text(
    x: float, y: float, words: str, colour: str = "ink", *, weight: str = "", size: int = 0, anchor: str = ""
) -> list[str]:
    """A text in the drawing of a cache's sessions."""
    if not words:
        return []
    more = f' font-weight="{weight}"' if weight else ""
    more += f' font-size="{size}"' if size else ""
    more += f' text-anchor="{anchor}"' if anchor else ""
    return [f'<text x="{x:.1f}" y="{y:.1f}" fill="{COLOURS[colour]}"{more}>{escape_svg(words)}</text>']
