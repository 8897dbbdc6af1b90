"""What of a State the public may see, and the State that a sub-agent gets."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec.structs import replace

from ...errors import StateError, explain_unknown
from .agent_and_runtime import Agent
from .state import State

PRIVATE_FIELDS: dict[str, Any] = {"memories": (), "user": None, "workspace_files": ()}
"""Fields of the state that the public does not see, and their replacements."""

HOST_FIELDS = (
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
"""Fields of the runtime that describe the machine and its owner, without the working directory and the model."""

PUBLIC_REASON = "omitted: audience is public"


def restrict_to_audience(state: State) -> State:
    """The state that sections see: all of it, or what the public may."""
    if state.audience != "public":
        return state
    changes = dict(PRIVATE_FIELDS)
    if state.agent is not None and state.agent.soul is not None:
        changes["agent"] = replace(state.agent, soul=None)
    if state.runtime is not None:
        changes["runtime"] = replace(state.runtime, **dict.fromkeys(HOST_FIELDS))
    if state.now is not None:
        changes["now"] = _hide_offset(state.now)
    return state.replace(**changes, origins=state.origins)


def _hide_offset(now: datetime) -> datetime:
    """The time in UTC: its offset reveals where the user lives."""
    try:
        return now.astimezone(UTC)
    except OverflowError:  # the first or last day of the calendar
        return now.replace(tzinfo=UTC)


def withheld_fields(state: State, shown: State) -> frozenset[str]:
    """The fields that the audience does not see in full."""
    fields = ("agent", "runtime", *PRIVATE_FIELDS)
    return frozenset([name for name in fields if getattr(state, name) != getattr(shown, name)])


TOP_LEVEL_TOOLS = ("sub_agent", "ask_user")
"""Tools that only a top-level agent has."""


def derive(parent: State, *, prompt: str | None = None, tools: Iterable[str] | None = None) -> State:
    """Make the State of a sub-agent: `derive(state, prompt="Review the diff.", tools=["read_file"])`.

    It has the parent's context and skills, and no session. `prompt` replaces the identity. `tools` are the names of
    the parent's tools that it may use. Default: all.
    """
    known = {tool.name: tool for tool in parent.tools}
    for name in () if tools is None else (tools := tuple(tools)):
        if name not in known:
            raise StateError(explain_unknown("Tool", name, known))
    wanted = set(known if tools is None else tools).difference(TOP_LEVEL_TOOLS)
    active = tuple(tool for tool in parent.tools if tool.name in wanted)
    agent = parent.agent
    if prompt is not None:
        agent = msgspec.structs.replace(agent or Agent(), system_prompt=prompt)
    return parent.replace(session=None, agent=agent, tools=active)
