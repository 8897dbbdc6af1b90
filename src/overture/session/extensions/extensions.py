"""The extensions of a session: which are given, and what each that was loaded brought."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..changes.triggers import Resources, Trigger
from ..hooks.events import Named
from .undo_changes import Brought, Registry

Setup = Callable[[Any], object]
Given = Setup | str
"""A function that takes the session, or `module:function`, or `file.py:function`."""


class Loaded(NamedTuple):
    """An extension that was set up."""

    id: str
    """Who gives it, and under which name: the same after a reload, and in a save."""
    name: str
    brought: Brought


class Extensions:
    """A part of Session: what extensions there are."""

    def __init__(self, given: tuple[Given, ...] = ()) -> None:
        self.given = given
        self.loaded: tuple[Loaded, ...] = ()
        self.ran = False
        """Whether they were set up here before: from then on modules are imported afresh."""
        self.due = False
        """Whether they are to be set up though nothing was triggered: after a resume."""


def arranged(before: Registry, after: Registry, old: Sequence[Loaded], new: Sequence[Loaded]) -> None:
    """Let what extensions bring anew stand where it stood, so that the others keep their places."""
    after.added = Resources(
        *(_in_order(getattr(before.added, kind), getattr(after.added, kind)) for kind in Resources.__struct_fields__)
    )
    owner = {id(hook): each.id for each in (*old, *new) for _, hook in each.brought.hooks}
    for event, hooks in after.hooks.items():
        after.hooks[event] = _hooks_in_order(before.hooks[event], hooks, owner)


def _in_order(before: tuple[str, ...], after: tuple[str, ...]) -> tuple[str, ...]:
    return (*(path for path in before if path in after), *(path for path in after if path not in before))


def _hooks_in_order(before: list[Named], after: list[Named], owner: dict[int, str]) -> list[Named]:
    left = {id(hook): hook for hook in after}
    found: list[Named] = []
    for hook in before:
        mine = owner.get(id(hook))
        same = [hook] if mine is None else [each for each in after if owner.get(id(each)) == mine]
        found += [taken for each in same if (taken := left.pop(id(each), None)) is not None]
    return [*found, *left.values()]


def news(old: Sequence[Loaded], new: Sequence[Loaded]) -> list[Trigger]:
    """What came and went, one event for each extension of which something did."""
    was, now = {each.id: each for each in old}, {each.id: each for each in new}
    said = [_came_and_went(was.get(id), now.get(id)) for id in dict.fromkeys((*was, *now))]
    return [Trigger("extensions", text) for text in said if text]


def _came_and_went(old: Loaded | None, new: Loaded | None) -> str:
    before, after = old.brought.names if old else [], new.brought.names if new else []
    came = ", ".join(name for name in after if name not in before)
    went = ", ".join(name for name in before if name not in after)
    each = new or old
    if each is None or (old and new and not came and not went):
        return ""
    if old and new:
        return f"{each.name} changed: {'; '.join(filter(None, (came and f'{came} came', went and f'{went} went')))}"
    return f"{each.name} {'came' if new else 'went'}: {came or went or 'nothing was registered'}"


def respected(before: Registry, after: Registry, old: Sequence[Loaded]) -> None:
    """Leave the tools that somebody else replaced, took away or switched after an extension did as they are."""
    for name, tool in {n: now for each in old for n, (_, now) in each.brought.known.items()}.items():
        now = before.known.get(name)
        if now is None and tool is not None:
            after.known.pop(name, None)
        elif now is not None and now != tool:
            after.known[name] = now
    for name, on in {n: on for each in old for n, (_, on) in each.brought.active.items()}.items():
        if (name in before.active) is not on:
            (after.active.discard if on else after.active.add)(name)
    after.active &= after.known.keys()
