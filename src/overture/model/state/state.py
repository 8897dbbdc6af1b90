"""State holds everything a prompt can be made from; an audience or a sub-agent sees part of it."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from datetime import datetime
from operator import attrgetter
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta
from msgspec.structs import force_setattr

from ...errors import StateError, explain_unknown
from ..convert_tools import as_mapping, convert_tool_item, tools_from
from ..source import Origin
from ..struct import Frozen, as_json, convert_data, explain_error, note
from ..tool import Tool
from .agent_and_runtime import Agent, Git, Mission, Runtime, ServerInfo, SessionInfo, Task, User
from .files import Overrides, Skill, TextFile, WorkspaceFile

Secrets = Literal["redact", "show"]
"""Keys and tokens are written `[secret: kind]`, or left as they are. They are reported either way."""
Audience = Literal["private", "public"]
"""The user alone, or anybody."""


def audience_fields(audience: Audience | None, secrets: Secrets | None) -> dict[str, Any]:
    """The fields that a caller sets; an unknown word is an error."""
    if audience is None and secrets is None:
        return {}
    options = {"audience": (audience, Audience), "secrets": (secrets, Secrets)}
    for name, (value, known) in options.items():
        if value is not None and value not in get_args(known):
            raise StateError(f"{name}: unknown value {value!r:.80}.", hint=f"Known: {', '.join(get_args(known))}.")
    return {name: value for name, (value, _) in options.items() if value is not None}


class State(Frozen, frozen=True):
    """The input of a prompt: files, tools, facts. Every field is optional."""

    agent: Annotated[Agent | None, note("who the agent is")] = None
    user: Annotated[User | None, note("the user")] = None
    overrides: Annotated[Overrides | None, note("SYSTEM.md and APPEND_SYSTEM.md")] = None
    context_files: Annotated[tuple[TextFile, ...], note("instruction files, outermost first")] = ()
    workspace_files: Annotated[tuple[WorkspaceFile, ...], note("AGENTS.md and TOOLS.md of the data directory")] = ()
    skills: Annotated[tuple[Skill, ...], note("the skills that the agent can load")] = ()
    tools: Annotated[tuple[Tool, ...], note("the active tools, in the caller's order")] = ()
    servers: Annotated[tuple[ServerInfo, ...], note("MCP servers, and how each describes itself")] = ()
    native_tools: Annotated[bool, note("false if the provider has no tool calling of its own")] = True
    runtime: Annotated[Runtime | None, note("machine, model and working directory")] = None
    git: Annotated[Git | None, note("branch, status and last commits, if git was run")] = None
    now: Annotated[Annotated[datetime, Meta(tz=True)] | None, note("the current time, in ISO 8601 with offset")] = None
    session: Annotated[SessionInfo | None, note("the session; absent for a sub-agent")] = None
    channel: Annotated[str | None, note("where the user reads the answers: telegram, cli, …")] = None
    memories: Annotated[tuple[str, ...], note("facts that are remembered across sessions")] = ()
    task: Annotated[Task | None, note("the task of this run")] = None
    background: Annotated[bool, note("true if nobody reads the agent's answers")] = False
    mission: Annotated[Mission | None, note("the program that the model has to write")] = None
    extra: Annotated[dict[str, Any], note("anything, for your own recipes")] = {}
    audience: Annotated[
        Audience, note("public: without memories, user, soul, facts about the machine and workspace files")
    ] = "private"
    secrets: Annotated[Secrets, note("redact: keys and tokens are replaced by `[secret: kind]`; show: kept")] = "redact"
    limits: Annotated[dict[str, int], note("limits of the recipe that a setting changed, by name")] = {}
    origins: Annotated[dict[str, Origin], note("the file from which a field was read, by the field's path")] = {}

    def __post_init__(self) -> None:
        for name, value in zip(FIELDS, field_values(self), strict=True):
            if (fitting := _fit_value(name, value)) is not value:
                force_setattr(self, name, fitting)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> State:
        """Take the JSON form. A value that does not fit is an error that gives its path."""
        own = plain_tools(data)
        try:
            return convert_data(own, cls)
        except msgspec.ValidationError as error:
            raise StateError(explain_error(error, cls, own)) from None

    def to_dict(self) -> dict[str, Any]:
        """Give the JSON form, without what is at its default."""
        return as_json(self)

    def replace(self, **changes: Any) -> State:
        """A copy with some fields changed; the other fields are the same objects.

        A value may also be in its JSON form. One that does not fit is an error, as in `from_dict`.
        """
        for name, value in changes.items():
            if name not in FIELDS:
                raise StateError(explain_unknown("State field", name, FIELDS))
            changes[name] = _fit_value(name, value)
        if self.origins and "origins" not in changes:
            # A value that is set now was not read from the file of the earlier one.
            origins = {path: origin for path, origin in self.origins.items() if find_root_field(path) not in changes}
            changes["origins"] = origins if len(origins) < len(self.origins) else self.origins
        new = copy(self)  # `structs.replace` would check all fields again
        for name, value in changes.items():
            force_setattr(new, name, value)
        return new


def plain_tools(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The data of a State, with functions, Tools and objects of frameworks among its tools in the JSON form."""
    value: object = data
    tools = data.get("tools") if isinstance(value, Mapping) else None
    if not isinstance(tools, list | tuple) or all(isinstance(tool, Mapping) for tool in tools):
        return data
    plain: list[object] = []
    for index, tool in enumerate(tools):
        if not callable(tool) and not isinstance(tool, Tool) and as_mapping(tool) is tool:
            plain.append(tool)
        else:
            plain += [msgspec.to_builtins(each) for each in convert_tool_item(tool, f"tools[{index}]")]
    return {**data, "tools": plain}


