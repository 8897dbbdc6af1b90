"""State: everything a prompt can be made from, the same for every recipe."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ...errors import StateError, shown, unknown
from ..struct import Frozen, as_json, note
from ..validation import converted, explained
from .agent import Agent, User
from .audience import Audience, Secrets
from .files import Origin, Overrides, Skill, TextFile, WorkspaceFile
from .git import Git
from .runtime import Runtime
from .tasks import Mission, SessionInfo, Task
from .tool import Tool
from .tool_forms import tools_of


class State(Frozen, frozen=True):
    """Everything a prompt can be made from. Every field is optional."""

    agent: Annotated[Agent | None, note("who the agent is")] = None
    user: Annotated[User | None, note("whom it works for")] = None
    overrides: Annotated[Overrides | None, note("SYSTEM.md and APPEND_SYSTEM.md")] = None
    context_files: Annotated[tuple[TextFile, ...], note("project files, outermost first")] = ()
    workspace_files: Annotated[tuple[WorkspaceFile, ...], note("AGENTS.md and TOOLS.md of the data directory")] = ()
    skills: Annotated[tuple[Skill, ...], note("the skills it can load")] = ()
    tools: Annotated[tuple[Tool, ...], note("the active tools, in the caller's order")] = ()
    native_tools: Annotated[bool, note("false where the provider has no tool calling of its own")] = True
    runtime: Annotated[Runtime | None, note("machine, model and working directory")] = None
    git: Annotated[Git | None, note("branch, status and last commits, where somebody asked")] = None
    now: Annotated[Annotated[datetime, Meta(tz=True)] | None, note("ISO 8601 with offset")] = None
    session: Annotated[SessionInfo | None, note("absent for a sub-agent")] = None
    channel: Annotated[str | None, note("telegram, cli, …")] = None
    memories: Annotated[tuple[str, ...], note("facts that are kept across sessions")] = ()
    task: Annotated[Task | None, note("the task that the run is bound to")] = None
    background: Annotated[bool, note("true for a run whose output reaches nobody")] = False
    mission: Annotated[Mission | None, note("a program to be written")] = None
    extra: Annotated[dict[str, Any], note("anything, for recipes of one's own")] = {}
    audience: Annotated[Audience, note("public: without memories, user, soul, host facts and workspace files")] = (
        "private"
    )
    secrets: Annotated[Secrets, note("redact: keys and tokens are written `[secret: kind]`; show: left")] = "redact"
    mark: Annotated[str | None, note("a word that nobody can guess, for fences: 8 to 64 letters and digits")] = None
    limits: Annotated[dict[str, int], note("limits of the recipe's that a setting changes, by their names")] = {}
    origins: Annotated[dict[str, Origin], note("the file from which a field was read, by the field's path")] = {}

    def __post_init__(self) -> None:
        # A list could change behind a prompt that takes its blocks over by identity.
        if self.now is not None and self.now.tzinfo is None:
            raise StateError(f"now: {self.now!r} has no offset; give it one, e.g. datetime.now().astimezone().")
        for name in SEQUENCES:
            if type(getattr(self, name)) is list:
                msgspec.structs.force_setattr(self, name, tuple(getattr(self, name)))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "State":
        """Take the JSON form. A value that does not fit is an error that gives its path."""
        own = with_tools(own_keys(data))
        try:
            return converted(own, cls)
        except msgspec.ValidationError as error:
            raise StateError(_as_given(explained(error, cls, own), data)) from None

    def to_dict(self) -> dict[str, Any]:
        """Give the JSON form, without what is at its default."""
        return as_json(self)

    def replace(self, **changes: Any) -> "State":
        """A copy with some fields changed; the other fields are the same objects."""
        changes = dict(own_keys(changes))
        for name in changes:
            if name not in FIELDS:
                raise StateError(unknown("State field", name, FIELDS))
        if self.origins and "origins" not in changes:
            # What is given now was not read from the file that gave it before.
            kept = {path: origin for path, origin in self.origins.items() if _root(path) not in changes}
            changes["origins"] = kept if len(kept) < len(self.origins) else self.origins
        return msgspec.structs.replace(self, **changes)


def with_tools(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same, with functions and Tools among its tools in the JSON form."""
    given: object = data
    tools = data.get("tools") if isinstance(given, Mapping) else None
    if not isinstance(tools, list | tuple) or all(isinstance(tool, Mapping) for tool in tools):
        return data
    return {**data, "tools": [_plain(tool, f"tools[{index}]") for index, tool in enumerate(tools)]}


