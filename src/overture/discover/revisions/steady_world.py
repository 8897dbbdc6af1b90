"""The machine at one moment, for sides that have to differ in their files alone."""

from datetime import datetime

from ..disk.world import RealWorld
from .repository_world import RepositoryWorld


class SteadyWorld(RealWorld):
    """The machine at one moment: what may change from one question to the next is asked once."""

    def __init__(self, root: str | None = None) -> None:
        """`root` is a repository, outside which nothing is discovered."""
        self.discovered = RepositoryWorld(self, root) if root else None
        self._now: datetime | None = None
        self._sudo: tuple[bool | None] | None = None

    def now(self) -> datetime:
        """The time at which somebody first asked."""
        self._now = self._now or super().now()
        return self._now

    def sudo(self) -> bool | None:
        """What sudo said when somebody first asked."""
        self._sudo = self._sudo or (super().sudo(),)
        return self._sudo[0]
