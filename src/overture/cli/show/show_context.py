"""The context as a person reads it: one line, one bar, a line for each kind, and then the parts of each."""

import textwrap
from collections.abc import Iterator, Sequence

from ...report.context import Context, Share
from ...report.context_words import Kind, headline, kinds_of, lengths, percent, said_of
from ...terminal.long_cells import unstyled
from ...terminal.terminal import dim, heading, room, say, style, visible
from ...tokens.counter import Counter
from .show_tokens import caveat

SIGNS = {
    "system prompt": ("█", "blue"), "tools": ("▓", "magenta"), "skills": ("▒", "green"),
    "nested files": ("▞", "yellow"), "messages": ("░", "cyan"), "free": ("·", "bright_black"),
}  # fmt: skip
"""How each kind is drawn: signs tell them apart where there are no colours."""
WIDEST, LISTED = 100, 10
BARS = 24
NO_MODEL = "No model is named, so that its window is not known: try --model claude-opus-5, or --window 200000."
NO_WINDOW = "The window of {model!r} is not in the table of models: give it with --window 200000."


def show(told: Context, counter: Counter, everything: bool) -> None:
    """The context for a person."""
    wide = room()
    for line in _wrapped(f"{told.recipe}  {headline(told)}", wide):
        say(style(line, bold=True))
    if told.window is None:
        for line in _wrapped(NO_MODEL if told.model is None else NO_WINDOW.format(model=told.model), wide):
            say(dim(line))
    say(bar(told, min(wide or WIDEST, WIDEST)))
    say()
    rows(told, counter, wide)
    for kind in kinds_of(told):
        if kind.shares:
            show_kind(kind, told, counter, everything, wide)
    for line in told.not_counted:
        say()
        say(f"Not counted: {visible(line)}.")
    caveat(counter)


def _wrapped(text: str, wide: int | None) -> list[str]:
    return textwrap.wrap(visible(text), wide) if wide else [visible(text)]


def bar(told: Context, wide: int) -> str:
    """The window as a bar: what is there can be seen, however small; what is free is the rest."""
    kinds = kinds_of(told)
    sizes = lengths([*(kind.tokens for kind in kinds), max(told.free or 0, 0)], wide)
    labels = [*(kind.label for kind in kinds), "free"]
    return "".join(_drawn(label, size) for label, size in zip(labels, sizes, strict=True))


def _drawn(label: str, size: int) -> str:
    sign, colour = SIGNS[label]
    return style(sign * size, fg=colour) if size else ""


def rows(told: Context, counter: Counter, wide: int | None) -> None:
    """A line for each kind: its tokens, its share of the window, and a bar of its share of all that is there."""
    whole, of = (told.tokens, "of all") if told.window is None else (told.window, "of window")
    kinds = [(kind.label, kind.tokens) for kind in kinds_of(told)]
    kinds += [("free", told.free)] if told.free is not None else []
    shown = [counter.shown(tokens) if label != "free" else f"{tokens:,}" for label, tokens in kinds]
    width = max(map(len, [*shown, "tokens"]))
    say(dim(f"{'tokens'.rjust(18 + width)}  {of}"))
    bars = min(BARS, (wide or WIDEST) - 18 - width - len(of) - 4)
    for (label, tokens), figure in zip(kinds, shown, strict=True):
        share = percent(tokens, whole).rjust(len(of))
        drawn = "" if label == "free" or bars < 4 else _drawn(label, _cells(tokens, told.tokens, bars))
        say(f"  {_drawn(label, 1)} {label.ljust(14)}{figure.rjust(width)}  {share}  {drawn}".rstrip())


def _cells(tokens: int, whole: int, bars: int) -> int:
    return round(tokens / max(whole, 1) * bars) or int(tokens > 0)


def show_kind(kind: Kind, told: Context, counter: Counter, everything: bool, wide: int | None) -> None:
    """The parts of one kind; of many, the largest."""
    heading(kind.label[:1].upper() + kind.label[1:])
    listed = list(kind.shares) if kind.label in ("system prompt", "messages") else sorted(kind.shares, key=_size)
    kept = sorted(listed, key=_size)[: len(listed) if everything or len(listed) <= LISTED + 1 else LISTED]
    left = [share for share in listed if share not in kept]
    lines = [line for share in listed if share in kept for line in _lines(share, kind.label)]
    if left:
        lines.append((f"and {len(left):,} more: --all lists them", sum(share.tokens for share in left)))
    _table(lines, kind.label, told.tokens, counter, wide)


def _size(share: Share) -> int:
    return -share.tokens


def _lines(share: Share, kind: str) -> Iterator[tuple[str, int]]:
    label = said_of(share, kind)
    number = f" ({share.count:,})" if kind == "messages" and share.count > 1 else ""
    yield label + number, share.tokens
    if kind != "messages" or share.name == "skill":
        yield from ((f"  {part.name}", part.tokens) for part in share.parts)


def _table(lines: Sequence[tuple[str, int]], kind: str, whole: int, counter: Counter, wide: int | None) -> None:
    figures = [counter.shown(tokens) for _, tokens in lines]
    width = max(map(len, figures))
    longest = max(len(visible(name)) for name, _ in lines)
    # Indent, two gaps and at least six columns for a bar.
    names = longest if wide is None else min(longest, wide - width - 12)
    bars = BARS if wide is None else min(BARS, wide - names - width - 6)
    for (name, tokens), figure in zip(lines, figures, strict=True):
        inner = name.startswith("  ")
        drawn = "" if inner else _drawn(kind, _cells(tokens, whole, bars))
        line = f"  {_short(visible(name), names).ljust(names)}  {figure.rjust(width)}"
        say(f"{dim(line) if inner else line}  {drawn}" if unstyled(drawn) else dim(line) if inner else line)


def _short(name: str, letters: int) -> str:
    """As much of a name as there is room for: its beginning and its end."""
    if len(name) <= letters:
        return name
    blanks = len(name) - len(name.lstrip())
    return f"{name[:blanks]}…{name[len(name) - letters + blanks + 1 :]}"
