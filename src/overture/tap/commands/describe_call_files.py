"""Which files are behind a call, in lines: what of each was sent, where it was cut, which were not sent and why."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ...discovery.place import check_working_directory
from ...discovery.world import World
from ...errors import OvertureError
from ...model.agent_rules import TEXT_KINDS
from ...model.struct import as_json
from ...text.path_printer import PathPrinter
from ...text.words import count_noun
from ..attribute.files_of_call import PROMPT, FilesOfCall, SentFile, TextSpan, UnsentFile, UnsentStatus
from ..judge.diff_calls import name_message
from ..recorded_call import CallPiece, RecordedCall

if TYPE_CHECKING:
    from ..attribute.agent_sources import AgentSources

MAX_SHOWN_FILES = 12


def find_call_sources(call: RecordedCall, home: str | None = None) -> "AgentSources":
    """The files that may be behind a call: by its program, in its folder.

    What agents read is loaded once the folder is there: a recording of another machine needs none of it.
    """
    check_working_directory(World(), call.cwd or None)
    from ..attribute.agent_sources import find_sources

    return find_sources(call.program, cwd=call.cwd or None, home=home)


class CallFilesView:
    """The files behind a call; where they can't be looked for, why."""

    def __init__(
        self,
        call: RecordedCall,
        find: "Callable[[RecordedCall], AgentSources]" = find_call_sources,
        *,
        tool_files: bool = False,
    ) -> None:
        """Find the files behind a call, and with `tool_files` all behind results of tools; or why they can't be."""
        self.call, self.problem = call, ""
        self.files = FilesOfCall(call.id, (), (), {})
        self.printer = PathPrinter(call.cwd or "/", "/")
        try:
            sources = find(call)
            from ..attribute.attribute_call import find_call_files

            self.files = find_call_files(call, sources, tool_files=tool_files)
        except (OvertureError, OSError) as problem:
            self.problem = f"can't search for its files: {problem}"
        else:
            self.printer = PathPrinter(sources.project.cwd, sources.project.home)

    def make_lines(self, everything: bool = False) -> Iterator[str]:
        """What was sent of each file, and which instruction files were not sent."""
        yield from (f"{path}: {text}".removeprefix(": ") for path, text in self.list_rows(everything))

    def list_rows(self, everything: bool = False) -> Iterator[tuple[str, str]]:
        """Each file with its status; a row without a file names what is not listed."""
        if self.problem:
            yield "", self.problem
            return
        sent = [(self.printer(file.path), describe_sent(file)) for file in self.files.sent]
        wanted = [file for file in self.files.unsent if everything or file.kind in TEXT_KINDS]
        unsent = [(self.printer(file.path), describe_unsent_file(file, self.printer.within)) for file in wanted]
        for rows, what in ((sent, "files that were sent"), (unsent, "that were not sent")):
            limit = len(rows) if everything else MAX_SHOWN_FILES
            yield from rows[:limit]
            if len(rows) > limit:
                yield "", f"and {count_noun(len(rows) - limit, 'other')} {what}"
        if set(self.call.unknown) & PROMPT:
            yield "", "files that were not sent are unknown: the log does not contain the whole request"
        yield from (("", f"not searched: {note}") for note in self.files.notes)

    def list_positions(self) -> Iterator[list[str]]:
        """Rows for `show`: each span that a file accounts for, its position in the call, and its source."""
        for number, spans in self.files.spans.items():
            for span in spans:
                yield [_format_position(self.call.pieces[number], span), self._format_source(span), span.how]

    def _format_source(self, span: TextSpan) -> str:
        last = f"-{span.last_line}" if span.last_line != span.line else ""
        return f"{self.printer(span.path)}:{span.line}{last}"

    def to_data(self) -> dict[str, Any]:
        """The same as JSON; if files can't be searched for, no files and the reason."""
        return as_json(self.files) | ({"problem": self.problem} if self.problem else {})

    def make_summary(self) -> dict[str, Any]:
        """The lines as JSON: each file with its path and its description."""
        within = self.printer.within
        return {
            "call": self.call.id,
            "share": self.share,
            "sent": [{**as_json(file), "says": describe_sent(file)} for file in self.files.sent],
            "unsent": [{**as_json(file), "says": describe_unsent_file(file, within)} for file in self.files.unsent],
            "notes": list(self.files.notes),
            "problem": self.problem,
        }

    @property
    def share(self) -> float | None:
        """The share of the prompt that files account for; None where they could not be searched for."""
        return None if self.problem else self.files.compute_share(self.call)

    def describe_share(self) -> str:
        """How much of the prompt files account for."""
        if self.share is None:
            return ""
        far = ", as far as the log contains it" if set(self.call.unknown) & PROMPT else ""
        return f"your files are {self.share:.1%} of the prompt{far}"


def view_files(call: RecordedCall | None) -> CallFilesView | None:
    """The files behind a call; None where there is none, or it sent nothing."""
    return None if call is None or not call.pieces else CallFilesView(call)


def make_file_lines(call: RecordedCall | None) -> Iterator[str]:
    """Lines of a report: the files behind the last call of the main conversation."""
    files = view_files(call)
    if files is not None and (lines := list(files.make_lines())):
        yield f"files of {files.call.id}: {files.describe_share()}".rstrip(": ")
        yield from (f"  {line}" for line in lines)


def _format_position(piece: CallPiece, span: TextSpan) -> str:
    """Where a span stands in the call: its message, and its line there."""
    first = piece.text.count("\n", 0, span.start) + 1
    last = first + piece.text.count("\n", span.start, max(span.end - 1, span.start))
    lines = f"line {first}" if first == last else f"lines {first}-{last}"
    names = {"tool": f"tool {piece.name}", "system": "system", "message": name_message(piece)}
    return f"{names[piece.kind]}, {lines}"


STATUS_TEMPLATES: dict[UnsentStatus, str] = {
    "not sent": "not sent: {}",
    "rules say sent": "not sent, though {}",
    "rules say not sent": "sent, though {}",
    "cut elsewhere": "{}",
    "too short to tell": "sent or not, too short to tell: {}",
}


MAX_NAMED_PLACES = 3
"""Places that are named."""


def describe_sent(file: SentFile) -> str:
    """What of a file was sent in the call, in words."""
    return _describe_ends(file) + _describe_gaps(file) + _describe_changed(file)


def _describe_ends(file: SentFile) -> str:
    """Which lines of a file were sent: all, or from which line on and up to which."""
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
    """The lines in between that were not sent."""
    loaded = [
        f"line {first}" if first == last else f"lines {first} to {last}" for first, last in file.gaps[:MAX_NAMED_PLACES]
    ]
    more = [count_noun(len(file.gaps) - MAX_NAMED_PLACES, "other place")] if len(file.gaps) > MAX_NAMED_PLACES else []
    return f", without {' and '.join([*loaded, *more])}" if loaded else ""


def _describe_changed(file: SentFile) -> str:
    lines = [str(line) for line in file.changed[:MAX_NAMED_PLACES]]
    more = [count_noun(len(file.changed) - MAX_NAMED_PLACES, "other")] if len(file.changed) > MAX_NAMED_PLACES else []
    text = ", ".join([*lines, *more])
    return f", line {text} changed" if len(file.changed) == 1 else f", lines {text} changed" if lines else ""


def describe_unsent_file(file: UnsentFile, shorten: Callable[[str], str] = str) -> str:
    """Why a file was not sent, or what differs from the rules; `shorten` writes paths in a sentence."""
    return STATUS_TEMPLATES[file.tells].format(shorten(file.why)).rstrip(" :")
