"""What a limit or a budget took out of a block: where it is missing, and what was there."""

from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from ...assemble.lay_again import Laid
from ...assemble.stretches import Stretch
from ...model.prompt.block import Block
from ...model.prompt.cuts_and_omissions import Cut
from ...model.prompt.prompt import Prompt
from ...model.recipe.body import Node, parts_of, said
from ...text.secrets.find import secrets_in
from .mark_words import of_cut

MOST = 20_000
"""Characters of what is missing that are told."""


class Shortened(NamedTuple):
    """A node of a body that says less than it would."""

    node: Node
    whole: str
    """What it would say."""
    note: str


class Missing(NamedTuple):
    """Where something is missing, in characters of the block's text, and what."""

    start: int
    end: int
    """What stands there instead, a line about the cut or dots, ends here."""
    was: str
    note: str
    lines: int
    """How many lines of the source end in it."""


def shortened(prompt: Prompt, block: Block) -> list[Shortened]:
    """What of a block is shortened: to meet a budget, or by a limit of the recipe's own."""
    found = list(_by_budget(prompt, block))
    inside = {id(part) for each in found for part in parts_of(each.node)}
    shown = prompt.counter.shown
    for part in parts_of(block.body):
        if part.whole and part.text and id(part) not in inside:
            sizes = shown(prompt.counter.by_lines(part.whole)), shown(prompt.counter.by_lines(part.text))
            whole = part.before + part.whole + part.after
            found.append(Shortened(part, whole, of_cut("a limit of the recipe", *sizes, "shortened")))
    return found


def _by_budget(prompt: Prompt, block: Block) -> Iterator[Shortened]:
    trim = prompt.fitted.trims.get(block.name) if prompt.fitted else None
    if trim is None or any(source.kind == "hook" for source in block.sources):
        return
    for cut, whole, left in trim.shortened(block):
        yield Shortened(left, said(whole), _note(prompt, cut))


def _note(prompt: Prompt, cut: Cut) -> str:
    budget, shown = prompt.fitted.budget if prompt.fitted else None, prompt.counter.shown
    limit = budget.limits.get(cut.block) if budget else None
    total = budget.limit if budget else None
    if limit is not None:
        by = f"the section's limit of {limit:,} tokens"
    else:
        by = f"the budget of {total:,} tokens" if total is not None else "the budget"
    return of_cut(by, shown(cut.from_tokens), shown(cut.to_tokens), cut.how)


def left_out(prompt: Prompt, block: Block, each: Shortened) -> Missing:
    """A whole block in the place of which a line stands."""
    return Missing(0, len(block.text), _told(prompt, each.whole, 0, len(each.whole)), each.note, 0)


def missing(prompt: Prompt, laid: Laid, each: Shortened) -> Missing | None:
    """Where in a block that was laid again something is missing."""
    place = laid.nodes.get(id(each.node))
    if place is None:
        return None
    row = laid.stretches[place[0] : place[1]]
    now = "".join(stretch.was for stretch in row)
    first, last = _differ(now, each.whole, each.node)
    if last == 0 and first == len(now) == len(each.whole):
        return None
    was = _told(prompt, each.whole, first, len(each.whole) - last)
    lead = len(now[first : len(now) - last]) - len(now[first : len(now) - last].lstrip())
    start, end = (laid.within(_at(laid, row, place[0], at)) for at in (first + lead, len(now) - last))
    changed = any(
        each.code and start < at + len(each.text) and at < end
        for each, at in zip(row, laid.starts[place[0] : place[1]], strict=True)
    )
    lines = each.whole.count("\n", first, len(each.whole) - last)
    return Missing(start, start if changed else end, was, each.note, lines)


def _differ(now: str, whole: str, node: Node) -> tuple[int, int]:
    """How many characters two texts have in common where they begin, and where they end.

    The end counts from a line's beginning on, or what the recipe says behind it: less is an accident.
    """
    first = _common(now, whole)
    if now[:first].endswith("["):
        first -= 1  # a line about the cut begins with it, and so did what it stands for
    most = min(len(now), len(whole)) - first
    last = _common(now[len(now) - most :][::-1], whole[len(whole) - most :][::-1]) if most else 0
    after = "" if isinstance(node, str) else node.after
    line = now.find("\n", len(now) - last) if last else -1
    from_line = len(now) - line if line >= 0 else 0
    return first, max(from_line, len(after) if last >= len(after) else 0)


def _common(a: str, b: str) -> int:
    """How many characters two texts begin with in common."""
    most = min(len(a), len(b))
    return bisect_left(range(most), True, key=lambda at: a[: at + 1] != b[: at + 1])


def _at(laid: Laid, row: tuple[Stretch, ...], first: int, place: int) -> int:
    """A place in what a node said before it was laid -> in the block's text."""
    for number, stretch in enumerate(row, first):
        if place < len(stretch.was):
            return laid.starts[number] + (place if stretch.text == stretch.was else 0)
        place -= len(stretch.was)
    return laid.starts[first + len(row)]


def _told(prompt: Prompt, text: str, start: int, end: int) -> str:
    """What stands between two places of a text, without secrets; of very much, the beginning."""
    shows = prompt.state.secrets == "show"
    pieces: list[str] = []
    for secret in () if shows else secrets_in(text):
        if secret.end > start and secret.start < end:
            pieces += text[start : max(secret.start, start)], secret.written
            start = secret.end
    kept = "".join([*pieces, text[start:end]])
    more = len(kept) - MOST
    return kept if more <= 0 else f"{kept[:MOST]}\n[… and {more:,} characters more]"
