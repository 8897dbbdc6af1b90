"""What a program passes to a session: options, where to look, tools and fields. Toolbox holds its tools."""

from collections import Counter as Tally
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, get_args
from uuid import uuid4

from msgspec import Meta
from msgspec.structs import replace

from ..assemble.sanitize.forbidden_frames import prompt_guard
from ..assemble.sanitize.messages_and_tools import sanitize_tools
from ..discovery.discover import ResolvedProject, default_tools
from ..discovery.place import locate
from ..discovery.world import Path, World
from ..errors import SessionError, show_value, suggest
from ..model.convert_tools import as_mapping, convert_tool_item, tools_from
from ..model.diagnostic import Diagnostic, warning
from ..model.prompt.budget import Budget
from ..model.prompt.prompt import Prompt
from ..model.recipe.recipe import Recipe
from ..model.state.agent_and_runtime import SessionInfo
from ..model.state.audience_and_subagents import TOP_LEVEL_TOOLS
from ..model.state.files import Skill, TextFile
from ..model.state.state import State
from ..model.struct import Frozen
from ..model.tool import Tool, vendor_keys
from ..project.resolve import resolve
from ..providers.render import list_native_tools
from ..providers.write.tools import report_missing_schemas
from ..recipes import BUILTIN
from ..sections.skill_menu import listed_skills
from ..tokens.counter import Counter
from .session_files import Memories, collect_caller_fields


class Toolbox:
    """A part of Session. Each tool keeps its first active position, until a caller sets the order."""

    def __init__(self, known: Iterable[Tool] = (), active: Iterable[str] = (), *, reported: bool = False) -> None:
        """`reported`: the record already has the problems of these tools."""
        self.known: dict[str, Tool] = {tool.name: tool for tool in known}
        self.positions: dict[str, int] = {}
        self.active: set[str] = set()
        self.reported: dict[str, Tool] = dict(self.known) if reported else {}
        self._activate(active)

    def _activate(self, names: Iterable[str]) -> None:
        """Make tools active, each at its first position."""
        for name in names:
            self.positions.setdefault(name, len(self.positions))
            self.active.add(name)

    @property
    def names(self) -> tuple[str, ...]:
        """The active tools, in order."""
        return tuple(sorted(self.active, key=self.positions.__getitem__))

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The active tools' definitions, in order."""
        return tuple(self.known[name] for name in self.names)

    def activate(self, names: Sequence[str]) -> tuple[Diagnostic, ...]:
        """Make exactly these active, in this order; unknown and repeated names are reported."""
        notes = [_report_unknown(name, self.known) for name in dict.fromkeys(names) if name not in self.known]
        notes += _report_repeated(names)
        self.active = {name for name in names if name in self.known}
        first = dict.fromkeys(name for name in names if name in self.known)
        others = sorted(self.positions.keys() - first, key=self.positions.__getitem__)
        self.positions = {name: index for index, name in enumerate((*first, *others))}
        return tuple(notes)

    def register(self, tools: Sequence[Tool]) -> tuple[Diagnostic, ...]:
        """Add tools and activate them. A tool with a known name replaces the old one."""
        for tool in tools:
            self.known[tool.name] = tool
        self._activate(tool.name for tool in tools)
        return tuple(_report_repeated([tool.name for tool in tools]))

    def unregister(self, names: Sequence[str]) -> tuple[Diagnostic, ...]:
        """Remove tools. A tool that is added again returns to its position."""
        notes = [_report_unknown(name, self.known) for name in names if name not in self.known]
        for name in names:
            self.known.pop(name, None)
            self.active.discard(name)
        return tuple(notes)

    def report_new(self, prompt: Prompt) -> tuple[Diagnostic, ...]:
        """The problems of a prompt's tools that are not reported yet."""
        state = prompt.state
        new = [tool for tool in state.tools if self.reported.get(tool.name) != tool]
        self.reported |= {tool.name: tool for tool in new}
        foreign = [vendor_keys(tool) for tool in new if tool.foreign]
        if not (new and list_native_tools(prompt)):
            return tuple(foreign)
        callable_ones = [tool for tool in new if not tool.planning_only]
        return (*foreign, *sanitize_tools(callable_ones, prompt_guard(prompt)).notes, *report_missing_schemas(new))


def _report_unknown(name: str, known: Iterable[str]) -> Diagnostic:
    """The warning about an active tool that the toolbox does not know."""
    return warning("tool-unknown", f"no tool {name!r} is registered: it stays inactive.{suggest(name, known)}")


def _report_repeated(names: Sequence[str]) -> list[Diagnostic]:
    return [
        warning("tool-duplicate", f"tool {name!r} is given {times} times: it is used once")
        for name, times in Tally(names).items()
        if times > 1
    ]


def parse_tools_or_names(tools: Any) -> tuple[str | Tool, ...]:
    """Parse a caller's tools: names of the recipe's tools, definitions, functions, or an MCP result."""
    if isinstance(as_mapping(tools), Mapping) or isinstance(tools, str) or not isinstance(tools, Iterable):
        return tools_from(tools, "tools")
    parsed: list[str | Tool] = []
    for index, item in enumerate(tools):
        parsed += [item] if isinstance(item, str) else convert_tool_item(item, f"tools[{index}]")
    return tuple(parsed)


def select_requested_tools(
    recipe: Recipe, items: Iterable[str | Tool]
) -> tuple[tuple[Tool, ...], tuple[Diagnostic, ...]]:
    """The requested tools, by name or in full. Of two with one name, the last is used."""
    own = {tool.name: tool for tool in recipe.tools}
    notes = [_report_unknown(item, own) for item in items if isinstance(item, str) and item not in own]
    named = [own.get(item) if isinstance(item, str) else item for item in items]
    tools = [tool for tool in named if tool is not None]
    notes += _report_repeated([tool.name for tool in tools])
    return tuple({tool.name: tool for tool in tools}.values()), tuple(notes)


USE_SKILL = "use_skill"


def add_skill_loader(
    tools: tuple[Tool, ...], skills: tuple[Skill, ...], recipe: Recipe, requested: bool
) -> tuple[Tool, ...]:
    """The tools, with the skill loader if there are skills to load, without it otherwise.

    `requested`: the caller named the loader, so it stays in any case.
    """
    loader = next((tool for tool in recipe.tools if tool.name == USE_SKILL), None)
    if loader is None:  # this recipe's skills are read like other files
        return tools
    if listed_skills(skills):
        return tools if any(tool.name == USE_SKILL for tool in tools) else (*tools, loader)
    return tools if requested else tuple(tool for tool in tools if tool.name != USE_SKILL)


def complete_tool(tool: Tool, known: Tool | None) -> Tool:
    """A framework's tool, completed from the known tool of that name: snippet, guidelines, missing fields."""
    if known is None:
        return tool
    return replace(
        tool,
        description=tool.description or known.description,
        parameters=tool.parameters if tool.parameters is not None else known.parameters,
        snippet=tool.snippet or known.snippet,
        guidelines=tool.guidelines or known.guidelines,
        signature=tool.signature or known.signature,
    )


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
    return type(value) is int and value >= 0


class SessionSettings(NamedTuple):
    """Where a session looks, what it may cost, and its options."""

    recipe: str | Recipe | None = None
    cwd: Path | None = None
    home: Path | None = None
    root: Path | None = None
    config: Mapping[str, Any] | None = None
    world: World = World()
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
