"""Keeps the extensions of a session. Each is a layer over what the program registers, so it can be replaced."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from ..errors import ConfigError
from ..model.state.state import State
from .load_extension import ExtensionLocation
from .record_entry import Trigger
from .session_files import Resources

PendingWork = Callable[[], object]


Setup = Callable[[Any], object]
ExtensionSource = Setup | str
"""A function that takes the session, or `module:function`, or `file.py:function`."""


class ExtensionUnit(NamedTuple):
    """One extension, before it is set up."""

    id: str
    """Its origin and its name: stable across reloads and saves."""
    name: str
    source: Setup | ExtensionLocation | ConfigError
    """Its function, or where it is, or why it can't be found."""
    path: str | None = None
    """The configuration file that names it."""


class PendingChanges(Struct, eq=False):
    """The changes that one extension requests, in order. They wait until its setup has succeeded."""

    session: object
    unit: ExtensionUnit
    state: State
    """The state that the extension sees."""
    works: list[PendingWork] = []
    outcome: Literal["waiting", "granted", "dropped"] = "waiting"
    problem: str | None = None
    """Why its setup failed."""


PENDING_CHANGES: ContextVar[PendingChanges | None] = ContextVar("PENDING_CHANGES", default=None)
"""The pending changes of the extension that this context sets up."""


def get_pending_changes(session: Any) -> PendingChanges | None:
    """The pending changes of the session's extension that this context sets up, or None."""
    pending = PENDING_CHANGES.get()
    return pending if pending is not None and pending.session is session else None


Registry = dict[tuple[str, Any], Any]
"""Everything that extensions can change, by kind and name: `("tool", "read")`, `("skills", "/x")`.

The name of a hook is its event and its identity.
"""
Layer = Mapping[tuple[str, Any], Any]
"""The part of a registry that an extension changed. What it took away is REMOVED."""
REMOVED: Any = object()
TOOL_KINDS = ("tool", "active")
RESOURCE_KINDS = Resources.__struct_fields__


def find_layer(before: Registry, after: Registry) -> Registry:
    """The layer that makes the one registry the other."""
    values = {key: after.get(key, REMOVED) for key in {**before, **after}}
    return {key: value for key, value in values.items() if value != before.get(key, REMOVED)}


def lay_over(registry: Registry, layer: Layer) -> Registry:
    """The registry with a layer over it."""
    return {key: value for key, value in {**registry, **layer}.items() if value is not REMOVED}


def pick_kind(layer: Layer, kind: str) -> dict[Any, Any]:
    """The values of one kind, by name."""
    return {name: value for (of, name), value in layer.items() if of == kind}


def _describe_layer(layer: Layer) -> list[str]:
    """What an extension registers, in words, for the record."""
    hooks = pick_kind(layer, "hook").items()
    return [
        *(f"{'no ' if tool is REMOVED else ''}tool {name}" for name, tool in pick_kind(layer, "tool").items()),
        *(f"hook {hook.name} on {event}" for (event, _), hook in hooks if hook is not REMOVED),
        *(f"field {name}" for name in pick_kind(layer, "field")),
        *(f"{kind} {path}" for kind in RESOURCE_KINDS for path in pick_kind(layer, kind)),
    ]


class LoadedExtension(NamedTuple):
    """An extension that was set up."""

    id: str
    name: str
    layer: Layer

    def drop_fields(self, changes: Layer) -> "LoadedExtension":
        """The extension without the fields that the program changed since."""
        layer = {key: value for key, value in self.layer.items() if key[0] != "field" or key not in changes}
        return self._replace(layer=layer)


class Extensions:
    """A part of Session: the extensions that a program passes, and the loaded ones."""

    def __init__(self, sources: tuple[ExtensionSource, ...] = ()) -> None:
        self.sources = sources
        self.loaded: tuple[LoadedExtension, ...] = ()
        self.base: Registry = {}
        """What the program itself registered."""
        self.latest: Registry = {}
        """The base with all layers, as they were last set."""
        self.top: Registry = {}
        """The program's layer over those of extensions: what it changed of their tools stays after a reload."""
        self.ran = False
        """Whether they were set up before: from then on their modules are imported again."""
        self.due = False
        """Whether they need a setup without a trigger: after a resume."""

    def follow_program(self, now: Registry) -> None:
        """Add to the program's layers what it changed since the extensions were loaded.

        Of a field, the last value counts until a reload: no layer covers the program's.
        """
        own = find_layer(self.latest, now)
        own |= {("active", name): now.get(("active", name), REMOVED) for kind, name in own if kind == "tool"}
        theirs = _list_tools(self.loaded)
        self.top |= {key: value for key, value in own.items() if key[0] in TOOL_KINDS and key[1] in theirs}
        self.base, self.latest = lay_over(self.base, own) if self.loaded else now, now
        self.loaded = tuple(each.drop_fields(own) for each in self.loaded)

    def replace_layers(self, loaded: tuple[LoadedExtension, ...]) -> None:
        """Replace the extensions. The program's layer over them ends for tools that none of them has."""
        theirs = _list_tools(loaded)
        self.loaded, self.ran = loaded, True
        self.top = {key: value for key, value in self.top.items() if key[1] in theirs}


def _list_tools(loaded: Iterable[LoadedExtension]) -> set[str]:
    return {name for each in loaded for kind, name in each.layer if kind in TOOL_KINDS}


def list_extension_triggers(old: Sequence[LoadedExtension], new: Sequence[LoadedExtension]) -> list[Trigger]:
    """The added and removed things, one trigger for each extension that changed."""
    was, now = {each.id: each for each in old}, {each.id: each for each in new}
    reasons = [_describe_changes(was.get(id), now.get(id)) for id in dict.fromkeys((*was, *now))]
    return [Trigger("extensions", reason) for reason in reasons if reason]


def _describe_changes(old: LoadedExtension | None, new: LoadedExtension | None) -> str:
    """What an extension added and removed, in words; empty if nothing."""
    before, after = (_describe_layer(each.layer) if each else [] for each in (old, new))
    came = ", ".join(name for name in after if name not in before)
    went = ", ".join(name for name in before if name not in after)
    if old and new:
        changes = "; ".join(filter(None, (came and f"{came} added", went and f"{went} removed")))
        return f"{new.name} changed: {changes}" if changes else ""
    if new:
        return f"{new.name} loaded: {came or 'nothing was registered'}"
    return f"{old.name} unloaded: {went or 'nothing was registered'}" if old else ""
