"""Keeps the extensions of a session, and the changes of each, so that they can be undone."""

import threading
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from ..errors import ConfigError, SessionError
from ..model.state.state import State
from ..model.tool import Tool
from .call_hooks import EventName, NamedHook
from .files.session_files import Resources
from .record_entry import Trigger

PendingWork = Callable[[], object]


class PendingChanges:
    """The changes that one extension requests, in order. They wait until its setup has succeeded."""

    def __init__(self, session: object, state: State) -> None:
        """Collect the changes of one extension's setup."""
        self.session, self.state = session, state
        self.works: list[PendingWork] = []
        self.outcome: Literal["waiting", "granted", "dropped"] = "waiting"
        self.lock = threading.Lock()

    def add(self, work: PendingWork) -> bool:
        """Queue a change; returns false if the caller can make it at once."""
        with self.lock:
            if self.outcome == "dropped":
                raise SessionError("This extension was unloaded.", cause="Its requests are ignored.")
            if self.outcome == "waiting":
                self.works.append(work)
            return self.outcome == "waiting"

    def end(self, outcome: Literal["granted", "dropped"]) -> list[PendingWork]:
        """Accept no more changes; returns the queued ones."""
        with self.lock:
            self.outcome = outcome
            return self.works


PENDING_CHANGES: ContextVar[PendingChanges | None] = ContextVar("PENDING_CHANGES", default=None)
"""The pending changes of the extension that this context sets up."""


def get_pending_changes(session: Any) -> PendingChanges | None:
    """The pending changes of the session's extension that this context sets up, or None."""
    pending = PENDING_CHANGES.get()
    return pending if pending is not None and pending.session is session else None


Maybe = tuple[Any, ...]
"""A tuple with one value, or an empty one."""


class Registry(Struct):
    """The values that extensions can change: a copy of the current ones, or the next ones."""

    known: dict[str, Tool]
    active: set[str]
    fields: dict[str, Any]
    resources: Resources
    hooks: dict[EventName, list[NamedHook]]


class ExtensionChanges(Struct, frozen=True):
    """Each tool and field before and after, and the added resources and hooks."""

    known: dict[str, tuple[Tool | None, Tool | None]] = {}
    active: dict[str, tuple[bool, bool]] = {}
    fields: dict[str, tuple[Maybe, Maybe]] = {}
    resources: Resources = Resources()
    hooks: tuple[tuple[EventName, NamedHook], ...] = ()

    @property
    def names(self) -> list[str]:
        """The changes in words, for the record."""
        tools = [f"tool {name}" for name, (_, now) in self.known.items() if now is not None]
        removed = [f"no tool {name}" for name, (_, now) in self.known.items() if now is None]
        hooks = [f"hook {hook.name} on {event}" for event, hook in self.hooks]
        fields = [f"field {name}" for name in self.fields]
        kinds = [f"{kind} {path}" for kind in Resources.__struct_fields__ for path in getattr(self.resources, kind)]
        return [*tools, *removed, *hooks, *fields, *kinds]


def compare_registries(before: Registry, after: Registry) -> ExtensionChanges:
    """What an extension changed: the differences between two registries."""
    tools = {n: (before.known.get(n), after.known.get(n)) for n in {**before.known, **after.known}}
    fields = {
        n: (_get_if_present(before.fields, n), _get_if_present(after.fields, n))
        for n in {**before.fields, **after.fields}
    }
    here = {id(hook) for hooks in before.hooks.values() for hook in hooks}
    return ExtensionChanges(
        {name: pair for name, pair in tools.items() if pair[0] != pair[1]},
        {name: (name in before.active, name in after.active) for name in sorted(before.active ^ after.active)},
        {name: pair for name, pair in fields.items() if pair[0] != pair[1]},
        after.resources - before.resources,
        tuple((event, hook) for event, hooks in after.hooks.items() for hook in hooks if id(hook) not in here),
    )


def withdraw_changes(registry: Registry, changes: ExtensionChanges) -> None:
    """Undo the changes of an extension. Values that another caller changed since stay as they are."""
    others = {name for name, (_, now) in changes.known.items() if registry.known.get(name) != now}
    for name, (tool, _) in changes.known.items():
        if name not in others:
            _put(registry.known, name, () if tool is None else (tool,))
    for name, (was, is_now) in changes.active.items():
        if name not in others and (name in registry.active) is is_now:
            (registry.active.add if was else registry.active.discard)(name)
    for field, (old, new) in changes.fields.items():
        if _get_if_present(registry.fields, field) == new:
            _put(registry.fields, field, old)
    registry.active &= registry.known.keys()
    registry.resources -= changes.resources
    own = {id(hook) for _, hook in changes.hooks}
    registry.hooks = {event: [h for h in hooks if id(h) not in own] for event, hooks in registry.hooks.items()}


