"""Splits any program's prompt into sections, at its tags and headings, and measures the parts of a request."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Annotated, NamedTuple

from ...model.struct import Frozen, note
from ...text.markdown import Block, Heading, group_blocks, make_heading
from ...text.words import shorten_text
from ...tokens.counter import share_out
from ..recorded_call import RecordedCall
from .cache_key import Count, count_piece

MAX_HEADING_LEVEL = 3
"""Headings of more `#` do not cut; nor do look-alikes, which no program writes for its own."""
HEADING_KINDS = ("heading", "text")
MAX_TAG_REPEATS = 3
"""A tag without attributes that comes more often in a text, or twice in another, is markup and no section."""
MAX_SECTION_NAME = 60
TAG = re.compile(
    r"^[ \t]{0,3}<(?P<opens>[A-Za-z][\w.:-]*)(?P<more>(?:\s[^<>\n]*)?)(?<!/)>|</(?P<closes>[A-Za-z][\w.:-]*)[^<>\n]*>",
    re.MULTILINE,
)


class CutPoint(NamedTuple):
    """A place at which a text may be cut."""

    at: int
    kind: int
    """Of a heading its level; of a tag, 0 where it opens and -1 where it closes."""
    name: str


def find_cut_points(text: str) -> list[CutPoint]:
    """All places, in order; what stands in a code block is none."""
    code, headings = _read_outline(text)
    return sorted([*headings, *_find_tags(text, code)], key=lambda edge: edge[:2])


def _read_outline(text: str) -> tuple[list[tuple[int, int]], list[CutPoint]]:
    """Where code is, and the headings outside of it.

    A fence that is never closed is none: all that follows would be lost behind it.
    """
    code: list[tuple[int, int]] = []
    headings: list[CutPoint] = []
    for block in group_blocks(text):
        kind, start, end = block[0].kind, block[0].start, block[-1].end
        if kind == "fence" and block[-1].kind != "fence" and end == len(text):
            below = block[0].end
            _, rest = _read_outline(text[below:].replace("```", "...").replace("~~~", "..."))
            headings += [edge._replace(at=edge.at + below) for edge in rest]
        elif kind == "fence":
            code.append((start, end))
        elif (heading := make_heading(text, block) if kind in HEADING_KINDS else None) and _is_section_heading(
            text, block, heading
        ):
            headings.append(CutPoint(start, heading.level, _shorten_name(heading.words)))
    return code, headings


def _is_section_heading(text: str, block: Block, heading: Heading) -> bool:
    """Whether a heading begins a section: not in a list or a quote. A line below several others is a rule."""
    first = block[0]
    lines = len(block) - 1 + text.count("\n", first.start, first.end) if first.kind == "text" else 1
    return (
        first.content == first.start
        and lines == 1
        and len(heading.words) > 0
        and heading.level <= MAX_HEADING_LEVEL
        and heading.words[0] != "<"
    )


def _shorten_name(words: str) -> str:
    return shorten_text(" ".join(words.split()), MAX_SECTION_NAME)


def _find_tags(text: str, fences: list[tuple[int, int]]) -> Iterator[CutPoint]:
    """Tags that begin a line and are closed, as edges where they open and behind the line on which they close."""
    pairs = _pair_tags(text, fences)
    often = Counter(name for _, _, name in pairs)
    last = -1
    for start, end, name in sorted(pairs):
        inside = start < last
        if (often[name] > (1 if inside else MAX_TAG_REPEATS) and " " not in name) or (
            inside and "\n" not in text[start:end]
        ):
            continue
        # Text on the line after the closing tag begins the next span.
        line_end = text.find("\n", end) + 1 or len(text)
        stop = end if text[end:line_end].strip() else line_end
        last = max(last, stop)
        yield CutPoint(start, 0, name)
        yield CutPoint(stop, -1, name)


def _pair_tags(text: str, fences: list[tuple[int, int]]) -> list[tuple[int, int, str]]:
    """The tags of a prompt that enclose a section each, from opening to closing."""
    if "</" not in text:
        return []
    edges = [edge for fence in fences for edge in fence]
    open_: list[tuple[int, str, str]] = []
    names: Counter[str] = Counter()
    pairs: list[tuple[int, int, str]] = []
    for tag in TAG.finditer(text):
        if bisect_right(edges, tag.start()) % 2:
            continue  # within a code block
        if tag["opens"]:
            open_.append((tag.start(), tag["opens"], _shorten_name(tag[0].strip())))
            names[tag["opens"]] += 1
            continue
        while names[tag["closes"]]:
            start, name, label = open_.pop()
            names[name] -= 1
            if name == tag["closes"]:
                pairs.append((start, tag.end(), label))
                break
    return pairs


NO_HEADING = "text without a heading"
HEADER = re.compile(r"\s*([A-Za-z][\w-]{2,60}): [^\n]+\s*")
MAX_HEADER_TEXT = 400
CLOSING = re.compile(r"</[A-Za-z][^<>\n]*>")


class TextSection(Frozen, frozen=True):
    """One section."""

    name: Annotated[str, note(f"its heading or tag, unique; `{NO_HEADING}` before the first one")]
    start: int
    end: int
    level: Annotated[int, note("nesting depth in headings and tags, itself included")] = 0
    under: Annotated[str, note("the heading or tag that contains it")] = ""


@lru_cache(maxsize=32)
def split_text_sections(text: str) -> tuple[TextSection, ...]:
    """The sections, in order; each begins where the one before it ends, the first at 0, the last ends with the text."""
    return tuple(_name_sections(_merge_blank(text, _split_at(find_cut_points(text), len(text), _name_opening(text)))))


def _name_opening(text: str) -> str:
    """How the text before the first heading is called; one line with a name before it is called by that."""
    found = HEADER.fullmatch(text) if len(text) <= MAX_HEADER_TEXT else None
    return found[1] if found else NO_HEADING


class FramedText(NamedTuple):
    """A span of text, and the headings and tags around it."""

    start: int
    end: int
    frames: tuple[str, ...]
    level: int


def _split_at(edges: list[CutPoint], end: int, opening: str) -> Iterator[FramedText]:
    open_: list[CutPoint] = []
    at, open_tags = 0, (opening,)
    for edge in edges:
        if edge.at > at:
            yield FramedText(at, edge.at, open_tags, len(open_))
            at = edge.at
        if edge.kind > 0:
            while open_ and open_[-1].kind >= edge.kind:
                open_.pop()
        elif edge.kind < 0:
            while open_.pop().kind:
                pass
        if edge.kind >= 0:
            open_.append(edge)
        after = () if open_ else (f"after {edge.name}",)
        open_tags = (*(each.name for each in open_[-8:]), *after)
    if end > at:
        yield FramedText(at, end, open_tags, len(open_))


def _merge_blank(text: str, cuts: Iterator[FramedText]) -> list[FramedText]:
    """Merge spans of only blanks and closing tags into the one before, or the one after."""
    texts: list[FramedText] = []
    empty = True
    for cut in cuts:
        blank = not CLOSING.sub("", text[cut.start : cut.end]).strip()
        if texts and (blank or empty):
            last = texts.pop()
            texts.append((last if blank else cut)._replace(start=last.start, end=cut.end))
        else:
            texts.append(cut)
        empty = empty and blank
    return texts


def _name_sections(cuts: list[FramedText]) -> Iterator[TextSection]:
    counts: Counter[str] = Counter()
    names: set[str] = set()
    for cut in cuts:
        name = plain = cut.frames[-1]
        while name in names:
            counts[plain] += 1
            name = f"{plain} ({counts[plain] + 1})"
        names.add(name)
        under = cut.frames[-2] if len(cut.frames) > 1 else ""
        yield TextSection(name, cut.start, cut.end, cut.level, under)


class RequestPart(Frozen, frozen=True, omit_defaults=False):
    """A part of a request: a section, a tool, a kind of message."""

    name: str
    tokens: int
    share: Annotated[float, note("share of the whole request, 0 to 1")]
    count: int = 1
    under: Annotated[str, note("for a section: the heading or tag that contains it")] = ""
    level: int = 0


Parts = tuple[tuple[RequestPart, ...], tuple[RequestPart, ...], tuple[RequestPart, ...], int]


def measure_parts(call: RecordedCall, count: Count) -> Parts:
    """The sections, tools and kinds of messages of a call with their tokens, and the tokens of all."""
    sizes = [count_piece(piece, count) for piece in call.pieces]
    total = sum(sizes)
    tools = [
        RequestPart(piece.name, size, _compute_share(size, total))
        for piece, size in zip(call.pieces, sizes, strict=True)
        if piece.kind == "tool"
    ]
    kinds: dict[str, list[int]] = {}
    for piece, size in zip(call.pieces, sizes, strict=True):
        if piece.kind == "message":
            kinds.setdefault(piece.name if piece.what == "text" else piece.what, []).append(size)
    messages = [RequestPart(name, sum(row), _compute_share(sum(row), total), len(row)) for name, row in kinds.items()]
    return tuple(_measure_sections(call, sizes, total, count)), tuple(tools), tuple(messages), total


def _measure_sections(call: RecordedCall, sizes: Sequence[int], total: int, count: Count) -> list[RequestPart]:
    """The sections of all texts of the system prompt; those of one text share its tokens."""
    parts: list[RequestPart] = []
    counts: dict[str, int] = {}
    for piece, size in zip(call.pieces, sizes, strict=True):
        if piece.kind != "system":
            continue
        cuts = split_text_sections(piece.text)
        own = share_out(size, [count(piece.text[cut.start : cut.end]) for cut in cuts])
        for cut, tokens in zip(cuts, own, strict=True):
            counts[cut.name] = counts.get(cut.name, 0) + 1
            name = cut.name if counts[cut.name] == 1 else f"{cut.name} [{counts[cut.name]}]"
            parts.append(RequestPart(name, tokens, _compute_share(tokens, total), 1, cut.under, cut.level))
    return parts


def _compute_share(tokens: int, total: int) -> float:
    return tokens / total if total else 0.0
