"""State knows where the agent runs: machine, sandbox, documentation, and the project's git status."""

from __future__ import annotations

from typing import Annotated

from ...text.words import shorten_text
from ..struct import Frozen, note


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


# What git says of the project: the branch, what is changed, the last commits.


MAX_LISTED_PATHS = 20
"""So many changed paths are listed; the others are counted."""
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


def shorten_line(line: str) -> str:
    """As much of a line as is shown."""
    return shorten_text(line, MAX_LINE_CHARS)
