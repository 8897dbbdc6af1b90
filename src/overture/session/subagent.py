"""Starts a sub-agent: a session of its own with what its parent found."""

from collections.abc import Iterable

from msgspec.structs import replace

from ..errors import SessionError
from ..model.state.state import derive
from .options_and_setup import SessionSetup
from .session_parts import SessionParts
from .toolbox import Toolbox
from .triggers import Trigger
from .turn.prepare_prompt import prepare_prompt


def start_subagent(parent: SessionParts, task: str, tools: Iterable[str] | None, prompt: str | None) -> SessionParts:
    """The sub-agent's session. Its state is derived: what it may not have is not in it."""
    settings = parent.setup.settings
    if parent.depth >= settings.options.max_depth:
        raise SessionError(
            f"A session at depth {parent.depth} can't start a sub-agent: max_depth is {settings.options.max_depth}.",
            hint="Set a larger max_depth in the first session.",
        )
    prepare_prompt(parent, look=False)
    names = None if tools is None else tuple(tools)
    with parent.lock:
        found = parent.current
        assert found.state is not None and found.recipe is not None
        state = derive(found.state, prompt=prompt, tools=names)
        fields = {name: value for name, value in parent.setup.given.items() if name != "session"}
        if prompt is not None:
            fields["agent"] = state.agent
        # The parent watches and publishes for both.
        options = replace(settings.options, watch=False, inspect=False)
        setup = SessionSetup(settings._replace(options=options), fields, None, None)
        setup.toolbox = Toolbox(state.tools, [tool.name for tool in state.tools], reported=True)
        setup.requested_names = {"", *(names or ())}
        child = SessionParts(setup, parent.resources)
        current = child.current
        current.files, current.disk_files = found.files, found.disk_files
        current.saved_state, current.first_state = state, found.first_state
        current.use_recipe(found.recipe)
        child.turn.hook_resources = parent.turn.hook_resources
        # Hooks edit the prompts of the session that they were registered with; what they discovered is shared.
        child.hooks["resources_discover"] = list(parent.hooks["resources_discover"])
    if parent.publisher is not None:
        child.publisher = parent.publisher.child(task)
    child.mcp = parent.mcp
    child.parent, child.depth, child.turn.task = parent, parent.depth + 1, task
    child.queue.triggers = [Trigger("state", f"a sub-agent begins: {task[:80]}")]
    return child
