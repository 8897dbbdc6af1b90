"""The files behind one call as data: spans of its texts, files that were sent, and those that were not."""

from typing import Annotated, Literal, NamedTuple

from ...model.agent_rules import FileKind
from ...model.struct import Frozen, note
from ..judge.group_conversations import is_from_model
from ..recorded_call import RecordedCall

How = Literal["as it is", "trimmed", "rewrapped", "escaped", "cut", "changed"]
"""as it is: letter for letter · trimmed: its lines, with other blanks, marks or escapes · rewrapped: its words in other
lines · escaped: its lines on one, as JSON writes them · cut: it ends within a line · changed: a line that differs in
more than blanks and escapes: the file's line is named, and the words are not from it"""


class TextSpan(Frozen, frozen=True):
    """Characters of a text, and the lines of a file that they are from."""

    start: int
    end: int
    path: str
    line: Annotated[int, note("line of the file, from 1")]
    last_line: int
    how: How = "as it is"
    also: Annotated[tuple[str, ...], note("other files with the same text")] = ()

    @property
    def is_from_file(self) -> bool:
        """Whether the words that were sent are a file's."""
        return self.how != "changed"


class SentFile(Frozen, frozen=True):
    """A file that was sent, and which of its lines."""

    path: str
    characters: int
    line: Annotated[int, note("the first line that was sent")]
    last_line: Annotated[int, note("the last line that was sent, at least in part")]
    lines: Annotated[int, note("how many lines the file has")]
    cut: Annotated[int | None, note("the last line that was sent whole, if the file was truncated; 0: none")] = None
    part: Annotated[bool, note("only a few lines were sent, such as a description")] = False
    gaps: Annotated[tuple[tuple[int, int], ...], note("first and last line of each range that was not sent")] = ()
    changed: Annotated[tuple[int, ...], note("lines that were sent with different text")] = ()


UnsentStatus = Literal["not sent", "rules say sent", "rules say not sent", "cut elsewhere", "too short to tell"]
"""not sent: as the rules say · rules say sent: but it was not · rules say not sent: but it was · cut elsewhere: it ends
at another line than the rules say · too short to tell: a word or two may stand anywhere"""
SENT_STATUSES = ("rules say not sent", "cut elsewhere")
PROMPT = frozenset(("system", "message"))
FINDING_STATUSES = ("rules say sent", *SENT_STATUSES)


class UnsentFile(Frozen, frozen=True):
    """An instruction file that was not sent, or not as the agent's rules say, and why."""

    path: str
    kind: FileKind
    tells: UnsentStatus
    why: Annotated[str, note("the agent's rule, or how the call differs from the rules")] = ""

    @property
    def is_finding(self) -> bool:
        """Whether the agent did not follow its known rules."""
        return self.tells in FINDING_STATUSES


JOIN = "\n\n"
"""Between the pieces of a prompt, where they are shown as one text."""


class PlacedPiece(NamedTuple):
    """A piece of a call in the text of its prompt."""

    piece: int
    start: int
    text: str


def place_pieces(call: RecordedCall) -> list[PlacedPiece]:
    """The system prompt, and the texts before the model's first message: programs put instructions there, too."""
    pieces: list[PlacedPiece] = []
    at = 0
    for index, piece in enumerate(call.pieces):
        if piece.kind == "message" and is_from_model(piece):
            break
        if piece.kind != "tool" and piece.what == "text":
            pieces.append(PlacedPiece(index, at, piece.text))
            at += len(piece.text) + len(JOIN)
    return pieces


class FilesOfCall(Frozen, frozen=True):
    """The files behind one call, as they are now."""

    call: str
    sent: Annotated[tuple[SentFile, ...], note("in the system prompt and in messages, except tool results")]
    unsent: Annotated[tuple[UnsentFile, ...], note("files that were not sent, or not as the agent's rules say")]
    spans: Annotated[dict[int, tuple[TextSpan, ...]], note("by the index of the piece")]
    notes: Annotated[tuple[str, ...], note("what was not searched, and why")] = ()

    def compute_share(self, call: RecordedCall) -> float | None:
        """The share that files account for: of the system prompt and the messages before the model's first."""
        prompt = place_pieces(call)
        total = sum(len(placed.text) for placed in prompt)
        spans = (span for each in prompt for span in self.spans.get(each.piece, ()) if span.is_from_file)
        return sum(span.end - span.start for span in spans) / total if total else None
