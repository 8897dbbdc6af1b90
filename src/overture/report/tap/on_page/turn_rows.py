"""The calls of a conversation -> rows of the history, as the page shows turns."""

from collections.abc import Sequence

from ...page.turn_row import ChangedBlock, TurnRow
from ..call import Call
from ..compare_calls import CallChange
from ..tap_report import ConversationTold
from ..verdict import CallVerdict

HOW = {
    "tools": "rewritten",
    "system": "rewritten",
    "messages": "rewritten",
    "compacted": "rewritten",
    "shortened": "removed",
}


def turn_rows(talk: ConversationTold, calls: Sequence[Call]) -> tuple[TurnRow, ...]:
    """A row for each call; `calls` are those that the report was made of."""
    return tuple(
        _row(number, told.at, told.verdict, calls[told.verdict.call]) for number, told in enumerate(talk.calls, 1)
    )


def _row(number: int, at: str, told: CallVerdict, call: Call) -> TurnRow:
    why = f"{told.reason}: {told.cause}" if told.cause else told.reason
    messages = len({piece.message for piece in call.of("message")})
    return TurnRow(
        number,
        at,
        why,
        told.tokens,
        sum(len(piece.text) for piece in call.pieces),
        _changed(told.change),
        told.change.byte if told.change else None,
        told.predicted if told.read is None else told.read,
        told.price.dollars,
        told.price.uncached,
        messages,
        call.error,
        told.tokens,
    )


def _changed(change: CallChange | None) -> tuple[ChangedBlock, ...]:
    if change is None or change.change not in HOW:
        return ()
    return (ChangedBlock(change.section, HOW[change.change], (), change.cause),)
