"""Where the agent runs."""

from typing import Annotated

from ..struct import Frozen, note


class Docs(Frozen, frozen=True):
    """Where the harness keeps its own documentation."""

    main: str | None = None
    additional: str | None = None
    examples: str | None = None


class Sandbox(Frozen, frozen=True):
    """How commands are contained."""

    enabled: Annotated[bool | None, note("whether it is on; where nobody says, that is reported")] = None
    mode: str | None = None
    backend: str | None = None
    scope: str | None = None
    image: str | None = None
    workspace_mount: str | None = None
    network: bool | None = None


class Runtime(Frozen, frozen=True):
    """Facts about the machine, the model and the working directory."""

    cwd: Annotated[str | None, note("the working directory")] = None
    directories: Annotated[tuple[str, ...], note("further folders it may use")] = ()
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
    project: Annotated[str | None, note("the folder in which the project begins")] = None
    docs: Docs | None = None
    sandbox: Sandbox | None = None
