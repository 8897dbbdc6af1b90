"""A path that somebody asks about, and reports of agents -> what each agent makes of it."""

import posixpath
from collections.abc import Sequence
from typing import NamedTuple

from ..discover.disk.walk import expanded
from ..discover.disk.world import RealWorld, World, lies
from ..model.struct import Frozen
from .report.agent_report import AgentReport, Status


class AgentFate(Frozen, frozen=True, omit_defaults=False):
    """What one agent makes of one file."""

    name: str
    status: Status
    why: str


class Meant(NamedTuple):
    """The paths for which a name stands."""

    paths: tuple[str, ...]
    there: bool
    """Whether there is such a file."""


class Answer(NamedTuple):
    """What becomes of each file that is meant."""

    files: tuple[tuple[str, tuple[AgentFate, ...]], ...]
    there: bool
    """Whether there is such a file."""


def fates_of_file(reports: Sequence[AgentReport], name: str, cwd: str, home: str, world: World | None = None) -> Answer:
    """What each agent makes of each file that is meant."""
    meant = paths_meant(reports, name, cwd, home, world or RealWorld())
    files = tuple((each, tuple(fate_of(report, each) for report in reports)) for each in meant.paths)
    return Answer(files, meant.there)


def paths_meant(reports: Sequence[AgentReport], name: str, cwd: str, home: str, world: World) -> Meant:
    """The file of that path; where none lies there, every one of that name that an agent knows, and a skill's."""
    path = posixpath.normpath(expanded(name, cwd, home))
    known = dict.fromkeys(file.path for report in reports for file in report.files)
    if f"{path}/SKILL.md" in known:
        return Meant((f"{path}/SKILL.md",), True)
    if lies(world, path):
        return Meant((path,), True)
    found = tuple(each for each in known if each.endswith((f"/{name}", f"/{name}/SKILL.md")))
    return Meant(found or (path,), bool(found))


def fate_of(report: AgentReport, path: str) -> AgentFate:
    """What an agent makes of a path."""
    file = next((file for file in report.files if file.path == path), None)
    if file is None:
        below = [each for each in report.files if each.path.startswith(f"{path.rstrip('/')}/")]
        told = sum(each.status in ("loaded", "cut") for each in below)
        if below:
            said = f"a folder: {told} of {len(below)} file{'s' * (len(below) != 1)} in it are told at the start"
            return AgentFate(report.name, "loaded" if told else "unread", said)
        return AgentFate(report.name, "unread", f"to {report.title} it is a file like any other")
    if file.status == "cut":
        return AgentFate(report.name, "cut", f"told up to line {file.last_line} of {file.lines}: {file.why}")
    return AgentFate(report.name, file.status, file.why)
