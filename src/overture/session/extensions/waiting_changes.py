"""What an extension asks of its session while it is set up: all of it is done, or nothing."""

import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Literal

from ...errors import SessionError
from ...model.state.state import State

Work = Callable[[], object]


class Wishes:
    """The wishes of one extension, in order. They wait until it is known that it did not fail."""

    def __init__(self, session: object, state: State) -> None:
        self.session, self.state = session, state
        self.works: list[Work] = []
        self.fate: Literal["waiting", "granted", "dropped"] = "waiting"
        self.lock = threading.Lock()

    def take(self, work: Work) -> bool:
        """Keep a wish for later; false where it can be done at once."""
        with self.lock:
            if self.fate == "dropped":
                raise SessionError("This extension was given up. What it asks for now is not done.")
            if self.fate == "waiting":
                self.works.append(work)
            return self.fate == "waiting"

    def end(self, fate: Literal["granted", "dropped"]) -> list[Work]:
        """No more wishes: what is to be done."""
        with self.lock:
            self.fate = fate
            return self.works


WISHES: ContextVar[Wishes | None] = ContextVar("WISHES", default=None)
"""Those of the extension that is being set up here."""


def wishes_of(session: Any) -> Wishes | None:
    """The wishes of an extension of this session, if it is one that asks."""
    wishes = WISHES.get()
    return wishes if wishes is not None and wishes.session is session else None
