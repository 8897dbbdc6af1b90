"""Which files are behind a call, in lines: what of each was sent, where it was cut, which were not sent and why."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from ...errors import OvertureError
from ...model.struct import as_json
from ...text.paths import PathPrinter
from ..attribute.attribute_call import FilesOfCall, files_of_call
from ..attribute.sources import find_sources
from ..attribute.text_span import TextSpan
from ..attribute.unsent_files import PROMPT, UnsentFile, describe_sent, describe_status
from ..call import CallPiece, RecordedCall
from ..page.call_sheet import placed_pieces

T = TypeVar("T")
TEXTS = ("instructions", "rule")
MAX_SHOWN_FILES = 12


class CallFilesView:
    """The files behind a call; where they can't be looked for, why."""

    def __init__(self, call: RecordedCall) -> None:
        self.call, self.problem = call, ""
        self.found: FilesOfCall | None = None
        try:
            sources = find_sources(call.program, cwd=call.cwd or None)
        except OvertureError as problem:
            self.problem, self.printer = f"the files behind it can't be looked for: {problem}", PathPrinter("/", "/")
            return
        self.printer = PathPrinter(sources.project.cwd, sources.project.home)
        self.found = files_of_call(call, sources)

    def lines(self, everything: bool = False) -> Iterator[str]:
        """What was sent of each file, and which instruction files were not sent."""
        yield from (f"{path}: {text}".removeprefix(": ") for path, text in self.rows(everything))

    def rows(self, everything: bool = False) -> Iterator[tuple[str, str]]:
        """Each file with what became of it; a row without one says what is not listed."""
        if self.found is None:
            yield "", self.problem
            return
        yield from ((self.printer(file.path), describe_sent(file)) for file in _some(self.found.sent, everything))
        yield from _more(self.found.sent, everything, "files of which something was sent")
        unsent = [unsent_file for unsent_file in self.found.fates if everything or unsent_file.kind in TEXTS]
        yield from (
            (self.printer(unsent_file.path), self._fate(unsent_file)) for unsent_file in _some(unsent, everything)
        )
        yield from _more(unsent, everything, "that were not sent")
        if set(self.call.unknown) & PROMPT:
            yield "", "which files were not sent is not known: the log does not hold all that was sent"
        yield from (("", f"not looked at: {note}") for note in self.found.notes)

    def _fate(self, file: UnsentFile) -> str:
        return describe_status(file, self.printer.within).rstrip(" :")

    def places(self) -> Iterator[list[str]]:
        """Each stretch that a file or a fact accounts for: where in the call, and where it is from."""
        for number, spans in (self.found.spans if self.found else {}).items():
            piece = self.call.pieces[number]
            for span in spans:
                yield [_place(piece, span), self._source(span), span.how]

    def _source(self, span: TextSpan) -> str:
        if not span.path:
            return f"the {span.fact}"
        last = f"-{span.last_line}" if span.last_line not in (None, span.line) else ""
        return f"{self.printer(span.path)}:{span.line}{last}"

    def data(self) -> object:
        """The same as JSON."""
        return {"problem": self.problem} if self.found is None else as_json(self.found)

    def summary(self) -> dict[str, Any]:
        """What the lines say, as JSON: each file with its path, and the words about it."""
        sent, unsent = (self.found.sent, self.found.fates) if self.found else ((), ())
        return {
            "call": self.call.id,
            "share": self.share(),
            "sent": [{**as_json(file), "says": describe_sent(file)} for file in sent],
            "fates": [{**as_json(unsent_file), "says": self._fate(unsent_file)} for unsent_file in unsent],
            "notes": list(self.found.notes) if self.found else [],
            "problem": self.problem,
        }

    def accounted(self) -> str:
        """How much of the prompt files account for."""
        share = self.share()
        if share is None:
            return ""
        if set(self.call.unknown) & PROMPT:
            return f"files account for {share:.1%} of what the log holds of the prompt"
        return f"files account for {share:.1%} of the prompt; the rest is the agent's own"

    def share(self) -> float | None:
        """The part that files account for: of the system prompt, and of what is said before a model speaks."""
        prompt = placed_pieces(self.call)
        total = sum(len(placed.text) for placed in prompt)
        spans = self.found.spans if self.found else {}
        known = sum(span.end - span.start for each in prompt for span in spans.get(each.piece, ()) if span.is_from_file)
        return known / total if total else None


def _place(piece: CallPiece, span: TextSpan) -> str:
    first = piece.text.count("\n", 0, span.start) + 1
    last = first + piece.text.count("\n", span.start, max(span.end - 1, span.start))
    lines = f"line {first}" if first == last else f"lines {first}-{last}"
    what = piece.kind if piece.kind != "message" else f"message {piece.message} ({piece.name})"
    return f"{what}{f' {piece.name}' if piece.kind == 'tool' else ''}, {lines}"


def _some(rows: Sequence[T], everything: bool) -> Sequence[T]:
    return rows if everything else rows[:MAX_SHOWN_FILES]


def _more(rows: Sequence[object], everything: bool, what: str) -> Iterator[tuple[str, str]]:
    if len(rows) > MAX_SHOWN_FILES and not everything:
        yield "", f"and {len(rows) - MAX_SHOWN_FILES} others {what}"
