"""Instruction files that were not sent, and by which rule of the agent."""

from collections.abc import Callable, Iterable, Mapping, Set
from typing import Annotated, Literal

from msgspec.structs import replace

from ...agents.agent_report import AgentFile
from ...model.file_steps import FileKind
from ...model.struct import Frozen, note
from ...text.words import count_noun
from ..call import RecordedCall
from ..index.tokenize_words import split_words
from .choose_matches import MIN_LINE_WORDS, MIN_MATCH_WORDS, trim_to_lines
from .find_sources import AgentSources
from .sent_files import SentFile, TextSpan, summarize_files
from .source_index import Match, SourceIndex, find_matches

UnsentStatus = Literal[
    "not sent", "lines sent", "rules say sent", "rules say not sent", "cut elsewhere", "too short to tell"
]
"""not sent: as the rules say · lines sent: so too, and yet lines of it are in the call, less than half of the file ·
rules say sent: and it was not · rules say not sent: and it was · cut elsewhere: it ends at another line than the rules
say · too short to tell: a word or two may stand anywhere"""
MENU_KINDS = ("skill", "command", "agent")
"""What menus show, if need be without a description."""
SENT_STATUSES = ("lines sent", "rules say not sent", "cut elsewhere")
TOOL_RESULT = "tool result"
PROMPT = frozenset(("system", "message"))
FINDING_STATUSES = ("rules say sent", "rules say not sent", "cut elsewhere")


class UnsentFile(Frozen, frozen=True):
    """What became of an instruction file that was not sent, or not as the agent's rules say."""

    path: str
    kind: FileKind
    tells: UnsentStatus
    why: Annotated[str, note("the agent's rule, or how the call differs from the rules")] = ""

    @property
    def is_finding(self) -> bool:
        """Whether what is known of the agent's rules is not what it did."""
        return self.tells in FINDING_STATUSES


def find_unsent_files(
    call: RecordedCall, spans: Mapping[int, Iterable[TextSpan]], sources: AgentSources
) -> tuple[UnsentFile, ...]:
    """The instruction files that are not in a call, each with its reason, and those that the rules tell otherwise."""
    if sources.report is None:
        return ()
    sent = [span for number, each in spans.items() if call.pieces[number].what != TOOL_RESULT for span in each]
    came = {file.path: file for file in summarize_files(sent, sources.files.index, sources.stripped_lines)}
    same = {other for span in sent for other in span.also}
    requested = {span.path for each in spans.values() for span in each} - {span.path for span in sent}
    anchors = sources.files.anchors
    sizes = anchors.count_by_path(anchors.word_counts)
    files = [file for file in sources.report.files if file.kind != "settings" and file.path not in same | requested]
    found = (_judge_file(file, came.get(file.path), sizes) for file in files)
    missed = {file.path for file in files if file.path in sources.never_read and file.path not in came}
    lines = _count_sent_lines(call, spans, sources.files, missed) if missed else {}
    text = "\n".join(piece.text for piece in call.pieces if piece.what != TOOL_RESULT)
    unsent_files = tuple(
        _add_lines(unsent_file, lines)
        for unsent_file in found
        if unsent_file is not None and not _is_named(unsent_file, text)
    )
    # Of a log that does not hold all that was sent, nothing follows for what is not in it.
    return (
        tuple(unsent_file for unsent_file in unsent_files if unsent_file.tells in SENT_STATUSES)
        if set(call.unknown) & PROMPT
        else unsent_files
    )


def _count_sent_lines(
    call: RecordedCall, spans: Mapping[int, Iterable[TextSpan]], sources: SourceIndex, paths: Set[str]
) -> dict[str, tuple[int, int]]:
    """Of these files, how many lines stand in what no other file accounts for, and how many there are."""
    text = "\n".join(
        _remove_spans(piece.text, spans.get(at, ()))
        for at, piece in enumerate(call.pieces)
        if piece.what != TOOL_RESULT
    )
    words = split_words(text)
    (matches,) = find_matches([words], sources, among=paths)
    index, names = sources.index, sources.index.group_paths()
    found: dict[int, set[int]] = {}
    for match in matches:
        complete = trim_to_lines(match, text, words, index) if paths & set(names[match.text]) else None
        if complete is not None and complete.end - complete.start >= MIN_MATCH_WORDS:
            rows = range(
                index.find_line(complete.word, complete.text),
                index.find_line(_find_last_word(complete), complete.text) + 1,
            )
            found.setdefault(complete.text, set()).update(rows)
    return {
        path: (len(rows), index.count_lines(at)) for at, rows in found.items() for path in names[at] if path in paths
    }


def _find_last_word(match: Match) -> int:
    return match.word + match.end - match.start - 1


def _remove_spans(text: str, spans: Iterable[TextSpan]) -> str:
    """A text without what files account for."""
    starts, ends = [0], list[int]()
    for span in spans:
        ends.append(span.start)
        starts.append(span.end)
    return "\n".join(text[start:end] for start, end in zip(starts, [*ends, len(text)], strict=True))


