"""A recorded prompt as a sheet of the page: sections, sources, tokens, price; and the files behind it."""

import hashlib
import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, NamedTuple

from msgspec.structs import replace

from ...known_models.model_facts import ModelFacts
from ...model.recipe.section import Pace
from ...model.source import Source, Tier, tier_of_path
from ...model.struct import Frozen, note
from ...providers import PROVIDERS
from ...report.context import Context, ContextShare
from ...report.sheet.make_sheet import file_id, price_marks
from ...report.sheet.sheet import CacheMark, Sheet, SheetBlock, SheetPiece, SheetSource
from ...report.stats_and_cut_notes import Row
from ...tokens.counter import ESTIMATE, Counter, share_out
from ..attribute.agent_sources import AgentSources
from ..attribute.files_of_call import JOIN, PlacedPiece, TextSpan, place_pieces
from ..commands.describe_call_files import CallFilesView, describe_sent, describe_unsent_file, find_call_sources
from ..judge.cache_key import NOT_COUNTED
from ..judge.prompt_sections import measure_parts, split_text_sections
from ..recorded_call import RecordedCall

OWN_WORDS = Source("recipe", name="the agent's own text")
Span = tuple[int, int, Source]
"""Where in the text of a prompt words stand, and what they are from."""


LETTER_FOR_LETTER = ("as it is", "trimmed")


def place_spans(call: RecordedCall, by_piece: Mapping[int, Iterable[TextSpan]]) -> list[Span]:
    """What was found for the pieces of a call, by place in the text of its prompt."""
    return [
        (placed.start + span.start, placed.start + span.end, _make_source(span))
        for placed in place_pieces(call)
        for span in by_piece.get(placed.piece, ())
        if span.how != "changed"
    ]


def _make_source(span: TextSpan) -> Source:
    """The source of a span. Text that was wrapped differently is shown at its first line in the file."""
    return Source("file", span.path, span.line, pinned=span.how not in LETTER_FOR_LETTER)


class SourceSpans:
    """The sources of a text, by place."""

    def __init__(self, spans: Sequence[Span]) -> None:
        """The spans of a call's text in order, to be found by position."""
        self.spans = sorted(spans, key=lambda span: span[:2])
        self.starts = [span[0] for span in self.spans]

    def split_by_source(self, start: int, end: int) -> Iterator[tuple[int, int, Source, int]]:
        """Parts of the sheet's text, each with its source and that source's start; the rest is the agent's own."""
        at = start
        for span_start, span_end, source in self.spans[max(bisect_right(self.starts, start) - 1, 0) :]:
            if span_start >= end:
                break
            if span_end <= at:
                continue
            if span_start > at:
                yield at, span_start, OWN_WORDS, at
                at = span_start
            yield at, min(span_end, end), source, span_start
            at = min(span_end, end)
        if at < end:
            yield at, end, OWN_WORDS, at


KINDS = {"user": "prompt", "assistant": "reply", "model": "reply", "tool call": "call", "tool result": "result"}
"""Kinds of messages as a context names them."""


class CallSheetContext(NamedTuple):
    """What a sheet shows besides the prompt."""

    facts: ModelFacts
    count: Counter = ESTIMATE
    format_path: Callable[[str], str] = str
    """A path as a person reads it."""
    home: str | None = None
    changed: frozenset[str] = frozenset()
    """Sections that are not what they were in the call before."""
    find_file_id: Callable[[str], str | None] = lambda _: None
    """By which the page asks for a file; None: it is not shown."""


def make_call_sheet(call: RecordedCall, sheet_context: CallSheetContext, spans: Sequence[Span] = ()) -> Sheet:
    """The sheet of a recorded call."""
    sources = CallSheetSources(call, sheet_context)
    cuts = SourceSpans(spans)
    blocks: list[SheetBlock] = []
    messages: list[SheetBlock] = []
    for placed in place_pieces(call):
        own = list(_make_blocks(call, placed, cuts, sources, sheet_context, bool(blocks)))
        (blocks if call.pieces[placed.piece].kind == "system" else messages).extend(own)
    system = [piece.text for piece in call.select_pieces("system") if piece.what == "text"]
    tools = "".join(piece.text for piece in call.select_pieces("tool"))
    context = _make_context(call, sheet_context)
    total = sum(block.tokens for block in blocks)
    text = JOIN.join(system)
    return Sheet(
        turn=1,
        at=call.at,
        recipe=call.program or "captured",
        about=f"what was sent to {call.host} ({call.model})",
        project=call.cwd.rstrip("/").rpartition("/")[2] or call.cwd,
        cwd=call.cwd,
        fingerprint=_compute_digest(text),
        chars=len(text),
        tokens=total,
        tokenizer=sheet_context.count.name,
        exact=sheet_context.count.exact,
        blocks=tuple(_share_blocks(blocks, total)),
        messages=tuple(_share_blocks(messages, sum(block.tokens for block in messages))),
        omitted=(),
        sources=tuple(sources.rows),
        cuts=(),
        problems=(),
        paces=(Row("session", len(text), total),),
        context=context,
        price=price_marks(
            tuple(_list_marks(call, sheet_context.count)), context.tokens, sheet_context.facts, PROVIDERS[call.form]
        ),
        inputs={},
        tools=_compute_digest(tools),
    )


