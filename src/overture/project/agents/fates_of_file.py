"""A path that somebody asks about, and reports of agents -> what each agent makes of it."""

import posixpath
from collections.abc import Sequence
from typing import NamedTuple

from ...discover.disk.walk import expanded
from ...discover.disk.world import RealWorld, World
from ...model.struct import Frozen
from ...report.agents.agent_report import AgentReport, Status


class AgentFate(Frozen, frozen=True, omit_defaults=False):
    """What one agent makes of one file."""

    name: str
    status: Status
    why: str


class Answer(NamedTuple):
    """What becomes of each file that is meant."""

    files: tuple[tuple[str, tuple[AgentFate, ...]], ...]
    there: bool
    """Whether there is such a file."""


def fates_of_file(reports: Sequence[AgentReport], name: str, cwd: str, home: str, world: World | None = None) -> Answer:
    """The file of that path; where none lies there, every one of that name that an agent knows."""
    world = world or RealWorld()
    path = posixpath.normpath(expanded(name, cwd, home))
    there = _lies(world, path)
    meant = [path]
    if not there:
        known = dict.fromkeys(file.path for report in reports for file in report.files)
        meant = [each for each in known if each.endswith(f"/{name}") or each.endswith(f"/{name}/SKILL.md")] or [path]
    files = tuple((each, tuple(fate_of(report, each) for report in reports)) for each in meant)
    return Answer(files, there or meant != [path])


def fate_of(report: AgentReport, path: str) -> AgentFate:
    """What an agent makes of a path."""
    file = next((file for file in report.files if file.path == path), None)
    if file is None:
        below = [each for each in report.files if each.path.startswith(f"{path.rstrip('/')}/")]
        read = sum(each.status in ("loaded", "cut") for each in below)
        if below:
            return AgentFate(
                report.name, "loaded" if read else "unread", f"a folder: it reads {read} of {len(below)} files there"
            )
        return AgentFate(
            report.name, "unread", f"{report.title} does not look for it: to this agent it is a file like any other"
        )
    if file.status == "cut":
        return AgentFate(report.name, "cut", f"it ends after line {file.last_line} of {file.lines}: {file.why}")
    return AgentFate(report.name, file.status, file.why)


def _lies(world: World, path: str) -> bool:
    try:
        return world.look(path) is not None
    except OSError:
        return False
