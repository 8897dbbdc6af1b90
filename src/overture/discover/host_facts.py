"""Facts about the machine: its name, system and shell, and whether sudo asks for a password."""

import subprocess
from contextlib import suppress
from typing import Any

from ..model.state.runtime import Runtime
from .disk.world import World

SECONDS = 0.15


def works_without_question() -> bool | None:
    """True or false; None where sudo did not say so in time."""
    quiet = subprocess.DEVNULL
    command = ("sudo", "-n", "true")
    try:
        # In a session of its own it has no terminal on which it could ask for a password.
        process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
    except OSError:
        return False
    try:
        return process.wait(SECONDS) == 0
    except subprocess.TimeoutExpired:
        _end(process)
        return None


def _end(process: "subprocess.Popen[bytes]") -> None:
    # A process of root's can't be killed by its user. It is left to end by itself: nobody waits for it.
    with suppress(OSError, subprocess.TimeoutExpired):
        process.kill()
        process.wait(SECONDS)


SYSTEMS = {"darwin": "macos"}
PROCESSORS = {"arm64": "aarch64", "amd64": "x86_64", "x64": "x86_64", "x86-64": "x86_64"}


def host_facts(world: World, earlier: Runtime | None) -> dict[str, Any]:
    """Fields of Runtime, as far as the machine tells them.

    What an earlier discovery found out about sudo stands: asking is slow, and an answer that expires with sudo's own
    ticket would change the prompt in the middle of a session.
    """
    try:
        host, (system, processor) = world.host(), world.platform()
        sudo = earlier.sudo_non_interactive if earlier else world.sudo()
    except OSError:
        return {}
    return {
        "host": host or None,
        "os": SYSTEMS.get(system.lower(), system.lower()) or None,
        "arch": PROCESSORS.get(processor.lower(), processor.lower()) or None,
        "shell": shell(world),
        "sudo_non_interactive": sudo,
    }


def shell(world: World) -> str | None:
    """`zsh`: the last part of $SHELL, or of %COMSPEC% where there is none."""
    variables = world.environment()
    path = variables.get("SHELL") or variables.get("COMSPEC") or ""
    name = path.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return name.removesuffix(".exe") or None
