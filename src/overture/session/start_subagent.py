"""Starts a sub-agent's session, derived from its parent's."""

from collections.abc import Iterable

from ..errors import SessionError, show_value
from ..model.state.audience_and_subagents import derive
from .files.session_files import check_list_of_texts
from .options_and_setup import SessionSetup
from .record_entry import Trigger
from .session_parts import SessionParts
from .toolbox import Toolbox
from .turn.bring_up_to_date import prepare_prompt


def start_subagent(parent: SessionParts, task: str, tools: Iterable[str] | None, prompt: str | None) -> SessionParts:
    """The sub-agent's session. Its state is derived, without what a sub-agent may not have."""
    settings = parent.setup.settings
    if parent.depth >= settings.options.max_depth:
        raise SessionError(
            f"A session at depth {parent.depth} can't start a sub-agent: max_depth is {settings.options.max_depth}.",
            hint="Set a larger max_depth in the first session.",
        )
    if not isinstance(task, str):
        raise SessionError(f"The task is {show_value(task)}.", hint="Pass a text.")
    prepare_prompt(parent, look=False)
    names = None if tools is None else check_list_of_texts("tools", tools)
    with parent.lock:
        parent_prompt = parent.current
        assert parent_prompt.state is not None and parent_prompt.recipe is not None
        state = derive(parent_prompt.state, prompt=prompt, tools=names)
        fields = {name: value for name, value in parent.setup.fields.items() if name != "session"}
        if prompt is not None:
            fields["agent"] = state.agent
        setup = SessionSetup(settings, fields, None, None)
        setup.toolbox = Toolbox(state.tools, [tool.name for tool in state.tools], reported=True)
        setup.requested_names = {"", *(names or ())}
        child = SessionParts(setup, parent.resources)
        current = child.current
        current.files, current.disk_files = parent_prompt.files, parent_prompt.disk_files
        current.saved_state, current.first_state = state, parent_prompt.first_state
        current.use_recipe(parent_prompt.recipe)
        child.turn.hook_resources = parent.turn.hook_resources
        # Hooks edit only the prompts of their own session; the resources that they discovered are shared.
        child.hooks["resources_discover"] = list(parent.hooks["resources_discover"])
    child.mcp = parent.mcp
    child.parent, child.depth, child.turn.task = parent, parent.depth + 1, task
    child.queue.triggers = [Trigger("state", f"a sub-agent begins: {task[:80]}")]
    return child
