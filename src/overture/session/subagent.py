"""Starts a sub-agent: a session of its own with what its parent found."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from ..errors import SessionError
from ..model.state.state import TOP_LEVEL_TOOLS, derive
from .files.reload import prepare_prompt
from .session_parts import SessionParts
from .toolbox import Toolbox
from .triggers import Trigger

S = TypeVar("S", bound=SessionParts)


def start_subagent(
    kind: Callable[..., S], parent: SessionParts, task: str, tools: Iterable[str] | None, prompt: str | None
) -> S:
    """The sub-agent's session. Its state is derived: what it may not have is not in it."""
    options = parent.current.options
    if parent.depth >= options.max_depth:
        raise SessionError(
            f"A session at depth {parent.depth} can't start a sub-agent: max_depth is {options.max_depth}. "
            "Give the first session a larger max_depth."
        )
    prepare_prompt(parent, look=False)
    assert parent.current.state is not None
    state = derive(parent.current.state, prompt=prompt, tools=tools)
    child = kind(world=options.world, keep=options.keep)
    with parent.lock:
        current, mine = child.current, parent.current
        current.options, current.info = options, None
        current.given = {name: value for name, value in mine.given.items() if name != "session"}
        if prompt is not None:
            current.given["agent"] = state.agent
        current.ground, current.spare, current.saved, current.first = mine.ground, mine.spare, state, mine.first
        current.toolbox = Toolbox(state.tools, [tool.name for tool in state.tools], told=True)
        current.asked_names = {"", *(() if tools is None else tools)}
        assert mine.recipe is not None
        current.use(mine.recipe)
        child.added, child.hooked = parent.added, parent.hooked
        # Hooks edit the prompts of the session that they were registered with; what they discovered is shared.
        child.hooks["resources_discover"] = list(parent.hooks["resources_discover"])
    if parent.publisher is not None:
        child.publisher = parent.publisher.child(task)
    child.depth, child.task = parent.depth + 1, task
    child.pending = [Trigger("state", f"a sub-agent begins: {task[:80]}")]
    return child


def begin_as_subagent(session: SessionParts) -> None:
    """Let a session that has not begun be a sub-agent's: what it finds has no session, nor tools of a main agent."""
    current = session.current
    current.options, current.info = current.options._replace(subagent=True), None
    if current.asked is not None:
        current.asked = tuple(tool for tool in current.asked if getattr(tool, "name", tool) not in TOP_LEVEL_TOOLS)
