"""What is known of an agent besides what it reads: how, how large its own prompt is, by what one sees it."""

from datetime import date
from typing import Annotated

from ..struct import Frozen, note
from .wants.wanted_instructions import Evidence


class OwnPrompt(Frozen, frozen=True):
    """How large an agent's own prompt is. Its words are not ours to print."""

    characters: Annotated[int | None, note("of its system prompt; none: nobody has measured it")] = None
    tools: Annotated[int | None, note("how many tools it has")] = None
    tool_characters: Annotated[int | None, note("of what it says of its tools")] = None
    messages: Annotated[int | None, note("characters of what it puts into the first message besides")] = None


class Signs(Frozen, frozen=True):
    """By what one sees that an agent is used."""

    project: Annotated[tuple[str, ...], note("files and folders of a project that are its own")] = ()
    home: Annotated[tuple[str, ...], note("files and folders under home")] = ()
    programs: Annotated[tuple[str, ...], note("programs on the PATH")] = ()


class AgentFacts(Frozen, frozen=True):
    """An agent of somebody else's: who it is, and how what is said of it is known."""

    title: str
    version: Annotated[str, note("the release, or the date of the source or the documentation")]
    checked: Annotated[date, note("when it was last looked at")]
    known: Evidence
    own: OwnPrompt = OwnPrompt()
    signs: Signs = Signs()
    shows: Annotated[str, note("how the agent itself shows what it has read")] = ""
    notes: Annotated[tuple[str, ...], note("what is odd or not known, a sentence each")] = ()
    also_called: Annotated[tuple[str, ...], note("other names, also of its predecessors")] = ()
