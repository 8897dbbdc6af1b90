"""The input of a check: the files that agents in use load, or those of a recipe's prompt, each real file once."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from msgspec.structs import replace

from ..agents.survey import ProjectFiles
from ..agents.table import Question, Table
from ..agents.uses import Use
from ..agents.verdicts import Verdicts
from ..discovery.discover import ResolvedProject
from ..discovery.globs import SKIPPED_FOLDERS
from ..discovery.paths import contains_path
from ..discovery.reader import FileReader, Sighting, find_wrong_encoding
from ..discovery.world import World
from ..lazy import lazy
from ..model.diagnostic import Diagnostic, warning
from ..model.prompt.prompt import Prompt
from ..model.state.discovery import Discovery
from ..model.state.reasons import explain_cause
from ..model.struct import Frozen
from ..text.path_printer import readable_path
from ..text.words import join_words
from .markdown import MarkdownLine, read_markdown_lines

CheckedFileKind = Literal["instructions", "skill", "rule", "import", "command", "agent", "settings"]
UNCHECKED = "unchecked-file"
LIMITS = ("agents-partly", "import-many", "rule-folders", "skill-folders", "skills-many")
"""Diagnostics which say that something was not looked at."""


class CheckedFile(Frozen, frozen=True, dict=True):
    """A file of the project, as it is on disk."""

    path: str
    text: str
    kind: CheckedFileKind
    agents: tuple[str, ...] = ()
    """The titles of the agents that get it; none for what a recipe reads."""
    wrong_encoding: Diagnostic | None = None
    """What is not UTF-8 in it."""

    @property
    def is_unreadable(self) -> bool:
        """Whether its text is of another encoding, such as UTF-16: what rules find in it says nothing more."""
        return self.wrong_encoding is not None and "\0" in self.text

    @lazy
    def lines(self) -> tuple[MarkdownLine, ...]:
        """Its lines, taken apart once for all rules."""
        return read_markdown_lines(self.text)


class AgentsInput(NamedTuple):
    """What is known where agents are checked, and not the prompt of a recipe."""

    table: Table
    files: ProjectFiles
    verdicts: Verdicts


class CheckInput(Frozen, frozen=True, dict=True):
    """All that a rule may look at."""

    pages: tuple[CheckedFile, ...] = ()
    """The texts that a model may get."""
    settings: tuple[CheckedFile, ...] = ()
    root: str = ""
    """The folder of the project; empty where there is none, as for a saved state."""
    cwd: str = ""
    world: World | None = None
    """Where the project is; None where nothing is known of it."""
    notes: tuple[Diagnostic, ...] = ()
    """What agents, or the recipe, report of their files and settings."""
    unchecked: tuple[Diagnostic, ...] = ()
    """What could not be looked at."""
    reader: FileReader | None = None
    agents: AgentsInput | None = None
    prompt: Prompt | None = None


class FileCollection:
    """The files to check so far, each real file once."""

    def __init__(self, reader: FileReader) -> None:
        self.reader = reader
        self.pages: dict[str, CheckedFile] = {}
        """By real path."""
        self.notes: list[Diagnostic] = []
        self.unchecked: list[Diagnostic] = []
        self.met = set[str]()

    def take(self, path: str, kind: CheckedFileKind, agents: Sequence[str] = ()) -> None:
        """Read a file, or report why it can't be read."""
        if path in self.met:
            return
        self.met.add(path)
        found, shown = self.reader.look_at(path), readable_path(path)
        if not isinstance(found, Sighting):
            if found.outcome == "absent" and "\ufffd" in path:  # the survey knows it by a name that can be printed
                message = f"{shown!r} was not checked: its name is not UTF-8"
                self.unchecked.append(warning(UNCHECKED, message, shown))
            elif found.outcome != "absent":
                code = "link-outside" if found.outcome == "outside" else "unreadable"
                who = f"; {join_words(list(agents))} would load it" if agents else ""
                self.notes.append(warning(code, explain_cause(found.reason) + who, shown))
            return
        if found.real in self.pages:
            return
        try:
            data = self.reader.content(found)
        except OSError as problem:
            why = problem.strerror or str(problem)
            self.unchecked.append(warning(UNCHECKED, f"{shown!r} was not checked: {why}", shown))
            return
        text, wrong = data.decode("utf-8", "replace"), find_wrong_encoding(data, shown)
        self.pages[found.real] = CheckedFile(shown, text, kind, tuple(agents), wrong)

    def make_input(self, root: str, notes: Iterable[Diagnostic]) -> CheckInput:
        """The input, with what agents or a recipe report besides: of a limit, that it is not complete."""
        notes = tuple(dict.fromkeys((*self.notes, *notes)))
        pages = sorted(self.pages.values(), key=lambda page: page.path)
        return CheckInput(
            tuple(page for page in pages if page.kind != "settings"),
            tuple(page for page in pages if page.kind == "settings"), root,
            notes=tuple(each for each in notes if each.code not in LIMITS),
            unchecked=(*self.unchecked, *(each for each in notes if each.code in LIMITS)), reader=self.reader,
        )  # fmt: skip


