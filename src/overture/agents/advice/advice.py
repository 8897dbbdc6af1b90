"""Advice says which agents miss which files, why, and which change makes them load."""

from typing import Annotated, Literal

from ...model.struct import Frozen, note

ChangeKind = Literal["import", "setting", "file", "link"]
"""import: a line in a file that is there · setting: a key of the agent's configuration · file: a new one that imports ·
link: another name for a file"""


class AgentChange(Frozen, frozen=True, omit_defaults=False):
    """What would be written to one path."""

    path: str
    kind: ChangeKind
    said: Annotated[str, note("what the change does, in a few words")]
    before: Annotated[str | None, note("the current text of the file; none: the file does not exist")] = None
    after: Annotated[str | None, note("the whole new text; none: a symlink is created")] = None
    link: Annotated[str | None, note("the target of the symlink, as it is written")] = None
    helps: Annotated[tuple[str, ...], note("the agents that load more because of it")] = ()


class Advice(Frozen, frozen=True, omit_defaults=False):
    """One sentence, and the data behind it."""

    agents: tuple[str, ...]
    files: Annotated[tuple[str, ...], note("the files that these agents skip or truncate")]
    tokens: Annotated[int, note("tokens that the fix adds for one agent, at the most")]
    exact: Annotated[bool, note("false: the tokens are an estimate")]
    sentence: str
    change: Annotated[AgentChange | None, note("the automatic fix; none: fix it by hand")] = None
    problem: Annotated[str, note("what is wrong; `{files}` stands for the files")] = ""
    fix: Annotated[str, note("what to do about it")] = ""
    on_demand: Annotated[
        bool, note("the tokens are loaded when the agent works in folders below, not at the start")
    ] = False