def _plain(tool: object, where: str) -> object:
    if not callable(tool) and not isinstance(tool, Tool):
        return tool
    return msgspec.to_builtins(next(iter(tools_of(tool, where))))


def own_keys(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same fields by our names: `silent` is `background`. Both, and not the same, is an error."""
    given: object = data  # whoever hands over something else is told so by whoever reads it
    if not isinstance(given, Mapping):
        return data
    data = _renamed(data, ALIASES)
    mission = data.get("mission")
    if isinstance(mission, Mapping):
        own = _renamed(mission, MISSION, "mission.")
        catalog = own.get(CATALOG)
        own = {key: value for key, value in own.items() if key != CATALOG}
        data = data if own == mission else {**data, "mission": own}
        data = data if catalog is None else _with_catalog(data, catalog)
    if CATALOG in data:
        catalog, data = data[CATALOG], {key: value for key, value in data.items() if key != CATALOG}
        data = data if catalog is None else _with_catalog(data, catalog)
    return data


def _renamed(data: Mapping[str, Any], names: Mapping[str, str], place: str = "") -> Mapping[str, Any]:
    for other, name in names.items():
        if other not in data:
            continue
        if name in data and data[name] != data[other]:
            differ = f"{other} {shown(data[other], 20)}, {name} {shown(data[name], 20)}"
            told = f"{place}{other}: it is another name of {name}, and they differ ({differ}); give one of them."
            raise StateError(told)
        data = {name if key == other else key: value for key, value in data.items()}
    return data


def _with_catalog(data: Mapping[str, Any], catalog: Any) -> Mapping[str, Any]:
    """The tools with those of PtcRunner's catalogue, which are for planning only: a list, or an object by name."""
    if isinstance(catalog, Mapping):
        catalog = [_named(name, tool) for name, tool in catalog.items()]
    if not isinstance(catalog, list | tuple):
        raise StateError(f"{CATALOG}: it is {shown(catalog, 40)}; give a list of tools, or an object of them by name.")
    plain = [_plain(tool, f"{CATALOG}[{index}]") for index, tool in enumerate(catalog)]
    planned = [{**tool, "planning_only": True} if isinstance(tool, Mapping) else tool for tool in plain]
    return {**data, "tools": [*(data.get("tools") or ()), *planned]}


def _named(name: str, tool: Any) -> Any:
    """A tool of an object of tools: its fields, its signature alone, or a function."""
    if isinstance(tool, str):
        return {"name": name, "signature": tool}
    plain = _plain(tool, f"{CATALOG}.{name}")
    return {**plain, "name": name} if isinstance(plain, Mapping) else plain


def _as_given(said: str, data: Mapping[str, Any]) -> str:
    """An error with the key that the caller wrote."""
    for other, name in ALIASES.items():
        if said.startswith(f"{name}:") and other in data and name not in data:
            return other + said.removeprefix(name)
    return said


def _root(path: str) -> str:
    return path.replace("[", ".").partition(".")[0]


ALIASES = {"silent": "background"}
"""Names under which others know a field, and ours."""
MISSION = {"context": "data", "context_signature": "data_signature", "prompt_limit": "limits"}
"""PtcRunner's names of options, and ours."""
CATALOG = "tool_catalog"
"""PtcRunner's tools for planning, in a mission or beside its tools."""
SEQUENCES = ("context_files", "workspace_files", "skills", "tools", "memories")
FIELDS: tuple[str, ...] = State.__struct_fields__
