"""A recorded call, and the run that recorded it. Keys and cookies are not in it."""

from typing import Annotated, Literal

from ..model.struct import Frozen, note
from ..providers.call_content import WARM_UP as WARM_UP
from ..providers.call_content import CallPiece as CallPiece
from ..providers.call_content import CallUsage as CallUsage
from ..providers.call_content import Form as Form
from ..providers.call_content import PieceKind as PieceKind


class Run(Frozen, frozen=True):
    """One start of the tap, or one import."""

    id: str
    started: Annotated[str, note("ISO 8601 with offset")]
    program: Annotated[str, note("what was run, e.g. claude; or the file that was imported")] = ""
    command: Annotated[tuple[str, ...], note("as it was started; what looks like a secret is not in it")] = ()
    cwd: str = ""
    upstreams: Annotated[tuple[str, ...], note("the providers, by address, to which calls may go")] = ()
    ended: Annotated[str, note("ISO 8601 with offset; empty: it runs, or it was killed")] = ""
    missing: Annotated[tuple[str, ...], note("what could not be recorded, and why")] = ()


Unheld = Literal["tool", "system", "message", "mark"]
"""What a log may not hold of a request: kinds of its pieces, and where it asks the provider to keep them."""


class RecordedCall(Frozen, frozen=True):
    """One request and its answer."""

    id: str
    at: Annotated[str, note("when it began, ISO 8601 with offset")]
    form: Form
    host: str
    path: str
    model: str
    status: Annotated[int, note("of HTTP; 0: no answer came")]
    pieces: Annotated[tuple[CallPiece, ...], note("in the order in which a cache sees them: tools, system, messages")]
    run: Annotated[str, note("the run of the tap, or of the import, that saw it")] = ""
    program: Annotated[str, note("what was run, e.g. claude")] = ""
    cwd: str = ""
    stream: bool = False
    first_ms: Annotated[float | None, note("until the first byte of the answer")] = None
    whole_ms: float | None = None
    reply: Annotated[str, note("the text of the answer")] = ""
    calls: Annotated[tuple[str, ...], note("the tools that the answer calls")] = ()
    stop: Annotated[str, note("why the answer ended, in the provider's word")] = ""
    usage: CallUsage | None = None
    diagnosis: Annotated[str | None, note("the provider's own words about its cache")] = None
    error: Annotated[str | None, note("what the provider or the way to it said was wrong")] = None
    missing: Annotated[tuple[str, ...], note("what could not be recorded, and why")] = ()
    key: Annotated[str, note("what the program itself calls the conversation, where it says so")] = ""
    settings: Annotated[dict[str, str], note("what the request sets that a cache may look at, each as JSON")] = {}
    others: Annotated[dict[str, str], note("what else the request says, each as JSON: max_tokens, temperature, …")] = {}
    reply_id: Annotated[str, note("what the provider calls its answer")] = ""
    continues: Annotated[str, note("the answer that the request goes on from, which the provider holds")] = ""
    request_id: Annotated[str, note("what the provider calls the request, in the headers of its answer")] = ""
    unknown: Annotated[tuple[Unheld, ...], note("what the log that it was imported from does not hold")] = ()

    @property
    def is_answered(self) -> bool:
        """Whether the provider took it: what it refuses, it neither keeps nor charges."""
        return 0 < self.status < 400

    @property
    def is_warm_up(self) -> bool:
        """Whether it only has the provider take in what the next call begins with: no model answers."""
        return self.stop == WARM_UP

    def select_pieces(self, *kinds: PieceKind) -> tuple[CallPiece, ...]:
        """The pieces of these kinds."""
        return tuple(piece for piece in self.pieces if piece.kind in kinds)
