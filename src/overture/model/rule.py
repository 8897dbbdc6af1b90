"""Conditions on active tools and given fields, and guideline rules made of them. Data, not code."""

from typing import Literal

from .struct import Frozen


class When(Frozen, frozen=True):
    """A condition on the names of the active tools, or on the fields of State that are given."""

    op: Literal["always", "some", "has", "lacks", "given", "all", "any", "not"]
    names: tuple[str, ...] = ()
    parts: "tuple[When, ...]" = ()

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
        return True

    def rests_on(self, active: frozenset[str]) -> str:
        """The tool without which it would not hold; empty where no single one decides."""
        if self.op == "has":
            there = [name for name in self.names if name in active]
            return there[0] if len(there) == 1 else ""
        if self.op == "all":
            return next((tool for part in self.parts if (tool := part.rests_on(active))), "")
        return ""

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
            return "; ".join(part.because(active, given) for part in decisive)
        there = [name for name in self.names if name in active]
        if there:
            return f"{', '.join(there)} {'is' if len(there) == 1 else 'are'} active"
        names = self.names
        return f"{names[0]} is not active" if len(names) == 1 else f"none of {', '.join(names)} is active"

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
        return "always"


class Rule(Frozen, frozen=True):
    """One row of a guideline table."""

    name: str
    when: When
    texts: tuple[str, ...]
    last: bool = False
    """Said after everything else, whatever is added to the table."""


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
