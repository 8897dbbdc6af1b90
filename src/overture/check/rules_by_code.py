"""Every rule by its code, and the page that explains it. A rule takes the input of a check and yields findings."""

import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module

from ..errors import ConfigError, explain_unknown
from ..model.struct import Frozen
from .findings_and_input import CheckInput, Finding, Severity


class CheckRule(Frozen, frozen=True):
    """One check, with a page of its own: pages/CODE.md."""

    code: str
    """A stable word, e.g. `hidden-character`; a page of that name explains what, why and how to fix."""
    severity: Severity
    title: str
    """What it finds, in a line."""
    look: Callable[[CheckInput], Iterable[Finding]]
    takes: frozenset[str] = frozenset()
    """The codes of the prompt's diagnostics that it covers; `reported` takes those that no rule covers."""


@cache
def all_rules() -> Mapping[str, CheckRule]:
    """Every rule, sorted by its code."""
    return {rule.code: rule for rule in sorted(_load_rules(), key=lambda rule: rule.code)}


def _load_rules() -> Iterator[CheckRule]:
    package = import_module(".rules", __package__)
    for module in sorted(found.name for found in pkgutil.iter_modules(package.__path__)):
        yield from getattr(import_module(f".{module}", package.__name__), "RULES", ())
    for module in ("references", "commands"):  # which look into the project
        yield from import_module(f".{module}", __package__).RULES


@cache
def read_rule_page(code: str) -> str:
    """The page of a rule: what it finds, why, how to fix it, and an example of each kind."""
    if code not in all_rules():
        raise ConfigError(explain_unknown("Check", code, all_rules()), hint="`overture check --explain` lists them")
    data = pkgutil.get_data(__package__, f"pages/{code}.md")
    assert data is not None
    return data.decode("utf-8").rstrip("\n")
