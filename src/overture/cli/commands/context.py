"""`overture context` shows what fills the model's window, by its parts; `--by` shows what the prompt consists of."""

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

import click
from msgspec.structs import replace

from ...errors import ConfigError
from ...model.prompt.budget import is_share
from ...model.prompt.prompt import Prompt
from ...report.context import LABELS, Context, ContextKind, ContextShare, group_by_kind
from ...report.stats_and_cut_notes import Row, Stats, stats
from ...session.turn_and_context import measure_prompt_context
from ...terminal.gather_state import GatheredState, gather_state
from ...terminal.option_values import models_for, window_for
from ...terminal.options import AS_JSON, RECIPE_HELP, CommandOptions, add_build_options, make_path_printer
from ...terminal.output import (
    CHANGES,
    PACES,
    count_noun,
    dim,
    escape_controls,
    print_diagnostics,
    print_heading,
    print_line,
    print_wrapped,
    style,
    terminal_width,
    write_json,
)
from ...text.path_printer import PathPrinter
from ...tokens.counter import Counter, describe_tokens, format_tokens, share_out
from ..agents_as_subject import find_subjects, show_agents_context
from ..show_tokens import MAX_BAR_WIDTH, TokenRow, draw_bars, show_bars, show_budget, show_caveat

SIGNS = {
    "system prompt": ("█", "blue"), "tools": ("▓", "magenta"), "skills": ("▒", "green"),
    "nested files": ("▞", "yellow"), "messages": ("░", "cyan"), "free": ("·", "bright_black"),
}  # fmt: skip
"""How each kind is drawn: signs distinguish them without colours."""
MAX_WIDTH, MAX_LISTED = 100, 10
NO_MODEL = "hint: `--model claude-opus-5` shows how much of its window is left"
NO_WINDOW = "hint: `--window 200000` sets the window of `{model}`, which is an unknown model"
NO_TOOLS = "the tools, which a saved prompt does not contain"
NO_FILES = ("the state", "rules", "the recipe", "hooks")
"""The sources that are no files: they come below those that are."""


