"""A report of an agent -> the few words that a table has room for."""

import posixpath
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ...model.other_tools import INSTRUCTIONS
from ...model.recipe.wants.wanted_instructions import Evidence
from ..report.agent_report import AgentFile, AgentReport

HOW: dict[Evidence, str] = {"run": "seen", "code": "source", "docs": "docs", "reported": "reported"}
HOW_LONG: dict[Evidence, str] = {
    "run": "seen in runs",
    "code": "read in its source",
    "docs": "documented by its makers",
    "reported": "reported by others",
}
TEXTS = ("instructions", "rule")
"""The kinds of files whose text is told; of others the agent is told a line, or nothing."""
PATH = re.compile(r"(?<![\w.~/*])/(?:[^\s/,;:]+/)*[^\s/,;:]+")
"""A path in a sentence; one with a blank in it is left as it is."""
FARTHEST = 4
"""Folders upward that a path is written with; one that lies farther is written in full."""
MANY = 4
"""So many files of one folder with one fate stand in one line."""


class Near(NamedTuple):
    """How paths are written: from the working directory, or from home, or in full."""

    cwd: str
    home: str

    def __call__(self, path: str) -> str:
        """A path as one would write it here."""
        near = posixpath.relpath(path, self.cwd)
        if not near.startswith("../"):
            return near
        above = self.cwd.startswith(posixpath.dirname(path).rstrip("/") + "/")
        if path.startswith(self.home.rstrip("/") + "/") and not above:
            return "~" + path.removeprefix(self.home.rstrip("/"))
        return path if near.startswith("../" * FARTHEST) else near

    def within(self, sentence: str) -> str:
        """A sentence that names paths, with those as one would write them here."""
        return PATH.sub(lambda found: self(found[0]), sentence)


def how_known(report: AgentReport) -> str:
    """`seen 0.166.0`, `source`, `docs`, `reported`."""
    return f"{HOW[report.known]} {report.version}" if report.known == "run" else HOW[report.known]


def texts(files: Iterable[AgentFile]) -> list[AgentFile]:
    """The instruction files and rules among them."""
    return [file for file in files if file.kind in TEXTS]


def others(files: Iterable[AgentFile], kind: str) -> list[AgentFile]:
    """Those of one kind."""
    return [file for file in files if file.kind == kind]


def most_telling(report: AgentReport, cwd: str) -> AgentFile | None:
    """Of the files that are not read, the one that somebody would miss first.

    One that a limit drops, then one that lies where the agent looks, then one of a name that it reads elsewhere; last
    one such as `docs/gemini.md`, which may be about something else.
    """
    left = [file for file in texts(report.of("unread")) if file.same is None]
    read = {_name(file) for file in texts(report.of("loaded", "cut"))}
    return min(left, key=lambda file: _rank(file, read, cwd), default=None)


def _rank(file: AgentFile, read: set[str], cwd: str) -> tuple[int, int, int, str]:
    looked = 0 if file.last_line is not None else 1 if file.step else 2 if _name(file) in read else 3
    near = posixpath.relpath(file.path, cwd)
    return looked + 2 * _is_miswritten(file), file.kind != "instructions", near.count("/"), file.path


def _is_miswritten(file: AgentFile) -> bool:
    """Whether only its letter case makes it another name than that of an instruction file."""
    name = _name(file)
    return name not in INSTRUCTIONS and any(name.casefold() == each.casefold() for each in INSTRUCTIONS)


def _name(file: AgentFile) -> str:
    return posixpath.basename(file.path)


class Line(NamedTuple):
    """A file, or several of one folder with one fate."""

    files: tuple[AgentFile, ...]

    @property
    def first(self) -> AgentFile:
        """The one that stands for all."""
        return self.files[0]

    @property
    def tokens(self) -> int:
        """Of all of them."""
        return sum(file.tokens for file in self.files)

    def name(self, near: Near) -> str:
        """`AGENTS.md`, or `26 skills in .agents/skills`."""
        if len(self.files) == 1:
            return near(self.first.path)
        return f"{len(self.files)} {plural(self.first.kind)} in {near(folder_of(self.first))}"


def plural(kind: str) -> str:
    """Several of a kind, in a word."""
    return {"rule": "rules", "skill": "skills", "command": "commands", "agent": "sub-agents"}.get(kind, "files")


def folder_of(file: AgentFile) -> str:
    """The folder of a file; of a skill, the folder that holds skills."""
    folder = posixpath.dirname(file.path)
    return posixpath.dirname(folder) if file.kind == "skill" else folder


def lines_of(files: Sequence[AgentFile], everything: bool) -> list[Line]:
    """The files in their order, many of one folder and one fate as one line, unless everything is asked for."""
    if everything:
        return [Line((file,)) for file in files]
    groups: dict[object, list[AgentFile]] = {}
    for file in files:
        groups.setdefault(_group(file), []).append(file)
    lines: list[Line] = []
    for file in files:
        group = groups[_group(file)]
        if len(group) < MANY:
            lines.append(Line((file,)))
        elif group[0] is file:
            lines.append(Line(tuple(group)))
    return lines


def _group(file: AgentFile) -> object:
    if file.kind == "instructions" or file.last_line is not None:
        return file.path
    # Each of several links leads to another file, and each of several rules has patterns of its own.
    return folder_of(file), file.kind, file.status, "the same file" if file.same else file.status
