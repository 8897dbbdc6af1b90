"""What may be behind a program's calls: the files that its agent's rules name, or all texts of the repository."""

from collections.abc import Iterable, Iterator
from functools import cached_property

from ...agents.agent_project import AgentProject, resolve_in_folder
from ...agents.agent_report import AgentReport
from ...agents.agents_in_use import resolve_for_agent
from ...agents.make_reports import list_project_files, report_agent
from ...agents.survey_project import SHALLOW_FOLDERS, list_project_folders
from ...discovery.globs import SKIPPED_FOLDERS
from ...discovery.place import list_home_places
from ...discovery.reader import DOCUMENT_SUFFIXES, Sighting, decode_text
from ...discovery.world import Path, World
from ...known_agents import AGENTS, agent_wants
from ...model.agent_rules import AgentWants
from ...model.diagnostic import Diagnostic, warning
from ...text.words import count_noun
from ...tokens.counter import ESTIMATE
from ..run.programs import find_agent_of_program
from .source_lines import LikelyFiles

MAX_CANDIDATE_FILES = 5_000
"""Files that are looked at."""
MAX_CANDIDATE_BYTES = 1_000_000
"""Bytes of a file that is looked at."""
MAX_TOTAL_BYTES = 40_000_000
"""Bytes of all of them."""
MAX_FOLDERS = 6_000
"""Folders that are looked into."""
NO_PROMPT_SUFFIXES = (
    ".7z", ".a", ".bin", ".bz2", ".class", ".csv", ".db", ".dll", ".dylib", ".eot", ".exe", ".gif", ".gz", ".har",
    ".ico", ".jar", ".jpeg", ".jpg", ".jsonl", ".lock", ".log", ".map", ".mo", ".mp3", ".mp4", ".ndjson", ".npy", ".o",
    ".onnx", ".otf", ".parquet", ".pdf", ".png", ".pt", ".pyc", ".pyd", ".safetensors", ".so", ".sqlite", ".svg",
    ".tar", ".tsv", ".ttf", ".wasm", ".wav", ".webm", ".webp", ".whl", ".woff", ".woff2", ".xz", ".zip", ".zst",
)  # fmt: skip
"""Files of a repository that hold no text, or data and recorded conversations: no program keeps its prompts there."""


class AgentSources:
    """The files that may be behind a program's calls, with their texts, and what is known of them."""

    def __init__(self, project: AgentProject, report: AgentReport | None, surveyed: Iterable[str]) -> None:
        """`surveyed` are the files of all agents in the project."""
        self.project, self.report = project, report
        """The status of each file by the agent's rules; None if the program is unknown."""
        files = report.files if report else ()
        loaded = tuple(file.path for file in files if file.status != "skipped")
        # What the agent skips may be outside the project, and is not read.
        self._known_paths = (*loaded, *surveyed)
        self.own = CandidateFiles(project, self._known_paths) if report else self.repository
        """The files whose words a prompt may hold: a known agent sends only what its rules load or list."""
        never_read = {*self._known_paths, *(file.path for file in files)}.difference(loaded) if report else ()
        stripped = {file.path: self._find_stripped(file.path, file.told_lines) for file in files if file.told_lines}
        self.likely = LikelyFiles(loaded, project.cwd, frozenset(never_read), stripped)

    @cached_property
    def repository(self) -> "CandidateFiles":
        """All texts of the repository, which tools may read; for an unknown program what agents keep at home, too."""
        files = CandidateFiles(self.project, self._known_paths)
        if self.report is None:
            home = self.project.home.rstrip("/")
            places = {place for name in AGENTS for place in list_home_places(_get_wants(name))}
            for place in sorted(places):
                files.add_files(files.find_texts(f"{home}/{place}", DOCUMENT_SUFFIXES))
        near = f"{self.project.cwd.rstrip('/')}/"
        files.add_files(sorted(files.find_texts(files.top), key=lambda path: not path.startswith(near)))
        return files

    def _find_stripped(self, path: str, told_lines: Iterable[tuple[int, int]]) -> frozenset[int]:
        """The lines of a file that the agent's rules do not send as they are."""
        count = self.own.texts.get(path, "").count("\n") + 1
        return frozenset(range(1, count + 1)).difference(*(range(first, last + 1) for first, last in told_lines))


