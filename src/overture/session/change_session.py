"""Changes a session on behalf of a program: tools, fields, budget, resources and hooks."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from ..errors import ConfigError, SessionError, explain_unknown
from ..model.diagnostic import warning
from ..model.prompt.budget import Budget, BudgetLimit, check_budget
from ..model.state.state import TOP_LEVEL_TOOLS, canonical_keys
from ..model.tool.tool import Tool
from ..tokens.counter import CountFunction, as_counter
from .call_hooks import EVENTS, EventName, Hook, NamedHook, hook_name
from .extensions.extensions import get_pending_changes
from .files.reload import prepare_prompt
from .files.session_files import collect_given_fields, overlay_value
from .session_parts import SessionParts
from .toolbox import Toolbox
from .triggers import Resources


def get_toolbox(session: SessionParts) -> Toolbox:
    """The tools; a session that has not begun begins here."""
    if session.current.toolbox is None:
        prepare_prompt(session)
    assert session.current.toolbox is not None
    return session.current.toolbox


def set_tools(session: SessionParts, names: Sequence[str]) -> None:
    """Make exactly these tools active, in this order."""
    box = get_toolbox(session)

    def work() -> None:
        before = box.names
        session.notes += box.activate(names)
        session.current.asked_names |= {"", *names}
        if box.names != before:
            session.trigger("tools", f"active: {', '.join(box.names) or 'none'}")

    session.do(work)


def register_tools(session: SessionParts, tools: tuple[Tool, ...]) -> None:
    """Add tools, active from now on. Before the first turn they stand in the place of the recipe's default ones."""
    box = get_toolbox(session)
    extends = get_pending_changes(session) is not None  # an extension adds to what there is

    def work() -> None:
        known, before = filter_allowed_tools(session, tools), box.tools
        if session.number == 0 and not extends:
            session.current.drop_default_tools()
        session.notes += box.register(known)
        if box.tools != before:
            session.trigger("registry", f"registered: {', '.join(tool.name for tool in known)}")

    session.do(work)


def unregister_tools(session: SessionParts, names: Sequence[str]) -> None:
    """Take tools away."""
    box = get_toolbox(session)

    def work() -> None:
        before = box.tools
        session.notes += box.unregister(names)
        if box.tools != before:
            session.trigger("registry", f"unregistered: {', '.join(names)}")

    session.do(work)


def filter_allowed_tools(session: SessionParts, tools: tuple[Tool, ...]) -> tuple[Tool, ...]:
    """The tools that this session may have: a sub-agent has none of NEVER."""
    if session.current.info is not None:
        return tools
    refused = [tool.name for tool in tools if tool.name in TOP_LEVEL_TOOLS]
    session.notes += [warning("tool-refused", f"a sub-agent never has {name!r}: it stays away") for name in refused]
    return tuple(tool for tool in tools if tool.name not in TOP_LEVEL_TOOLS)


# What a program sets in its session: fields of the State, a budget, more to discover.


def update_fields(
    session: SessionParts, fields: Mapping[str, Any], trigger: Literal["state", "model"], said: str = ""
) -> None:
    """Give fields of the State; inside a struct, those that are given."""
    given = collect_given_fields(complete_mission(session, canonical_keys(fields)))
    if "tools" in given:
        raise SessionError("update(tools=…) is not how tools change. Use set_tools, register or unregister.")

    def work() -> None:
        for name, value in given.items():
            session.current.given[name] = overlay_value(session.current.given.get(name), value)
        session.trigger(trigger, said or f"given: {', '.join(given)}")

    session.do(work)


def complete_mission(session: SessionParts, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields, with what is known of the mission where only some of it is given.

    An error is of the turn before: who does not give it again withdraws it.
    """
    new, current = fields.get("mission"), session.current
    known = current.given.get("mission") or (current.state.mission if current.state else None)
    if known is None or not isinstance(new, Mapping):
        return fields
    old = {name: value for name, value in msgspec.to_builtins(known).items() if name != "error"}
    return {**fields, "mission": {**old, **new}}


def withdraw_error(session: SessionParts) -> None:
    """Drop the mission's error once the model has answered the prompt that told it."""
    mission = session.current.given.get("mission")
    told = session.last.state.mission if session.last else None
    if mission is not None and mission.error is not None and told is not None and told.error == mission.error:
        session.current.given["mission"] = msgspec.structs.replace(mission, error=None)
        session.trigger("state", "the model has answered the error of the turn before")


def set_budget(session: SessionParts, budget: BudgetLimit | Budget | None, count: CountFunction | None) -> None:
    """Another budget; a section that the recipe does not have is an error."""
    allowed, other = check_budget(budget), None if count is None else as_counter(count)
    names = [section.name for section in session.current.recipe.sections] if session.current.recipe else []
    for name in allowed.sections if allowed and names else ():
        if name not in names:
            raise ConfigError(explain_unknown("Section", name, names))

    def work() -> None:
        options = session.current.options
        session.current.options = options._replace(budget=allowed, counter=other or options.counter)
        session.trigger("budget", "none" if budget is None else f"at most {budget!r}")

    session.do(work)


def add_resources(session: SessionParts, more: Resources) -> None:
    """Discover more than the recipe looks for; what is known already is no rebuild."""

    def work() -> None:
        new = more - session.added
        if new.paths:
            session.added += more
            session.trigger("resources", ", ".join(new.paths))

    session.do(work)


# Hooks are added to a session, and taken away.


def check_event(event: str) -> None:
    """Refuse an event that there is not."""
    if event not in EVENTS:
        raise SessionError(explain_unknown("Event", event, EVENTS))


def add_hook(session: SessionParts, event: EventName, function: Hook, name: str | None) -> None:
    """Call a function on an event from now on."""
    named = NamedHook(name or hook_name(function), function)

    def work() -> None:
        session.hooks[event].append(named)
        if event == "resources_discover" and session.current.state is not None:
            session.trigger("reload", f"hook {named.name!r} may know of more resources")

    session.do(work)


def remove_hook(session: SessionParts, function: Hook) -> None:
    """Call it no more."""

    def work() -> None:
        for event, hooks in session.hooks.items():
            session.hooks[event] = [hook for hook in hooks if hook.call is not function]

    session.do(work)
