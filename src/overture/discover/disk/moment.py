"""Facts of the world at one moment, which all discoveries of that moment share."""

from typing import Any

from .world import World


class Moment:
    """Facts at one moment, for all discoveries then: thirty agents need much the same."""

    def __init__(self) -> None:
        """Nothing is cached yet: the first who asks fills in a fact."""
        self.reals: dict[str, str] = {}
        """Paths with all links followed."""
        self.spellings: dict[str, dict[str, list[str]]] = {}
        """The names in a folder by what they are in any letter case."""
        self.repositories: dict[str, str | None] = {}
        """The repository above each folder."""
        self.parsed: dict[Any, Any] = {}
        """Results made from a file, by its path and by the function that made them."""
        self.starts: dict[Any, Any] = {}
        """What agents find as they start."""
        self.lines: dict[Any, Any] = {}
        """The instruction files of agents and the meaning of each line, by what the agent finds."""
        self.surveys: dict[Any, Any] = {}
        """The files of a project, by the agents whose names are looked for."""
        self.scopes: dict[Any, Any] = {}
        """The folders that agents search, and the project's boundary for them."""
        self.signs: dict[Any, tuple[str, ...]] = {}
        """What shows that an agent is set up, by its name and the folders."""


class OneMoment:
    """A world that does not change: its facts are shared."""

    moment: Moment


def find_moment(world: World) -> Moment:
    """The facts of this moment; empty for a world that may change, or that wraps another."""
    return world.moment if isinstance(world, OneMoment) else Moment()
