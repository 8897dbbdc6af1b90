"""Marks show where and why a block differs from its sources: hidden, neutralised, truncated or dropped text."""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ...assemble.sanitize.sanitize import MESSAGES, Containment
from ...assemble.source_map import HIDDEN_CODES, MappedText, SourceMap, map_block
from ...model.prompt.block import CUT_WORDS, Block, Cut
from ...model.prompt.prompt import Prompt
from ...model.recipe.body import Node, node_text, parts_of
from ...text.fences_and_headings import may_hold_fence
from ...text.invisible import decode_hidden_words
from ...text.normalize import count_common_start, line_at
from ...text.secrets.find_and_hide import find_secrets, hide_secrets
from ...text.words import count_noun
from .sheet import MarkKind

LINE_END = "a newline after the end of a code block, so that following text can't reopen it"
MAX_NAMED_CHARS = 3
"""How many characters of a row are named."""


@lru_cache(maxsize=256)
def describe_hidden(was: str) -> str:
    """What a mark says of hidden characters: their names, and of many what they spell."""
    named = list(dict.fromkeys(map(_name_character, was[:1000])))
    more = len(named) - MAX_NAMED_CHARS
    names = "; ".join(named[:MAX_NAMED_CHARS]) + (f"; and {count_noun(more, 'other')}" if more > 0 else "")
    if len(was) == 1:
        return names
    words = decode_hidden_words(was)
    spelling = f'they spell "{hide_secrets(words)}"; ' if words else ""
    return f"{len(was):,} characters in a row: {spelling}{names}"


def _name_character(char: str) -> str:
    kind = "control character" if unicodedata.category(char) == "Cc" else "character"
    return unicodedata.name(char, "").lower() or f"{kind} U+{ord(char):04X}"


def describe_secret(written: str, where: str) -> str:
    """The kind of a secret, and where it is, without the secret itself."""
    kind = written[written.find(":") + 2 : written.find("]")]
    return f"{where}: {Containment('secret', 1, 1, words=kind).message}"


MAX_MISSING_CHARS = 20_000
"""How many characters of missing text are shown."""


class ShortNode(NamedTuple):
    """A node of a body that is shortened."""

    node: Node
    full: str
    """Its text before the cut."""
    note: str


class TextMark(NamedTuple):
    """Characters `start` to `end` of a block's text that differ from the source."""

    start: int
    end: int
    """For a cut: the end of the line about it, or of the dots."""
    kind: MarkKind
    was: str
    note: str
    """Empty for a secret: its note needs the place, which is added later."""
    lines: int
    """How many lines of the source end in it."""


def find_short_nodes(prompt: Prompt, block: Block) -> list[ShortNode]:
    """The nodes of a block that are shortened, by a budget or by a limit of the recipe."""
    nodes = list(_list_budget_cuts(prompt, block))
    inside = {id(part) for each in nodes for part in parts_of(each.node)}
    counter = prompt.counter
    for part in parts_of(block.body):
        if part.whole and part.text and id(part) not in inside:
            sizes = counter.shown(counter.by_lines(part.whole)), counter.describe(counter.by_lines(part.text))
            full = part.before + part.whole + part.after
            note = f"shortened by a limit of the recipe: from {sizes[0]} to {sizes[1]}"
            nodes.append(ShortNode(part, full, note))
    return nodes


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
    sizes = f"from {counter.shown(cut.from_tokens)} to {counter.describe(cut.to_tokens)}"
    return f"{CUT_WORDS[cut.how]} by {by}: {sizes}"


def find_missing(prompt: Prompt, source_map: SourceMap, each: ShortNode) -> TextMark | None:
    """The mark of the text that a shortened node lacks; None if nothing is missing, or its place is unknown."""
    span = source_map.nodes.get(id(each.node))
    if span is None:
        return None
    row = source_map.spans[span[0] : span[1]]
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
    """How many characters two texts share at the start, and at the end.

    The end counts only whole lines, or the recipe's words after the node: a shorter match is a coincidence.
    """
    first = count_common_start(now, full)
    if now[:first].endswith("["):
        first -= 1  # the line about the cut begins with it, and so does the text that it replaces
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
    """An offset in the source text of a node -> the offset in the block's text."""
    for number, piece in enumerate(row, first):
        if offset < len(piece.was):
            return source_map.starts[number] + (offset if piece.text == piece.was else 0)
        offset -= len(piece.was)
    return source_map.starts[first + len(row)]


def _quote_missing(prompt: Prompt, text: str, start: int, end: int) -> str:
    """The text between two offsets, without secrets; a very long one is truncated."""
    shows = prompt.state.secrets == "show"
    pieces: list[str] = []
    for secret in () if shows else find_secrets(text):
        if secret.end > start and secret.start < end:
            pieces += text[start : max(secret.start, start)], secret.written
            start = secret.end
    quoted = "".join([*pieces, text[start:end]])
    more = len(quoted) - MAX_MISSING_CHARS
    return quoted if more <= 0 else f"{quoted[:MAX_MISSING_CHARS]}\n[… and {count_noun(more, 'character')} more]"


def find_marks_in_block(prompt: Prompt, block: Block) -> list[TextMark]:
    """The marks where a block differs from its sources, in order.

    Every containment has a note, except a line end after a fence: most blocks need no further check.
    """
    cuts = find_short_nodes(prompt, block)
    if not cuts and not block.notes and not may_hold_fence(block.text):
        return []
    source_map = map_block(block, prompt, [cut.node for cut in cuts])
    if source_map is None:
        # A notice replaces the whole block, or the block can't be rendered again.
        return [
            TextMark(0, len(block.text), "cut", _quote_missing(prompt, cut.full, 0, len(cut.full)), cut.note, 0)
            for cut in cuts
            if cut.node is block.body and len(block.texts) == 1
        ]
    cut_marks = [missing for cut in cuts if (missing := find_missing(prompt, source_map, cut))]
    return sorted([*cut_marks, *_list_map_marks(source_map)], key=lambda each: (each.start, each.end))


def _list_map_marks(source_map: SourceMap) -> Iterator[TextMark]:
    """The marks of text that was hidden or neutralised, by the source map."""
    last = ""
    for piece, at in zip(source_map.spans, source_map.starts, strict=False):
        if piece.code:
            lines = line_at(piece.was, len(piece.was)) - 1 - (last == "\r" and piece.was[:1] == "\n")
            yield TextMark(
                source_map.within(at), source_map.within(at + len(piece.text)), *_describe_mapped(piece), lines
            )
        last = piece.was[-1:]


def _describe_mapped(piece: MappedText) -> tuple[MarkKind, str, str]:
    """The kind of a mark, what was there, and why it was changed."""
    if piece.code in HIDDEN_CODES:
        return "hidden", piece.was, describe_hidden(piece.was)
    if piece.code == "secret":
        return "secret", "", ""
    return "neutralised", piece.was, MESSAGES.get(piece.code, LINE_END)