def _add_lines(file: UnsentFile, lines: Mapping[str, tuple[int, int]]) -> UnsentFile:
    """What became of a file that is not sent, where lines of it are in the call all the same."""
    if file.tells != "not sent" or file.path not in lines:
        return file
    count, complete = lines[file.path]
    some = f"{count} of its {count_noun(complete, 'line')} {'is' if count == 1 else 'are'}"
    return replace(file, tells="lines sent", why=f"{some} in the call, though {file.why}")


def _is_named(file: UnsentFile, text: str) -> bool:
    """Whether a skill or the like, of which the rules say that it is told, is there by its name alone."""
    steps = file.path.removesuffix("/SKILL.md").split("/")
    name = steps[-1] if file.kind == "skill" else steps[-1].partition(".")[0]
    return file.tells == "rules say sent" and file.kind in MENU_KINDS and name in text


def _judge_file(file: AgentFile, came: SentFile | None, sizes: Mapping[str, int]) -> UnsentFile | None:
    expected = file.status in ("loaded", "truncated") and file.tokens > 0
    if came is None and sizes.get(file.path, 0) < MIN_LINE_WORDS:
        words = "it contains no words" if not sizes.get(file.path) else "it has too few words to be recognized"
        return UnsentFile(
            file.path, file.kind, "too short to tell" if expected else "not sent", words if expected else file.why
        )
    if came is None and expected:
        why = f"the agent's known rules say that it is sent: {file.why}"
        return UnsentFile(file.path, file.kind, "rules say sent", why)
    if came is None:
        return UnsentFile(file.path, file.kind, "not sent", file.why)
    if file.status == "skipped":
        why = f"the agent's known rules say that it is not sent: {file.why}"
        return UnsentFile(file.path, file.kind, "rules say not sent", why)
    return _judge_cut(file, came)


def _judge_cut(file: AgentFile, came: SentFile) -> UnsentFile | None:
    """Of a file of which both say that it was sent: whether they say so of the same lines. A line may be cut within."""
    if file.status == "truncated" and file.last_line is not None and came.cut is None and not came.part:
        why = f"it was sent whole; the agent's known rules truncate it after line {file.last_line}"
        return UnsentFile(file.path, file.kind, "cut elsewhere", why)
    if came.cut is None or (file.status == "loaded" and file.kind not in ("instructions", "rule")):
        return None
    # A last line of a word or two that shares its line with the agent's own is not known again.
    if (file.status == "loaded" and came.cut + 1 < came.lines) or (
        file.status == "truncated" and file.last_line is not None and came.cut != file.last_line
    ):
        known = f"truncate it after line {file.last_line}" if file.status == "truncated" else "do not truncate it"
        why = f"it was truncated after line {came.cut} of {came.lines}; the agent's known rules {known}"
        return UnsentFile(file.path, file.kind, "cut elsewhere", why)
    return None


STATUS_TEMPLATES: dict[UnsentStatus, str] = {
    "not sent": "not sent: {}",
    "lines sent": "{}",
    "rules say sent": "not sent, though {}",
    "rules say not sent": "sent, though {}",
    "cut elsewhere": "{}",
    "too short to tell": "sent or not, too short to tell: {}",
}

MAX_NAMED_PLACES = 3
"""Places that are named."""


def describe_sent(file: SentFile) -> str:
    """What of a file was sent."""
    return _describe_ends(file) + _describe_gaps(file) + _describe_changed(file)


def _describe_ends(file: SentFile) -> str:
    count = count_noun(file.lines, "line")
    if file.part:
        return "its name and description"
    if file.cut == 0:
        return f"truncated within line {file.last_line} of {file.lines}"
    if file.cut is not None and file.line == 1:
        return f"truncated after line {file.cut} of {file.lines}"
    if file.line == file.last_line and file.lines > 1:
        return f"only line {file.line} of {file.lines}"
    if file.cut is not None:
        return f"from line {file.line} on, truncated after line {file.cut} of {file.lines}"
    if file.line == 1 and file.last_line >= file.lines:
        return count if file.gaps or file.changed else f"whole, {count}"
    return f"lines {file.line} to {file.last_line} of {file.lines}"


def _describe_gaps(file: SentFile) -> str:
    """What was left out in between."""
    loaded = [
        f"line {first}" if first == last else f"lines {first} to {last}" for first, last in file.gaps[:MAX_NAMED_PLACES]
    ]
    more = [count_noun(len(file.gaps) - MAX_NAMED_PLACES, "other place")] if len(file.gaps) > MAX_NAMED_PLACES else []
    return f", without {' and '.join([*loaded, *more])}" if loaded else ""


def _describe_changed(file: SentFile) -> str:
    """Which lines were sent otherwise than they stand in the file now."""
    lines = [str(line) for line in file.changed[:MAX_NAMED_PLACES]]
    more = [count_noun(len(file.changed) - MAX_NAMED_PLACES, "other")] if len(file.changed) > MAX_NAMED_PLACES else []
    text = ", ".join([*lines, *more])
    return f", line {text} changed" if len(file.changed) == 1 else f", lines {text} changed" if lines else ""


def describe_status(file: UnsentFile, shorten: Callable[[str], str] = str) -> str:
    """Why a file was not sent, or what differs from the rules; `shorten` writes paths in a sentence."""
    return STATUS_TEMPLATES[file.tells].format(shorten(file.why)).rstrip(" :")
