"""Moltis's runtime section: one line each for the host and the sandbox, and where commands run."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...model.diagnostic import Diagnostic, report_line_breaks, warning
from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.section import heading, section
from ...model.source import from_state
from ...model.state.agent_and_runtime import Runtime, Sandbox, SessionInfo, User
from ...model.tool import Tool
from ...sections.tools_and_guidelines import active_names
from ...text.normalize import to_one_line
from .. import read_prose

TITLE = "Execution routing:\n"
SUDO = "- On the host, `sudo -n` works without a password. Use it only for what needs it."
ROUTES = {
    (True, True): read_prose(__package__, "exec_in_sandbox.md"),
    (True, False): "- A command runs in the sandbox described above or on the host, as the tool that runs it decides. "
    "The sandbox shares with the host only what that line says.\n"
    "- When you report a result, be clear about where it was obtained.",
    (
        False,
        True,
    ): "- `exec` runs its commands on the host itself. There is no sandbox: what they change stays changed.",
    (False, False): "- There is no sandbox: what a tool changes on the host stays changed.",
    (None, True): "- `exec` runs its commands in a sandbox or on the host: which of the two is not known. "
    "Act as if what they change stays changed, and find out before you rely on either.",
    (None, False): "- A command runs in a sandbox or on the host: which of the two is not known. "
    "Act as if what it changes stays changed.",
}
"""By whether the sandbox is enabled (None: it is described, but `enabled` is not set), and whether `exec` is active."""
ROUTES_WITHOUT_SANDBOX = {
    True: "- `exec` runs its commands on this machine. Act as if what they change stays changed.",
    False: "- Act as if what a tool changes stays changed.",
}
"""Without `runtime.sandbox`, it is unknown whether there is a sandbox. By whether `exec` is active."""
UNKNOWN_SANDBOX = "runtime.sandbox describes a sandbox, but runtime.sandbox.enabled does not say whether it is on"
"""Overture does not guess: a wrong guess promises a missing sandbox, or denies an existing one."""


def write_routing(runtime: Runtime, *, active: bool) -> Group:
    """Where commands run, in Moltis's runtime section. `active` is whether `exec` is an active tool."""
    sudo = SUDO if active and runtime.sudo_non_interactive else ""
    route = ROUTES_WITHOUT_SANDBOX[active] if runtime.sandbox is None else ROUTES[runtime.sandbox.enabled, active]
    return Group((route, sudo), before=TITLE)


def report_unknown_sandbox(sandbox: Sandbox | None) -> tuple[Diagnostic, ...]:
    """Moltis's warning about a sandbox that is described without `enabled`."""
    if sandbox is None or sandbox.enabled is not None:
        return ()
    message = f"{UNKNOWN_SANDBOX}: it is skipped; set it to true or false"
    return (Diagnostic("warning", "sandbox-unknown", message, field="runtime.sandbox.enabled"),)


HOST_FIELDS = (
    "host", "os", "arch", "shell", "provider", "model", "session", "sudo_non_interactive",
    "timezone", "accept_language", "location",
)  # fmt: skip
SANDBOX_FIELDS = ("enabled", "mode", "backend", "scope", "image", "workspace_mount", "network")
USER_FIELDS = ("timezone", "location")


class RuntimeFact(NamedTuple):
    """One `key=value` of a line of Moltis's runtime section, and its field of the state."""

    key: str
    value: str
    field: str
    raw: str | bool | None
    """The unformatted value of the field."""


@section("runtime", frame=heading("## Runtime"), priority=55)
def moltis_runtime(
    runtime: Runtime | None, user: User | None, tools: tuple[Tool, ...], session: SessionInfo | None
) -> Body:
    """Facts about host and sandbox, one per line; with tools, also where commands run."""
    facts, active = runtime or Runtime(), active_names(tools)
    return write_runtime_lines(facts, user, session, write_routing(facts, active="exec" in active) if active else None)


def write_runtime_lines(runtime: Runtime, user: User | None, session: SessionInfo | None, routes: Group | None) -> Body:
    """The lines of Moltis's runtime section: the known facts, and the routing, if there is any."""
    sandbox = runtime.sandbox if runtime.sandbox and runtime.sandbox.enabled else None
    facts = (list(_list_host_facts(runtime, user, session)), list(_list_sandbox_facts(sandbox)))
    notes = (*report_unknown_sandbox(runtime.sandbox), *(note for line in facts for note in _report_forged(line)))
    if not any(facts) and routes is None:
        return Skip("nothing is known about a host or a sandbox", notes)
    lines = Group((_write_runtime_line("Host: ", facts[0]), _write_runtime_line("Sandbox(exec): ", facts[1])))
    omits = (UNKNOWN_SANDBOX,) if report_unknown_sandbox(runtime.sandbox) else ()
    return Group((lines, routes or ""), sep="\n\n", notes=notes, omits=omits)


def _list_host_facts(runtime: Runtime, user: User | None, session: SessionInfo | None) -> Iterator[RuntimeFact]:
    """The facts of Moltis's line about the host."""
    for key in HOST_FIELDS:
        raw = getattr(runtime, key)
        if value := _write_value(raw):
            yield RuntimeFact(key, value, f"runtime.{key}", raw)
        elif key in USER_FIELDS and (value := _write_value(raw := getattr(user, key, None))):
            yield RuntimeFact(key, value, f"user.{key}", raw)
        elif key == "session" and (value := _write_value(raw := session.id if session else None)):
            yield RuntimeFact(key, value, "session.id", raw)


def _list_sandbox_facts(sandbox: Sandbox | None) -> Iterator[RuntimeFact]:
    """The facts of an enabled sandbox. Moltis does not mention a disabled one: it would confuse the model."""
    for key in SANDBOX_FIELDS if sandbox else ():
        value = getattr(sandbox, key)
        switch = key == "network" and isinstance(value, bool)
        text = ("enabled" if value else "disabled") if switch else _write_value(value)
        if text:
            yield RuntimeFact(key, text, f"runtime.sandbox.{key}", value)


def _write_value(value: str | bool | None) -> str:
    """A value in a line of Moltis's runtime section."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return to_one_line(value or "")


def _write_runtime_line(label: str, facts: Iterable[RuntimeFact]) -> Group:
    """`Host: host=devbox | os=linux`. A value can't start another key or another line."""
    parts = [Part(f.value.replace("|", r"\|"), from_state(f.field), f.key, before=f"{f.key}=") for f in facts]
    return Group(tuple(parts), sep=" | ", before=label)


def _report_forged(facts: Iterable[RuntimeFact]) -> Iterator[Diagnostic]:
    """The warnings about facts that would start another key in Moltis's runtime section."""
    for fact in facts:
        if isinstance(fact.raw, str):
            yield from report_line_breaks(fact.field, fact.raw)
        if "|" in fact.value:
            yield warning(
                "contained-separator", f"{fact.field}: its `|` is written `\\|`, because it would begin another key"
            )
