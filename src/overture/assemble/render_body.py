"""A section's body becomes pieces of safe text, each with its source."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeVar

from msgspec import structs

from ..model.diagnostic import Diagnostic
from ..model.prompt.block import Block, Omission
from ..model.recipe.body import Body, Group, Part, Skip, make_node
from ..model.recipe.recipe import Recipe
from ..model.recipe.section import Section
from ..model.safe_text import LINE_END, SafeText, join_safe_texts, slice_safe_text
from ..model.source import Origin, Source
from ..text.block_reader import Fence
from ..text.fences_and_headings import (
    FENCE,
    common_indent,
    ends_in_fence,
    ends_in_heading,
    escape_fences,
    find_open_fence,
    may_hold_fence,
)
from ..text.normalize import line_at
from .sanitize.forbidden_frames import Guard
from .sanitize.sanitize import (
    Containment,
    SafeResult,
    ends_in_tag,
    mark_safe,
    report_containments,
    sanitize,
    sanitize_author,
    sanitize_frame,
    sanitize_in_heading,
    sanitize_in_tag,
)

T = TypeVar("T")


class FencedText(NamedTuple):
    """An untrusted text whose code blocks are contained."""

    text: str
    closing: str = ""
    """The line that closes a code block which it leaves open."""
    containments: tuple[Containment, ...] = ()
    after: bool = False
    """Whether a cut left a code block open: then `after` of the part closes it."""
    ends_line: bool = True
    """Whether the following text has to begin a new line."""
    in_recipe_fence: bool = False
    """Whether it is inside a code block of the recipe, which continues after it."""
    line: int = 0
    """The line of the text above that opens this code block; 0 if it may depend on earlier lines."""


class FenceTracker:
    """Tracks the code blocks of one block while it is rendered."""

    __slots__ = ("closed", "ends", "has_author_fence")

    def __init__(self) -> None:
        """No code block is open before the first piece."""
        self.closed = 0
        """All code blocks before this piece are closed."""
        self.ends: list[int] = []
        """The pieces that have to begin a new line: directly after a fence they would break it."""
        self.has_author_fence = False
        """Whether a text of the author may contain a code block."""

    def contain(self, texts: list[SafeText], text: str, part: Part) -> FencedText:
        """Contain the fences of an untrusted text that follows `texts`."""
        contained = contain_fences("".join(texts[self.closed :]), text, part)
        if contained.in_recipe_fence:
            self._skip(texts, contained.line)
        else:
            self.closed = len(texts) + 1 + (bool(contained.closing) or contained.after)
            if contained.ends_line:
                self.ends.append(self.closed)
        return contained

    def _skip(self, texts: list[SafeText], line: int) -> None:
        """Skip the text above the line that opens the recipe's code block: it needs no second check."""
        while line > 1 and (lines := texts[self.closed].count("\n")) < line - 1:
            line -= lines
            self.closed += 1

    def end_lines(self, texts: list[SafeText], sources: list[Source], own: Source) -> None:
        """Begin a new line after every fence."""
        ends = self.find_missing_line_ends(texts)
        texts[:] = _insert_before_positions(texts, ends, LINE_END)
        sources[:] = _insert_before_positions(sources, ends, own)
        self.closed += len(ends)

    def find_missing_line_ends(self, texts: list[SafeText]) -> list[int]:
        """The pieces that have to begin a new line and do not."""
        return [at for at in self.ends if not _find_next_text(texts, at).startswith("\n")]

    def find_unclosed(
        self, texts: list[SafeText], sources: list[Source], own: Source
    ) -> tuple[Source, Containment] | None:
        """The author's text that leaves a code block open, which then includes all text after it."""
        fence = find_open_fence("".join(texts[self.closed :])) if self.has_author_fence else None
        line = fence.line if fence else 0
        for text, source in zip(texts[self.closed :], sources[self.closed :], strict=True):
            lines = text.count("\n")
            if 0 < line <= lines + 1 and source is not own:
                return source, Containment("unclosed-fence", 1, line)
            line -= lines
        return None


def _find_next_text(texts: list[SafeText], at: int) -> str:
    return next((texts[index] for index in range(at, len(texts)) if texts[index]), "\n")


def _insert_before_positions(row: list[T], positions: list[int], each: T) -> Iterator[T]:
    """A row with `each` inserted before these positions."""
    start = 0
    for at in positions:
        yield from row[start:at]
        yield each
        start = at
    yield from row[start:]


def contain_fences(above: str, text: str, part: Part) -> FencedText:
    """Contain the fences of an untrusted text below `above`; all code blocks before `above` are closed."""
    if may_hold_fence(above) and (own := find_open_fence(above)):
        return _contain_inside_fence(own, above, text)
    start = above[above.rfind("\n") + 1 :]
    indent = common_indent(text) if text[0] in " \t" else ""
    fence = find_open_fence(start + text, indent)
    if fence is None:
        return FencedText(text, ends_line=ends_in_fence(start + text))
    closing = fence.closing(indent)
    if part.after == closing:
        return FencedText(text, after=True)
    cut = part.whole and find_open_fence(part.whole) is None
    return FencedText(text, closing, () if cut else (Containment("open-fence", 1, fence.line),))


