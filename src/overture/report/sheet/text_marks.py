"""Marks show where a block differs from its sources: hidden, neutralised, truncated or dropped text."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ...assemble.source_map import HIDDEN_CODES, MappedText, SourceMap, map_block
from ...model.prompt.block import CUT_WORDS, Block, Cut, Span
from ...model.prompt.prompt import Prompt
from ...model.recipe.body import Node, node_text, parts_of
from ...model.source import Source
from ...text.fences_and_headings import may_hold_fence
from ...text.normalize import count_common_start, line_at
from ...text.secrets.find import find_secrets_cached
from ...text.words import count_noun
from .mark_descriptions import describe_cut, describe_hidden, describe_neutralised, describe_secret
from .sheet import Mark, MarkKind

MAX_MISSING_CHARS = 20_000
"""Characters of what is missing that are told."""


class ShortNode(NamedTuple):
    """A node of a body that says less than it would."""

    node: Node
    full: str
    """What it would say."""
    note: str


class TextMark(NamedTuple):
    """Characters `start` to `end` of a block's text that are not what the source says."""

    start: int
    end: int
    """Of a cut: where the line about it, or the dots, end."""
    kind: MarkKind
    was: str
    note: str
    """Empty of a secret, whose note says where it stands."""
    lines: int
    """How many lines of the source end there."""


def find_short_nodes(prompt: Prompt, block: Block) -> list[ShortNode]:
    """What of a block is shortened: to meet a budget, or by a limit of the recipe's own."""
    found = list(_list_budget_cuts(prompt, block))
    inside = {id(part) for each in found for part in parts_of(each.node)}
    counter = prompt.counter
    for part in parts_of(block.body):
        if part.whole and part.text and id(part) not in inside:
            sizes = counter.shown(counter.by_lines(part.whole)), counter.describe(counter.by_lines(part.text))
            full = part.before + part.whole + part.after
            found.append(ShortNode(part, full, describe_cut("a limit of the recipe", *sizes, "shortened")))
    return found


def _list_budget_cuts(prompt: Prompt, block: Block) -> Iterator[ShortNode]:
    trim = prompt.fitted.trims.get(block.name) if prompt.fitted else None
    if trim is None or any(source.kind == "hook" for source in block.sources):
        return
    for cut, full, shortened in trim.shortened(block):
        yield ShortNode(shortened, node_text(full), _describe_budget_cut(prompt, cut))


def _describe_budget_cut(prompt: Prompt, cut: Cut) -> str:
    budget, counter = prompt.fitted.budget if prompt.fitted else None, prompt.counter
    limit = budget.limits.get(cut.block) if budget else None
    total = budget.limit if budget else None
    if limit is not None:
        by = f"the section's limit of {count_noun(limit, 'token')}"
    else:
        by = f"the budget of {count_noun(total, 'token')}" if total is not None else "the budget"
    return describe_cut(by, counter.shown(cut.from_tokens), counter.describe(cut.to_tokens), CUT_WORDS[cut.how])


def find_dropped(prompt: Prompt, block: Block, each: ShortNode) -> TextMark:
    """A whole block in the place of which a line stands."""
    return TextMark(0, len(block.text), "cut", _quote_missing(prompt, each.full, 0, len(each.full)), each.note, 0)


def find_missing(prompt: Prompt, source_map: SourceMap, each: ShortNode) -> TextMark | None:
    """Where in a block that was laid again something is missing."""
    span = source_map.nodes.get(id(each.node))
    if span is None:
        return None
    row = source_map.stretches[span[0] : span[1]]
    now = "".join(piece.was for piece in row)
    first, last = _measure_common_ends(now, each.full, each.node)
    if last == 0 and first == len(now) == len(each.full):
        return None
    was = _quote_missing(prompt, each.full, first, len(each.full) - last)
    lead = len(now[first : len(now) - last]) - len(now[first : len(now) - last].lstrip())
    start, end = (
        source_map.within(_find_mapped_position(source_map, row, span[0], at)) for at in (first + lead, len(now) - last)
    )
    changed = any(
        each.code and start < at + len(each.text) and at < end
        for each, at in zip(row, source_map.starts[span[0] : span[1]], strict=True)
    )
    lines = each.full.count("\n", first, len(each.full) - last)
    return TextMark(start, start if changed else end, "cut", was, each.note, lines)


def _measure_common_ends(now: str, full: str, node: Node) -> tuple[int, int]:
    """How many characters two texts have in common where they begin, and where they end.

    The end counts from a line's beginning on, or what the recipe says behind it: less is an accident.
    """
    first = count_common_start(now, full)
    if now[:first].endswith("["):
        first -= 1  # a line about the cut begins with it, and so did what it stands for
    max_common = min(len(now), len(full)) - first
    last = (
        count_common_start(now[len(now) - max_common :][::-1], full[len(full) - max_common :][::-1])
        if max_common
        else 0
    )
    after = "" if isinstance(node, str) else node.after
    line = now.find("\n", len(now) - last) if last else -1
    from_line = len(now) - line if line >= 0 else 0
    return first, max(from_line, len(after) if last >= len(after) else 0)


