"""State of a parent -> State of a sub-agent."""

from collections.abc import Iterable

import msgspec

from ..errors import StateError, unknown
from ..model.state.agent import Agent
from ..model.state.state import State

NEVER = ("sub_agent", "ask_user")
"""Tools that only a top-level agent has."""


def derive(parent: State, *, prompt: str | None = None, tools: Iterable[str] | None = None) -> State:
    """The State of a sub-agent: the parent's context and skills, its own task prompt and tools, no session.

    `prompt` replaces the identity; `tools` names those of the parent's tools that it may use, all if not given.
    """
    known = {tool.name: tool for tool in parent.tools}
    for name in () if tools is None else (tools := tuple(tools)):
        if name not in known:
            raise StateError(unknown("Tool", name, known))
    wanted = set(known if tools is None else tools).difference(NEVER)
    active = tuple(tool for tool in parent.tools if tool.name in wanted)
    agent = parent.agent
    if prompt is not None:
        agent = msgspec.structs.replace(agent or Agent(), system_prompt=prompt)
    return parent.replace(session=None, agent=agent, tools=active)
