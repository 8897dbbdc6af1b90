"""Who may read a prompt, and what it withholds from whom: of which fields, for every recipe alike."""

from datetime import UTC
from typing import TYPE_CHECKING, Any, Literal, get_args

from msgspec.structs import replace

from ...errors import StateError

if TYPE_CHECKING:
    from .state import State

Secrets = Literal["redact", "show"]
"""Keys and tokens are written `[secret: kind]`, or left as they are. They are reported either way."""
Audience = Literal["private", "public"]
"""The user alone, or anybody."""
PRIVATE: dict[str, Any] = {"memories": (), "user": None, "workspace_files": ()}
"""Fields of the state that the public does not see, and what stands there instead."""
SOUL = {"soul": None}
HOST = (
    "host",
    "os",
    "arch",
    "shell",
    "session",
    "sudo_non_interactive",
    "timezone",
    "accept_language",
    "location",
    "home",
    "sandbox",
)
"""Fields of the runtime that tell of the machine and its owner. Where the work lies, and the model, stay."""
REASON = "left out: audience is public"


def for_audience(state: "State") -> "State":
    """The state that sections see: all of it, or what the public may."""
    if state.audience != "public":
        return state
    changes = dict(PRIVATE)
    if state.agent is not None and state.agent.soul is not None:
        changes["agent"] = replace(state.agent, **SOUL)
    if state.runtime is not None:
        changes["runtime"] = replace(state.runtime, **dict.fromkeys(HOST))
    if state.now is not None:
        changes["now"] = state.now.astimezone(UTC)  # the offset tells where the user lives
    return state.replace(**changes, origins=state.origins)


def withheld(state: "State", shown: "State") -> frozenset[str]:
    """The fields of which the audience does not see all."""
    if shown is state:
        return frozenset()
    fields = ("agent", "runtime", *PRIVATE)
    return frozenset([name for name in fields if getattr(state, name) != getattr(shown, name)])


def withholding(audience: Audience | None, secrets: Secrets | None) -> dict[str, Any]:
    """The fields that a caller gives; one that is no such word is an error."""
    if audience is None and secrets is None:
        return {}
    given = {"audience": (audience, Audience), "secrets": (secrets, Secrets)}
    for name, (value, known) in given.items():
        if value is not None and value not in get_args(known):
            raise StateError(f"{name}: {value!r:.80} is not known. Known: {', '.join(get_args(known))}.")
    return {name: value for name, (value, _) in given.items() if value is not None}
