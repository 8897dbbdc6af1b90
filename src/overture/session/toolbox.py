"""Toolbox holds the tools a session knows and which are active, in a stable order."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from ..assemble.sanitize.forbidden_frames import prompt_guard
from ..assemble.sanitize.messages_and_tools import sanitize_tools
from ..errors import suggest
from ..model.convert_tools import as_mapping, convert_tool_item, tools_from
from ..model.diagnostic import Diagnostic, warning
from ..model.prompt.prompt import Prompt
from ..model.recipe.recipe import Recipe
from ..model.state.files import Skill
from ..model.tool import Tool, vendor_keys
from ..providers.render import list_native_tools
from ..providers.write.tools import report_missing_schemas
from ..sections.skill_menu import listed_skills


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
    """A warning about each tool that is given several times."""
    return [
        warning("tool-duplicate", f"tool {name!r} is given {times} times: it is used once")
        for name, times in Counter(names).items()
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