@click.command("context", epilog=RECIPE_HELP)
@add_build_options
@click.option("--model", metavar="NAME", help="The model whose window is used. Default: runtime.model of the state.")
@click.option("--all", "everything", is_flag=True, help="List every part.")
@click.option(
    "--by", type=click.Choice(("file", "section", "pace")), multiple=True,
    help="Only the prompt's own tokens: by file, section, or how often it changes. Repeatable; --json has all.",
)  # fmt: skip
@AS_JSON
def command(model: str | None, everything: bool, by: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Show what fills the model's context window, and how much is left.

    For agents, by default those in use: files and skills, with the size of the agent's own prompt. For a recipe: the
    system prompt by section, tools, skills, nested files, and messages by kind. RECIPE may be the file of a saved
    session: its conversation is counted too. Pass the window with --model, or in tokens with --window.
    Counts are exact if a tokenizer is installed (pip install 'overture[tokens]'); estimates have a ~.

    \b
    overture context                     for the agents in use
    overture context codex --model gpt-5.4
    overture context saved.json          for a saved session
    overture context house --by file     what the prompt's tokens are spent on
    """
    command_options = CommandOptions(**options)
    if (subjects := find_subjects(command_options)) is not None:
        if set(by) - {"file"}:
            raise ConfigError("--by section and --by pace are for recipes.", hint="Name one: overture context house")
        if model is not None and command_options.window is not None:
            raise ConfigError(f"--window {command_options.window!r} and --model {model!r} both set the window.")
        command_options = command_options._replace(window=model or command_options.window)
        show_agents_context(subjects, command_options, everything=everything, as_json=as_json)
        return
    if by:
        if model is not None or everything:
            raise ConfigError("--by counts only the prompt, not the window: omit --model and --all.")
        show_stats(command_options, by, as_json)
        return
    if model is not None and command_options.window is not None:
        both = f"--window {command_options.window!r} and --model {model!r}"
        raise ConfigError(f"{both} both set the window.", hint="Omit one of them.")
    command_options = command_options._replace(window=model or command_options.window)
    # Here a window is useful by itself; elsewhere only a share of it is.
    shares = any(is_share(text.rpartition("=")[2]) for text in command_options.budgets)
    gathered = gather_state(command_options if shares else command_options._replace(window=None))
    prompt = gathered.build()
    measured = measure_gathered_context(gathered, prompt, command_options)
    print_diagnostics(gathered.found.diagnostics if gathered.sent else ())
    print_diagnostics(note for note in prompt.diagnostics if note.code == "config-missing")
    if as_json:
        write_json(measured)
    else:
        show_context(_shorten_paths(measured, make_path_printer(command_options)), prompt.counter, everything)


def measure_gathered_context(gathered: GatheredState, prompt: Prompt, options: CommandOptions) -> Context:
    """The context of a recipe, of a saved session with its conversation, or of a saved prompt alone."""
    sent = gathered.sent
    context = measure_prompt_context(prompt, sent.turn.messages if sent and sent.turn else None, models_for(options))
    if sent is not None and sent.turn is None:
        context = replace(context, not_counted=(*context.not_counted, NO_TOOLS))
    if options.window is None:
        return context
    named = None if options.window.replace(",", "").replace("_", "").isdecimal() else options.window
    return context.within(window_for(options), named)


def _shorten_paths(context: Context, printer: PathPrinter) -> Context:
    """The same with the files as a person writes them here."""

    def shorten(shares: Sequence[ContextShare]) -> tuple[ContextShare, ...]:
        return tuple(replace(share, name=printer(share.name)) for share in shares)

    system = tuple(replace(share, parts=shorten(share.parts)) for share in context.system)
    return replace(context, system=system, nested=shorten(context.nested))


def show_context(context: Context, counter: Counter, everything: bool) -> None:
    """The context for a person."""
    wide = terminal_width()

    def wrap(text: str) -> list[str]:
        return textwrap.wrap(escape_controls(text), wide) if wide else [escape_controls(text)]

    for line in wrap(_describe_size(context)):
        print_line(style(line, bold=True))
    if context.window is not None:
        print_line(draw_window(context, min(wide or MAX_WIDTH, MAX_WIDTH)))
    print_line()
    show_kinds(context, counter, wide)
    for kind in group_by_kind(context):
        if kind.shares:
            show_kind(kind, context, counter, everything)
    for line in context.not_counted:
        print_line()
        print_line(f"Not counted: {escape_controls(line)}.")
    show_caveat(counter)
    if context.window is None:
        print_line()
        hint = NO_MODEL if context.model is None else NO_WINDOW.format(model=context.model)
        for line in wrap(hint):
            print_line(dim(line))


def _describe_size(context: Context) -> str:
    """`1,129 tokens before the first message (house, o200k)`, or how much is free."""
    if context.window is None or context.free is None:
        by = ", ".join(filter(None, (context.recipe, context.model, context.tokenizer)))
        begins = not any(share.name != "sections" for share in context.messages)
        tokens = describe_tokens(context.tokens, exact=context.exact)
        return f"{tokens}{' before the first message' * begins} ({by})"
    by = ", ".join(filter(None, (context.model, context.tokenizer)))
    used = f"{context.recipe}  {format_tokens(context.tokens, exact=context.exact)} of {context.window:,} tokens"
    if context.free < 0:
        return f"{used}: {-context.free:,} too many ({by})"
    return f"{used}, {_format_percent(context.tokens, context.window)}; {context.free:,} are free ({by})"


def _format_percent(part: int, total: int) -> str:
    """`1.6 %`; a value above 0 is never shown as `0.0 %`."""
    share = part / max(total, 1) * 100
    return "<0.1 %" if 0 < share < 0.05 else f"{share:.1f} %"


def draw_window(context: Context, wide: int) -> str:
    """The window as a bar: every part is visible, however small; the rest is free."""
    parts = [(kind.label, kind.tokens) for kind in group_by_kind(context)] + [("free", max(context.free or 0, 0))]
    cells = share_out(wide, [tokens for _, tokens in parts])
    for index, (_, tokens) in enumerate(parts):
        if tokens and not cells[index]:
            cells[index] = 1
            cells[cells.index(max(cells))] -= 1
    return "".join(
        style(SIGNS[label][0] * size, fg=SIGNS[label][1]) for (label, _), size in zip(parts, cells, strict=True)
    )


def show_kinds(context: Context, counter: Counter, wide: int | None) -> None:
    """A line for each kind: its tokens, its share of the window, and a bar of its share of all that is there."""
    known = context.window is not None
    total, of = context.window or context.tokens, "of window" if known else "<1%"
    kinds = [(kind.label, kind.tokens) for kind in group_by_kind(context) if kind.tokens]
    kinds += [("free", context.free)] if context.free is not None else []
    shown = [counter.shown(tokens) if label != "free" else f"{tokens:,}" for label, tokens in kinds]
    width = max(map(len, [*shown, "tokens"] if known else shown), default=0)
    if known:
        print_line(dim(f"{'tokens'.rjust(18 + width)}  {of}"))
    room = min(MAX_BAR_WIDTH, (wide or MAX_WIDTH) - 18 - width - len(of) - 4)
    for (label, tokens), figure in zip(kinds, shown, strict=True):
        sign, colour = SIGNS[label]
        rounded = f"{tokens / max(total, 1):.0%}" if tokens * 200 >= total or not tokens else "<1%"
        share = (_format_percent(tokens, total) if known else rounded).rjust(len(of))
        row = TokenRow(label, tokens, colour, sign)
        (bar,) = draw_bars([row], context.tokens, room) if label != "free" and room >= 4 else ("",)
        mark = f"{style(sign, fg=colour)} " if known else ""
        print_line(f"  {mark}{label.ljust(14 if known else 15)}{figure.rjust(width)}  {share}  {bar}".rstrip())


def show_kind(kind: ContextKind, context: Context, counter: Counter, everything: bool) -> None:
    """The parts of one kind; of many, the largest."""
    print_heading(kind.label[:1].upper() + kind.label[1:])
    by_size = sorted(kind.shares, key=lambda share: -share.tokens)
    listed = list(kind.shares) if kind.label in ("system prompt", "messages") else by_size
    largest = by_size if everything or len(listed) <= MAX_LISTED + 1 else by_size[:MAX_LISTED]
    rest = [share for share in listed if share not in largest]
    rows = [row for share in listed if share in largest for row in _list_share_rows(share, kind.label)]
    if rest:
        words = f"and {len(rest):,} more: --all lists them"
        rows.append(_make_row(words, sum(share.tokens for share in rest), kind.label))
    show_bars(rows, context.tokens, counter)


def _make_row(name: str, tokens: int, kind: str) -> TokenRow:
    sign, colour = SIGNS[kind]
    return TokenRow(name, tokens, colour, sign)


def _list_share_rows(share: ContextShare, kind: str) -> Iterator[TokenRow]:
    """The lines of one part of the context."""
    label = LABELS.get(share.name, share.name) if kind == "messages" else share.name
    number = f" ({share.count:,})" if kind == "messages" and share.count > 1 else ""
    yield _make_row(label + number, share.tokens, kind)
    if kind != "messages" or share.name == "skill":
        yield from (TokenRow(f"  {part.name}", part.tokens) for part in share.parts)


def show_stats(options: CommandOptions, by: tuple[str, ...], as_json: bool) -> None:
    """What the tokens of a prompt are spent on, by each of `by`; as JSON by all of them."""
    prompt = gather_state(options).build()
    print_diagnostics(note for note in prompt.diagnostics if note.code == "config-missing")
    totals, counter = stats(prompt), prompt.counter
    if as_json:
        write_json(totals)
        return
    printer = make_path_printer(options)
    size = f"{count_noun(totals.chars, 'character')}, {counter.describe(totals.tokens)} ({counter.name})"
    print_wrapped(f"{style(totals.recipe, bold=True)}  {size}")
    show_caveat(counter)
    if problems := len(prompt.diagnostics):
        sentence = f"in your files: `overture explain` names {'them' if problems > 1 else 'it'}."
        print_wrapped(style(f"{count_noun(problems, 'problem')} {sentence}", fg="yellow"))
    show_groups(totals, counter, by, printer)
    if totals.budget:
        show_budget(totals.budget, counter, printer)


def show_groups(totals: Stats, counter: Counter, by: tuple[str, ...], printer: PathPrinter) -> None:
    """The measures for a person: files first, the largest on top."""

    def show(title: str, rows: Sequence[Row], head: str) -> None:
        print_heading(title)
        names = [printer(row.name) if head == "source" else CHANGES.get(row.name, row.name) for row in rows]
        colours = [PACES.get(row.name, "blue") for row in rows]
        lines = [
            TokenRow(name, row.tokens, colour, chars=row.chars)
            for name, colour, row in zip(names, colours, rows, strict=True)
        ]
        show_bars(lines, totals.tokens, counter, head)

    if "file" in by:
        show("Sources", sorted(totals.sources, key=lambda row: (row.name in NO_FILES, -row.tokens)), "source")
    if "section" in by:
        show("Sections, in order", totals.sections, "section")
    if "pace" in by:
        show("How often it changes: never, once per session, or per turn", totals.paces, "changes")