def restore_changes(registry: Registry, changes: ExtensionChanges) -> None:
    """Make the changes of an extension again."""
    for name, (_, tool) in changes.known.items():
        _put(registry.known, name, () if tool is None else (tool,))
    for name, (_, is_now) in changes.active.items():
        (registry.active.add if is_now else registry.active.discard)(name)
    for field, (_, value) in changes.fields.items():
        _put(registry.fields, field, value)
    registry.active &= registry.known.keys()
    registry.resources += changes.resources
    for event, hook in changes.hooks:
        registry.hooks[event].append(hook)


def _get_if_present(values: dict[str, Any], name: str) -> Maybe:
    """A field's value before an extension changed it, if it had one."""
    return (values[name],) if name in values else ()


def _put(values: dict[str, Any], name: str, value: Maybe) -> None:
    """Set a value as an extension changed it, or remove it."""
    if value:
        values[name] = value[0]
    else:
        values.pop(name, None)


Setup = Callable[[Any], object]
ExtensionSource = Setup | str
"""A function that takes the session, or `module:function`, or `file.py:function`."""


class ExtensionUnit(NamedTuple):
    """One extension, before it is set up."""

    id: str
    key: str
    """Equal for two names of one function."""
    name: str
    find: Callable[[bool], Setup] | ConfigError
    """Returns its function; with true, imports the module again. Or why it can't be found."""
    path: str | None = None
    """The configuration file that names it."""


class SetupRequest(NamedTuple):
    """The changes that an extension requests, or why its setup failed."""

    unit: ExtensionUnit
    works: Sequence[PendingWork]
    problem: str | None


class LoadedExtension(NamedTuple):
    """An extension that was set up."""

    id: str
    """Its origin and its name: stable across reloads and saves."""
    name: str
    changes: ExtensionChanges


class Extensions:
    """A part of Session: the extensions that a program passes, and the loaded ones."""

    def __init__(self, sources: tuple[ExtensionSource, ...] = ()) -> None:
        """Begin with the extensions that a program passes, none of them loaded."""
        self.sources = sources
        self.loaded: tuple[LoadedExtension, ...] = ()
        self.ran = False
        """Whether they were set up before: from then on their modules are imported again."""
        self.due = False
        """Whether they need a setup without a trigger: after a resume."""


def list_extension_triggers(old: Sequence[LoadedExtension], new: Sequence[LoadedExtension]) -> list[Trigger]:
    """The added and removed things, one trigger for each extension that changed."""
    was, now = {each.id: each for each in old}, {each.id: each for each in new}
    reasons = [_describe_changes(was.get(id), now.get(id)) for id in dict.fromkeys((*was, *now))]
    return [Trigger("extensions", reason) for reason in reasons if reason]


def _describe_changes(old: LoadedExtension | None, new: LoadedExtension | None) -> str:
    """What an extension added and removed, in words; empty if nothing."""
    before, after = old.changes.names if old else [], new.changes.names if new else []
    came = ", ".join(name for name in after if name not in before)
    went = ", ".join(name for name in before if name not in after)
    each = new or old
    if each is None or (old and new and not came and not went):
        return ""
    if old and new:
        return f"{each.name} changed: {'; '.join(filter(None, (came and f'{came} added', went and f'{went} removed')))}"
    return f"{each.name} {'loaded' if new else 'unloaded'}: {came or went or 'nothing was registered'}"


def keep_other_changes(before: Registry, after: Registry, old: Sequence[LoadedExtension]) -> None:
    """Keep later changes of other callers to an extension's tools: replaced, removed, activated or deactivated."""
    for name, tool in {n: now for each in old for n, (_, now) in each.changes.known.items()}.items():
        now = before.known.get(name)
        if now is None and tool is not None:
            after.known.pop(name, None)
        elif now is not None and now != tool:
            after.known[name] = now
    for name, on in {n: on for each in old for n, (_, on) in each.changes.active.items()}.items():
        if (name in before.active) is not on:
            (after.active.discard if on else after.active.add)(name)
    after.active &= after.known.keys()
