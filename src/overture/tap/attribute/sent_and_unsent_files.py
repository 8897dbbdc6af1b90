"""What of each file arrived in a call: whole, cut, with gaps; and which files were not sent, by which rule."""

from collections.abc import Iterable, Iterator, Mapping

from ...agents.agent_report import LISTED_KINDS, AgentFile
from ..recorded_call import RecordedCall
from .agent_sources import AgentSources
from .anchor_index import SourceIndex
from .files_of_call import PROMPT, SENT_STATUSES, SentFile, TextSpan, UnsentFile, UnsentStatus
from .find_word_matches import MIN_LINE_WORDS
from .index_text import IndexedText

MIN_MISSING_WORDS = 8
"""Words missing in the middle of a file before it counts as a gap: fewer may have been rephrased."""


EVERY_LINE: Mapping[str, frozenset[int]] = {}


def summarize_files(
    spans: Iterable[TextSpan], sources: SourceIndex, stripped_lines: Mapping[str, frozenset[int]] = EVERY_LINE
) -> tuple[SentFile, ...]:
    """The files in the order in which they come first; lines that the agent replaces or strips are not missed."""
    by_path: dict[str, list[TextSpan]] = {}
    for span in spans:
        by_path.setdefault(span.path, []).append(span)
    return tuple(
        _summarize_file(path, each, sources.texts[sources.numbers[path]], stripped_lines.get(path, frozenset()))
        for path, each in by_path.items()
    )


def _count_line_words(text: IndexedText, stripped_lines: frozenset[int]) -> dict[int, int]:
    """The lines of a file that the agent would send, and how many words each has."""
    rows = ((line, text.get_line_words(line - 1)) for line in range(1, len(text.lines) + 1))
    return {line: end - start for line, (start, end) in rows if start < end and line not in stripped_lines}


def _summarize_file(path: str, spans: list[TextSpan], text: IndexedText, stripped_lines: frozenset[int]) -> SentFile:
    """What of one file was sent: its lines, gaps and changed lines."""
    sizes = _count_line_words(text, stripped_lines)
    first, last = min(span.line for span in spans), max(span.last_line for span in spans)
    first = first if any(line < first for line in sizes) else 1
    broken = any(span.how == "cut" and span.last_line == last for span in spans)
    part = _is_part(text, last)
    is_cut = not part and (broken or any(line > last for line in sizes))
    cut = max((line for line in sizes if line < last + (not broken)), default=0) if is_cut else None
    return SentFile(
        path,
        sum(span.end - span.start for span in spans if span.is_from_file),
        first,
        last,
        len(text.lines),
        cut,
        part,
        () if part else tuple(_find_gaps(spans, sizes)),
        tuple(sorted({span.line for span in spans if span.how == "changed"})),
    )


def _find_gaps(spans: list[TextSpan], sizes: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """The lines between those that were sent, where they hold enough words to be missed."""
    previous = 0
    for first, last in sorted((span.line, span.last_line) for span in spans):
        missing = [line for line in range(previous + 1, first) if line in sizes] if previous else []
        if sum(sizes[line] for line in missing) >= MIN_MISSING_WORDS:
            yield missing[0], missing[-1]
        previous = max(previous, last)


def _is_part(text: IndexedText, last: int) -> bool:
    """Whether nothing behind the name and the description of a file was sent."""
    ends = [text.find_line(value.end - 1) + 1 for value in text.values]
    return bool(ends) and last <= max(ends)


TOOL_RESULT = "tool result"


def list_prompt_spans(call: RecordedCall, spans: Mapping[int, Iterable[TextSpan]]) -> list[TextSpan]:
    """The spans of a call without those in results of tools."""
    return [span for number, each in spans.items() if call.pieces[number].what != TOOL_RESULT for span in each]


def find_unsent_files(
    call: RecordedCall, spans: Mapping[int, Iterable[TextSpan]], sent: Iterable[SentFile], sources: AgentSources
) -> tuple[UnsentFile, ...]:
    """The instruction files that are not in a call, each with its reason, and those that contradict the rules."""
    if sources.report is None:
        return ()
    came = {file.path: file for file in sent}
    same = {other for span in list_prompt_spans(call, spans) for other in span.also}
    requested = {span.path for each in spans.values() for span in each} - came.keys()
    anchors = sources.files.anchors
    sizes = anchors.count_by_path(anchors.word_counts)
    files = [file for file in sources.report.files if file.kind != "settings" and file.path not in same | requested]
    text = "\n".join(piece.text for piece in call.pieces if piece.what != TOOL_RESULT)
    judged = ((file, _judge_file(file, came.get(file.path), sizes)) for file in files)
    unsent = (UnsentFile(file.path, file.kind, *status) for file, status in judged if status is not None)
    found = [file for file in unsent if not _is_named(file, text)]
    # Of a log that does not hold all that was sent, nothing follows for what is not in it.
    is_partial = bool(set(call.unknown) & PROMPT)
    return tuple(file for file in found if not is_partial or file.tells in SENT_STATUSES)


def _is_named(file: UnsentFile, text: str) -> bool:
    """Whether a skill, command or agent that should be sent is listed by its name alone."""
    steps = file.path.removesuffix("/SKILL.md").split("/")
    name = steps[-1] if file.kind == "skill" else steps[-1].partition(".")[0]
    return file.tells == "rules say sent" and file.kind in LISTED_KINDS and name in text


def _judge_file(file: AgentFile, came: SentFile | None, sizes: Mapping[str, int]) -> tuple[UnsentStatus, str] | None:
    """What became of one instruction file, beside the agent's rules, and why; None: it was sent as they say."""
    if came is not None and file.status == "skipped":
        return "rules say not sent", f"the agent's known rules say that it is not sent: {file.why}"
    if came is not None:
        return _judge_cut(file, came)
    if file.status not in ("loaded", "truncated") or not file.tokens:
        return "not sent", file.why
    if sizes.get(file.path, 0) >= MIN_LINE_WORDS:
        return "rules say sent", f"the agent's known rules say that it is sent: {file.why}"
    few = "it has too few words to be recognized" if sizes.get(file.path) else "it contains no words"
    return "too short to tell", few


def _judge_cut(file: AgentFile, came: SentFile) -> tuple[UnsentStatus, str] | None:
    """For a file that was sent as the rules say: whether it ends at the expected line. A line may be cut within."""
    expected = file.last_line if file.status == "truncated" else None
    if came.cut is None:
        why = f"it was sent whole; the agent's known rules truncate it after line {expected}"
        return ("cut elsewhere", why) if expected is not None and not came.part else None
    # A last line of a word or two that shares its line with the agent's own text is not recognized.
    loaded = file.status == "loaded" and file.kind in ("instructions", "rule") and came.cut + 1 < came.lines
    if not loaded and expected in (None, came.cut):
        return None
    known = "do not truncate it" if loaded else f"truncate it after line {expected}"
    why = f"it was truncated after line {came.cut} of {came.lines}; the agent's known rules {known}"
    return "cut elsewhere", why
