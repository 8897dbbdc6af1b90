"""Files of results, a line per repository: found by place or by commit, and read one at a time."""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ..discover.revisions.find_repositories import RepositoryPlace
from .rows import RepositoryAudit, RepositoryRow

DECODER = msgspec.json.Decoder(RepositoryAudit)


class ResultHead(Struct, frozen=True):
    """What is needed of a line to know whether it still holds."""

    row: RepositoryRow
    stamp: str


HEADS = msgspec.json.Decoder(ResultHead)


class StoredResult(NamedTuple):
    """A line of a file."""

    path: str
    start: int
    size: int
    head: ResultHead

    def holds(self, identity: str | None, stamp: str) -> bool:
        """Whether an audit would give the same again."""
        return self.head.row.identity == identity and self.head.stamp == stamp and self.head.row.status == "ok"

    def read(self, place: RepositoryPlace | None = None) -> RepositoryAudit:
        """All rows of the repository; of another clone at the same commit, under the name of `place`."""
        with open(self.path, "rb") as file:  # noqa: PTH123
            file.seek(self.start)
            result = DECODER.decode(file.read(self.size))
        if place is None:
            return result
        path, revision = place.key
        return replace(
            result, row=replace(result.row, repository=place.name, place=path, kind=place.kind, revision=revision)
        )


class ResultIndex:
    """The lines of some files, the last of a place before earlier ones."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.of_place: dict[tuple[str, str], StoredResult] = {}
        self.of_commit: dict[str, StoredResult] = {}
        for path in paths:
            with open(path, "rb") as file:  # noqa: PTH123
                start = 0
                for line in file:
                    self._add(path, start, line)
                    start += len(line)

    def _add(self, path: str, start: int, line: bytes) -> None:
        try:
            head = HEADS.decode(line)
        except msgspec.DecodeError:  # a line that somebody has edited
            return
        found = StoredResult(path, start, len(line), head)
        self.of_place[head.row.place, head.row.revision] = found
        self.of_commit[head.row.identity] = found

    def find(self, place: RepositoryPlace, identity: str | None, stamp: str) -> StoredResult | None:
        """What is known of a repository at this very commit, be it of another clone of it."""
        known = (self.of_place.get(place.key), self.of_commit.get(identity or ""))
        return next((each for each in known if each is not None and each.holds(identity, stamp)), None)