def _compute_digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


class CallSheetSources:
    """The sources of a sheet, each once."""

    def __init__(self, call: RecordedCall, sheet_context: CallSheetContext) -> None:
        self.call, self.context = call, sheet_context
        self.rows: list[SheetSource] = []
        self.indexes: dict[Source, int] = {}

    def find_index(self, source: Source) -> int:
        """The index of a source in the sheet's list."""
        if source not in self.indexes:
            self.indexes[source] = len(self.rows)
            path = source.path
            label = f"{self.context.format_path(path)}:{source.line or 1}" if path else source.name or source.kind
            row = SheetSource(
                source.kind, label, path, source.line, source.name, self._find_tier(source), source.pinned,
                file=self.context.find_file_id(path) if path else None,
            )  # fmt: skip
            self.rows.append(row)
        return self.indexes[source]

    def _find_tier(self, source: Source) -> Tier:
        if source.tier is not None or source.path is None:
            return source.tier or "built in"
        return tier_of_path(source.path, self.call.cwd or None, self.context.home)


def _make_blocks(
    call: RecordedCall,
    placed: PlacedPiece,
    spans: SourceSpans,
    sources: CallSheetSources,
    sheet_context: CallSheetContext,
    later: bool,
) -> Iterator[SheetBlock]:
    kind, count = call.pieces[placed.piece], sheet_context.count
    title = "part of the system prompt" if kind.kind == "system" else f"part of a message ({kind.name})"
    for index, cut in enumerate(split_text_sections(placed.text)):
        text = placed.text[cut.start : cut.end]
        tokens = count.by_lines(text)
        why = f"{title}, under {cut.under}" if cut.under else title
        pieces = _make_pieces(placed.text, placed.start, (cut.start, cut.end), spans, sources, count, tokens)
        before = JOIN if later and index == 0 else ""
        pace: Pace = "turn" if kind.kind == "system" and cut.name in sheet_context.changed else "session"
        yield SheetBlock(cut.name, why, pace, tokens, 0.0, len(text), (), before, tuple(pieces))


def _make_pieces(
    text: str,
    offset: int,
    cut: tuple[int, int],
    spans: SourceSpans,
    sources: CallSheetSources,
    count: Counter,
    tokens: int,
) -> Iterator[SheetPiece]:
    """The pieces of a section of the sheet, each with its source and its tokens."""
    rows = list(spans.split_by_source(cut[0] + offset, cut[1] + offset))
    parts = [text[start - offset : end - offset] for start, end, _, _ in rows]
    for (start, _, source, first), part, own in zip(
        rows, parts, share_out(tokens, [count.by_lines(part) for part in parts]), strict=True
    ):
        lines = 0 if source.pinned else text.count("\n", max(first - offset, 0), start - offset)
        yield SheetPiece(part, sources.find_index(source), own, None if source.line is None else source.line + lines)


def _share_blocks(blocks: Sequence[SheetBlock], total: int) -> Iterator[SheetBlock]:
    """The blocks with their shares, and names of which no two are the same."""
    counts: dict[str, int] = {}
    for each in blocks:
        counts[each.name] = counts.get(each.name, 0) + 1
        name = each.name if counts[each.name] == 1 else f"{each.name} [{counts[each.name]}]"
        yield replace(each, name=name, share=each.tokens / total if total else 0.0)


