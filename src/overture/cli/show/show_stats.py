"""`overture context --by`: how long the prompt is, by file and other source, by section, and by pace."""

from msgspec.structs import replace

from ...report.stats import Stats, stats
from ...terminal.gather_state import gather_state
from ...terminal.options import CommandOptions, make_path_printer
from ...terminal.output import (
    count_noun,
    dim,
    print_diagnostics,
    print_heading,
    print_table,
    print_wrapped,
    style,
    write,
    write_json,
    write_text,
)
from ...tokens.counter import Counter
from .show_tokens import format_size, show_bars, show_budget, show_caveat

NO_FILES = ("the state", "rules", "the recipe", "hooks")
"""The sources that are no files: they stand below those that are."""


def show_stats(options: CommandOptions, by: tuple[str, ...], svg: str | None, as_json: bool) -> None:
    """What the tokens of a prompt are spent on, by each of `by`; as JSON by all of them."""
    prompt = gather_state(options).build()
    print_diagnostics(note for note in prompt.diagnostics if note.code == "config-missing")
    totals = stats(prompt)
    if svg is not None:
        from ...report.bar_and_treemap import draw_treemap

        draw(svg, draw_treemap(prompt))
    if as_json:
        write_json(totals)
        return
    printer = make_path_printer(options)
    sources = tuple(replace(row, name=printer(row.name)) for row in totals.sources)
    show(replace(totals, sources=sources), prompt.counter, by, len(prompt.diagnostics))
    if totals.budget:
        show_budget(totals.budget, prompt.counter)


def draw(path: str, picture: str) -> None:
    """Write a picture into a file."""
    if path == "-":
        write(picture)
    else:
        write_text(path, picture)


def show(totals: Stats, counter: Counter, by: tuple[str, ...], problems: int = 0) -> None:
    """The measures for a person: files first, the largest on top."""
    print_wrapped(f"{style(totals.recipe, bold=True)}  {format_size(totals.chars, totals.tokens, counter)}")
    show_caveat(counter)
    if problems:
        them = "them" if problems > 1 else "it"
        print_wrapped(
            style(f"{count_noun(problems, 'problem')} in your files: `overture explain` names {them}.", fg="yellow")
        )
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
    if totals.documented and "section" in by:
        print_heading("Sizes, compared to the system's document")
        rows = [(r.name, f"{r.chars:,}", counter.shown(r.tokens), dim(r.document)) for r in totals.documented]
        print_table(rows, heads=("what", "characters", "tokens", "document"))
