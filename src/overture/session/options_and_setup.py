"""SessionOptions: how a session behaves. SessionSettings: where it looks. SessionSetup: what a program passes to it."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, NamedTuple, get_args
from uuid import uuid4

from msgspec import Meta

from ..discover.discover import ResolvedProject, default_tools
from ..discover.disk.real_world import RealWorld
from ..discover.disk.working_directory import locate
from ..discover.disk.world import Path, World
from ..errors import SessionError, show_value
from ..model.diagnostic import Diagnostic
from ..model.prompt.budget import Budget
from ..model.recipe.recipe import Recipe
from ..model.state.agent_and_runtime import SessionInfo
from ..model.state.audience_and_subagents import TOP_LEVEL_TOOLS
from ..model.state.files import TextFile
from ..model.state.state import State
from ..model.struct import Frozen
from ..model.tool import Tool
from ..project.resolve import resolve
from ..recipes import BUILTIN
from ..tokens.counter import Counter
from .files.session_files import Memories, collect_caller_fields
from .toolbox import Toolbox, parse_tools_or_names, select_requested_tools

SavedCount = Annotated[int, Meta(ge=0, le=2**31)]


class SessionOptions(Frozen, frozen=True):
    """How a session behaves: keywords of `Session` that a save keeps."""

    memories: Memories | None = None
    hook_limit: Annotated[float, Meta(ge=0)] | None = 10.0
    max_depth: SavedCount = 1
    keep: SavedCount = 1000

    def __post_init__(self) -> None:
        limit: object = self.hook_limit
        wanted = {
            "memories": (self.memories in (None, *get_args(Memories)), "'live', 'frozen' or None"),
            "hook_limit": (limit is None or (isinstance(limit, int | float) and limit >= 0), "seconds, or None"),
            "max_depth": (_is_count(self.max_depth), "a whole number from 0 on"),
            "keep": (_is_count(self.keep), "a whole number from 0 on"),
        }
        for name, (fits, kind) in wanted.items():
            if not fits:
                raise SessionError(f"{name} is {show_value(getattr(self, name))}.", hint=f"Pass {kind}.")


def _is_count(value: object) -> bool:
    """Whether an option is a number of things."""
    return type(value) is int and value >= 0


class SessionSettings(NamedTuple):
    """Where a session looks, what it may cost, and its options."""

    recipe: str | Recipe | None = None
    cwd: Path | None = None
    home: Path | None = None
    root: Path | None = None
    config: Mapping[str, Any] | None = None
    world: World = RealWorld()
    budget: Budget | None = None
    """The maximum tokens of the system prompt."""
    counter: Counter | None = None
    """The counter of these tokens; None: the best installed one."""
    subagent: bool = False
    """Whether the session is a sub-agent's from the start."""
    options: SessionOptions = SessionOptions()

    def check(self) -> None:
        """Raise at once for an unknown recipe or setting, or a folder that does not exist.

        Only the caller's own values are checked: with a built-in recipe, only the folders.
        """
        if self.config or (isinstance(self.recipe, str) and self.recipe not in BUILTIN):
            self.resolve()
        if self.cwd is not None or self.root is not None:
            locate(self.cwd, self.home, self.root, world=self.world).list_walk()

    def resolve(self) -> ResolvedProject:
        """Read the configuration and choose the recipe."""
        location = locate(self.cwd, self.home, self.root, self.config, self.world)
        return resolve(self.recipe, location, subagent=self.subagent)


ToolRequest = tuple[str | Tool, ...]
"""Tools as a program passes them: names of the recipe's tools, and definitions."""


class SessionSetup:
    """A part of Session. Any thread may change it at any time, so undoing a turn does not touch it."""

    def __init__(
        self,
        settings: SessionSettings,
        fields: Mapping[str, Any],
        requested_tools: ToolRequest | None,
        info: SessionInfo | None,
    ) -> None:
        """Keep what a program passes to a session: settings, fields, tools and info."""
        self.settings = settings
        self.fields = dict(fields)
        """The caller's fields of the State; they override discovered ones."""
        self.requested_tools = requested_tools
        self.requested_names: set[str] = set()
        """The tools that a caller named. With the empty name in it, the recipe's default tools are dropped."""
        self.default_tools: tuple[Tool, ...] = ()
        """The tools that the configuration or the recipe activates."""
        self.toolbox: Toolbox | None = None
        self.info = info
        """None for a sub-agent."""
        self.remote_files: tuple[TextFile, ...] = ()
        """Resources of MCP servers."""

    def set_default_tools(self, project: ResolvedProject) -> tuple[Diagnostic, ...]:
        """Activate the tools of the configuration or the recipe; registered tools stay."""
        tools = default_tools(project.recipe) if project.tools is None else project.tools
        notes: tuple[Diagnostic, ...] = ()
        if self.toolbox is None:
            notes = self._make_toolbox(project.recipe, tools)
        elif not self.requested_names:
            self.toolbox.active.difference_update(tool.name for tool in self.default_tools)
            self.toolbox.register(tools)
        self.default_tools = tools
        return notes

    def _make_toolbox(self, recipe: Recipe, default: tuple[Tool, ...]) -> tuple[Diagnostic, ...]:
        """Make the toolbox of the recipe's tools and the requested ones."""
        requested = self.requested_tools
        tools, notes = (default, ()) if requested is None else select_requested_tools(recipe, requested)
        if requested is not None:
            self.requested_names = {tool.name for tool in tools} | {""}
        self.toolbox = Toolbox((*recipe.tools, *tools), [tool.name for tool in tools])
        return notes

    def drop_default_tools(self, recipe: Recipe) -> None:
        """Deactivate the recipe's tools that no caller named: a program that registers tools has exactly those."""
        assert self.toolbox is not None
        if not self.requested_names:
            default = [tool for tool in default_tools(recipe) if self.toolbox.known.get(tool.name) == tool]
            self.toolbox.active.difference_update(tool.name for tool in default)
            self.requested_names = {""}

    def become_subagent(self) -> None:
        """Turn a session without turns into a sub-agent's: no session id, no tools of a main agent."""
        self.settings, self.info = self.settings._replace(subagent=True), None
        if self.requested_tools is not None:
            self.requested_tools = tuple(
                tool for tool in self.requested_tools if getattr(tool, "name", tool) not in TOP_LEVEL_TOOLS
            )


def make_setup(
    settings: SessionSettings, state: State | Mapping[str, Any], tools: Iterable[Any] | None, more: Mapping[str, Any]
) -> SessionSetup:
    """The setup of a new session; `more` are further fields of its state. It gets an id if the state has none."""
    fields = {**collect_caller_fields(state), **more}
    info = fields.get("session") or SessionInfo(uuid4().hex[:12])
    requested = tools if tools is not None else fields.pop("tools", None)
    return SessionSetup(settings, fields, None if requested is None else parse_tools_or_names(requested), info)
