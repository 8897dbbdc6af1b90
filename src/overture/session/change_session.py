"""Changes a session: tools, budget, fields, resources, hooks; starts sub-agents. Changes count from the next turn."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from ..errors import ConfigError, SessionError, explain_unknown, show_value
from ..model.diagnostic import warning
from ..model.prompt.budget import Budget, BudgetLimit, check_budget
from ..model.state.agent_and_runtime import Runtime
from ..model.state.audience_and_subagents import TOP_LEVEL_TOOLS, derive
from ..model.struct import overlay_value
from ..model.tool import Tool
from ..tokens.counter import CountFunction, as_counter
from .bring_up_to_date import prepare_prompt
from .extension_changes import PendingWork, get_pending_changes
from .hooks import EVENTS, EventName, Hook, NamedHook, make_hook_name
from .record_entry import Trigger, TriggerName
from .session_files import (
    Resources,
    check_list_of_texts,
    collect_caller_fields,
    make_absolute_path,
    select_new_resources,
)
from .session_parts import SessionParts
from .session_setup import SessionSetup, Toolbox


def get_toolbox(session: SessionParts) -> Toolbox:
    """The tools of a session. It prepares the first prompt if there is none yet."""
    if session.setup.toolbox is None:
        prepare_prompt(session)
    assert session.setup.toolbox is not None
    return session.setup.toolbox


def register_tools(
    session: SessionParts, tools: tuple[Tool, ...], *, adds: bool = False, exactly: bool = False
) -> None:
    """Add tools, active from now on. Before the first turn they replace the recipe's default tools.

    `adds` keeps the default tools. `exactly` also adds tools that a sub-agent may not have: a framework offers them.
    """
    box = get_toolbox(session)
    extends = adds or get_pending_changes(session) is not None  # an extension keeps the default tools

    def work() -> None:
        known, before = tools if exactly else filter_allowed_tools(session, tools), box.tools
        if not extends:
            drop_default_tools(session)
        session.turn.diagnostics += box.register(known)
        if box.tools != before:
            session.add_trigger("registry", f"registered: {', '.join(tool.name for tool in known)}")

    session.apply(work)


def drop_default_tools(session: SessionParts) -> None:
    """Unregister the recipe's default tools before the first turn, unless the configuration names tools."""
    recipe, files = session.current.recipe, session.current.files
    if session.turn_number == 0 and recipe is not None and (files is None or files.project.tools is None):
        session.setup.drop_default_tools(recipe)


def unregister_tools(session: SessionParts, names: Sequence[str]) -> None:
    """Remove registered tools from the session."""
    box = get_toolbox(session)

    def work() -> None:
        before = box.tools
        session.turn.diagnostics += box.unregister(names)
        if box.tools != before:
            session.add_trigger("registry", f"unregistered: {', '.join(names)}")

    session.apply(work)


def filter_allowed_tools(session: SessionParts, tools: tuple[Tool, ...]) -> tuple[Tool, ...]:
    """The tools that this session may have: a sub-agent has none of TOP_LEVEL_TOOLS."""
    if session.setup.info is not None:
        return tools
    refused = [tool.name for tool in tools if tool.name in TOP_LEVEL_TOOLS]
    session.turn.diagnostics += [
        warning("tool-refused", f"a sub-agent never has {name!r}: it is not added") for name in refused
    ]
    return tuple(tool for tool in tools if tool.name not in TOP_LEVEL_TOOLS)


def activate_tools(session: SessionParts, names: Sequence[str]) -> None:
    """Make exactly these tools active, in this order."""
    box, wanted = get_toolbox(session), check_list_of_texts("names", names)

    def work() -> None:
        before = box.names
        session.turn.diagnostics += box.activate(wanted)
        session.setup.requested_names |= {"", *wanted}
        if box.names != before:
            session.add_trigger("tools", f"active: {', '.join(box.names) or 'none'}")

    session.apply(work)


def change_resources(session: SessionParts, more: Resources) -> None:
    """Add resources to those that the session has."""

    def work() -> None:
        files = session.current.files or session.current.disk_files
        # Before anything is read, nothing can be rebuilt: paths are compared as they are written.
        make_path = partial(make_absolute_path, files.project) if files else str
        new = select_new_resources(more, session.resources, make_path)
        if new.paths:  # known paths need no rebuild
            session.resources += new
            session.add_trigger("resources", ", ".join(new.paths))

    session.apply(work)


