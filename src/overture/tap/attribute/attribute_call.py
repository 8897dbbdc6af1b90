"""A call -> the files behind it: what of each was sent, whole, truncated or with gaps; which were not sent, and why."""

from collections.abc import Iterable, Iterator, Mapping

from ...agents.table import Table
from ...agents.uses import LISTED_KINDS, Use
from ..judge.diff_calls import name_message
from ..recorded_call import RecordedCall
from .agent_sources import AgentSources
from .files_of_call import PROMPT, SENT_STATUSES, FilesOfCall, SentFile, TextSpan, UnsentFile, UnsentStatus
from .shared_words import ANCHOR_WORDS, SourceFile
from .source_lines import attribute_texts

MAX_ATTRIBUTED_TEXT = 4_000_000
"""Characters of one text that is compared with files: a larger one would cost a minute and gigabytes."""
MIN_MISSING_WORDS = 8
"""Words missing in the middle of a file before it counts as a gap: fewer may have been rephrased."""
TOOL_RESULT = "tool result"

CallSpans = dict[int, tuple[TextSpan, ...]]
"""For each piece of a call, by its number, the spans that files account for; the rest is the agent's own."""


def find_call_files(call: RecordedCall, sources: AgentSources, *, tool_files: bool = False) -> FilesOfCall:
    """Look for the files behind a call.

    A known agent's prompt is compared with the files that its rules know; so are results of tools, but with
    `tool_files`, which compares those with all texts of the repository.
    """
    prompt = {number for number, piece in enumerate(call.pieces) if piece.what != TOOL_RESULT}
    tools = set(range(len(call.pieces))) - prompt
    notes = [*sources.own.notes]
    if tool_files and tools and sources.table:
        spans, files = _attribute_pieces(call, prompt, sources, sources.own.texts)
        spans |= _attribute_pieces(call, tools, sources, sources.repository.texts)[0]
        notes = [*dict.fromkeys((*notes, *sources.repository.notes))]
    else:
        spans, files = _attribute_pieces(call, prompt | tools, sources, sources.own.texts)
    by_path: dict[str, list[TextSpan]] = {}
    for span in (span for number in sorted(prompt) for span in spans.get(number, ())):
        by_path.setdefault(span.path, []).append(span)
    hidden = sources.likely.stripped_lines
    sent = tuple(summarize_file(path, own, files[path], hidden.get(path, ())) for path, own in by_path.items())
    unsent = tuple(_find_unsent_files(call, spans, sent, sources))
    return FilesOfCall(call.id, sent, unsent, spans, (*map(str, notes), *_describe_long_texts(call)))


def _attribute_pieces(
    call: RecordedCall, numbers: Iterable[int], sources: AgentSources, files: Mapping[str, str]
) -> tuple[CallSpans, dict[str, SourceFile]]:
    """The spans of some pieces of a call, and the files that have one."""
    pieces = {number: call.pieces[number].text for number in sorted(numbers)}
    texts = [*dict.fromkeys(text for text in pieces.values() if len(text) <= MAX_ATTRIBUTED_TEXT)]
    found, sources_by_path = attribute_texts(texts, files, sources.likely)
    known = dict(zip(texts, found, strict=True))
    return {number: spans for number, text in pieces.items() if (spans := known.get(text, ()))}, sources_by_path


def _describe_long_texts(call: RecordedCall) -> Iterator[str]:
    """The texts that are not compared with files, in words."""
    for piece in call.pieces:
        if len(piece.text) > MAX_ATTRIBUTED_TEXT:
            what = name_message(piece) if piece.kind == "message" else piece.kind
            yield f"{what} has {len(piece.text):,} characters; up to {MAX_ATTRIBUTED_TEXT:,} are compared with files"


