"""`overture context` shows what fills the model's window, by its parts."""

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

import click
from msgspec.structs import replace

from ...errors import ConfigError
from ...model.prompt.budget import is_share
from ...model.prompt.prompt import Prompt
from ...report.context import (
    Context,
    ContextKind,
    ContextShare,
    bar_lengths,
    format_percent,
    group_by_kind,
    headline,
    share_name,
)
from ...session.turn_and_context import measure_prompt_context
from ...terminal.gather_state import GatheredState, gather_state
from ...terminal.option_values import models_for, window_for
from ...terminal.options import AS_JSON, RECIPE_HELP, CommandOptions, add_build_options, make_path_printer
from ...terminal.output import (
    dim,
    escape_controls,
    print_diagnostics,
    print_heading,
    print_line,
    print_table,
    style,
    terminal_width,
    write_drawing,
    write_json,
)
from ...terminal.table_layout import measure_width
from ...text.path_printer import PathPrinter
from ...tokens.counter import Counter, describe_tokens
from ..show_tokens import align_figures, show_caveat

SIGNS = {
    "system prompt": ("█", "blue"), "tools": ("▓", "magenta"), "skills": ("▒", "green"),
    "nested files": ("▞", "yellow"), "messages": ("░", "cyan"), "free": ("·", "bright_black"),
}  # fmt: skip
"""How each kind is drawn: signs distinguish them without colours."""
MAX_WIDTH, MAX_LISTED = 100, 10
BARS = 24
NO_MODEL = "hint: `--model claude-opus-5` shows how much of its window is left"
NO_WINDOW = "hint: `--window 200000` sets the window of `{model}`, which is an unknown model"


def show_context(context: Context, counter: Counter, everything: bool) -> None:
    """The context for a person."""
    wide = terminal_width()
    for line in _wrap_context_line(_describe_size(context), wide):
        print_line(style(line, bold=True))
    if context.window is not None:
        print_line(draw_bar(context, min(wide or MAX_WIDTH, MAX_WIDTH)))
    print_line()
    show_rows(context, counter, wide)
    for kind in group_by_kind(context):
        if kind.shares:
            show_kind(kind, context, counter, everything, wide)
    for line in context.not_counted:
        print_line()
        print_line(f"Not counted: {escape_controls(line)}.")
    show_caveat(counter)
    if context.window is None:
        print_line()
        hint = NO_MODEL if context.model is None else NO_WINDOW.format(model=context.model)
        for line in _wrap_context_line(hint, wide):
            print_line(dim(line))


def _describe_size(context: Context) -> str:
    """First line of the command: `1,129 tokens before the first message (house, o200k)`, or how much is free."""
    if context.window is not None:
        return f"{context.recipe}  {headline(context)}"
    has_messages = any(share.name != "sections" for share in context.messages)
    by = ", ".join(filter(None, (context.recipe, context.model, context.tokenizer)))
    tokens = describe_tokens(context.tokens, exact=context.exact)
    return f"{tokens}{' before the first message' * (not has_messages)} ({by})"


def _wrap_context_line(text: str, wide: int | None) -> list[str]:
    """A line of what `overture context` shows, wrapped to the terminal."""
    return textwrap.wrap(escape_controls(text), wide) if wide else [escape_controls(text)]


def draw_bar(context: Context, wide: int) -> str:
    """The window as a bar: every part is visible, however small; the rest is free."""
    kinds = group_by_kind(context)
    sizes = bar_lengths([*(kind.tokens for kind in kinds), max(context.free or 0, 0)], wide)
    labels = [*(kind.label for kind in kinds), "free"]
    return "".join(_draw_styled_bar(label, size) for label, size in zip(labels, sizes, strict=True))


def _draw_styled_bar(label: str, size: int) -> str:
    sign, colour = SIGNS[label]
    return style(sign * size, fg=colour) if size else ""


def show_rows(context: Context, counter: Counter, wide: int | None) -> None:
    """A line for each kind: its tokens, its share of the window, and a bar of its share of all that is there."""
    known = context.window is not None
    total, of = context.window or context.tokens, "of window" if known else "<1%"
    kinds = [(kind.label, kind.tokens) for kind in group_by_kind(context) if kind.tokens]
    kinds += [("free", context.free)] if context.free is not None else []
    shown = [counter.shown(tokens) if label != "free" else f"{tokens:,}" for label, tokens in kinds]
    width = max(map(len, [*shown, "tokens"] if known else shown), default=0)
    if known:
        print_line(dim(f"{'tokens'.rjust(18 + width)}  {of}"))
    bars = min(BARS, (wide or MAX_WIDTH) - 18 - width - len(of) - 4)
    for (label, tokens), figure in zip(kinds, shown, strict=True):
        rounded = f"{tokens / max(total, 1):.0%}" if tokens * 200 >= total or not tokens else "<1%"
        share = (format_percent(tokens, total) if known else rounded).rjust(len(of))
        cells = 0 if label == "free" or bars < 4 else _compute_bar_cells(tokens, context.tokens, bars)
        bar = _draw_styled_bar(label, cells)
        sign = f"{_draw_styled_bar(label, 1)} " if known else ""
        print_line(f"  {sign}{label.ljust(14 if known else 15)}{figure.rjust(width)}  {share}  {bar}".rstrip())


def _compute_bar_cells(tokens: int, total: int, bars: int) -> int:
    return round(tokens / max(total, 1) * bars) or int(tokens > 0)