def _find_mapped_position(source_map: SourceMap, row: tuple[MappedText, ...], first: int, offset: int) -> int:
    """A place in what a node said before it was laid -> in the block's text."""
    for number, piece in enumerate(row, first):
        if offset < len(piece.was):
            return source_map.starts[number] + (offset if piece.text == piece.was else 0)
        offset -= len(piece.was)
    return source_map.starts[first + len(row)]


def _quote_missing(prompt: Prompt, text: str, start: int, end: int) -> str:
    """What stands between two places of a text, without secrets; of very much, the beginning."""
    shows = prompt.state.secrets == "show"
    pieces: list[str] = []
    for secret in () if shows else find_secrets_cached(text):
        if secret.end > start and secret.start < end:
            pieces += text[start : max(secret.start, start)], secret.written
            start = secret.end
    quoted = "".join([*pieces, text[start:end]])
    more = len(quoted) - MAX_MISSING_CHARS
    return quoted if more <= 0 else f"{quoted[:MAX_MISSING_CHARS]}\n[… and {count_noun(more, 'character')} more]"


DescribePlace = Callable[[Source, int | None], str]
"""A source and a line of it, for a person."""


class Cutout(NamedTuple):
    """Characters of one source, with or without a mark."""

    text: str
    source: Source
    line: int | None
    mark: Mark | None = None


def find_marks_in_block(prompt: Prompt, block: Block) -> list[TextMark]:
    """Where a block does not say what its sources say, in order.

    Whatever is contained is noted, but for a line end behind a fence: most blocks need not be looked at.
    """
    cuts = find_short_nodes(prompt, block)
    if not cuts and not block.notes and not may_hold_fence(block.text):
        return []
    source_map = map_block(block, prompt, [cut.node for cut in cuts])
    if source_map is None:
        # In the place of all that it says stands a line, or nobody knows how it was laid.
        return [find_dropped(prompt, block, cut) for cut in cuts if cut.node is block.body and len(block.texts) == 1]
    found = [missing for cut in cuts if (missing := find_missing(prompt, source_map, cut))]
    return sorted([*found, *_list_map_marks(source_map)], key=lambda each: (each.start, each.end))


def _list_map_marks(source_map: SourceMap) -> Iterator[TextMark]:
    last = ""
    for piece, at in zip(source_map.stretches, source_map.starts, strict=False):
        if piece.code:
            lines = line_at(piece.was, len(piece.was)) - 1 - (last == "\r" and piece.was[:1] == "\n")
            yield TextMark(
                source_map.within(at), source_map.within(at + len(piece.text)), *_describe_mapped(piece), lines
            )
        last = piece.was[-1:]


def _describe_mapped(piece: MappedText) -> tuple[MarkKind, str, str]:
    if piece.code in HIDDEN_CODES:
        return "hidden", piece.was, describe_hidden(piece.was)
    if piece.code == "secret":
        return "secret", "", ""
    return "neutralised", piece.was, describe_neutralised(piece.code)


def cut_out_spans(prompt: Prompt, block: Block, where: DescribePlace) -> list[list[Cutout]]:
    """The spans of a block, each in pieces."""
    marks = find_marks_in_block(prompt, block)
    if not marks:
        return [[_make_plain_cutout(prompt, block, span)] for span in block.spans]
    rows, at = [], 0
    for span in block.spans:
        first = at
        while at < len(marks) and (marks[at].start < span.end or marks[at].end <= span.end):
            at += 1
        rows.append(list(_cut_up(prompt, block, span, marks[first:at], where)))
        if at > first and marks[at - 1].end > span.end and marks[at - 1].kind != "cut":
            # It goes on in the next source: what was there is told once.
            at -= 1
            marks[at] = marks[at]._replace(start=span.end, was="", lines=0)
    return rows


def _make_plain_cutout(prompt: Prompt, block: Block, span: Span) -> Cutout:
    return Cutout(block.text[span.start : span.end], span.source, prompt.resolved(span.source).line)


def _cut_up(
    prompt: Prompt, block: Block, span: Span, marks: Sequence[TextMark], where: DescribePlace
) -> Iterator[Cutout]:
    """One span in pieces; a line is that of the source, which may have more of them than the prompt shows."""
    text, source, known = block.text, span.source, prompt.resolved(span.source)
    line, at = known.line, span.start
    moves = source.line is not None and not source.pinned
    for mark in marks:
        start, end = max(mark.start, at), min(mark.end, span.end)
        if at < start:
            yield Cutout(text[at:start], source, line)
            line = line + text.count("\n", at, start) if moves and line else line
        text_part = text[start : max(start, end)]
        note = mark.note or describe_secret(text_part, where(known, line))
        yield Cutout(text_part, source, line, Mark(mark.kind, mark.was, note))
        line = line + mark.lines if moves and line else line
        at = max(start, end)
    if at < span.end:
        yield Cutout(text[at : span.end], source, line)
