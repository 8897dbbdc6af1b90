"""A rule takes a prompt with its files and yields findings. `all_rules` loads every rule by its code."""

import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any, Literal

from ..agents.agents_summary import InstructionDifference
from ..agents.truncated_files import TruncatedFile, find_truncated_texts
from ..errors import ConfigError, explain_unknown
from ..model.prompt.prompt import Prompt
from ..model.state.discovery import Look
from ..model.struct import Frozen

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
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "fixable": self.fixable,
        }


CheckedFileKind = Literal["instructions", "skill", "rule", "import", "readme"]


class CheckedFile(Frozen, frozen=True, dict=True):
    """A file of the project, as it is on disk."""

    path: str
    text: str
    kind: CheckedFileKind
    read: bool = True
    """Whether the prompt was made of it; an instruction file of another tool is not."""

    @property
    def is_sent(self) -> bool:
        """Whether some agent sends its text; a README is for people."""
        return self.kind != "readme"


class ProjectFacts(Frozen, frozen=True):
    """The facts of the project that its pages may mention."""

    commands: Mapping[str, frozenset[str]] = {}
    """The runner (`npm`, `make`, …) and the names that it knows here; a runner that is not here has no entry."""
    missing: Mapping[str, frozenset[str]] = {}
    """The path of a page and the files that it names and that are nowhere."""
    moved: Mapping[str, str] = {}
    """Missing paths, below the root, and the current name of each: in other letter case, or from git's history."""
    elsewhere: Mapping[str, str] = {}
    """Missing paths as pages name them, and the only file of the project that has the same name."""
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
    texts = {page.path: page.text for page in pages}
    return CheckInput(prompt, tuple(pages), looks=looks, truncated=tuple(find_truncated_texts(texts)))


class CheckRule(Frozen, frozen=True):
    """One check, with a page of its own: pages/CODE.md."""

    code: str
    """A stable word, e.g. `hidden-character`; a page of that name explains what, why and how to fix."""
    severity: Severity
    title: str
    """What it finds, in a line."""
    look: Callable[[CheckInput], Iterable[Finding]]
    takes: frozenset[str] = frozenset()
    """The codes of the prompt's diagnostics that it covers; `reported` takes those that no rule covers."""


@cache
def all_rules() -> Mapping[str, CheckRule]:
    """Every rule, sorted by its code."""
    return {rule.code: rule for rule in sorted(_load_rules(), key=lambda rule: rule.code)}


def _load_rules() -> Iterator[CheckRule]:
    package = import_module(".rules", __package__)
    for module in sorted(found.name for found in pkgutil.iter_modules(package.__path__)):
        yield from getattr(import_module(f".{module}", package.__name__), "RULES", ())


RENAMED_CODES = {"over-agent-limit": "truncated-instructions"}
"""Former names of the code: comments and settings with the old ones still count."""


def use_new_code(code: str) -> str:
    """The code that a check has now."""
    return RENAMED_CODES.get(code, code)


@cache
def read_rule_page(code: str) -> str:
    """The page of a rule: what it finds, why, how to fix it, and an example of each kind."""
    code = use_new_code(code)
    if code not in all_rules():
        raise ConfigError(explain_unknown("Check", code, all_rules()), hint="`overture check --explain` lists them")
    data = pkgutil.get_data(__package__, f"pages/{code}.md")
    assert data is not None
    return data.decode("utf-8").rstrip("\n")