def _contain_inside_fence(own: Fence, above: str, text: str) -> FencedText:
    """Contain text inside a code block of the recipe: it may have fences that do not close that block."""
    line = 0 if own.around or "\r" in above else own.line
    if find_open_fence(above + text) == own:
        return FencedText(text, in_recipe_fence=True, line=line)
    positions = [m.start(1) for m in FENCE.finditer(text)]
    containments = (Containment("contained-fence", len(positions), line_at(text, positions[0])),) if positions else ()
    return FencedText(escape_fences(text), containments=containments, in_recipe_fence=True, line=line)


MAX_OPEN_PIECES = 8
"""A tag or heading that is still open after this many pieces is plain text."""


class BodyRenderer:
    """Renders one block as a list of safe texts, each with its source. Lives for one block."""

    __slots__ = (
        "body", "fences", "guard", "guards", "in_heading", "known", "notes", "omits", "open_piece", "origins", "own",
        "reason", "section", "sources", "texts", "words",
    )  # fmt: skip

    def __init__(self, recipe: Recipe, section: Section, origins: Mapping[str, Origin], guard: Guard) -> None:
        """Render the body of one section, under the guard."""
        self.origins = origins
        self.guard = guard.extended(inner) if (inner := section.inner) else guard
        self.words = self.guard.without(section.written)
        """The guard for the section's own words."""
        self.known: dict[str, SafeText] = {}
        """Those words that are safe: most are written many times."""
        self.guards: dict[tuple[str, ...], Guard] = {(): self.guard}
        """The guards of parts that have further frames around them."""
        self.section = section
        self.own = recipe.sources.get(section.name) or Source("recipe", name=section.name)  # a hook's is in no recipe
        self.begin()

    def begin(self) -> None:
        """Begin another text of the section."""
        self.texts: list[SafeText] = []
        self.sources: list[Source] = []
        self.notes: list[Diagnostic] = []
        self.omits: list[str] = []
        self.reason = "it has nothing to say"
        self.body: Part | Group | str = ""
        self.fences = FenceTracker()
        self.open_piece: int | None = None
        """The piece that begins a tag or heading which is still open."""
        self.in_heading = False
        """Whether it begins a heading."""

    def render_framed(self, body: Body) -> None:
        """Render the body and, if it has text, the section's frame around it."""
        if isinstance(body, Skip):
            self.reason = body.reason
            self.notes += map(self._locate_diagnostic, body.notes)
            return
        if body is None:
            return
        body = make_node(body)
        if not isinstance(body, str | Part | Group):
            raise TypeError(f"it returned {body!r}; return text, a Part, a Group, a list of them, Skip or None")
        frame = self.section.frame
        self.body = body
        self.render_node(body)
        if self.fences.ends or self.fences.has_author_fence:
            self._finish_fences()
        self._trim(keep_indent=frame is not None)
        if frame is not None and self.texts:
            before, after = sanitize_frame(frame)
            self.texts = [before, *self.texts, *([after] if after else [])]
            self.sources = [self.own, *self.sources, *([self.own] if frame.after else [])]

    def _trim(self, *, keep_indent: bool) -> None:
        trim_pieces(self.texts, self.sources, keep_indent=keep_indent)

    def result(self) -> Block | Omission:
        """The rendered block, or the omission with its reason."""
        if not self.texts:
            return Omission(self.section, self.reason, tuple(self.notes))
        texts, sources, notes = tuple(self.texts), tuple(self.sources), tuple(self.notes)
        return Block(self.section, texts, sources, notes, tuple(self.omits), self.body)

    def render_node(self, body: str | Part | Group) -> bool:
        """Render one node; return whether it has text."""
        if isinstance(body, Part):
            return self._render_part(body)
        if isinstance(body, Group):
            return self._render_group(body)
        if body:
            self._put(body)
        return bool(body)

    def _locate_diagnostic(self, note: Diagnostic) -> Diagnostic:
        """A note on a field that was read from a file, with the path and line of that file."""
        origin = self.origins.get(note.field or "")
        return structs.replace(note, path=origin.path, line=origin.line) if origin and not note.path else note

    def _put(self, text: str) -> None:
        """Append the recipe's own words. They may contain values, so they can't write other sections' frames either."""
        self.texts.append(self.known.get(text) or self._sanitize_words(text))
        self.sources.append(self.own)

    def _sanitize_words(self, text: str) -> SafeText:
        """Sanitize words that are new in this block, or that leave a tag or heading open."""
        safe, containments = sanitize(text, self.words)
        if containments:
            self.notes += report_containments(containments, self.own, "", self.origins)
        opens_tag = ends_in_tag(safe)
        if opens_tag or (self.words.guards_headings and ends_in_heading(safe)):
            self.open_piece, self.in_heading = len(self.texts), not opens_tag
        elif not containments:
            self.known[text] = safe
        return safe

    def _render_part(self, part: Part) -> bool:
        text = part.text
        if not text:
            return False
        if part.before:
            self._put(part.before)
        safe, closing = (self._sanitize_author_text(part), "") if part.trusted else self._contain_part(part)
        self.texts.append(safe)
        self.sources.append(part.source or self.own)
        if closing:
            self._put(closing)
        if part.after:
            self._put(part.after)
        return True

    def _sanitize_author_text(self, part: Part) -> SafeText:
        """Sanitize the author's text: control characters become visible and secrets are hidden, nothing else."""
        text, containments = sanitize_author(part.text, shows=self.guard.shows)
        if containments:
            self.notes += report_containments(containments, part.source or self.own, "", self.origins)
        if part.source is not None and may_hold_fence(text):
            self.fences.has_author_fence = True
        if ends_in_tag(text):
            self.open_piece, self.in_heading = len(self.texts), False
        return text

    def _contain_part(self, part: Part) -> tuple[SafeText, str]:
        """The safe text of a part, and the line that closes a code block which it leaves open."""
        guard, closing = self.guards.get(part.guard), ""
        if guard is None:
            guard = self.guards[part.guard] = self.guard.extended(part.guard)
        text, containments = self._sanitize_part(part, guard)
        if self.open_piece is not None:
            text, containments = self._sanitize_below_words(text, containments, guard, part.after)
        if may_hold_fence(text):
            contained = self.fences.contain(self.texts, text, part)
            text, closing = mark_safe(contained.text), contained.closing
            containments += contained.containments
        if containments:
            self.notes += report_containments(containments, part.source, part.name, self.origins)
        return text, closing

    def _sanitize_part(self, part: Part, guard: Guard) -> SafeResult:
        return sanitize(part.text, guard, single=part.single)

    def _sanitize_below_words(
        self, text: SafeText, containments: tuple[Containment, ...], guard: Guard, after: str
    ) -> SafeResult:
        """Sanitize a text after words that begin a tag or heading, if that is still open."""
        since = self.texts[self.open_piece :]
        ended = len(since) > MAX_OPEN_PIECES or (self.in_heading and len(since) > 1 and "\n" in since[-1])
        above = since[0] if ended or len(since) == 1 else join_safe_texts(since)
        if ended or not (self.in_heading or ends_in_tag(above)):
            self.open_piece = None
            return text, containments
        if not self.in_heading:
            text, more = sanitize_in_tag(above, text, guard)
            return text, containments + more
        (text, more), goes_on = sanitize_in_heading(above, text, after, self.words)
        if not goes_on:
            self.open_piece = None
        return text, containments + more

    def _finish_fences(self) -> None:
        """Begin a new line after each fence; report a code block that the author leaves open."""
        self.fences.end_lines(self.texts, self.sources, self.own)
        if unclosed := self.fences.find_unclosed(self.texts, self.sources, self.own):
            self.notes += report_containments((unclosed[1],), unclosed[0], "", self.origins)

    def _render_group(self, group: Group) -> bool:
        texts, sources, own = self.texts, self.sources, self.own
        start = len(texts)
        if group.before:
            self._put(group.before)
        empty = True
        apart = self.known.get(group.sep) or self._sanitize_words(group.sep)
        for node in group.parts:
            if not empty:
                texts.append(apart)
                sources.append(own)
            if self._render_part(node) if type(node) is Part else self.render_node(node):
                empty = False
            elif not empty:
                texts.pop()
                sources.pop()
        if group.notes:
            self.notes += map(self._locate_diagnostic, group.notes)
        self.omits += group.omits
        if empty:
            del texts[start:], sources[start:]
            return False
        if group.after:
            self._put(group.after)
        return True


def trim_pieces(texts: list[SafeText], sources: list[Source], *, keep_indent: bool) -> None:
    """Remove blank lines at both ends and trailing whitespace; without `keep_indent`, also leading whitespace."""
    while texts and not texts[0].strip():
        del texts[0], sources[0]
    while texts and not texts[-1].strip():
        del texts[-1], sources[-1]
    if texts and texts[0][0].isspace():
        texts[0], sources[0] = _strip_blank_lines(texts[0], sources[0], keep_indent)
    if texts and texts[-1][-1].isspace():
        texts[-1] = slice_safe_text(texts[-1], 0, len(texts[-1].rstrip()))


def _strip_blank_lines(text: SafeText, source: Source, keep_indent: bool) -> tuple[SafeText, Source]:
    start = len(text) - len(text.lstrip())
    lines = text.count("\n", 0, start)
    first = text.rfind("\n", 0, start) + 1 if keep_indent else start
    if lines and source.line is not None:
        source = structs.replace(source, line=source.line + lines)
    return slice_safe_text(text, first), source