def update_session(
    session: SessionParts,
    fields: Mapping[str, Any],
    budget: BudgetLimit | Budget | UnsetType | None,
    count: CountFunction | None,
) -> None:
    """Set fields of the State, or the budget, or both. After an error, nothing is changed."""
    changes_budget = budget is not UNSET or count is not None
    works = [_plan_fields(session, fields)] if fields or not changes_budget else []
    works += [_plan_budget(session, budget, count)] if changes_budget else []
    for work in works:
        session.apply(work)


def _plan_fields(session: SessionParts, fields: Mapping[str, Any]) -> PendingWork:
    """Set fields of the State. A struct is merged field by field."""
    changes = collect_caller_fields(_complete_mission(session, fields))
    if "tools" in changes:
        raise SessionError("update(tools=…) can't change tools.", hint="Use set_tools or register.")

    def work() -> None:
        for name, value in changes.items():
            session.setup.fields[name] = overlay_value(session.setup.fields.get(name), value)
        session.error_shown &= "mission" not in changes
        session.add_trigger(*_describe_changes(changes))

    return work


def _plan_budget(
    session: SessionParts, budget: BudgetLimit | Budget | UnsetType | None, count: CountFunction | None
) -> PendingWork:
    wanted = session.setup.settings.budget if budget is UNSET else budget
    limits, counter = check_budget(wanted), None if count is None else as_counter(count)
    names = [section.name for section in session.current.recipe.sections] if session.current.recipe else []
    for name in limits.sections if limits and names else ():
        if name not in names:
            raise ConfigError(explain_unknown("Section", name, names))

    def work() -> None:
        settings = session.setup.settings
        session.setup.settings = settings._replace(budget=limits, counter=counter or settings.counter)
        session.add_trigger("budget", "none" if wanted is None else f"at most {wanted!r}")

    return work


def _describe_changes(changes: Mapping[str, Any]) -> tuple[TriggerName, str]:
    """The trigger of changed fields, and its reason: another model has a trigger of its own."""
    runtime = changes.get("runtime") or Runtime()
    is_model = isinstance(runtime.model, str) and replace(runtime, model=None, provider=None) == Runtime()
    if is_model and len(changes) == 1:
        return "model", f"model: {runtime.model}"
    return "state", f"given: {', '.join(changes)}"


def _complete_mission(session: SessionParts, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields, with the missing parts of the mission and its limits from the current one.

    An error belongs to the previous turn: it is dropped unless the fields set it again.
    """
    new, state = fields.get("mission"), session.current.state
    known = session.setup.fields.get("mission") or (state.mission if state else None)
    if known is None or not isinstance(new, Mapping):
        return fields
    old = {name: value for name, value in msgspec.to_builtins(known).items() if name != "error"}
    limits, known_limits = new.get("limits"), old.get("limits")
    more = {"limits": {**known_limits, **limits}} if isinstance(limits, Mapping) and known_limits else {}
    return {**fields, "mission": {**old, **new, **more}}


def add_hook(session: SessionParts, event: EventName, function: Hook | None = None, *, name: str | None = None) -> Any:
    """Call a function on an event from now on. Without a function, the decorator that does so."""
    if event not in EVENTS:
        raise SessionError(explain_unknown("Event", event, EVENTS))
    if function is not None and not callable(function):
        raise SessionError(f"The hook is {show_value(function)}.", hint="Pass a function.")
    if function is None:
        return partial(add_hook, session, event, name=name)
    named = NamedHook(name or make_hook_name(function), function)

    def work() -> None:
        session.hooks[event].append(named)
        if event == "resources_discover" and session.current.state is not None:
            session.add_trigger("reload", f"hook {named.name!r} may add resources")

    session.apply(work)
    return function


def remove_hook(session: SessionParts, function: Hook) -> None:
    """Call a function no more."""

    def work() -> None:
        for event, hooks in session.hooks.items():
            session.hooks[event] = [hook for hook in hooks if hook.call != function]

    session.apply(work)


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
