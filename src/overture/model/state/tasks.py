"""What the agent is busy with: a session, a task, a mission."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from ..struct import Frozen, note


class SessionInfo(Frozen, frozen=True):
    """The session of a top-level agent. A sub-agent has none."""

    id: str
    plan_path: Annotated[str | None, note("where plans are written")] = None


class Step(Frozen, frozen=True):
    """One step of a task."""

    title: Annotated[str, note("a step without one keeps its number")] = ""
    done: bool = False


class Task(Frozen, frozen=True):
    """The task that a run is bound to."""

    id: str | int
    title: str
    description: str | None = None
    status: str | None = None
    owner: str | None = None
    steps: tuple[Step, ...] = ()


class Limits(Frozen, frozen=True):
    """How much of a mission's data is shown."""

    list_sample: Annotated[Annotated[int, Meta(ge=0)], note("items of a list that are shown")] = 3
    string_truncate: Annotated[
        Annotated[int, Meta(ge=0)] | None,
        note("characters of a text wherever it is shown; absent: 500 of a filled-in value, 50 of a sample"),
    ] = None
    omit_reference: Annotated[bool, note("leave the language reference out")] = False


class Failure(Frozen, frozen=True):
    """What went wrong on the turn before."""

    type: str
    message: str
    details: Any = None


class Mission(Frozen, frozen=True):
    """A program to be written: the words, the data and the types."""

    prompt: Annotated[str, note("the words; {{a.b}} is filled from data")]
    data: Annotated[dict[str, Any] | None, note("what the program reads as ctx/name")] = None
    data_signature: Annotated[str | None, note("the types of data: (user_id :int, emails [{id :int}])")] = None
    output_signature: Annotated[str | None, note("the type of the result: {count :int}")] = None
    mode: Annotated[
        Literal["agent", "single"] | None,
        note(
            "programs over turns, or one whose value is the answer; absent: single where max_turns is 1 without tools"
        ),
    ] = None
    max_turns: Annotated[Annotated[int, Meta(ge=1)] | None, note("how often a program may be run")] = None
    tools: Annotated[
        Literal["relevant"] | tuple[str, ...] | None,
        note("show only these tools ([]: none), or those that share a word with the prompt; absent: all"),
    ] = None
    limits: Limits | None = None
    error: Failure | None = None