def _get_wants(name: str) -> AgentWants:
    wants = agent_wants(name)
    return wants.fill(wants.own_folders({}))


def find_sources(
    program: str = "", *, cwd: Path | None = None, home: Path | None = None, world: World | None = None
) -> AgentSources:
    """What may be behind the calls of a program in a folder."""
    name = find_agent_of_program(program)
    project = resolve_in_folder(cwd, home, None, world, name=name or AGENTS[0])
    project_files = list_project_files(project, AGENTS, ESTIMATE)
    report = report_agent(resolve_for_agent(project, name), project_files) if name else None
    return AgentSources(project, report, (file.path for file in project_files.files))


class CandidateFiles:
    """Texts of files, within limits, and what is beyond them."""

    def __init__(self, project: AgentProject, paths: Iterable[str]) -> None:
        """Read these files; `add_files` reads more."""
        self.world, self.reader = project.world, project.reader()
        self.top, self.home = list_project_folders(project)[0], project.home.rstrip("/")
        self.texts: dict[str, str] = {}
        self._folders_left, self._bytes_left, self._left_out = MAX_FOLDERS, MAX_TOTAL_BYTES, 0
        self._seen, self._large, self._notes = set[str](), list[str](), list[Diagnostic]()
        self.add_files(paths)

    def find_texts(self, top: str, suffixes: tuple[str, ...] | None = None) -> Iterator[str]:
        """The files of a folder that may hold text, or end in `suffixes`, the outermost first; no hidden ones."""
        todo = [(top, True)]
        for folder, deeper in todo:
            entries = self.world.list(folder) if self._folders_left >= 0 else []
            self._folders_left -= bool(entries)
            for name, kind in entries if self._folders_left >= 0 else ():
                path = f"{folder.rstrip('/')}/{name}"
                if name[0] == ".":
                    continue
                if kind == "dir" and deeper and name not in SKIPPED_FOLDERS:
                    todo.append((path, name not in SHALLOW_FOLDERS))
                elif kind in ("file", "link"):
                    is_text = not name.lower().endswith(NO_PROMPT_SUFFIXES)
                    if is_text if suffixes is None else name.lower().endswith(suffixes):
                        yield path

    def add_files(self, paths: Iterable[str]) -> None:
        """Read files of the project, of home or of other folders, if no link leads out of it."""
        for path in paths:
            if path in self._seen:
                continue
            self._seen.add(path)
            sighting = self.reader.look_at(path)
            if isinstance(sighting, Sighting):
                self._read(path, sighting)
            elif sighting.outcome != "absent":
                self._notes.append(warning("tap-file-left-out", f"not searched: {sighting.detail}", path))

    def _read(self, path: str, sighting: Sighting) -> None:
        size = sighting.entry.size
        if size > MAX_CANDIDATE_BYTES:
            self._large.append(path)
        elif len(self.texts) == MAX_CANDIDATE_FILES or size > self._bytes_left:
            self._left_out += 1
        else:
            try:
                data = self.reader.content(sighting, MAX_CANDIDATE_BYTES)
                text = decode_text(data, path)[0] if b"\0" not in data else ""
            except OSError:
                return
            self._bytes_left -= size
            self.texts[path] = text.replace("\r\n", "\n")

    @property
    def notes(self) -> Iterator[Diagnostic]:
        """What was not searched, and why."""
        yield from self._notes
        if self._large:
            more = f", and {count_noun(len(self._large) - 1, 'other file')}" if len(self._large) > 1 else ""
            limit = f"the limit is {MAX_CANDIDATE_BYTES:,} bytes"
            yield warning("tap-file-left-out", f"not searched: {self._large[0]}{more}: {limit}")
        if self._left_out:
            limit = f"the limit is {MAX_CANDIDATE_FILES:,} files and {MAX_TOTAL_BYTES:,} bytes"
            were = "was" if self._left_out == 1 else "were"
            yield warning("tap-files-partly", f"{count_noun(self._left_out, 'file')} {were} not searched: {limit}")
        if self._folders_left < 0:
            note = f"only {MAX_FOLDERS:,} folders were searched; text from other folders is counted as the agent's own"
            yield warning("tap-files-partly", note)