def show_kind(kind: ContextKind, context: Context, counter: Counter, everything: bool, wide: int | None) -> None:
    """The parts of one kind; of many, the largest."""
    print_heading(kind.label[:1].upper() + kind.label[1:])
    by_size = sorted(kind.shares, key=lambda share: -share.tokens)
    listed = list(kind.shares) if kind.label in ("system prompt", "messages") else by_size
    largest = by_size if everything or len(listed) <= MAX_LISTED + 1 else by_size[:MAX_LISTED]
    rest = [share for share in listed if share not in largest]
    lines = [line for share in listed if share in largest for line in _list_share_lines(share, kind.label)]
    if rest:
        lines.append((f"and {len(rest):,} more: --all lists them", sum(share.tokens for share in rest)))
    _print_share_table(lines, kind.label, context.tokens, counter, wide)


def _list_share_lines(share: ContextShare, kind: str) -> Iterator[tuple[str, int]]:
    """The lines of one part of the context, with its tokens."""
    label = share_name(share, kind)
    number = f" ({share.count:,})" if kind == "messages" and share.count > 1 else ""
    yield label + number, share.tokens
    if kind != "messages" or share.name == "skill":
        yield from ((f"  {part.name}", part.tokens) for part in share.parts)


def _print_share_table(
    lines: Sequence[tuple[str, int]], kind: str, total: int, counter: Counter, wide: int | None
) -> None:
    """Print what fills the window, a row with a bar for each part."""
    figures = align_figures([counter.shown(tokens) for _, tokens in lines])
    names = [escape_controls(name) for name, _ in lines]
    # Indent, two gaps and at least six columns for a bar.
    room = BARS if wide is None else wide - max(map(measure_width, names)) - len(figures[0]) - 6
    bars = max(6, min(BARS, room))
    rows = []
    for name, (_, tokens), figure in zip(names, lines, figures, strict=True):
        bar = _draw_styled_bar(kind, _compute_bar_cells(tokens, total, bars))
        rows.append((dim(name), dim(figure), "") if name.startswith("  ") else (name, figure, bar))
    print_table(rows, wraps=())


NO_TOOLS = "the tools, which a saved prompt does not contain"


@click.command("context", epilog=RECIPE_HELP)
@add_build_options
@click.option("--model", metavar="NAME", help="The model whose window is used. Default: runtime.model of the state.")
@click.option("--all", "everything", is_flag=True, help="List every part.")
@click.option("--svg", metavar="FILE", help="Also write a drawing to this file; - is standard output.")
@click.option(
    "--by", type=click.Choice(("file", "section", "pace")), multiple=True,
    help="Only the prompt's own tokens: by file, section, or how often it changes. Repeatable; --json has all.",
)  # fmt: skip
@AS_JSON
def command(
    model: str | None, everything: bool, svg: str | None, by: tuple[str, ...], as_json: bool, **options: Any
) -> None:
    """Show what fills the model's context window, and how much is left.

    Lists the system prompt by section, tools, skills, nested files, and messages by kind. RECIPE may be the file of a
    saved session: its conversation is counted too. Pass the window with --model, or in tokens with --window.
    Counts are exact if a tokenizer is installed (pip install 'overture[tokens]'); estimates have a ~.

    \b
    overture context --model gpt-5.4     for an agent that starts here
    overture context saved.json          for a saved session
    overture context --by file           what the prompt's tokens are spent on
    """
    if by:
        if model is not None or everything:
            raise ConfigError("--by counts only the prompt, not the window: omit --model and --all.")
        from ..show_tokens import show_stats

        show_stats(CommandOptions(**options), by, svg, as_json)
        return
    command_options = CommandOptions(**options)
    if model is not None and command_options.window is not None:
        both = f"--window {command_options.window!r} and --model {model!r}"
        raise ConfigError(f"{both} both set the window.", hint="Omit one of them.")
    command_options = command_options._replace(window=model or command_options.window)
    # Here a window is useful by itself; elsewhere only a share of it is.
    shares = any(is_share(text.rpartition("=")[2]) for text in command_options.budgets)
    gathered = gather_state(command_options if shares else command_options._replace(window=None))
    prompt = gathered.build()
    measured = measure_gathered_context(gathered, prompt, command_options)
    if svg is not None:
        from ...report.bar_and_treemap import draw_context

        write_drawing(svg, draw_context(measured))
    print_diagnostics(gathered.found.diagnostics if gathered.sent else ())
    if as_json:
        write_json(measured)
    else:
        show_context(_shorten_paths(measured, make_path_printer(command_options)), prompt.counter, everything)


def _shorten_paths(context: Context, printer: PathPrinter) -> Context:
    """The same with the files as a person writes them here."""

    def shorten(shares: Sequence[ContextShare]) -> tuple[ContextShare, ...]:
        return tuple(replace(share, name=printer(share.name)) for share in shares)

    system = tuple(replace(share, parts=shorten(share.parts)) for share in context.system)
    return replace(context, system=system, nested=shorten(context.nested))


def measure_gathered_context(gathered: GatheredState, prompt: Prompt, options: CommandOptions) -> Context:
    """The context of a recipe, of a saved session with its conversation, or of a saved prompt alone."""
    sent = gathered.sent
    context = measure_prompt_context(prompt, sent.turn.messages if sent and sent.turn else None, models_for(options))
    if sent is not None and sent.turn is None:
        context = replace(context, not_counted=(*context.not_counted, NO_TOOLS))
    if options.window is None:
        return context
    window = window_for(options)
    named = None if options.window.replace(",", "").replace("_", "").isdecimal() else options.window
    return context.within(window, named)
