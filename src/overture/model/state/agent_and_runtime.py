"""State knows the agent, its user and what it works on, and where it runs: machine, sandbox, documentation, git."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from ...text.words import shorten_text
from ..struct import Frozen, note

Capability = Literal["files", "instructions", "memory", "triggers"]


class Responsibility(Frozen, frozen=True):
    """One duty of the agent, addressable by its title."""

    title: str
    content: str


class Agent(Frozen, frozen=True):
    """The agent as its author describes it."""

    name: Annotated[str | None, note("what the agent is called")] = None
    emoji: Annotated[str | None, note("follows the name")] = None
    creature: Annotated[str | None, note("what kind of being it is")] = None
    vibe: Annotated[str | None, note("its manner, in a few words")] = None
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


class SessionInfo(Frozen, frozen=True):
    """The session of a top-level agent. A sub-agent has none."""

    id: str
    plan_path: Annotated[str | None, note("where plans are written")] = None


class Step(Frozen, frozen=True):
    """One step of a task."""

    title: Annotated[str, note("a step without one keeps its number")] = ""
    done: bool = False


class Task(Frozen, frozen=True):
    """The task that the agent works on."""

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
        note("maximum characters of a text; absent: 500 for a filled-in value, 50 for a sample"),
    ] = None
    omit_reference: Annotated[bool, note("omit the language reference")] = False


class Failure(Frozen, frozen=True):
    """A failure of the previous turn."""

    type: str
    message: str
    details: Any = None


class Mission(Frozen, frozen=True):
    """A program that the model has to write: the task, its data and their types."""

    prompt: Annotated[str, note("the prompt; {{a.b}} is filled in from data")]
    data: Annotated[dict[str, Any] | None, note("what the program reads as ctx/name")] = None
    data_signature: Annotated[str | None, note("the types of data: (user_id :int, emails [{id :int}])")] = None
    output_signature: Annotated[str | None, note("the type of the result: {count :int}")] = None
    mode: Annotated[
        Literal["agent", "single"] | None,
        note(
            "agent: programs over several turns · single: one program, whose value is the answer; absent: "
            "single if max_turns is 1 and there are no tools"
        ),
    ] = None
    max_turns: Annotated[Annotated[int, Meta(ge=1)] | None, note("how many programs may run")] = None
    tools: Annotated[
        Literal["relevant"] | tuple[str, ...] | None,
        note("show only these tools ([]: none), or tools that share a word with the prompt; absent: all"),
    ] = None
    limits: Limits | None = None
    error: Failure | None = None


class Docs(Frozen, frozen=True):
    """Where the agent's own documentation is: paths or URLs."""

    main: str | None = None
    additional: str | None = None
    examples: str | None = None


class Sandbox(Frozen, frozen=True):
    """The sandbox in which commands run."""

    enabled: Annotated[bool | None, note("whether it is enabled; absent: reported as a problem")] = None
    mode: str | None = None
    backend: str | None = None
    scope: str | None = None
    image: str | None = None
    workspace_mount: str | None = None
    network: Annotated[bool | str | None, note("true: enabled; false: disabled; or a text of your own")] = None


class ServerInfo(Frozen, frozen=True):
    """An MCP server whose tools the session offers."""

    name: str
    instructions: Annotated[str, note("its description of itself and its tools")] = ""


class Runtime(Frozen, frozen=True):
    """Facts about the machine, the model and the working directory."""

    cwd: Annotated[str | None, note("the working directory")] = None
    directories: Annotated[tuple[str, ...], note("other folders it may use")] = ()
    host: str | None = None
    os: str | None = None
    arch: str | None = None
    shell: str | None = None
    provider: str | None = None
    model: str | None = None
    session: Annotated[str | None, note("the session's key")] = None
    sudo_non_interactive: bool | None = None
    timezone: Annotated[str | None, note("IANA name of the zone in which times are shown")] = None
    accept_language: str | None = None
    location: str | None = None
    home: Annotated[str | None, note("the user's home directory")] = None
    project: Annotated[str | None, note("the root folder of the project")] = None
    docs: Docs | None = None
    sandbox: Sandbox | None = None


MAX_LISTED_PATHS = 20
"""Maximum number of changed paths that are listed; the others are counted."""
MAX_LISTED_COMMITS = 5
MAX_LINE_CHARS = 120
"""Characters of a subject, or of a line of the status."""


class Commit(Frozen, frozen=True):
    """One commit."""

    id: Annotated[str, note("the short hash")]
    subject: str


class Git(Frozen, frozen=True):
    """The status of a git repository. Set all of it at once: it is never merged with a status read from disk."""

    root: Annotated[str, note("the folder that paths are relative to")]
    branch: Annotated[str | None, note("the current branch; absent: HEAD is detached")] = None
    head: Annotated[str | None, note("the commit; absent: no commits yet")] = None
    status: Annotated[tuple[str, ...], note("changed paths as `git status --short` writes them, e.g. ` M a.py`")] = ()
    more: Annotated[int, note("number of changed paths that are not listed")] = 0
    commits: Annotated[tuple[Commit, ...], note("the last commits, newest first")] = ()


def shorten_git_line(line: str) -> str:
    """A line of git's as the State has it in its `Git`: a changed path, or a commit's subject, shortened."""
    return shorten_text(line, MAX_LINE_CHARS)
