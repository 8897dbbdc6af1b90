"""A guideline rule: a condition on the active tools, and what is said when it holds. Data, not code."""

from typing import Literal

from .struct import Frozen


class When(Frozen, frozen=True):
    """A condition on the names of the active tools."""

    op: Literal["always", "some", "has", "lacks", "all", "any"]
    names: tuple[str, ...] = ()
    parts: "tuple[When, ...]" = ()

    def holds(self, active: frozenset[str]) -> bool:
        """Decide for these tools."""
        match self.op:
            case "some":
                return bool(active)
            case "has":
                return not active.isdisjoint(self.names)
            case "lacks":
                return active.isdisjoint(self.names)
            case "all":
                return all(part.holds(active) for part in self.parts)
            case "any":
                return any(part.holds(active) for part in self.parts)
        return True

    def because(self, active: frozenset[str]) -> str:
        """Why it holds or does not, by the tools that decide it."""
        if self.op == "always":
            return "always"
        if self.op == "some":
            return "a tool is active" if active else "no tool is active"
        if self.parts:
            holds = self.holds(active)
            return "; ".join(part.because(active) for part in self.parts if part.holds(active) == holds)
        there = [name for name in self.names if name in active]
        if there:
            return f"{', '.join(there)} {'is' if len(there) == 1 else 'are'} active"
        names = self.names
        return f"{names[0]} is not active" if len(names) == 1 else f"none of {', '.join(names)} is active"


class Rule(Frozen, frozen=True):
    """One row of a guideline table."""

    name: str
    when: When
    texts: tuple[str, ...]


ALWAYS = When("always")
SOME = When("some")
"""Any tool at all is active."""


def rule(name: str, when: When, *texts: str) -> Rule:
    """A row: its name, its condition, and one bullet for each text."""
    return Rule(name, when, texts)


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
