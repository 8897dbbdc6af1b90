"""The types of the JSON that `overture agents` prints."""

from typing import NotRequired, TypedDict

from ..model.agent_rules import Evidence, FileKind
from ..model.diagnostic import Level
from ..model.recipe.recipe import OwnPrompt
from .agent_report import FileStatus
from .file_answers import FileAnswer


class AgentFindingOutput(TypedDict):
    """What an agent can't read, or cuts."""

    code: str
    severity: Level
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
    findings: list[AgentFindingOutput]


class AgentsOutput(TypedDict):
    """`overture agents --json`."""

    agents: list[AgentOutput]


class FileByAgent(TypedDict):
    """One path, and the agents by what they do with it."""

    path: str
    answers: list[FileAnswer]


class AgentsWhyOutput(TypedDict):
    """`overture agents --why PATH --json`."""

    files: list[FileByAgent]
