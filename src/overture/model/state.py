"""State: everything a prompt can be made from, the same for every recipe."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, get_args, get_type_hints

import msgspec
from msgspec import Meta, Struct

from .agent import Agent, User
from .errors import StateError, nearest, unknown
from .files import Origin, Overrides, Skill, TextFile, WorkspaceFile
from .runtime import Runtime
from .struct import Frozen, note
from .tool import Tool
from .work import Mission, SessionInfo, Task


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
    now: Annotated[Annotated[datetime, Meta(tz=True)] | None, note("ISO 8601 with offset")] = None
    session: Annotated[SessionInfo | None, note("absent for a sub-agent")] = None
    channel: Annotated[str | None, note("telegram, cli, …")] = None
    memories: Annotated[tuple[str, ...], note("facts that are kept across sessions")] = ()
    task: Annotated[Task | None, note("the task that the run is bound to")] = None
    background: Annotated[bool, note("true for a run whose output reaches nobody")] = False
    mission: Annotated[Mission | None, note("a program to be written")] = None
    extra: Annotated[dict[str, Any], note("anything, for recipes of one's own")] = {}
    origins: Annotated[dict[str, Origin], note("the file from which a field was read, by the field's path")] = {}

    def __post_init__(self) -> None:
        # A list could change behind a prompt that takes its blocks over by identity.
        for name in SEQUENCES:
            if type(getattr(self, name)) is list:
                msgspec.structs.force_setattr(self, name, tuple(getattr(self, name)))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "State":
        """Take the JSON form. A value that does not fit is an error that gives its path."""
        try:
            return msgspec.convert(data, cls)
        except msgspec.ValidationError as error:
            raise StateError(explained(str(error))) from None

    def to_dict(self) -> dict[str, Any]:
        """Give the JSON form, without what is at its default."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        return data

    def replace(self, **changes: Any) -> "State":
        """A copy with some fields changed; the other fields are the same objects."""
        for name in changes:
            if name not in FIELDS:
                raise StateError(unknown("State field", name, FIELDS))
        return msgspec.structs.replace(self, **changes)


SEQUENCES = ("context_files", "workspace_files", "skills", "tools", "memories")
FIELDS: tuple[str, ...] = State.__struct_fields__


def explained(message: str) -> str:
    """Msgspec's words -> `tools[2].name: expected text, got a whole number`."""
    text, _, place = message.partition(" - at `")
    path = place.rstrip("`").removeprefix("$").removeprefix(".")
    where = f"{path}: " if path else ""
    if found := re.fullmatch(r"Object contains unknown field `(.*)`", text):
        known = _fields_at(path)
        return f"{where}unknown key {found[1]!r}.{nearest(found[1], known)} Known: {', '.join(known)}."
    if found := re.fullmatch(r"Object missing required field `(.*)`", text):
        return f"{where}the key {found[1]!r} is missing; it is required here."
    if found := re.fullmatch(r"Expected `(.*)`, got `(.*)`", text):
        return f"{where}expected {_kinds(found[1])}, got {_kinds(found[2])}."
    if "timezone component" in text:
        return f"{where}a time needs its offset, e.g. 2026-03-07T08:55:05-06:00."
    if "RFC3339" in text:
        return f"{where}not an ISO 8601 time, e.g. 2026-03-07T08:55:05-06:00."
    return f"{where}{text}."


KINDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
    "datetime": "an ISO 8601 time",
}


def _kinds(names: str) -> str:
    return " or ".join(KINDS.get(name.strip(), name.strip()) for name in names.split("|"))


def _fields_at(path: str) -> tuple[str, ...]:
    """The fields of the struct that `path` leads to, e.g. `tools[2]` -> those of Tool."""
    here: type[Struct] = State
    for name in re.findall(r"[A-Za-z_]\w*", path):
        here = _struct_in(get_type_hints(here)[name]) or here
    return here.__struct_fields__


def _struct_in(hint: Any) -> type[Struct] | None:
    if isinstance(hint, type) and issubclass(hint, Struct):
        return hint
    return next((found for arg in get_args(hint) if (found := _struct_in(arg))), None)
