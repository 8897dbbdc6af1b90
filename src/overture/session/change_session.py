"""Changes a session: its active tools, budget, fields, resources and hooks. Each takes effect with the next turn."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from ..errors import ConfigError, SessionError, explain_unknown, show_value
from ..model.prompt.budget import Budget, BudgetLimit, check_budget
from ..model.state.agent_and_runtime import Runtime
from ..model.struct import overlay_value
from ..tokens.counter import CountFunction, as_counter
from .call_hooks import EVENTS, EventName, Hook, NamedHook, make_hook_name
from .extension_changes import PendingWork
from .files.session_files import (
    Resources,
    check_list_of_texts,
    collect_caller_fields,
    make_absolute_path,
    select_new_resources,
)
from .record_entry import TriggerName
from .register_tools import get_toolbox
from .session_parts import SessionParts


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
    """Change the budget or the counter of its tokens."""
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
