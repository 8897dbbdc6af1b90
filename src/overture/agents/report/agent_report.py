"""What an agent reads in a place: each file, whole, cut, later or never, and why."""

from datetime import date
from typing import Annotated, Literal

from ...model.diagnostic import Diagnostic
from ...model.recipe.agent_facts import OwnPrompt
from ...model.recipe.wants.wanted_instructions import Evidence, Kind
from ...model.struct import Frozen, note

Status = Literal["loaded", "cut", "lazy", "unread"]
"""loaded: told whole at the start · cut: told in part · lazy: told later, or only named · unread: never"""


class AgentFile(Frozen, frozen=True):
    """What becomes of one file."""

    path: str
    kind: Kind
    status: Status
    why: Annotated[str, note("by which rule of the agent's")] = ""
    tokens: Annotated[int, note("what of it the agent is told; of a lazy one, what it would be")] = 0
    last_line: Annotated[int | None, note("of one that is cut: the last line whose words are all told; 0: none")] = None
    lines: Annotated[int | None, note("of one that is cut: how many it has")] = None
    frame: Annotated[str | None, note("the agent's words right before its text")] = None
    step: Annotated[str, note("the step of the agent's recipe that found it")] = ""
    known: Annotated[Evidence | None, note("how that step is known")] = None
    same: Annotated[str | None, note("of one that is not read: the path by which the same file is")] = None
    touched: Annotated[bool, note("told only because of the files that the agent works on")] = False
    told_lines: Annotated[
        tuple[tuple[int, int], ...], note("first and last lines that are told; others are replaced or stripped")
    ] = ()
    order_fixed: Annotated[bool, note("false: the agent's own order, or its choice among several, is arbitrary")] = True


class AgentReport(Frozen, frozen=True):
    """What one agent reads here."""

    name: str
    title: str
    version: str
    checked: date
    known: Evidence
    files: Annotated[tuple[AgentFile, ...], note("in the order in which it is told them; then what it is not told")]
    tokens: Annotated[int, note("of all that it is told of files and skills, without its own prompt")]
    findings: tuple[Diagnostic, ...] = ()
    used: Annotated[tuple[str, ...], note("by what one sees that it is used here")] = ()
    own: OwnPrompt = OwnPrompt()
    exact: Annotated[bool, note("false: the tokens are an estimate")] = False

    @property
    def order_fixed(self) -> bool:
        """Whether the agent would tell the same files in the same order on every machine."""
        return all(file.order_fixed for file in self.files)

    def of(self, *status: Status) -> tuple[AgentFile, ...]:
        """The files of which that became."""
        return tuple(file for file in self.files if file.status in status)
