"""Compares an audit with the last one in the same folder."""

from collections.abc import Iterator

from .result_files import ResultIndex
from .rows import RepositoryAudit
from .summary import AuditChange, ChangeKind


class ChangesBuilder:
    """Takes the repositories as they are now."""

    def __init__(self, previous: ResultIndex) -> None:
        self.previous = previous
        self.gone = dict(previous.of_place)
        self.changes: list[AuditChange] = []

    def add(self, result: RepositoryAudit) -> None:
        """Take a repository; one at the same commit is not looked at."""
        stored = self.gone.pop((result.place, result.revision), None)
        if stored is None:
            self.changes.append(AuditChange(result.repository, "added"))
        elif (stored.row.identity, stored.row.status) != (result.identity, result.status):
            commits = f"{stored.row.identity[:12] or 'none'} → {result.identity[:12] or 'none'}"
            change: ChangeKind = "changed" if result.kind in ("folder", "archive") else "new commit"
            self.changes.append(AuditChange(result.repository, change, "", commits))
            self.changes += _compare(result.repository, stored.read(), result)

    def finish(self) -> tuple[AuditChange, ...] | None:
        """What has changed; None where there was no audit before."""
        removed = (AuditChange(stored.row.repository, "removed") for stored in self.gone.values())
        return (*self.changes, *removed) if self.previous.of_place else None


def _compare(name: str, before: RepositoryAudit, after: RepositoryAudit) -> Iterator[AuditChange]:
    # A finding whose line has moved is the same.
    old, new = ({(each.code, each.path, each.message) for each in side.findings} for side in (before, after))
    kinds: dict[ChangeKind, set[tuple[str, str | None, str]]] = {
        "new finding": new - old,
        "resolved finding": old - new,
    }
    for kind, findings in kinds.items():
        for code, path, message in sorted(findings, key=str):
            yield AuditChange(name, kind, path or "", f"{code}: {message}")
    was, now = ({(each.agent, each.path): each.status for each in side.files} for side in (before, after))
    for agent, path in sorted({*was, *now}):
        states = [side.get((agent, path), "no such file") for side in (was, now)]
        if states[0] != states[1]:
            yield AuditChange(name, "status", path, f"{agent}: {states[0]} → {states[1]}")
