"""Sheets as one HTML file that needs no network: sorted, searched, with small plots. All that cells hold is text."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from importlib.resources import files
from math import log10

from ..terminal.tables_of_structs import Cell, DataTable, format_cell
from ..text.words import count_noun

MAX_PAGE_ROWS = 20_000
"""Rows of a table on the page: a browser that has more to draw is slow."""
BARS = 16
LONG_TEXT = 40
"""Characters of a cell that gets room for several words in a line."""
PLAIN_COLUMNS = ("line",)
"""Numbers that are no amounts, and get no bar."""


def make_tables_page(title: str, tables: Sequence[DataTable], tokens: Iterable[tuple[str, Sequence[int]]]) -> str:
    """The page. `tokens` are those of each agent in all repositories."""
    folder = files(__package__)
    page = (folder / "tables.html").read_text("utf-8")
    colours = (folder / "static" / "style" / "colours.css").read_text("utf-8")
    links = "".join(f'<a href="#{table.name}">{escape(table.title)} <b>{len(table.rows):,}</b></a>' for table in tables)
    plots = "".join(_write_plot(name, values) for name, values in tokens)
    scale = '<p class="quiet small">Each bar: repositories, from 10 tokens on the left to 50,000 and more.</p>'
    content = f'<h2>Tokens at the start</h2><div class="plots">{plots}</div>{scale}' if plots else ""
    content += "".join(map(_write_section, tables))
    for mark, text in {"/*colours*/": colours, "<!--links-->": links, "<!--title-->": escape(title)}.items():
        page = page.replace(mark, text)
    return page.replace("<!--content-->", content)  # the last, as text of files may look like a mark


def _write_section(table: DataTable) -> str:
    """A table of the page, as HTML."""
    heads, scales = "", list[float]()
    for at, head in enumerate(table.heads):
        numbers = [abs(float(row[at])) for row in table.rows if not isinstance(row[at], str)]
        mark = ' class="number"' if numbers else ""
        heads += f'<th scope="col"{mark}><button>{escape(head)}</button></th>'
        scales.append(0.0 if head in PLAIN_COLUMNS else max(numbers, default=0.0))
    rows = "".join(f"<tr>{''.join(_write_cells(row, scales))}</tr>" for row in table.rows[:MAX_PAGE_ROWS])
    more = f'<p class="quiet small">The first {MAX_PAGE_ROWS:,} rows; the files of the tables have all.</p>'
    end = more if len(table.rows) > MAX_PAGE_ROWS else ""
    return (
        f'<section id="{table.name}"><h2>{escape(table.title)} <output class="quiet">{len(table.rows):,}</output></h2>'
        f'<div class="frame"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>{end}</section>'
    )


def _write_cells(row: Sequence[Cell], scales: Sequence[float]) -> Iterator[str]:
    """A row of a table on the page, as HTML."""
    for cell, scale in zip(row, scales, strict=True):
        if isinstance(cell, str):
            kind = "foreign long" if len(cell) > LONG_TEXT else "foreign"
            yield f'<td class="{kind}">{escape(cell).replace("/", "/<wbr>")}</td>'
        else:
            part = abs(float(cell)) / scale if scale else 0.0
            yield f'<td class="number" data-value="{cell}" style="--part:{part:.3f}">{format_cell(cell)}</td>'


def _write_plot(name: str, values: Sequence[int]) -> str:
    """The plot of one agent on the tables page."""
    nothing = len(values) - sum(map(bool, values))
    note = f" · nothing in {nothing:,}" if nothing else ""
    return f"<figure>{_draw([*filter(None, values)])}<figcaption>{escape(name)}{note}</figcaption></figure>"


def _describe_bar(at: int) -> str:
    """What a bar of a plot says."""
    edges = [round(10 ** (1 + each / 4)) for each in (at, at + 1)]
    if at == BARS - 1:
        return f"{edges[0]:,} tokens and more"
    return f"{edges[0]:,} to {edges[1] - 1:,} tokens" if at else f"fewer than {edges[1]:,} tokens"


def _draw(values: Sequence[int]) -> str:
    """How many repositories have how many tokens: bars from 10 to 100,000 and more, each 1.8 times the last."""
    bars = [0] * BARS
    for value in values:
        bars[min(max(int((log10(max(value, 1)) - 1) * 4), 0), BARS - 1)] += 1
    most = max(*bars, 1)
    shapes = (
        f'<rect x="{at * 10}" y="{48 - round(48 * bar / most)}" width="8" height="{round(48 * bar / most)}">'
        f"<title>{_describe_bar(at)}: {count_noun(bar, 'repository')}</title></rect>"
        for at, bar in enumerate(bars)
        if bar
    )
    return f'<svg viewBox="0 0 160 48" role="img">{"".join(shapes)}</svg>'