def _make_context(call: RecordedCall, sheet_context: CallSheetContext) -> Context:
    """The tokens of the call's sections, tools and messages, beside the model's window."""
    sections, tools, messages, total = measure_parts(call, sheet_context.count.by_lines)
    window = sheet_context.facts.window
    not_counted = sorted({piece.what for piece in call.pieces} & {*NOT_COUNTED})
    return Context(
        recipe=call.program or "captured",
        model=call.model or None,
        tokenizer=sheet_context.count.name,
        exact=sheet_context.count.exact,
        tokens=total,
        window=window,
        free=None if window is None else window - total,
        system=tuple(ContextShare(part.name, part.tokens) for part in sections),
        tools=tuple(ContextShare(part.name, part.tokens) for part in tools),
        skills=(),
        nested=(),
        messages=tuple(ContextShare(KINDS.get(part.name, part.name), part.tokens, part.count) for part in messages),
        not_counted=tuple(not_counted),
    )


def _list_marks(call: RecordedCall, count: Counter) -> Iterator[CacheMark]:
    tokens = chars = 0
    for piece in (piece for piece in call.pieces if piece.kind != "message"):
        tokens += count.by_lines(piece.text)
        chars += (len(JOIN) if chars else 0) + len(piece.text) if piece.kind == "system" else 0
        if piece.mark:
            sections = split_text_sections(piece.text) if piece.kind == "system" else ()
            yield CacheMark(sections[-1].name if sections else "tools", chars, tokens)


FRESH_SECONDS = 10.0
"""Seconds for which files are taken to be what they were."""
MAX_LISTED_FILES = 400
"""Files that are listed."""


class CallFileRow(Frozen, frozen=True, omit_defaults=False):
    """What became of one file."""

    shown: str
    words: str
    sent: bool
    odd: Annotated[bool, note("the call differs from the agent's known rules")] = False
    file: Annotated[str | None, note("the id under which the page requests it")] = None


class CallFilesAnswer(Frozen, frozen=True, omit_defaults=False):
    """The files behind a call, as they are now."""

    share: Annotated[float | None, note("the share of the prompt that came from files")] = None
    files: tuple[CallFileRow, ...] = ()
    more: Annotated[int, note("files that are not listed")] = 0
    notes: tuple[str, ...] = ()
    problem: str | None = None


class FoundFiles(NamedTuple):
    """What was found for a call."""

    view: CallFilesView
    spans: list[Span]
    answer: CallFilesAnswer


class CallFiles:
    """Looks for files, one call at a time."""

    def __init__(self, home: str | None = None) -> None:
        self.home = home
        self.may_show: Callable[[str], bool] = lambda _: False
        """Whether the page may show a file."""
        self.paths_by_id: dict[str, str] = {}
        """The files that were behind calls, by their ids."""
        self._sources: dict[tuple[str, str], tuple[float, AgentSources]] = {}
        self._lock = threading.Lock()

    def find_files(self, call: RecordedCall) -> FoundFiles:
        """The files behind a call, for the page; where it can't be looked for, why."""
        with self._lock:
            view = CallFilesView(call, self._find_sources)
        return FoundFiles(view, place_spans(call, view.files.spans), self._make_answer(view))

    def make_file_id(self, path: str) -> str | None:
        """By which the page asks for a file; None: it may not be shown."""
        if not self.may_show(path):
            return None
        self.paths_by_id[file_id(path)] = path
        return file_id(path)

    def _find_sources(self, call: RecordedCall) -> AgentSources:
        """The sources of a call's agent, remembered for a while."""
        key = (call.program, call.cwd)
        sources = self._sources.get(key)
        if sources is None or time.monotonic() - sources[0] > FRESH_SECONDS:
            sources = time.monotonic(), find_call_sources(call, self.home)
            self._sources = {key: sources}
        return sources[1]

    def _make_answer(self, view: CallFilesView) -> CallFilesAnswer:
        if view.problem:
            return CallFilesAnswer(problem=f"{view.problem[0].upper()}{view.problem[1:]}")
        printer, unsent, rows = view.printer, {file.path: file for file in view.files.unsent}, []
        for sent in view.files.sent:
            odd = unsent.pop(sent.path, None)
            words = describe_sent(sent) + (f"; {describe_unsent_file(odd, printer.within)}" if odd else "")
            rows.append(CallFileRow(printer(sent.path), words, True, odd is not None, self.make_file_id(sent.path)))
        for file in unsent.values():
            words, id = describe_unsent_file(file, printer.within), self.make_file_id(file.path)
            rows.append(CallFileRow(printer(file.path), words, False, file.is_finding, id))
        notes = tuple(printer.within(each) for each in view.files.notes[:20])
        more = max(len(rows) - MAX_LISTED_FILES, 0)
        return CallFilesAnswer(view.share, tuple(rows[:MAX_LISTED_FILES]), more, notes)