def find_root_field(path: str) -> str:
    """The field of State in which a path begins."""
    return path.replace("[", ".").partition(".")[0]


FIELDS: tuple[str, ...] = State.__struct_fields__
field_values = attrgetter(*FIELDS)
SEQUENCES = ("context_files", "workspace_files", "skills", "tools", "servers", "memories")
KINDS = {
    "agent": Agent, "user": User, "overrides": Overrides, "runtime": Runtime, "git": Git, "now": datetime,
    "session": SessionInfo, "channel": str, "task": Task, "mission": Mission,
}  # fmt: skip
ITEMS: dict[str, type] = {
    "context_files": TextFile, "workspace_files": WorkspaceFile, "skills": Skill, "servers": ServerInfo,
    "memories": str, "origins": Origin, "limits": int,
}  # fmt: skip
WORDS = {"audience": get_args(Audience), "secrets": get_args(Secrets)}
DEFAULTS: dict[str, Any] = {
    name: getattr(default, "factory", lambda default=default: default)()
    for name, default in zip(FIELDS, State.__struct_defaults__, strict=True)
}


def _fit_value(name: str, value: Any) -> Any:
    """A value that fits a field: itself, or what its JSON form stands for; any other is an error."""
    default = DEFAULTS[name]
    if value is default:
        return value
    if name == "tools" and isinstance(value, list | tuple | dict):
        return value if type(value) is tuple and {*map(type, value)} <= {Tool} else tools_from(value, name)
    if isinstance(value, datetime) and value.tzinfo is None:
        raise StateError(f"{name}: {value!r} has no offset; use e.g. datetime.now().astimezone().")
    if type(value) is list and name in SEQUENCES:
        value = tuple(value)  # a caller may change a list later
    if name in WORDS:
        fits = isinstance(value, str) and value in WORDS[name]
    elif name in ITEMS:
        items: Any = value.values() if isinstance(value, dict) else value
        fits = isinstance(value, type(default)) and all(isinstance(item, ITEMS[name]) for item in items)
    else:
        fits = isinstance(value, KINDS.get(name, type(default)))
    return value if fits else getattr(State.from_dict({name: value}), name)


PLAIN_TEXTS = frozenset(("context_files", "workspace_files"))
"""Fields that hold long texts, and nothing that a program could change in place."""
EXACT = frozenset(("now", "mission", "extra"))
"""Fields whose values may be equal and written otherwise: times in two zones, values of other types."""


def encode_fields(state: State) -> dict[str, Any]:
    """What each field holds, by its name: a program may change a dict of it in place later. None: it is unknown."""
    fields: dict[str, Any] = {}
    for name, value in zip(FIELDS, field_values(state), strict=True):
        try:
            fields[name] = value if name in PLAIN_TEXTS else msgspec.msgpack.encode(value)
        except (TypeError, ValueError, OverflowError, RecursionError):  # of a user's own type, or half a surrogate pair
            fields[name] = None
            continue
        if name in EXACT:
            fields[name] += repr(value).encode("utf-8", "surrogatepass")
    return fields


def changed_fields(old: Mapping[str, Any], new: Mapping[str, Any]) -> frozenset[str]:
    """The fields that hold something else than before, or may do so."""
    return frozenset([name for name, value in new.items() if value is None or old.get(name) != value])
