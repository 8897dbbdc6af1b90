"""The machine that nobody has: one clock, no home, no variables. What is read there is the same for everybody."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ..disk.world import FileEntry

if TYPE_CHECKING:
    from ...model.state.runtime import Git

TOP = "/project"
"""Where the project lies for everybody: paths stand in prompts, and count in their limits."""
HOME = "/home/nobody"
FOLDER = FileEntry("dir", (0, 0), (0,))


class NeutralMachine:
    """All that a World says of anything but files."""

    def now(self) -> datetime:
        """One moment for all."""
        return datetime(2000, 1, 1, tzinfo=UTC)

    def timezone(self) -> str | None:
        """One zone for all."""
        return "UTC"

    def environment(self) -> Mapping[str, str]:
        """No variable is everybody's."""
        return {}

    def cwd(self) -> str:
        """The project's top."""
        return TOP

    def home(self) -> str:
        """A home in which nothing lies."""
        return HOME

    def host(self) -> str:
        """One name for all machines."""
        return "host"

    def platform(self) -> tuple[str, str]:
        """One machine for all."""
        return "Linux", "x86_64"

    def sudo(self) -> bool | None:
        """Nobody knows."""
        return None

    def git(self, folder: str, top: str | None, known: "Git | None") -> "Git | None":
        """Branch and status are of one checkout."""
        return None
