"""Where the agent runs: the host and the sandbox in a line each, and how commands are routed between them."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...model.agent import User
from ...model.body import Body, Group, Part, Skip
from ...model.diagnostic import Diagnostic, warning
from ...model.runtime import Runtime, Sandbox
from ...model.section import heading, section
from ...model.source import from_state
from ...model.tidy import one_line
from ...model.tool import Tool
from ...model.work import SessionInfo
from ...sections.rules import active_names
from .. import prose

HOST = (
    "host", "os", "arch", "shell", "provider", "model", "session", "sudo_non_interactive",
    "timezone", "accept_language", "location",
)  # fmt: skip
SANDBOX = ("enabled", "mode", "backend", "scope", "image", "workspace_mount", "network")
FROM_USER = ("timezone", "location")
IN_SANDBOX = prose(__package__, "sandbox.md")
ON_HOST = """Execution routing:
- `exec` runs its commands on the host itself. There is no sandbox: what they change stays changed."""
SUDO = "- On the host, `sudo -n` works without a password. Use it only for what needs it."


class Fact(NamedTuple):
    """One `key=value` of a line, and the field that gives it."""

    key: str
    value: str
    field: str


@section("runtime", frame=heading("## Runtime"), priority=55)
def runtime(runtime: Runtime | None, user: User | None, tools: tuple[Tool, ...], session: SessionInfo | None) -> Body:
    """Facts about host and sandbox, a line each, and how `exec` chooses between them."""
    runtime = runtime or Runtime()
    sandbox = runtime.sandbox if runtime.sandbox and runtime.sandbox.enabled else None
    facts = (list(_host(runtime, user, session)), list(_sandbox(sandbox)))
    if not any(facts) and "exec" not in active_names(tools):
        return Skip("nothing is known about host or sandbox, and `exec` is not active")
    lines = Group((_line("Host: ", facts[0]), _line("Sandbox(exec): ", facts[1])))
    notes = tuple(note for line in facts for note in _forged(line))
    if "exec" not in active_names(tools):
        return Group((lines,), notes=notes)
    return Group((lines, _routing(runtime, sandbox)), sep="\n\n", notes=notes)


def _host(runtime: Runtime, user: User | None, session: SessionInfo | None) -> Iterator[Fact]:
    for key in HOST:
        value = _said(getattr(runtime, key))
        if value:
            yield Fact(key, value, f"runtime.{key}")
        elif key in FROM_USER and (value := _said(getattr(user, key, None))):
            yield Fact(key, value, f"user.{key}")
        elif key == "session" and (value := _said(session.id if session else None)):
            yield Fact(key, value, "session.id")


def _sandbox(sandbox: Sandbox | None) -> Iterator[Fact]:
    """What contains the commands. A sandbox that is off is not mentioned: a model would make something of it."""
    for key in SANDBOX if sandbox else ():
        value = getattr(sandbox, key)
        said = _said(value) if key != "network" or value is None else "enabled" if value else "disabled"
        if said:
            yield Fact(key, said, f"runtime.sandbox.{key}")


def _said(value: str | bool | None) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return one_line(value or "")


def _line(label: str, facts: Iterable[Fact]) -> Group:
    """`Host: host=devbox | os=linux`: no value can begin another key or another line."""
    parts = [Part(f.value.replace("|", r"\|"), from_state(f.field), f.key, before=f"{f.key}=") for f in facts]
    return Group(tuple(parts), sep=" | ", before=label)


def _forged(facts: Iterable[Fact]) -> Iterator[Diagnostic]:
    for fact in facts:
        if "|" in fact.value:
            yield warning("contained-separator", rf"{fact.field}: its `|` is written `\|`: it would begin another key")


def _routing(runtime: Runtime, sandbox: Sandbox | None) -> Group:
    return Group((IN_SANDBOX if sandbox else ON_HOST, SUDO if runtime.sudo_non_interactive else ""))
