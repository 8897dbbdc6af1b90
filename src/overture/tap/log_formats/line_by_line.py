"""The lines of a transcript, taken one after the other by whoever knows its form."""

from collections.abc import Iterator
from typing import Protocol

from ..importers.found import Found, Value
from ..read.plain_values import Data


class Takes(Protocol):
    """A transcript as its lines come."""

    def take(self, place: str, line: Data) -> Iterator[Found]:
        """One more line; the answers that it ends."""
        ...

    def end(self, settled: bool) -> Iterator[Found]:
        """What is still open at the end; `settled`: nobody writes any more."""
        ...


def line_by_line(transcript: Takes, values: Iterator[Value], settled: bool) -> Iterator[Found]:
    """All that a transcript holds; a line that can't be read is told, and the others are taken."""
    for each in values:
        if each.problem:
            yield Found(each.place, problem=each.problem)
        elif isinstance(each.value, dict):
            yield from transcript.take(each.place, each.value)
    yield from transcript.end(settled)
