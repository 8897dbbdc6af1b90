"""The JSON of `agents` and `check` as types, of which schemas are made."""

from typing import Annotated, Literal, NotRequired, TypedDict

from ..agents.agent_report import FileStatus
from ..agents.file_answers import FileAnswer
from ..agents.file_status import AgentFileStatus
from ..model.file_steps import Evidence, FileKind
from ..model.recipe.recipe import OwnPrompt
from ..model.state.discovery import Outcome
from ..model.struct import note
from .rule import Severity


class SkillRow(TypedDict):
    """A skill that is there."""

    name: str
    outcome: Outcome | Literal["listed"]
    location: str
    description: str
    detail: str
    outside: bool


class FindingOutput(TypedDict):
    """Something wrong: in `agents`, `check` and others."""

    code: str
    severity: Severity
    message: str
    path: str | None
    line: int | None
    column: int | None
    fixable: bool


class AgentFileOutput(TypedDict):
    """One file of an agent."""

    path: str
    kind: FileKind
    status: FileStatus
    why: str
    tokens: int
    last_line: NotRequired[int]
    lines: NotRequired[int]
    frame: NotRequired[str]
    same: NotRequired[str]
    alias_of: NotRequired[str]
    step: NotRequired[str]
    known: NotRequired[Evidence]
    touched: NotRequired[bool]
    order_fixed: NotRequired[bool]


class AgentOutput(TypedDict):
    """One agent."""

    name: str
    title: str
    version: str
    checked: str
    known: Evidence
    used: list[str]
    files: list[AgentFileOutput]
    order_fixed: bool
    tokens: int
    tokenizer: str
    exact: bool
    own: OwnPrompt
    findings: list[FindingOutput]


class AgentsOutput(TypedDict):
    """`overture agents --json`."""

    agents: list[AgentOutput]


class FileByAgent(TypedDict):
    """What agents do with one path."""

    path: str
    answers: list[FileAnswer]
    by: list[AgentFileStatus]


class AgentsWhyOutput(TypedDict):
    """`overture agents --why PATH --json`."""

    files: list[FileByAgent]


class RuleRow(TypedDict):
    """A check in `overture check --list --json`."""

    code: str
    severity: Severity
    finds: str


class RulePage(RuleRow):
    """`overture check --explain CODE --json`."""

    page: str


class CheckOutput(TypedDict):
    """`overture check --json`."""

    recipe: str
    findings: list[FindingOutput]
    counts: Annotated[dict[Severity, int], note("how many findings have that severity")]
    fixable: int
    ignored: Annotated[int, note("how many findings are ignored by comments")]
