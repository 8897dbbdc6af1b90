"""How commands are routed between sandbox and host, in words that are true with `exec` and without it."""

from ...model.body import Group
from ...model.diagnostic import Diagnostic
from ...model.runtime import Runtime, Sandbox
from .. import prose

TITLE = "Execution routing:\n"
SUDO = "- On the host, `sudo -n` works without a password. Use it only for what needs it."
ROUTES = {
    (True, True): prose(__package__, "sandbox.md"),
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
"""By whether a sandbox is on (None: nobody says), and whether `exec` is active."""

UNKNOWN = "runtime.sandbox describes a sandbox, and runtime.sandbox.enabled does not say whether it is on"
"""Neither answer may be guessed: one promises a sandbox that is not there, the other denies one that is."""


def routing(runtime: Runtime, *, active: bool) -> Group:
    """Where commands run; `active` is whether `exec` is there to run them."""
    sudo = SUDO if active and runtime.sudo_non_interactive else ""
    return Group((ROUTES[is_on(runtime.sandbox), active], sudo), before=TITLE)


def is_on(sandbox: Sandbox | None) -> bool | None:
    """Whether commands are contained: no, where no sandbox is described; None where one is and nobody says."""
    return False if sandbox is None else sandbox.enabled


def unsaid(sandbox: Sandbox | None) -> tuple[Diagnostic, ...]:
    """The report of a sandbox that is described and not said to be on or off."""
    if is_on(sandbox) is not None:
        return ()
    said = f"{UNKNOWN}: it is left out; set it to true or false"
    return (Diagnostic("warning", "sandbox-unknown", said, field="runtime.sandbox.enabled"),)
