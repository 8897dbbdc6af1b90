"""Learns from calls that were read from the cache what their provider ignores."""

from ..recorded_call import RecordedCall
from .cache_key import list_changed_settings
from .first_change import CallChange
from .volatile_spans import VolatileSpans, list_positions


class LearnedSpans:
    """What each conversation's provider was seen to ignore."""

    def __init__(self) -> None:
        """Begin with nothing learned of any conversation."""
        self._ignored: dict[int, VolatileSpans] = {}
        self.size = 0
        """It grows with everything that is learned."""

    def get_ignored(self, conversation: int) -> VolatileSpans:
        """What is known of a conversation, by its first call."""
        return self._ignored.setdefault(conversation, VolatileSpans())

    def learn(
        self,
        conversation: int,
        before: RecordedCall,
        call: RecordedCall,
        change: CallChange | None,
        sure: int,
        likely: int,
    ) -> bool:
        """Learn from a call that was read up to a piece, surely or likely; False where nothing in it explains that.

        Of a piece that was seen to be ignored in part, the likely is enough.
        """
        ignored = self.get_ignored(conversation)
        if change is None or change.piece is None:
            return False
        if change.change == "settings":
            names = list_changed_settings(before, call, ignored)
            ignored.settings.update(names)
            self.size += len(names)
            return bool(names)
        if change.piece > likely or change.change not in ("tools", "system", "messages"):
            return False
        positions, old = (
            list(list_positions(call.pieces)),
            dict(zip(list_positions(before.pieces), before.pieces, strict=True)),
        )
        position = positions[change.piece]
        if position not in old or (change.piece > sure and position not in ignored.masks):
            return False
        learned = ignored.learn(position, old[position].text, call.pieces[change.piece].text)
        self.size += learned
        return learned
