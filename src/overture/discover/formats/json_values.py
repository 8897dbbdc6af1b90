"""What fits of a JSON file, and a report of each value that does not. Nothing is lost without a word."""

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import msgspec

from ...model.diagnostic import Diagnostic, error
from ...model.state.agent import Agent
from ...model.state.files import Origin
from ...model.validation import explained
from ...text.normalize import tidy
from ..disk.reader import Reader, Sighting
from .json_with_lines import DEEP, Malformed, Spot, located

MOST = 20
"""Values of one file that are reported each by itself, at the most."""
LARGEST = 16 * 1024 * 1024
"""Bytes of such a file: what Python makes of a JSON text may take many times its room."""
HALF = re.compile("[\ud800-\udfff]")
Made = tuple[Any, tuple[Diagnostic, ...]]


class Sifted(NamedTuple):
    """What fitted, and the line of each field of State that it gives."""

    values: Any
    lines: dict[str, int]

    def origins(self, path: str) -> dict[str, Origin]:
        """The same lines, as State records them."""
        return {field: Origin(path, line) for field, line in self.lines.items()}


class Sieve:
    """Takes the values that fit. Lives while one file is read."""

    def __init__(self, what: str, path: str) -> None:
        self.what, self.path = what, path
        self.lines: dict[str, int] = {}
        self.faults: list[tuple[str, int]] = []
        self.more = 0
        """Values beyond MOST that do not fit."""

    def take(self, spot: Spot, kind: Any, name: str, field: str) -> Any:
        """The value as that kind, recorded as the field; None and a report where it does not fit."""
        fault = fault_of(spot.value, kind)
        if fault is not None:
            self.report(name, fault, spot.line)
            return None
        self.lines[field] = spot.line
        return spot.value

    def texts(self, spot: Spot, name: str, field: str) -> tuple[str, ...]:
        """The texts of a list; a blank one does not fit."""
        kept: list[str] = []
        for index, item in spot.inner:
            if item.value == "" or (isinstance(item.value, str) and item.value.isspace()):
                self.report(f"{name}[{index}]", "it is blank", item.line)
            elif self.take(item, str, f"{name}[{index}]", f"{field}[{len(kept)}]") is not None:
                kept.append(item.value)
        return tuple(kept)

    @property
    def full(self) -> bool:
        """Whether the next fault is only counted: what it is need not be worked out."""
        return len(self.faults) >= MOST

    def report(self, name: str, fault: str, line: int) -> None:
        """Record a value that is left out, and why."""
        if self.full:
            self.more += 1
        else:
            self.faults.append((f"{name} is left out: {fault}", line))

    def notes(self) -> Iterator[Diagnostic]:
        """One diagnostic for each value that is left out; beyond MOST, one for the rest."""
        code = f"{self.what}-invalid"
        for message, line in self.faults:
            yield error(code, message, self.path, line)
        if self.more:
            yield error(code, f"{self.more:,} further values do not fit and are left out", self.path)


def fault_of(value: Any, kind: type) -> str | None:
    """What is wrong with a value, or None."""
    if not isinstance(value, kind):
        return _other_kind(type(value), kind)
    if isinstance(value, str) and HALF.search(value):
        return "it holds half of a character, written \\ud800 to \\udfff"
    return None


OTHER_KINDS: dict[tuple[type, type], str] = {}
"""What is wrong with a value of JSON that is of another kind: the same of every one."""


def _other_kind(given: type, kind: type) -> str:
    if (given, kind) not in OTHER_KINDS:
        try:
            msgspec.convert(given(), kind)
        except msgspec.ValidationError as problem:
            OTHER_KINDS[given, kind] = explained(problem, Agent).rstrip(".")
    return OTHER_KINDS[given, kind]


def sifting(what: str, kind: Any, depth: int, sift: Callable[[Spot, Sieve], Any]) -> Callable[[str, str], Made]:
    """How a Reader makes a Sifted of a JSON file whose outermost value is of that kind."""

    def make(text: str, path: str) -> Made:
        text, skipped = tidy(text)
        if not text:
            return Sifted(None, {}), ()
        root = located("\n" * skipped + text, depth)
        fault = root if isinstance(root, Malformed) else fault_of(root.value, kind)
        if isinstance(fault, Malformed):
            return None, (error(f"{what}-skipped", f"not used: {fault.message}", path, fault.line),)
        assert isinstance(root, Spot)
        if fault is not None:
            return None, (error(f"{what}-skipped", f"not used: {fault}", path, root.line),)
        sieve = Sieve(what, path)
        try:
            values = sift(root, sieve)
        except RecursionError:
            return None, (error(f"{what}-skipped", f"not used: {DEEP.message}", path, DEEP.line),)
        return Sifted(values, sieve.lines), tuple(sieve.notes())

    return make


def load_sifted(reader: Reader, sighting: Sighting, what: str, make: Callable[[str, str], Made]) -> Sifted | None:
    """What the file gives, with a record of what came of it; None where it gives nothing."""
    sifted: Sifted | None = reader.load(sighting, what, make, LARGEST)
    kept = reader.kept.get((what, sighting.path))
    if kept is None:
        return None  # it can't be read, which is recorded
    if sifted is not None and sifted.lines:
        reader.note(sighting.path, what, "loaded")
        return sifted
    if kept.notes:
        reader.note(sighting.path, what, "skipped", kept.notes[-1].message)
    else:
        reader.note(sighting.path, what, "cleared", "it gives nothing")
    return None
