"""A turn that is cancelled is undone: what it brought, the next one brings."""

from typing import TypeVar

from ..changes.triggers import SETTLES
from ..live_session import Live

OF_CURRENT = ("ground", "saved", "spare", "recipe", "first", "state", "delta", "how", "ticks", "follows")
"""What a look at the disk and the clock changes."""
OF_TURN = ("task", "changes", "edited")
TAKEN = ("queued", "pending", "touched")
"""What a turn takes and does."""
T = TypeVar("T")


class Before:
    """The session before a turn. What others do to it meanwhile, from other threads, stays as they did it."""

    def __init__(self, session: Live) -> None:
        with session.lock:
            current = session.current
            self.turn = [getattr(session, name) for name in OF_TURN]
            self.taken = [getattr(session, name)[:] for name in TAKEN]
            self.current = [getattr(current, name) for name in OF_CURRENT]
            self.parts = dict(current.within.__dict__), dict(current.fresh.__dict__)
            self.hooked, self.resettle = session.hooked, session.resettle
            self.noted = len(session.notes), len(session.talk.notes), len(session.told), len(session.triggers)
            # A start or reload sets up tools, hooks and extensions: once it is done, it stays done.
            self.renews = current.state is None or any(trigger.name in SETTLES for trigger in session.pending)

    def back(self, session: Live) -> None:
        """Put everything back."""
        with session.lock:
            own = session.said if self.renews else [*session.said, *session.brought]
            session.talk.take_back(own)
            for name, value in zip(OF_TURN, self.turn, strict=True):
                setattr(session, name, value)
            session.queued = _both(self.taken[0], session.queued)
            if not self.renews:
                self._look_away(session)

    def _look_away(self, session: Live) -> None:
        """What is known of disk and clock is what was known before, and what was to be looked at still is."""
        current = session.current
        for name, value in zip(OF_CURRENT, self.current, strict=True):
            setattr(current, name, value)
        current.within.__dict__.update(self.parts[0])
        current.fresh.__dict__.update(self.parts[1])
        session.pending, session.touched = _both(self.taken[1], session.pending), _both(self.taken[2], session.touched)
        session.hooked, session.resettle = self.hooked, session.resettle or self.resettle
        notes, said, told, triggers = self.noted
        del session.notes[notes:], session.talk.notes[said:], session.told[told:], session.triggers[triggers:]


def _both(before: list[T], now: list[T]) -> list[T]:
    """What was there before, and what came since."""
    known = {id(each) for each in before}
    return [*before, *(each for each in now if id(each) not in known)]
