"""SessionSetup is what a program gives to a session: settings, fields of the State, tools."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import uuid4

from ..discover.discover import ResolvedProject, default_tools
from ..model.diagnostic import Diagnostic
from ..model.recipe.recipe import Recipe
from ..model.state.agent_and_task import SessionInfo
from ..model.state.files import TextFile
from ..model.state.state import TOP_LEVEL_TOOLS, State, audience_fields
from ..model.tool.tool import Tool
from .files.given_fields import collect_given_fields
from .options import SessionSettings
from .toolbox import Toolbox, parse_tools_or_names, select_given_tools

ToolRequest = tuple[str | Tool, ...]
"""Tools as a program asks for them: names of the recipe's own, and definitions."""


class SessionSetup:
    """A part of Session. Any thread may change it at any time, so that undoing a turn leaves it alone."""

    def __init__(
        self,
        settings: SessionSettings,
        fields: Mapping[str, Any],
        requested_tools: ToolRequest | None,
        info: SessionInfo | None,
    ) -> None:
        self.settings = settings
        self.given = dict(fields)
        """Fields of the State; they win over what is discovered."""
        self.requested_tools = requested_tools
        self.requested_names: set[str] = set()
        """The tools that somebody named; with the empty name in it, the recipe's default tools are dropped."""
        self.default_tools: tuple[Tool, ...] = ()
        """The tools that the configuration or the recipe activates."""
        self.toolbox: Toolbox | None = None
        self.info = info
        """None for a sub-agent."""
        self.remote_files: tuple[TextFile, ...] = ()
        """Resources of MCP servers."""

    def set_default_tools(self, project: ResolvedProject) -> tuple[Diagnostic, ...]:
        """Activate the tools of the configuration or the recipe; those that were registered stay."""
        tools = default_tools(project.recipe) if project.tools is None else project.tools
        notes: tuple[Diagnostic, ...] = ()
        if self.toolbox is None:
            notes = self._make_toolbox(project.recipe, tools)
        elif not self.requested_names:
            self.toolbox.swap(self.default_tools, tools)
        self.default_tools = tools
        return notes

    def _make_toolbox(self, recipe: Recipe, default: tuple[Tool, ...]) -> tuple[Diagnostic, ...]:
        requested = self.requested_tools
        tools, notes = (default, ()) if requested is None else select_given_tools(recipe, requested)
        if requested is not None:
            self.requested_names = {tool.name for tool in tools} | {""}
        self.toolbox = Toolbox((*recipe.tools, *tools), [tool.name for tool in tools])
        return notes

    def drop_default_tools(self, recipe: Recipe) -> None:
        """Deactivate the recipe's tools that nobody named: a program that registers its own has exactly these."""
        assert self.toolbox is not None
        if not self.requested_names:
            default = [tool for tool in default_tools(recipe) if self.toolbox.known.get(tool.name) == tool]
            self.toolbox.active.difference_update(tool.name for tool in default)
            self.requested_names = {""}

    def become_subagent(self) -> None:
        """Let a session that has not begun be a sub-agent's: it has no session id and no tools of a main agent."""
        self.settings, self.info = self.settings._replace(subagent=True), None
        if self.requested_tools is not None:
            self.requested_tools = tuple(
                tool for tool in self.requested_tools if getattr(tool, "name", tool) not in TOP_LEVEL_TOOLS
            )


def make_setup(
    settings: SessionSettings, state: State | Mapping[str, Any], tools: Iterable[Any] | None
) -> SessionSetup:
    """The setup of a session that begins; without an id of its own it gets one."""
    fields = collect_given_fields(state) | audience_fields(settings.options.audience, settings.options.secrets)
    info = fields.get("session") or SessionInfo(uuid4().hex[:12])
    requested = tools if tools is not None else fields.pop("tools", None)
    return SessionSetup(settings, fields, None if requested is None else parse_tools_or_names(requested), info)
