"""The results of one repository: its row, with rows of four other tables as lists; stored as JSON Lines."""

from collections.abc import Iterable
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ..agents.agent_report import FileStatus
from ..check.findings import Severity
from ..model.struct import Frozen, note
from .find_repositories import PlaceKind, RepositoryPlace


class AgentTokens(Frozen, frozen=True, omit_defaults=False):
    """What one agent loads in one repository."""

    agent: str
    title: str
    used: Annotated[bool, note("whether the repository has a file or folder of this agent")]
    files: Annotated[int, note("instruction files that it loads at the start")]
    skills: Annotated[int, note("skills that it lists")]
    tokens: Annotated[int, note("tokens that it loads at the start")]


class AgentFileRow(Frozen, frozen=True, omit_defaults=False):
    """One file, and what one agent does with it."""

    agent: str
    path: str
    kind: str
    status: FileStatus
    why: str
    tokens: int
    last_line: Annotated[int | None, note("of a truncated file: the last line that is loaded")]
    lines: Annotated[int | None, note("of a truncated file: how many lines it has")]
    same: Annotated[str | None, note("of a skipped file: the path under which the same file is loaded")] = None


class FindingRow(Frozen, frozen=True, omit_defaults=False):
    """What `overture check` finds."""

    code: str
    severity: Severity
    path: str | None
    line: int | None
    message: str
    ignored: Annotated[bool, note("whether a comment in the file ignores it")]


class TextRow(Frozen, frozen=True, omit_defaults=False):
    """An instruction file, for all agents."""

    path: str
    kind: str
    digest: Annotated[str, note("hash of its text: the same for the same text anywhere")]
    lines: int
    readers: Annotated[int, note("how many of the reported agents load or list it, now or on demand")]
    sketch: Annotated[tuple[int, ...], note("the smallest hashes of its lines, by which similar files are found")]


class RepositoryRow(Struct, frozen=True):
    """A repository in one line; what is worth a look comes first."""

    repository: str
    differences: Annotated[str, note("how the instructions differ that agents load")] = ""
    secrets: int = 0
    errors: int = 0
    warnings: int = 0
    truncated: Annotated[int, note("files that some agent truncates")] = 0
    unread: Annotated[int, note("instruction files that no reported agent reads")] = 0
    tokens: Annotated[int, note("tokens that the agent with the most loads at the start")] = 0
    loading_agents: Annotated[int, note("agents that load something at the start")] = 0
    ignored: Annotated[int, note("findings that comments in files ignore")] = 0
    status: Annotated[Literal["ok", "partial", "error"], note("partial: some of its objects can't be read")] = "ok"
    error: Annotated[str, note("why it can't be read")] = ""
    identity: Annotated[str, note("the commit; of a folder or an archive, what changes when it does")] = ""
    revision: str = ""
    place: Annotated[str, note("its path")] = ""
    kind: PlaceKind = "missing"
    submodules: Annotated[tuple[str, ...], note("submodules and nested repositories, which are not entered")] = ()
    stamp: Annotated[str, note("changes when the same files would give other rows")] = ""


class RepositoryAudit(RepositoryRow, frozen=True):
    """A repository with its rows of the other tables."""

    agents: tuple[AgentTokens, ...] = ()
    files: tuple[AgentFileRow, ...] = ()
    findings: tuple[FindingRow, ...] = ()
    texts: tuple[TextRow, ...] = ()


INSTRUCTION_KINDS = ("instructions", "rule", "import", "skill")
"""Kinds of texts that some agent should read: commands and sub-agents are for one agent each."""
TABLES: dict[str, type[Struct]] = {
    "agents": AgentTokens, "files": AgentFileRow, "findings": FindingRow, "texts": TextRow,
}  # fmt: skip
"""The lists that a repository has, and of what."""


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
            result = msgspec.json.decode(file.read(self.size), type=RepositoryAudit)
        if place is None:
            return result
        path, revision = place.key
        return replace(result, repository=place.name, place=path, kind=place.kind, revision=revision)


class ResultIndex:
    """The results of repositories in some files, by place and by commit; the last of a place before earlier ones."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.of_place: dict[tuple[str, str], StoredResult] = {}
        self.of_commit: dict[tuple[str | None, str], StoredResult] = {}
        decode = msgspec.json.Decoder(RepositoryRow).decode
        for path in paths:
            start = 0
            with open(path, "rb") as file:  # noqa: PTH123
                for line in file:
                    try:
                        row = decode(line)
                    except msgspec.DecodeError:  # a line that was edited by hand
                        continue
                    finally:
                        start += len(line)
                    stored = StoredResult(path, start - len(line), len(line), row)
                    self.of_place[row.place, row.revision] = stored
                    if row.status == "ok":  # an audit of this very commit would give it again
                        self.of_commit[row.identity, row.stamp] = stored
