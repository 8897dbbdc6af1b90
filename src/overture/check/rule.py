"""A rule: a code, how bad it is, and the function that looks."""

from collections.abc import Callable, Iterable

from ..model.struct import Frozen
from .finding import Finding, Severity
from .ground import Ground


class Rule(Frozen, frozen=True):
    """One check, with a page of its own: pages/CODE.md."""

    code: str
    """A stable word, e.g. `hidden-character`; a page of that name says what, why and how to mend."""
    severity: Severity
    title: str
    """What it finds, in a line."""
    look: Callable[[Ground], Iterable[Finding]]
    takes: frozenset[str] = frozenset()
    """The codes of the prompt's diagnostics that it speaks of; those that no rule takes are said by `reported`."""
