"""What calls have shown of their provider: a difference between calls that hit is no cause of a miss."""

from ..call import Call
from .cache_view import changed_settings
from .compare_calls import CallChange
from .volatile_spans import VolatileSpans, places_of


class Evidence:
    """What each conversation's provider was seen to ignore."""

    def __init__(self) -> None:
        self._ignored: dict[int, VolatileSpans] = {}
        self._learned = 0

    @property
    def size(self) -> int:
        """It grows with everything that is learned."""
        return self._learned

    def of(self, conversation: int) -> VolatileSpans:
        """What is known of a conversation, by its first call."""
        return self._ignored.setdefault(conversation, VolatileSpans())

    def learn(
        self, conversation: int, before: Call, call: Call, change: CallChange | None, sure: int, likely: int
    ) -> bool:
        """Learn from a call that was read up to a piece, surely or likely; False where nothing in it explains that.

        Of a piece that was seen to be ignored in part, the likely is enough.
        """
        ignored = self.of(conversation)
        if change is None or change.piece is None:
            return False
        if change.change == "settings":
            names = changed_settings(before, call, ignored)
            ignored.settings.update(names)
            self._learned += len(names)
            return bool(names)
        if change.piece > likely or change.change not in ("tools", "system", "messages"):
            return False
        places, old = list(places_of(call.pieces)), dict(zip(places_of(before.pieces), before.pieces, strict=True))
        place = places[change.piece]
        if place not in old or (change.piece > sure and place not in ignored.masks):
            return False
        learned = ignored.learn(place, old[place].text, call.pieces[change.piece].text)
        self._learned += learned
        return learned
