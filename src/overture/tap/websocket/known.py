"""What a provider remembers of a connection: the items up to the end of each response, so that the next may name it."""

from typing import Any, NamedTuple

from ..record.capture import Room

MOST = 64
"""Responses of a connection that are remembered."""
Items = list[Any]


class Earlier(NamedTuple):
    """All that a model has seen and said up to the end of a response."""

    items: Items
    held: str = ""
    """The response before them, where it is not known."""


class Known:
    """The responses of one connection. What each has in common with the one before it is held once."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self._earlier: dict[str, Earlier] = {}
        self._sizes: dict[str, int] = {}

    def get(self, id: str) -> Earlier | None:
        """What there is up to a response; None where it is not known."""
        return self._earlier.get(id)

    def add(self, id: str, earlier: Earlier, after: str, size: int) -> None:
        """Remember a response, of so many bytes together with all that it goes on from."""
        shared = self._sizes.get(after, 0)
        more = max(size - shared, 0)
        if not id or id in self._earlier or not self.room.take(more):
            return
        self._earlier[id], self._sizes[id] = earlier, shared + more
        if after in self._sizes:
            self._sizes[after] = 0  # it is part of this one now
        while len(self._earlier) > MOST or sum(self._sizes.values()) > self.room.most_of_body:
            self.forget(next(iter(self._earlier)))

    def forget(self, id: str) -> None:
        """Give back the room of one."""
        if self._earlier.pop(id, None) is not None:
            self.room.give(self._sizes.pop(id))

    def clear(self) -> None:
        """Give back the room of all."""
        for id in list(self._earlier):
            self.forget(id)
