"""The types of what `overture agents` prints as JSON, of which schemas are made; `table.py` makes the data."""

from typing import Annotated, NotRequired, TypedDict

from ..model.agent_rules import Evidence, FileKind
from ..model.diagnostic import Level
from ..model.recipe.recipe import OwnPrompt
from ..model.struct import note
from .uses import How


class ReasonOutput(TypedDict):
    """Why an agent does with a file what it does."""

    code: NotRequired[str]
    path: NotRequired[Annotated[str, note("the other path that it is about")]]
    args: NotRequired[list[str | int]]


class UseOutput(TypedDict):
    """What an agent does with a file; paths in the project are relative to its root."""

    how: How
    reason: ReasonOutput
    text: Annotated[str, note("the reason in a sentence")]
    tokens: int
    last_line: NotRequired[Annotated[int, note("of a truncated file: the last line that is loaded in full; 0: none")]]
    lines: NotRequired[Annotated[int | None, note("of a truncated file: how many lines it has")]]
    spans: NotRequired[Annotated[list[tuple[int, int]], note("first and last lines that are loaded")]]
    times: NotRequired[Annotated[int, note("how often the agent gets its text, if more than once")]]
    same_as: NotRequired[Annotated[str, note("of a skipped file: where the agent gets the same text")]]
    personal: NotRequired[Annotated[bool, note("others who work on the project do not have it")]]
    known: Annotated[Evidence, note("how the agent's rule is known")]
    order_fixed: NotRequired[Annotated[bool, note("false: its place among the files may differ from run to run")]]


class AgentFileOutput(UseOutput):
    """A file, and what the agent does with it."""

    path: str
    kind: FileKind


class AgentNoteOutput(TypedDict):
    """What an agent can't read, or cuts."""

    code: str
    severity: Level
    message: str
    path: str | None
    line: int | None


class AgentOutput(TypedDict):
    """One agent, started in the working directory."""

    name: str
    title: str
    version: str
    checked: str
    known: Evidence
    signs: Annotated[list[str], note("what shows that it is used here")]
    tokens: Annotated[int, note("what it gets at its start")]
    tokenizer: str
    exact: bool
    order_fixed: bool
    own: OwnPrompt
    window: NotRequired[Annotated[int, note("of `context`, if one is named")]]
    free: NotRequired[Annotated[int, note("tokens left of it, of which its own prompt takes some")]]
    files: Annotated[list[AgentFileOutput], note("in the order in which it loads them, then the skipped ones")]
    findings: list[AgentNoteOutput]


class AgentsOutput(TypedDict):
    """`overture agents --json`; `context` and `explain` of agents."""

    root: str
    agents: list[AgentOutput]


class StartedUseOutput(UseOutput):
    """What one agent, started in one folder, does with the file."""

    agent: str
    start: str


class FileOutput(TypedDict):
    """A file, and what each agent does with it."""

    path: str
    kind: FileKind
    tokens: int
    uses: list[StartedUseOutput]


class FilesOutput(TypedDict):
    """`overture agents --files --json`, and with --why the files of that name."""

    root: str
    agents: list[str]
    files: list[FileOutput]
