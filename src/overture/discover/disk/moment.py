"""Facts of the world at one moment, which all discoveries of that moment share."""

from collections.abc import Callable
from typing import Any, TypeVar

from .world import World

T = TypeVar("T")


class Moment:
    """Facts at one moment, for all discoveries then: thirty agents need much the same."""

    def __init__(self) -> None:
        """Nothing is cached yet: the first who asks fills in a fact."""
        self.reals: dict[str, str] = {}
        """Paths with all links followed."""
        self.spellings: dict[str, dict[str, list[str]]] = {}
        """The names in a folder by what they are in any letter case."""
        self.parsed: dict[Any, Any] = {}
        """Results made from a file, by its path and by the function that made them."""
        self._facts: dict[tuple[object, ...], Any] = {}

    def recall(self, key: tuple[object, ...], compute: Callable[[], T]) -> T:
        """Any other fact: it is computed once for each key, which begins with a word for the kind of fact."""
        if key not in self._facts:
            self._facts[key] = compute()
        fact: T = self._facts[key]
        return fact

    def get(self, key: tuple[object, ...]) -> Any:
        """The fact, if it is known."""
        return self._facts.get(key)


class OneMoment:
    """A world that does not change: its facts are shared."""

    moment: Moment


def find_moment(world: World) -> Moment:
    """The facts of this moment; empty for a world that may change, or that wraps another."""
    return world.moment if isinstance(world, OneMoment) else Moment()
