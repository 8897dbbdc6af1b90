"""Conditions on active tools and given fields, and guideline rules made of them. Data, not code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from ...errors import RecipeError
from ...text.words import count_noun
from ..struct import Frozen


class When(Frozen, frozen=True):
    """A condition on the names of the active tools, or on the fields of State that are given."""

    op: Literal["always", "some", "has", "lacks", "given", "all", "any", "not", "count"]
    names: tuple[str, ...] = ()
    parts: tuple[When, ...] = ()
    least: int = 0
    """For `count`: how many of the parts have to hold."""

    def holds(self, active: frozenset[str], given: frozenset[str] = frozenset()) -> bool:
        """Decide for these tools and fields."""
        match self.op:
            case "some":
                return bool(active)
            case "has":
                return not active.isdisjoint(self.names)
            case "lacks":
                return active.isdisjoint(self.names)
            case "given":
                return given.issuperset(self.names)
            case "all":
                return all(part.holds(active, given) for part in self.parts)
            case "any":
                return any(part.holds(active, given) for part in self.parts)
            case "not":
                return not self.parts[0].holds(active, given)
            case "count":
                return sum(part.holds(active, given) for part in self.parts) >= self.least
        return True

    def rests_on(self, active: frozenset[str]) -> str:
        """The tool without which it would not hold; empty if no single one decides."""
        if self.op == "has":
            named = [name for name in self.names if name in active]
            return named[0] if len(named) == 1 else ""
        if self.op == "count":
            there = [part for part in self.parts if part.holds(active)]
            return _find_first_tool(there, active) if len(there) == self.least else ""
        return _find_first_tool(self.parts, active) if self.op == "all" else ""

    def because(self, active: frozenset[str], given: frozenset[str] = frozenset()) -> str:
        """Why it holds or does not, by the tools and fields that decide it."""
        if self.op == "always":
            return "always"
        if self.op == "some":
            return "a tool is active" if active else "no tool is active"
        if self.op == "not":
            return self.parts[0].because(active, given)
        if self.op == "given":
            there = [name for name in self.names if name in given]
            missing = [name for name in self.names if name not in given]
            return f"{', '.join(missing)} is not given" if missing else f"{', '.join(there)} is given"
        if self.parts:
            holds = self.holds(active, given)
            decisive = [part for part in self.parts if part.holds(active, given) == holds]
            return "; ".join(part.because(active, given) for part in decisive) + self._describe_count(
                len(decisive), holds
            )
        there = [name for name in self.names if name in active]
        if there:
            return f"{', '.join(there)} {'is' if len(there) == 1 else 'are'} active"
        names = self.names
        return f"{names[0]} is not active" if len(names) == 1 else f"none of {', '.join(names)} is active"

    def _describe_count(self, decisive: int, holds: bool) -> str:
        """` (2 of 4, at least 3 needed)` after a count's reasons."""
        there = decisive if holds else len(self.parts) - decisive
        return f" ({there} of {len(self.parts)}, at least {self.least} needed)" if self.op == "count" else ""

    def __str__(self) -> str:
        """The condition in words, e.g. `read active; any of grep, find active`."""
        names = ", ".join(self.names)
        several = "any of " if len(self.names) > 1 else ""
        match self.op:
            case "some":
                return "any tool active"
            case "has":
                return f"{several}{names} active"
            case "lacks":
                return f"none of {names} active" if several else f"{names} not active"
            case "given":
                return f"{names} given"
            case "not":
                return f"not ({self.parts[0]})"
            case "all" | "any":
                return f" {'and' if self.op == 'all' else 'or'} ".join(f"({part})" for part in self.parts)
            case "count":
                return f"at least {self.least} of: {', '.join(f'({part})' for part in self.parts)}"
        return "always"


def _find_first_tool(parts: Iterable[When], active: frozenset[str]) -> str:
    """The first tool on which one of the conditions rests."""
    return next((tool for part in parts if (tool := part.rests_on(active))), "")


class Rule(Frozen, frozen=True):
    """One row of a guideline table."""

    name: str
    when: When
    texts: tuple[str, ...]
    last: bool = False
    """Rendered after everything else, whatever is added to the table."""


ALWAYS = When("always")
SOME = When("some")
"""Any tool at all is active."""


def rule(name: str, when: When, *texts: str, last: bool = False) -> Rule:
    """A row: its name, its condition, and one bullet for each text."""
    return Rule(name, when, texts, last)


def has(*names: str) -> When:
    """Any of these tools is active."""
    return When("has", names)


def lacks(*names: str) -> When:
    """None of these tools is active."""
    return When("lacks", names)


def all_of(*parts: When) -> When:
    """Every one of the conditions holds."""
    return When("all", parts=parts)


def any_of(*parts: When) -> When:
    """At least one of the conditions holds."""
    return When("any", parts=parts)


def at_least(least: int, *parts: str | When) -> When:
    """So many of these hold, each the name of a tool that is active or a condition of its own.

    `at_least(3, has("bash", "shell"), "read", "edit", "write")`: any shell counts once.
    """
    each = tuple(dict.fromkeys(has(part) if isinstance(part, str) else part for part in parts))
    if not 1 <= least <= len(each):
        raise RecipeError(
            f"at_least({least!r}, …) of {count_noun(len(each), 'condition')}: use a number from 1 to {len(each)}."
        )
    return When("count", parts=each, least=least)
