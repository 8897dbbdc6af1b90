"""The lines of a transcript, taken one after the other by whoever knows its form."""

from collections.abc import Iterator
from typing import Protocol

from ...providers.read.plain_data import Data
from ..importers.log import LogEntry, LogValue


class TranscriptReader(Protocol):
    """A transcript as its lines come."""

    def take_line(self, position: str, line: Data) -> Iterator[LogEntry]:
        """One more line; the answers that it ends."""
        ...

    def end(self, finished: bool) -> Iterator[LogEntry]:
        """What is still open at the end; `finished`: nobody writes any more."""
        ...


def read_lines(transcript: TranscriptReader, values: Iterator[LogValue], finished: bool) -> Iterator[LogEntry]:
    """All that a transcript holds; a line that can't be read is told, and the others are taken."""
    for each in values:
        if each.problem:
            yield LogEntry(each.position, problem=each.problem)
        elif isinstance(each.value, dict):
            yield from transcript.take_line(each.position, each.value)
    yield from transcript.end(finished)
