"""The machine: its name, system, processor, shell, and whether sudo asks."""

from typing import Any

from ..model.runtime import Runtime
from .world import World

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
