"""A call -> the files behind it: what of each was sent, which were not, and where each stretch is from."""

from typing import Annotated

from ...model.struct import Frozen, note
from ..call import Call
from .attribute_call import attribute_call, too_long
from .sources import Sources
from .tell_files import ArrivedFile, tell_files
from .text_span import TextSpan
from .unsent import FateOfFile, unsent


class FilesOfCall(Frozen, frozen=True):
    """The files behind one call, as they are now."""

    call: str
    sent: Annotated[tuple[ArrivedFile, ...], note("in the system prompt and in messages, but for answers of tools")]
    fates: Annotated[tuple[FateOfFile, ...], note("those that were not sent, or not as the agent's rules say")]
    spans: Annotated[dict[int, tuple[TextSpan, ...]], note("by the number of the piece")]
    notes: Annotated[tuple[str, ...], note("what was not looked at")] = ()


def files_of_call(call: Call, sources: Sources) -> FilesOfCall:
    """Look for the files behind a call."""
    spans = attribute_call(call, sources)
    said = [span for number, each in spans.items() if call.pieces[number].what != "tool result" for span in each]
    sent = tell_files([span for span in said if span.path], sources.index, sources.untold)
    notes = (*map(str, sources.notes), *too_long(call))
    return FilesOfCall(call.id, sent, unsent(call, spans, sources), spans, notes)
