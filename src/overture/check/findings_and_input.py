"""The input of a check, which is a prompt with its files and facts, and the findings that rules make of it."""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec.structs import asdict

from ..agents.agents_summary import InstructionDifference
from ..agents.truncated_files import TruncatedFile
from ..lazy import lazy
from ..model.diagnostic import Diagnostic
from ..model.prompt.prompt import Prompt
from ..model.state.discovery import Look
from ..model.struct import Frozen
from .project_tree import ProjectTree
from .read_markdown import MarkdownLine, read_markdown_lines

Severity = Literal["error", "warning", "info"]


class TextEdit(Frozen, frozen=True):
    """A replacement of the characters `start` to `end` of a file's text."""

    start: int
    end: int
    text: str


class Finding(Frozen, frozen=True):
    """One problem: its code, severity, message and location."""

    code: str
    severity: Severity
    message: str
    path: str | None = None
    line: int | None = None
    column: int | None = None
    edits: tuple[TextEdit, ...] = ()
    """The safe fix, if there is one."""

    @property
    def fixable(self) -> bool:
        """Whether `overture check --fix` can fix it."""
        return bool(self.edits)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form, with all keys; unknown values are None."""
        data = asdict(self)
        del data["edits"]
        return {**data, "fixable": self.fixable}


CheckedFileKind = Literal["instructions", "skill", "rule", "import", "command", "agent"]


class CheckedFile(Frozen, frozen=True, dict=True):
    """A file of the project, as it is on disk."""

    path: str
    text: str
    kind: CheckedFileKind
    read: bool = True
    """Whether the prompt was made of it; an instruction file of another tool is not."""
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


class ProjectFacts(Frozen, frozen=True):
    """What else is known of the project."""

    tree: ProjectTree | None = None
    """Where the files that pages name may be; None where nothing is known of them, as for a saved state."""
    miswritten: Mapping[str, str] = {}
    """The path of an instruction file with the wrong letter case, and the name that agents look for."""


class CheckInput(Frozen, frozen=True, dict=True):
    """All that a rule may look at. Nothing is read by a rule."""

    prompt: Prompt
    pages: tuple[CheckedFile, ...] = ()
    project: ProjectFacts = ProjectFacts()
    looks: tuple[Look, ...] = ()
    """Every path that was looked at, and its outcome."""
    root: str = ""
    """The folder of the project; empty where there is none, as for a saved state."""
    truncated: tuple[TruncatedFile, ...] = ()
    """The files that known agents do not take whole."""
    disagreement: InstructionDifference | None = None
    """How the instructions of agents in use here differ; None where they do not."""
    is_default_recipe: bool = False
    """Whether the recipe is the default: then files are for agents, and not for it."""
    agent_notes: tuple[Diagnostic, ...] = ()
    """What agents in use here report of their own rules and settings."""
    unchecked: tuple[Diagnostic, ...] = ()
    """What could not be looked at."""


MAX_LINES_ABOVE = 10_000
"""Lines before a text in its file, in all files together: a state may claim any number, and each of them costs."""


def make_saved_input(prompt: Prompt, looks: tuple[Look, ...] = ()) -> CheckInput:
    """The input for a prompt without a project: the files that its state holds whole, each on its own lines."""
    files = (*prompt.state.context_files, *prompt.state.workspace_files)
    room, pages = MAX_LINES_ABOVE, []
    for file in files:
        above = (file.where.line or 1) - 1
        # A start further down is treated as the beginning of its file.
        above = above if 0 < above <= room else 0
        room -= above
        pages.append(CheckedFile(file.path, "\n" * above + file.content, "instructions"))
    return CheckInput(prompt, tuple(pages), looks=looks)
