"""Changes a session on behalf of a program: tools, fields, budget, resources and hooks."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from ..errors import ConfigError, SessionError, explain_unknown
from ..model.diagnostic import warning
from ..model.prompt.budget import Budget, BudgetLimit, check_budget
from ..model.state.state import CATALOG, TOP_LEVEL_TOOLS, canonical_keys
from ..model.struct import overlay_value
from ..model.tool.tool import Tool
from ..tokens.counter import CountFunction, as_counter
from .call_hooks import EVENTS, EventName, Hook, NamedHook, hook_name
from .extensions.extensions import get_pending_changes
from .files.session_files import collect_given_fields
from .session_parts import SessionParts
from .toolbox import Toolbox
from .triggers import Resources
from .turn.prepare_prompt import prepare_prompt


def get_toolbox(session: SessionParts) -> Toolbox:
    """The tools; a session that has not begun begins here."""
    if session.setup.toolbox is None:
        prepare_prompt(session)
    assert session.setup.toolbox is not None
    return session.setup.toolbox


def set_tools(session: SessionParts, names: Sequence[str]) -> None:
    """Make exactly these tools active, in this order."""
    box = get_toolbox(session)

    def work() -> None:
        before = box.names
        session.turn.diagnostics += box.activate(names)
        session.setup.requested_names |= {"", *names}
        if box.names != before:
            session.add_trigger("tools", f"active: {', '.join(box.names) or 'none'}")

    session.apply(work)


def register_tools(session: SessionParts, tools: tuple[Tool, ...]) -> None:
    """Add tools, active from now on. Before the first turn they stand in the place of the recipe's default ones."""
    box = get_toolbox(session)
    extends = get_pending_changes(session) is not None  # an extension adds to what there is

    def work() -> None:
        known, before = filter_allowed_tools(session, tools), box.tools
        if session.turn_number == 0 and not extends:
            _drop_default_tools(session)
        session.turn.diagnostics += box.register(known)
        if box.tools != before:
            session.add_trigger("registry", f"registered: {', '.join(tool.name for tool in known)}")

    session.apply(work)


def _drop_default_tools(session: SessionParts) -> None:
    """Drop the recipe's default tools, unless the configuration names tools."""
    recipe, files = session.current.recipe, session.current.files
    if recipe is not None and (files is None or files.project.tools is None):
        session.setup.drop_default_tools(recipe)


def unregister_tools(session: SessionParts, names: Sequence[str]) -> None:
    """Remove tools."""
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
        warning("tool-refused", f"a sub-agent never has {name!r}: it stays away") for name in refused
    ]
    return tuple(tool for tool in tools if tool.name not in TOP_LEVEL_TOOLS)


def update_fields(
    session: SessionParts, fields: Mapping[str, Any], trigger: Literal["state", "model"], reason: str = ""
) -> None:
    """Give fields of the State; inside a struct, those that are given."""
    changes = collect_given_fields(complete_mission(session, canonical_keys(fields)))
    if "tools" in changes:
        name = "tools" if "tools" in fields else CATALOG
        raise SessionError(f"update({name}=…) is not how tools change.", hint="Use set_tools, register or unregister.")

    def work() -> None:
        for name, value in changes.items():
            session.setup.given[name] = overlay_value(session.setup.given.get(name), value)
        session.error_shown &= "mission" not in changes
        session.add_trigger(trigger, reason or f"given: {', '.join(changes)}")

    session.apply(work)


def complete_mission(session: SessionParts, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields, with what is known of the mission and its limits where only some of it is given.

    An error is of the turn before: if it is not given again, it is dropped.
    """
    new, state = fields.get("mission"), session.current.state
    known = session.setup.given.get("mission") or (state.mission if state else None)
    if known is None or not isinstance(new, Mapping):
        return fields
    old = {name: value for name, value in msgspec.to_builtins(known).items() if name != "error"}
    limits, known_limits = new.get("limits"), old.get("limits")
    more = {"limits": {**known_limits, **limits}} if isinstance(limits, Mapping) and known_limits else {}
    return {**fields, "mission": {**old, **new, **more}}


def drop_answered_error(session: SessionParts) -> None:
    """Drop the mission's error once the model has answered a turn that showed it."""
    mission = session.setup.given.get("mission")
    if mission is not None and mission.error is not None and session.error_shown:
        session.setup.given["mission"] = msgspec.structs.replace(mission, error=None)
        session.add_trigger("state", "the model has answered the error of the turn before")


def set_budget(session: SessionParts, budget: BudgetLimit | Budget | None, count: CountFunction | None) -> None:
    """Another budget; a section that the recipe does not have is an error."""
    limits, counter = check_budget(budget), None if count is None else as_counter(count)
    names = [section.name for section in session.current.recipe.sections] if session.current.recipe else []
    for name in limits.sections if limits and names else ():
        if name not in names:
            raise ConfigError(explain_unknown("Section", name, names))

    def work() -> None:
        settings = session.setup.settings
        session.setup.settings = settings._replace(budget=limits, counter=counter or settings.counter)
        session.add_trigger("budget", "none" if budget is None else f"at most {budget!r}")

    session.apply(work)


def add_resources(session: SessionParts, more: Resources) -> None:
    """Discover more than the recipe looks for; what is known already is no rebuild."""

    def work() -> None:
        new = more - session.resources
        if new.paths:
            session.resources += more
            session.add_trigger("resources", ", ".join(new.paths))

    session.apply(work)


def reload_session(session: SessionParts, reason: str) -> None:
    """Read everything again with the next turn; an extension that is being set up can't ask for it."""
    if get_pending_changes(session) is not None:
        raise SessionError(
            "An extension can't reload the session that is setting it up.", hint="Leave reload() to others."
        )
    session.add_trigger("reload", reason)


def hook_into(session: SessionParts, event: EventName, function: Hook | None, name: str | None) -> Any:
    """Call a function on an event from now on; without a function, a decorator that does so."""
    if event not in EVENTS:
        raise SessionError(explain_unknown("Event", event, EVENTS))
    if function is None:
        return lambda function: hook_into(session, event, function, name)
    named = NamedHook(name or hook_name(function), function)

    def work() -> None:
        session.hooks[event].append(named)
        if event == "resources_discover" and session.current.state is not None:
            session.add_trigger("reload", f"hook {named.name!r} may know of more resources")

    session.apply(work)
    return function


def remove_hook(session: SessionParts, function: Hook) -> None:
    """Call it no more."""

    def work() -> None:
        for event, hooks in session.hooks.items():
            session.hooks[event] = [hook for hook in hooks if hook.call is not function]

    session.apply(work)