def summarize_file(path: str, spans: list[TextSpan], file: SourceFile, hidden: Iterable[int] = ()) -> SentFile:
    """What of one file was sent; lines that the agent replaces or strips, `hidden`, are not missed."""
    sizes = file.count_line_words(frozenset(hidden))
    first, last = min(span.line for span in spans), max(span.last_line for span in spans)
    first = first if any(line < first for line in sizes) else 1
    broken = any(span.how == "cut" and span.last_line == last for span in spans)
    part = any(last <= file.find_line(stop - 1) + 1 for stop, _ in file.declared.values())
    # Of code and settings a program sends the prompts that they hold: the rest is not missing.
    whole = file.is_document and not part
    is_cut = whole and (broken or any(line > last for line in sizes))
    cut = max((line for line in sizes if line < last + (not broken)), default=0) if is_cut else None
    return SentFile(
        path,
        sum(span.end - span.start for span in spans if span.is_from_file),
        first,
        last,
        file.line_count,
        cut,
        part,
        tuple(_find_gaps(spans, sizes)) if whole else (),
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


def _find_unsent_files(
    call: RecordedCall, spans: CallSpans, sent: Iterable[SentFile], sources: AgentSources
) -> Iterator[UnsentFile]:
    """The instruction files that are not in a call, each with its reason, and those that contradict the rules."""
    came = {file.path: file for file in sent}
    prompt = {number: each for number, each in spans.items() if call.pieces[number].what != TOOL_RESULT}
    same = {other for each in prompt.values() for span in each for other in span.also}
    requested = {span.path for each in spans.values() for span in each} - came.keys()
    text = "\n".join(piece.text for piece in call.pieces if piece.what != TOOL_RESULT)
    for use in sources.uses:
        if sources.table is None or use.kind == "settings" or use.path in same | requested:
            continue
        status = _judge_use(sources.table, use, came.get(use.path), sources.own.texts.get(use.path, ""))
        unsent = UnsentFile(use.path, use.kind, *status) if status else None
        # Of a log that does not hold all that was sent, nothing follows for what is not in it.
        is_partial = bool(set(call.unknown) & PROMPT)
        if unsent and not _is_named(unsent, text) and (not is_partial or unsent.tells in SENT_STATUSES):
            yield unsent


def _is_named(file: UnsentFile, text: str) -> bool:
    """Whether a skill, command or agent that should be sent is listed by its name alone."""
    steps = file.path.removesuffix("/SKILL.md").split("/")
    name = steps[-1] if file.kind == "skill" else steps[-1].partition(".")[0]
    return file.tells == "rules say sent" and file.kind in LISTED_KINDS and name in text


def _judge_use(table: Table, use: Use, came: SentFile | None, text: str) -> tuple[UnsentStatus, str] | None:
    """What became of one instruction file, beside the agent's rules, and why; None: it was sent as they say."""
    why = table.explain(use)
    if came is not None and use.how == "skipped":
        return "rules say not sent", f"the agent's known rules say that it is not sent: {why}"
    if came is not None:
        return _judge_cut(use, came)
    if use.how not in ("loaded", "truncated", "listed") or not use.tokens:
        return "not sent", why
    if len(text.split()) >= ANCHOR_WORDS:
        return "rules say sent", f"the agent's known rules say that it is sent: {why}"
    few = "it has too few words to be recognized" if text.split() else "it contains no words"
    return "too short to tell", few


def _judge_cut(use: Use, came: SentFile) -> tuple[UnsentStatus, str] | None:
    """For a file that was sent as the rules say: whether it ends at the expected line. A line may be cut within."""
    expected = use.last_line if use.how == "truncated" else None
    if came.cut is None:
        why = f"it was sent whole; the agent's known rules truncate it after line {expected}"
        return ("cut elsewhere", why) if expected is not None and not came.part else None
    # A last line of a word or two that shares its line with the agent's own text is not recognized.
    loaded = use.how == "loaded" and use.is_text and came.cut + 1 < came.lines
    if not loaded and expected in (None, came.cut):
        return None
    known = "do not truncate it" if loaded else f"truncate it after line {expected}"
    why = f"it was truncated after line {came.cut} of {came.lines}; the agent's known rules {known}"
    return "cut elsewhere", why
