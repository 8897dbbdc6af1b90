"""Who the agent is and whom it works for."""

from typing import Annotated, Literal

from ..struct import Frozen, note

Capability = Literal["files", "instructions", "memory", "triggers"]


class Responsibility(Frozen, frozen=True):
    """One duty of the agent, addressable by its title."""

    title: str
    content: str


class Agent(Frozen, frozen=True):
    """The agent as its author describes it."""

    name: Annotated[str | None, note("what the agent is called")] = None
    emoji: Annotated[str | None, note("stands behind the name")] = None
    creature: Annotated[str | None, note("what kind of being it is")] = None
    vibe: Annotated[str | None, note("its manner in a few words")] = None
    soul: Annotated[str | None, note("the text of SOUL.md")] = None
    identity: Annotated[str | None, note("who it is, in full")] = None
    instructions: Annotated[str | None, note("how it works")] = None
    role: Annotated[str | None, note("the older form of identity")] = None
    responsibilities: Annotated[tuple[Responsibility, ...], note("its duties")] = ()
    system_prompt: Annotated[str | None, note("replaces the identity")] = None
    capabilities: Annotated[tuple[Capability, ...] | None, note("what it can persist; absent means all four")] = None


class User(Frozen, frozen=True):
    """The person the agent works for."""

    name: str | None = None
    timezone: Annotated[str | None, note("IANA name, e.g. Europe/Paris")] = None
    location: str | None = None
