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
    said: Annotated[str, note("what is done, in a few words")]
    before: Annotated[str | None, note("the whole text that is there now; none: nothing lies there")] = None
    after: Annotated[str | None, note("the whole text that is written; none: a link is made")] = None
    link: Annotated[str | None, note("where the link leads, as it is written")] = None
    helps: Annotated[tuple[str, ...], note("the agents that are told more by it")] = ()


class Advice(Frozen, frozen=True, omit_defaults=False):
    """One sentence, and the data behind it."""

    agents: tuple[str, ...]
    files: Annotated[tuple[str, ...], note("those that they are not told, or not whole")]
    tokens: Annotated[int, note("of what each of them is not told, at the most")]
    exact: Annotated[bool, note("false: the tokens are an estimate")]
    sentence: str
    change: Annotated[AgentChange | None, note("what fixes it; none: only somebody who knows the text can")] = None
    problem: Annotated[str, note("what is wrong; `{files}` stands for the files")] = ""
    fix: Annotated[str, note("what to do about it")] = ""
