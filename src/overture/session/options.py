"""SessionOptions are fixed when a session is made."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..discover.discover import ResolvedProject
from ..discover.disk.location import Path, locate
from ..discover.disk.real_world import RealWorld
from ..discover.disk.world import World
from ..model.prompt.budget import Budget
from ..model.recipe.recipe import Recipe
from ..project.resolve import resolve
from ..recipes import BUILTIN
from ..tokens.counter import Counter
from .files.session_files import Memories
from .turn.on_change import OnChange


class SessionOptions(NamedTuple):
    """Where to look, and how to behave."""

    recipe: str | Recipe | None = None
    cwd: Path | None = None
    home: Path | None = None
    root: Path | None = None
    config: Mapping[str, Any] | None = None
    world: World = RealWorld()
    memories: Memories | None = None
    on_change: OnChange = "rewrite"
    hook_limit: float | None = 10.0
    """Seconds that a hook may take."""
    max_depth: int = 1
    """How deep sub-agents may nest: at 1, a sub-agent has none."""
    keep: int = 1000
    """Entries of the record that are kept."""
    budget: Budget | None = None
    """The most tokens that the system prompt may have."""
    counter: Counter | None = None
    """What counts them; None: the best that there is here."""
    subagent: bool = False
    """Whether what is found is a sub-agent's from the start."""

    def check(self) -> None:
        """Refuse at once what no turn could use: an unknown recipe or setting, a folder that is not there.

        Only what the caller wrote is looked at: for a recipe that is built in, nothing but the folders that are named.
        """
        if self.config or (isinstance(self.recipe, str) and self.recipe not in BUILTIN):
            self.settle()
        if self.cwd is not None or self.root is not None:
            locate(self.cwd, self.home, self.root, world=self.world).list_walk()

    def settle(self) -> ResolvedProject:
        """Read the configuration and choose the recipe."""
        location = locate(self.cwd, self.home, self.root, self.config, self.world)
        return resolve(self.recipe, location, subagent=self.subagent)
