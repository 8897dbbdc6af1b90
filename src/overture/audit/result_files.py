"""Files of results, a line per repository: found by place or by commit, and read one at a time."""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from ..discover.revisions.find_repositories import RepositoryPlace
from .rows import RepositoryAudit, RepositoryRow

RESULTS = msgspec.json.Decoder(RepositoryAudit)
HEADS = msgspec.json.Decoder(RepositoryRow)


class StoredResult(NamedTuple):
    """A line of a file."""

    path: str
    start: int
    size: int
    row: RepositoryRow

    def read(self, place: RepositoryPlace | None = None) -> RepositoryAudit:
        """All rows of the repository; of another clone at the same commit, under the name of `place`."""
        with open(self.path, "rb") as file:  # noqa: PTH123
            file.seek(self.start)
            result = RESULTS.decode(file.read(self.size))
        if place is None:
            return result
        path, revision = place.key
        return replace(result, repository=place.name, place=path, kind=place.kind, revision=revision)


class ResultIndex:
    """The lines of some files, the last of a place before earlier ones."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.of_place: dict[tuple[str, str], StoredResult] = {}
        self.of_commit: dict[tuple[str, str], StoredResult] = {}
        for path in paths:
            with open(path, "rb") as file:  # noqa: PTH123
                start = 0
                for line in file:
                    self._add(path, start, line)
                    start += len(line)

    def _add(self, path: str, start: int, line: bytes) -> None:
        try:
            row = HEADS.decode(line)
        except msgspec.DecodeError:  # a line that somebody has edited
            return
        found = self.of_place[row.place, row.revision] = StoredResult(path, start, len(line), row)
        if row.status == "ok":
            self.of_commit[row.identity, row.stamp] = found

    def find(self, identity: str | None, stamp: str) -> StoredResult | None:
        """What an audit of this very commit would give again, be it of another clone of it."""
        return self.of_commit.get((identity or "", stamp))