def read_agents_input(question: Question, table: Table, verdicts: Verdicts | None = None) -> CheckInput:
    """What the agents of a table load, truncate, list or load on demand from any of its starts, and what it judges."""
    files = question.files
    found = FileCollection(files.reader)
    readers = _find_readers(table, files)
    rows = [(path, kind) for path, kind in _list_agent_files(table, files) if not files.is_personal(path)]
    # Of several names of one file, that of the file itself, and not of a link.
    for path, kind in sorted(rows, key=lambda row: not files.reader.is_plain(row[0], files.real(row[0]))):
        found.take(path, kind, readers.get(files.real(path), ()))
    notes = [note for agent in table.agents for note in agent.findings if contains_path(table.root, note.path or "")]
    agents = AgentsInput(table, files, verdicts or Verdicts(table, files))
    made = found.make_input(table.root, (*notes, *table.notes))
    return replace(made, cwd=table.cwd, world=files.world, agents=agents)


def _find_readers(table: Table, files: ProjectFiles) -> dict[str, list[str]]:
    """By real path, the titles of the agents that get a file from some start, or would if it were in the project."""
    readers = defaultdict[str, dict[str, None]](dict)
    for use in table.uses:
        if use.is_delivered or use.code == "outside":
            readers[files.real(use.path)][table.titles[use.agent]] = None
    return {real: list(titles) for real, titles in readers.items()}


def _list_agent_files(table: Table, files: ProjectFiles) -> Iterator[tuple[str, CheckedFileKind]]:
    """Files of agents, each with its kind; a skill with the pages in its folder."""
    yield from (_name_kind(use) for use in table.uses if use.is_delivered)
    yield from ((file.path, "rule" if "/" in file.name else "instructions") for file in table.judged)
    yield from ((file.path, file.listed) for file in files.survey.listed_files if file.listed)
    skills = [file.path for file in files.files if file.skill]
    yield from ((path, "skill") for path in skills)
    for path in dict.fromkeys((*skills, *(use.path for use in table.uses if use.kind == "skill" and use.is_delivered))):
        if path.endswith("/SKILL.md") and contains_path(table.root, path):
            yield from ((page, "skill") for page in _list_pages(files, path.rpartition("/")[0]))


def _name_kind(use: Use) -> tuple[str, CheckedFileKind]:
    return use.path, "import" if use.reason.code == "imported" else use.kind


def _list_pages(files: ProjectFiles, folder: str) -> Iterator[str]:
    """The Markdown in the folder of a skill: the model reads it when the skill says so."""
    for name, kind in files.world.list(folder):
        path = f"{folder}/{name}"
        if kind == "dir" and name not in SKIPPED_FOLDERS:
            yield from _list_pages(files, path)
        elif kind == "file" and name.endswith(".md") and name != "SKILL.md":
            yield path


def read_recipe_input(project: ResolvedProject, prompt: Prompt, discovery: Discovery) -> CheckInput:
    """What the prompt of a recipe is made of. Files are read once more: a State has them tidied."""
    found, state = FileCollection(project.reader()), discovery.state
    for file in (*state.workspace_files, *state.context_files):
        found.take(file.path, "instructions")
    for skill in state.skills:
        found.take(skill.location, "skill")
    made = found.make_input(project.place().top, prompt.diagnostics)
    return replace(made, cwd=project.cwd, world=project.world, prompt=prompt)


MAX_LINES_ABOVE = 10_000
"""Lines before a text in its file, in all files together: a state may claim any number, and each of them costs."""


def make_prompt_input(prompt: Prompt) -> CheckInput:
    """The input for a prompt without a project: the files that its state holds whole, each on its own lines."""
    room, pages = MAX_LINES_ABOVE, []
    for file in (*prompt.state.context_files, *prompt.state.workspace_files):
        above = (file.where.line or 1) - 1
        # A start further down is treated as the beginning of its file.
        above = above if 0 < above <= room else 0
        room -= above
        pages.append(CheckedFile(file.path, "\n" * above + file.content, "instructions"))
    return CheckInput(tuple(pages), notes=prompt.diagnostics, prompt=prompt)
