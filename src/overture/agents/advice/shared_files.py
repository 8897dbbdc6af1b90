"""Finds the instruction files that all chosen agents should load."""

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...discovery.paths import contains_path
from ...known_agents.file_owners import INSTRUCTIONS
from ...text.frontmatter import is_generated
from ...text.normalize import normalize_newlines
from ..loaded_lines import LoadedLine, parse_loaded_lines
from ..survey_project import InstructionFile
from .simulated_world import LoadResult, SimulatedAgent, SimulatedWorld, read_text_at

SHARED_NAME = "AGENTS.md"
"""The name that most agents read: its text is meant for all of them."""
PRIVATE_NAME_PARTS = (".local.", ".override.")
"""Parts of names of files that are for one person or one agent alone: they stay where they are."""
MAX_FILES_BELOW = 100
"""Files below the working directory that are looked after."""


class SharedFile(NamedTuple):
    """A file whose text is meant for all."""

    path: str
    folder: str
    """The folder to which it applies."""
    lines: tuple[LoadedLine, ...]
    text: str = ""


class MissingFile(NamedTuple):
    """A text that an agent does not load, or truncates."""

    agent: SimulatedAgent
    shared: SharedFile

    @property
    def key(self) -> tuple[str, str]:
        """Which agent misses which shared file."""
        return self.agent.name, self.shared.path


def find_shared_files(
    world: SimulatedWorld, files: Iterable[InstructionFile], walk: Sequence[str], results: Sequence[LoadResult]
) -> list[SharedFile]:
    """The files that an agent loads at the start, or all should; if there are none, all files of the project."""
    plain = [file for file in files if _is_shareable(file) and file.folder in walk]
    known = {file.path: file.folder for file in plain if file.name == SHARED_NAME}
    for each in results:
        loaded = {look.path: look for look in each.found.looked_at if look.outcome == "loaded"}
        known |= {file.path: file.folder for file in plain if file.path in loaded}
        for path, look in loaded.items():
            if look.reason.code == "imported" and contains_path(walk[0], path):
                folders = (folder for folder in reversed(walk) if contains_path(folder, posixpath.dirname(path)))
                known.setdefault(path, next(folders))
    known = known or {file.path: file.folder for file in plain}
    shared = [_read_shared_file(world, path, folder) for path, folder in known.items()]
    # A file that a program generates from the others is no source to copy from.
    written = [each for each in shared if not is_generated(each.text)]
    return _deduplicate_shared(world, [each for each in written or shared if each.lines])


def find_shared_files_below(
    world: SimulatedWorld, files: Iterable[InstructionFile], cwd: str, results: Sequence[LoadResult]
) -> list[SharedFile]:
    """The same for the folders below the working directory, among agents that read more once they work there."""
    plain = [file for file in files if _is_shareable(file) and file.folder != cwd and contains_path(cwd, file.folder)]
    loaded = {look.path for each in results for look in each.found.looked_at if look.outcome == "loaded"}
    known = [file for file in plain if results and (file.name == SHARED_NAME or file.path in loaded)][:MAX_FILES_BELOW]
    shared = [_read_shared_file(world, file.path, file.folder) for file in known]
    return _deduplicate_shared(world, [each for each in shared if each.lines])


def _is_shareable(file: InstructionFile) -> bool:
    return not file.skill and file.name in INSTRUCTIONS and not is_private_name(file.name)


def is_private_name(name: str) -> bool:
    """Whether a file of that name is one person's or one agent's alone."""
    return any(part in name for part in PRIVATE_NAME_PARTS)


def _read_shared_file(world: SimulatedWorld, path: str, folder: str) -> SharedFile:
    text = normalize_newlines(read_text_at(world, path) or "").removeprefix("\ufeff")
    return SharedFile(path, folder, parse_loaded_lines(text, path), text.strip("\n"))


def _deduplicate_shared(world: SimulatedWorld, files: list[SharedFile]) -> list[SharedFile]:
    """Without other names of one file."""
    unique: dict[str, SharedFile] = {}
    for each in files:
        unique.setdefault(world.real(each.path), each)
    return list(unique.values())


def find_missing_files(
    agents: Sequence[SimulatedAgent], results: dict[str, LoadResult], shared: Sequence[SharedFile]
) -> Iterator[MissingFile]:
    """All files that some agent does not load."""
    for agent in agents:
        for each in shared:
            if not results[agent.name].loads(each.path, each.lines):
                yield MissingFile(agent, each)
