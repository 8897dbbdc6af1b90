"""What one extension changed in its session, as data: so that it can be taken back, and put back."""

from typing import Any

from msgspec import Struct

from ...model.state.tool import Tool
from ..changes.triggers import Resources
from ..hooks.events import EventName, Named

Maybe = tuple[Any, ...]
"""A value, or nothing."""


class Registry(Struct):
    """What extensions change: a copy of it, or the next state of it."""

    known: dict[str, Tool]
    active: set[str]
    given: dict[str, Any]
    added: Resources
    hooks: dict[EventName, list[Named]]


class Brought(Struct, frozen=True):
    """Each tool and field before and after, and what was added."""

    known: dict[str, tuple[Tool | None, Tool | None]] = {}
    active: dict[str, tuple[bool, bool]] = {}
    given: dict[str, tuple[Maybe, Maybe]] = {}
    added: Resources = Resources()
    hooks: tuple[tuple[EventName, Named], ...] = ()

    @property
    def names(self) -> list[str]:
        """What there is of it, for people."""
        tools = [f"tool {name}" for name, (_, now) in self.known.items() if now is not None]
        gone = [f"no tool {name}" for name, (_, now) in self.known.items() if now is None]
        hooks = [f"hook {hook.name} on {event}" for event, hook in self.hooks]
        fields = [f"field {name}" for name in self.given]
        kinds = [f"{kind} {path}" for kind in Resources.__struct_fields__ for path in getattr(self.added, kind)]
        return [*tools, *gone, *hooks, *fields, *kinds]


def difference(before: Registry, after: Registry) -> Brought:
    """What was changed between the two."""
    tools = {n: (before.known.get(n), after.known.get(n)) for n in {**before.known, **after.known}}
    fields = {n: (_maybe(before.given, n), _maybe(after.given, n)) for n in {**before.given, **after.given}}
    here = {id(hook) for hooks in before.hooks.values() for hook in hooks}
    return Brought(
        {name: pair for name, pair in tools.items() if pair[0] != pair[1]},
        {name: (name in before.active, name in after.active) for name in sorted(before.active ^ after.active)},
        {name: pair for name, pair in fields.items() if pair[0] != pair[1]},
        after.added - before.added,
        tuple((event, hook) for event, hooks in after.hooks.items() for hook in hooks if id(hook) not in here),
    )


def withdraw(registry: Registry, brought: Brought) -> None:
    """Take it back: what somebody else changed since stays as it is."""
    others = {name for name, (_, now) in brought.known.items() if registry.known.get(name) != now}
    for name, (tool, _) in brought.known.items():
        if name not in others:
            _put(registry.known, name, () if tool is None else (tool,))
    for name, (was, is_now) in brought.active.items():
        if name not in others and (name in registry.active) is is_now:
            (registry.active.add if was else registry.active.discard)(name)
    for field, (old, new) in brought.given.items():
        if _maybe(registry.given, field) == new:
            _put(registry.given, field, old)
    registry.active &= registry.known.keys()
    registry.added -= brought.added
    own = {id(hook) for _, hook in brought.hooks}
    registry.hooks = {event: [h for h in hooks if id(h) not in own] for event, hooks in registry.hooks.items()}


def restore(registry: Registry, brought: Brought) -> None:
    """Put it back as it was."""
    for name, (_, tool) in brought.known.items():
        _put(registry.known, name, () if tool is None else (tool,))
    for name, (_, is_now) in brought.active.items():
        (registry.active.add if is_now else registry.active.discard)(name)
    for field, (_, value) in brought.given.items():
        _put(registry.given, field, value)
    registry.active &= registry.known.keys()
    registry.added += brought.added
    for event, hook in brought.hooks:
        registry.hooks[event].append(hook)


def _maybe(values: dict[str, Any], name: str) -> Maybe:
    return (values[name],) if name in values else ()


def _put(values: dict[str, Any], name: str, value: Maybe) -> None:
    if value:
        values[name] = value[0]
    else:
        values.pop(name, None)
