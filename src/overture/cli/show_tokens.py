"""Shows tokens as numbers and bars, by file, section and pace, and what a budget removed."""

import re
from collections.abc import Sequence

from msgspec.structs import replace

from ..report.stats_and_cut_notes import BudgetNote, Row, Stats, stats
from ..terminal.gather_state import gather_state
from ..terminal.options import CommandOptions, make_path_printer
from ..terminal.output import (
    CHANGES,
    PACES,
    count_noun,
    dim,
    escape_controls,
    print_diagnostics,
    print_error,
    print_heading,
    print_table,
    print_wrapped,
    style,
    terminal_width,
    write_drawing,
    write_json,
)
from ..terminal.table_layout import measure_width
from ..text.path_printer import PathPrinter
from ..text.words import join_words
from ..tokens.counter import Counter

BAR_WIDTH = 32
"""Columns of the bar for the whole prompt, if there is room."""
MIN_WIDTH_FOR_CHARS = 60
"""A terminal with fewer columns shows no characters beside the tokens."""
MIN_BAR_WIDTH = 8
"""A bar with fewer columns is useless, and is omitted."""
MAX_NAMED_SECTIONS = 3
"""Sections that are named where a budget cut them; more are counted."""
BETWEEN_PARTS = re.compile(r", | and (?=[\d,]+ more$)")
"""What separates the parts of a section that a larger budget restores."""
ESTIMATE_CAVEAT = (
    "With a ~ it is an estimate, usually 10% too high; `pip install 'overture[tokens]'` gives exact counts."
)


def show_caveat(counter: Counter) -> None:
    """A sentence about counts that are not exact."""
    if counter.name == "estimate":
        print_wrapped(dim(ESTIMATE_CAVEAT))
    elif not counter.exact:
        print_wrapped(dim(f"With a ~ it is {counter.about}."))


def show_bars(rows: Sequence[Row], total: int, counter: Counter, head: str) -> None:
    """A line with a bar for each row, under headings."""
    chars = align_figures(["characters", *(f"{row.chars:,}" for row in rows)])
    tokens = align_figures(["tokens", *(counter.shown(row.tokens) for row in rows)])
    names = [head, *(escape_controls(CHANGES.get(row.name, row.name)) for row in rows)]
    wide = terminal_width()
    columns = [names, chars, tokens] if wide is None or wide >= MIN_WIDTH_FOR_CHARS else [names, tokens]
    if width := _compute_bar_width(columns):
        columns.append(["share", *(draw_token_bar(row, total, width) for row in rows)])
    first, *others = zip(*columns, strict=True)
    print_table(others, heads=first, wraps=())


