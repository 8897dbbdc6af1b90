"""The tools that a session knows, and which of them are active. Churn never reorders those that stay."""

from collections.abc import Iterable, Sequence
from typing import Any

from ..model.diagnostic import Diagnostic, warning
from ..model.errors import nearest
from ..model.recipe import Recipe
from ..model.tool import Tool
from ..model.tool_forms import tools_from


class Toolbox:
    """A part of Session. Each tool keeps the place at which it first became active."""

    def __init__(self, known: Iterable[Tool] = (), active: Iterable[str] = ()) -> None:
        self.known: dict[str, Tool] = {tool.name: tool for tool in known}
        self.places: dict[str, int] = {}
        self.active: set[str] = set()
        self._activate(active)

    def _activate(self, names: Iterable[str]) -> None:
        for name in names:
            self.places.setdefault(name, len(self.places))
            self.active.add(name)

    @property
    def names(self) -> tuple[str, ...]:
        """The active tools, in order."""
        return tuple(sorted(self.active, key=self.places.__getitem__))

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The active tools' definitions, in order."""
        return tuple(self.known[name] for name in self.names)

    def activate(self, names: Sequence[str]) -> tuple[Diagnostic, ...]:
        """Make exactly these active; unknown and repeated names are reported."""
        notes = [_unknown(name, self.known) for name in dict.fromkeys(names) if name not in self.known]
        notes += _repeated(names)
        self.active = set()
        self._activate(name for name in names if name in self.known)
        return tuple(notes)

    def register(self, tools: Sequence[Tool]) -> tuple[Diagnostic, ...]:
        """Add tools, active from now on; one of a known name takes its place."""
        for tool in tools:
            self.known[tool.name] = tool
        self._activate(tool.name for tool in tools)
        return tuple(_repeated([tool.name for tool in tools]))

    def swap(self, old: Iterable[Tool], new: Sequence[Tool]) -> None:
        """Other tools are active by default now; those that were registered stay."""
        self.active.difference_update(tool.name for tool in old)
        self.register(new)

    def unregister(self, names: Sequence[str]) -> tuple[Diagnostic, ...]:
        """Take tools away. If one comes back, it comes back to its place."""
        notes = [_unknown(name, self.known) for name in names if name not in self.known]
        for name in names:
            self.known.pop(name, None)
            self.active.discard(name)
        return tuple(notes)


def _unknown(name: str, known: Iterable[str]) -> Diagnostic:
    return warning("tool-unknown", f"no tool {name!r} is registered: it stays inactive.{nearest(name, known)}")


def _repeated(names: Sequence[str]) -> list[Diagnostic]:
    twice = dict.fromkeys(name for name in names if names.count(name) > 1)
    return [
        warning("tool-duplicate", f"tool {name!r} is given {names.count(name)} times: once counts") for name in twice
    ]


def given_tools(recipe: Recipe, items: Iterable[Any]) -> tuple[tuple[Tool, ...], tuple[Diagnostic, ...]]:
    """Tools as a caller gives them, names of the recipe's own among them; of two with one name the last counts."""
    own = {tool.name: tool for tool in recipe.tools}
    notes: list[Diagnostic] = []
    tools: list[Tool] = []
    for item in items if not hasattr(items, "keys") else tools_from(items):
        if not isinstance(item, str):
            tools += tools_from([item])
        elif item in own:
            tools.append(own[item])
        else:
            notes.append(_unknown(item, own))
    notes += _repeated([tool.name for tool in tools])
    return tuple({tool.name: tool for tool in tools}.values()), tuple(notes)
