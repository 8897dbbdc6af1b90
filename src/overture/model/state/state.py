"""State holds everything a prompt can be made from; an audience or a sub-agent sees part of it."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from datetime import datetime
from functools import cache
from operator import attrgetter
from types import NoneType
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta
from msgspec.structs import astuple, force_setattr

from ...errors import StateError, explain_unknown
from ..source import Origin
from ..struct import FieldTypes, Frozen, as_json, convert_data, explain_error, field_types, note
from ..tool import Tool
from .agent_and_runtime import Agent, Git, Mission, Runtime, ServerInfo, SessionInfo, Task, User
from .field_aliases import CATALOG, STATE_ALIASES, canonical_keys, convert_tool_to_data, restore_key
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
    mark: Annotated[str | None, note("a random word that fences less trusted text: 8 to 64 letters and digits")] = None
    limits: Annotated[dict[str, int], note("limits of the recipe that a setting changed, by name")] = {}
    origins: Annotated[dict[str, Origin], note("the file from which a field was read, by the field's path")] = {}

    def __post_init__(self) -> None:
        types = tuple(map(type, astuple(self)))
        if not _are_field_types(types):
            for name, kind, known in zip(FIELDS, types, FIELD_TYPES, strict=True):
                if kind not in known:
                    self._fit_field(name)
        # The first item is enough: who passes data in place of objects does so for all.
        kinds = tuple([items and type(items[0]) for items in item_values(self)])
        if not _are_known(kinds, self.audience, self.secrets):
            for name in (*ITEM_TYPES, "audience", "secrets"):
                self._fit_field(name)
        self._check_clock_and_tools()

    def _check_clock_and_tools(self) -> None:
        """Refuse a time without an offset, and take tools in any form."""
        if self.now is not None and self.now.tzinfo is None:
            raise StateError(f"now: {self.now!r} has no offset; use e.g. datetime.now().astimezone().")
        if type(self.tools) is not tuple or not {*map(type, self.tools)} <= {Tool}:
            self._fit_field("tools")

    def _fit_field(self, name: str) -> None:
        """Take a value of another type as `replace` does; one that does not fit is an error that names the field."""
        value = getattr(self, name)
        if name == "tools":
            from ..convert_tools import tools_from

            value = tools_from(value, name)
        elif type(value) is list:  # it could change behind a prompt that takes its blocks over by identity
            value = tuple(value)
        force_setattr(self, name, _fit_value(name, value))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> State:
        """Take the JSON form. A value that does not fit is an error that gives its path."""
        own = plain_tools(canonical_keys(data))
        try:
            return convert_data(own, cls)
        except msgspec.ValidationError as error:
            raise StateError(restore_key(explain_error(error, cls, own), data)) from None

    def to_dict(self) -> dict[str, Any]:
        """Give the JSON form, without what is at its default."""
        return as_json(self)

    def replace(self, **changes: Any) -> State:
        """A copy with some fields changed; the other fields are the same objects.

        A value may also be in its JSON form. One that does not fit is an error, as in `from_dict`.
        """
        if not changes.keys().isdisjoint(KEYS_WITH_ALIASES):
            # The tools of a catalogue are added to those that are there.
            changes = dict(canonical_keys({"tools": self.tools, **changes}))
            if changes["tools"] is self.tools:
                del changes["tools"]
        for name, value in changes.items():
            changes[name] = _fit_value(name, value)
        if self.origins and "origins" not in changes:
            # A value that is set now was not read from the file of the earlier one.
            origins = {path: origin for path, origin in self.origins.items() if find_root_field(path) not in changes}
            changes["origins"] = origins if len(origins) < len(self.origins) else self.origins
        new = copy(self)  # `structs.replace` would check all fields again
        for name, value in changes.items():
            force_setattr(new, name, value)
        if not changes.keys().isdisjoint(("now", "tools")):
            new._check_clock_and_tools()
        return new


def plain_tools(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The data of a State, with functions, Tools and objects of frameworks among its tools in the JSON form."""
    value: object = data
    tools = data.get("tools") if isinstance(value, Mapping) else None
    if not isinstance(tools, list | tuple) or all(isinstance(tool, Mapping) for tool in tools):
        return data
    return {
        **data,
        "tools": [each for index, tool in enumerate(tools) for each in convert_tool_to_data(tool, f"tools[{index}]")],
    }


def find_root_field(path: str) -> str:
    """The field of State in which a path begins."""
    return path.replace("[", ".").partition(".")[0]


KEYS_WITH_ALIASES = frozenset((*STATE_ALIASES, CATALOG, "mission"))
"""Fields with other names, or that may hold such fields."""
FIELDS: tuple[str, ...] = State.__struct_fields__
field_values = attrgetter(*FIELDS)
SEQUENCES = ("context_files", "workspace_files", "skills", "tools", "servers", "memories")
OPTIONAL_TYPES = {
    "agent": Agent, "user": User, "overrides": Overrides, "runtime": Runtime, "git": Git, "now": datetime,
    "session": SessionInfo, "channel": str, "task": Task, "mission": Mission, "mark": str,
}  # fmt: skip
OTHER_TYPES: dict[str, type] = {
    **dict.fromkeys(SEQUENCES, tuple), "native_tools": bool, "background": bool, "extra": dict, "limits": dict,
    "origins": dict, "audience": str, "secrets": str,
}  # fmt: skip
FIELD_TYPES = tuple(
    (OPTIONAL_TYPES[name], NoneType) if name in OPTIONAL_TYPES else (OTHER_TYPES[name],) for name in FIELDS
)
"""The types of each field's value. To read them from the annotations would take milliseconds of a first build."""
ITEM_TYPES = {
    "context_files": TextFile, "workspace_files": WorkspaceFile, "skills": Skill, "servers": ServerInfo, "memories": str
}  # fmt: skip
item_values = attrgetter(*ITEM_TYPES)


@cache
def _are_field_types(types: tuple[type, ...]) -> bool:
    """Whether the fields of a State may have these types."""
    return all(kind in known for kind, known in zip(types, FIELD_TYPES, strict=True))


@cache
def _are_known(kinds: tuple[Any, ...], audience: str, secrets: str) -> bool:
    """Whether lists may begin with items of these types, and the words are known ones."""
    fit = all(kind in ((), known) for kind, known in zip(kinds, ITEM_TYPES.values(), strict=True))
    return fit and audience in get_args(Audience) and secrets in get_args(Secrets)


CLOCK_FIELDS = frozenset(("now",))
"""The fields in which two states differ if only the clock has moved."""


def _fit_value(name: str, value: Any) -> Any:
    """A value that fits a field: itself, or what its JSON form stands for; any other is an error."""
    return value if _types_of_field(name).include(value) else getattr(State.from_dict({name: value}), name)


@cache
def _types_of_field(name: str) -> FieldTypes:
    """The types that a field of State takes."""
    if name not in FIELDS:
        raise StateError(explain_unknown("State field", name, FIELDS))
    return FieldTypes((tuple, list)) if name == "tools" else field_types(State, name)  # tools have many forms