def _compute_bar_width(columns: Sequence[Sequence[str]]) -> int:
    """How wide bars may be beside these columns; where the names are long, they give way to a short bar."""
    names, *others = (max(map(measure_width, column)) for column in columns)
    wide = terminal_width()
    if wide is None:
        return BAR_WIDTH
    space = wide - 2 * (len(columns) + 1) - sum(others)
    return max(min(BAR_WIDTH, space - min(names, space * 2 // 3)), MIN_BAR_WIDTH) if space > 4 * MIN_BAR_WIDTH else 0


def align_figures(column: Sequence[str]) -> list[str]:
    """Numbers under each other, to the right of their column, however long they are."""
    width = max(map(len, column), default=0)
    return [figure.rjust(width) for figure in column]


def draw_token_bar(row: Row, total: int, width: int) -> str:
    """A bar as long as its share of the tokens."""
    eighths = round(row.tokens / max(total, 1) * width * 8)
    full, part = divmod(eighths, 8)
    return style("█" * full + " ▏▎▍▌▋▊▉"[part].strip(), fg=PACES.get(row.name, "blue"))


def report_budget(note: BudgetNote, counter: Counter, *, lost: bool, printer: PathPrinter) -> None:
    """What a budget cut, on standard error, and the budget that restores it; `lost`: files that are dropped whole."""
    gone = [cut.block for cut in note.cuts if not cut.said.startswith("shortened")]
    shorter = [cut.block for cut in note.cuts if cut.said.startswith("shortened")]
    cuts = ", ".join(filter(None, (_name_sections(gone, "dropped"), _name_sections(shorter, "shortened"))))
    less = count_noun(note.whole - note.tokens, "token")
    print_error(f"note: Cut to {_describe_size(note, counter)}: {cuts}, {less} less")
    if lost:
        print_error("warning: None of your files is in this prompt")
    if note.back and note.limit is not None:
        back = printer.within(join_words([part for each in note.back for part in _list_returning(each)]))
        print_error(f"hint: `--budget {note.limit + note.more}` restores {back}")


def _describe_size(note: BudgetNote, counter: Counter) -> str:
    """`145 of 160 tokens`; of limits for single sections, `145 tokens`."""
    if note.limit is None:
        return counter.describe(note.tokens)
    return f"{counter.shown(note.tokens)} of {count_noun(note.limit, 'token')}"


def _name_sections(names: Sequence[str], how: str) -> str:
    """`host and planning dropped`; of more than a few, their number."""
    if len(names) > MAX_NAMED_SECTIONS:
        return f"{count_noun(len(names), 'section')} {how}"
    return f"{join_words(names)} {how}" if names else ""


def _list_returning(returning: str) -> list[str]:
    """`part of project-context`, from `project-context: some of it`; of several parts, each."""
    block, _, parts = returning.partition(": ")
    named = {"": block, "some of it": f"part of {block}", "more of it": f"more of {block}"}.get(parts, parts)
    return BETWEEN_PARTS.split(named)


def show_budget(note: BudgetNote, counter: Counter, printer: PathPrinter) -> None:
    """What a budget did, for a person, in an explanation."""
    print_heading("Budget")
    lines = [("budget", f"{_describe_size(note, counter)} ({counter.name}); uncut {counter.shown(note.whole)}")]
    lines += [("cut", f"{cut.block}: {cut.said} ({counter.describe(cut.tokens)} saved)") for cut in note.cuts]
    if note.back:
        lines.append((f"{note.more:,} more would restore", "; ".join(note.back)))
    lines.append(("largest", f"{note.costliest}, {counter.describe(note.costs)} uncut"))
    print_table([(label, printer.within(words)) for label, words in lines])


NO_FILES = ("the state", "rules", "the recipe", "hooks")
"""The sources that are no files: they come below those that are."""


def show_stats(options: CommandOptions, by: tuple[str, ...], svg: str | None, as_json: bool) -> None:
    """What the tokens of a prompt are spent on, by each of `by`; as JSON by all of them."""
    prompt = gather_state(options).build()
    print_diagnostics(note for note in prompt.diagnostics if note.code == "config-missing")
    totals = stats(prompt)
    if svg is not None:
        from ..report.bar_and_treemap import draw_treemap

        write_drawing(svg, draw_treemap(prompt))
    if as_json:
        write_json(totals)
        return
    printer = make_path_printer(options)
    sources = tuple(replace(row, name=printer(row.name)) for row in totals.sources)
    show_groups(replace(totals, sources=sources), prompt.counter, by, len(prompt.diagnostics))
    if totals.budget:
        show_budget(totals.budget, prompt.counter, printer)


def show_groups(totals: Stats, counter: Counter, by: tuple[str, ...], problems: int = 0) -> None:
    """The measures for a person: files first, the largest on top."""
    size = f"{count_noun(totals.chars, 'character')}, {counter.describe(totals.tokens)} ({counter.name})"
    print_wrapped(f"{style(totals.recipe, bold=True)}  {size}")
    show_caveat(counter)
    if problems:
        sentence = f"in your files: `overture explain` names {'them' if problems > 1 else 'it'}."
        print_wrapped(style(f"{count_noun(problems, 'problem')} {sentence}", fg="yellow"))
    if "file" in by:
        print_heading("Sources")
        sources = sorted(totals.sources, key=lambda row: (row.name in NO_FILES, -row.tokens))
        show_bars(sources, totals.tokens, counter, "source")
    if "section" in by:
        print_heading("Sections, in order")
        show_bars(totals.sections, totals.tokens, counter, "section")
    if "pace" in by:
        print_heading("How often it changes: never, once per session, or per turn")
        show_bars(totals.paces, totals.tokens, counter, "changes")
