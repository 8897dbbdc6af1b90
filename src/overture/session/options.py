"""SessionOptions is how a session behaves; SessionSettings adds where it looks."""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypedDict

from msgspec.structs import replace

from ..discover.discover import ResolvedProject
from ..discover.disk.location import locate
from ..discover.disk.real_world import RealWorld
from ..discover.disk.world import Path, World
from ..errors import suggest
from ..model.prompt.budget import Budget
from ..model.recipe.recipe import Recipe
from ..model.state.state import Audience, Secrets
from ..model.struct import Frozen
from ..project.resolve import resolve
from ..recipes import BUILTIN
from ..tokens.counter import Counter, CountFunction
from .files.session_files import Memories
from .turn.on_change import OnChange


class SessionOptions(Frozen, frozen=True):
    """How a session behaves. `Session` also accepts each of these as a keyword."""

    memories: Memories | None = None
    """`live`: memories follow their file; `frozen`: they stay as at the start; None: the recipe decides."""
    on_change: OnChange = "rewrite"
    """`rewrite`: a changed section changes the prompt; `append`: a message announces it. Also by pace or section."""
    hook_limit: float | None = 10.0
    """Seconds that a hook or an extension may take; None: no limit."""
    max_depth: int = 1
    """How deep sub-agents may nest: at 1, a sub-agent can't start another."""
    keep: int = 1000
    """Entries of the record that are kept."""
    count: CountFunction | None = None
    """Counts the tokens of the prompt; None: the best counter that is installed."""
    watch: bool = False
    """Watch the files from the first turn on. Needs watchfiles."""
    world: World | None = None
    """Where files, clock and environment are read; None: this machine."""
    audience: Audience | None = None
    """Who reads the prompt, as for `build`."""
    secrets: Secrets | None = None
    """Whether secrets are hidden, as for `build`."""
    inspect: bool = False
    """Publish the turns for `overture serve --attach`, in a file that only the user can read."""


class SessionKeywords(TypedDict, total=False):
    """The fields of SessionOptions, as keywords of Session."""

    memories: Memories | None
    on_change: OnChange
    hook_limit: float | None
    max_depth: int
    keep: int
    count: CountFunction | None
    watch: bool
    world: World | None
    audience: Audience | None
    secrets: Secrets | None
    inspect: bool


def merge_options(options: SessionOptions | None, keywords: SessionKeywords) -> SessionOptions:
    """The options with the keywords on top; a name that is not known is a TypeError, as Python's own."""
    for name in keywords:
        if name not in SessionOptions.__struct_fields__:
            suggestion = suggest(name, SessionOptions.__struct_fields__)
            raise TypeError(f"Session() got an unexpected keyword argument {name!r}.{suggestion}")
    return replace(options or SessionOptions(), **keywords)


class SessionSettings(NamedTuple):
    """Where a session looks, what it may cost, and its options."""

    recipe: str | Recipe | None = None
    cwd: Path | None = None
    home: Path | None = None
    root: Path | None = None
    config: Mapping[str, Any] | None = None
    world: World = RealWorld()
    budget: Budget | None = None
    """The most tokens that the system prompt may have."""
    counter: Counter | None = None
    """What counts them; None: the best that there is here."""
    subagent: bool = False
    """Whether what is found is a sub-agent's from the start."""
    options: SessionOptions = SessionOptions()

    def check(self) -> None:
        """Refuse at once what no turn could use: an unknown recipe or setting, a folder that does not exist.

        Only what the caller wrote is checked: for a recipe that is built in, nothing but the folders that are named.
        """
        if self.config or (isinstance(self.recipe, str) and self.recipe not in BUILTIN):
            self.resolve()
        if self.cwd is not None or self.root is not None:
            locate(self.cwd, self.home, self.root, world=self.world).list_walk()

    def resolve(self) -> ResolvedProject:
        """Read the configuration and choose the recipe."""
        location = locate(self.cwd, self.home, self.root, self.config, self.world)
        return resolve(self.recipe, location, subagent=self.subagent)
