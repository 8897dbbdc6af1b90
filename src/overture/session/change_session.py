"""SessionChanges is the part of Session that changes it: tools, fields, budget, resources and hooks."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeVar, overload

import msgspec

from ..errors import ConfigError, SessionError, explain_unknown
from ..model.diagnostic import warning
from ..model.prompt.budget import Budget, BudgetLimit, check_budget
from ..model.state.runtime import Runtime
from ..model.state.state import CATALOG, TOP_LEVEL_TOOLS, canonical_keys
from ..model.struct import overlay_value
from ..model.tool.tool import Tool
from ..model.tool.tool_forms import tools_from
from ..tokens.counter import CountFunction, as_counter
from .call_hooks import EVENTS, EventName, Hook, NamedHook, hook_name
from .extensions.extensions import get_pending_changes
from .files.session_files import collect_given_fields
from .session_parts import SessionParts
from .toolbox import Toolbox
from .triggers import Resources
from .turn.prepare_prompt import prepare_prompt

H = TypeVar("H", bound=Hook)


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


def register_tools(
    session: SessionParts, tools: tuple[Tool, ...], *, adds: bool = False, exactly: bool = False
) -> None:
    """Add tools, active from now on. Before the first turn they stand in the place of the recipe's default ones.

    `adds`: they stand beside these. `exactly`: a framework offers all of them, whatever a sub-agent should have.
    """
    box = get_toolbox(session)
    extends = adds or get_pending_changes(session) is not None  # an extension adds to what there is

    def work() -> None:
        known, before = tools if exactly else filter_allowed_tools(session, tools), box.tools
        if not extends:
            drop_default_tools(session)
        session.turn.diagnostics += box.register(known)
        if box.tools != before:
            session.add_trigger("registry", f"registered: {', '.join(tool.name for tool in known)}")

    session.apply(work)


def drop_default_tools(session: SessionParts) -> None:
    """Drop the recipe's default tools before the first turn, unless the configuration names tools."""
    recipe, files = session.current.recipe, session.current.files
    if session.turn_number == 0 and recipe is not None and (files is None or files.project.tools is None):
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
        warning("tool-refused", f"a sub-agent never has {name!r}: it is not added") for name in refused
    ]
    return tuple(tool for tool in tools if tool.name not in TOP_LEVEL_TOOLS)


def update_fields(
    session: SessionParts, fields: Mapping[str, Any], trigger: Literal["state", "model"], reason: str = ""
) -> None:
    """Give fields of the State; inside a struct, those that are given."""
    changes = collect_given_fields(complete_mission(session, canonical_keys(fields)))
    if "tools" in changes:
        name = "tools" if "tools" in fields else CATALOG
        raise SessionError(f"update({name}=…) can't change tools.", hint="Use set_tools, register or unregister.")

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
        raise SessionError("An extension can't reload the session that is setting it up.", hint="Call reload() later.")
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
            session.add_trigger("reload", f"hook {named.name!r} may add resources")

    session.apply(work)
    return function


def remove_hook(session: SessionParts, function: Hook) -> None:
    """Call it no more."""

    def work() -> None:
        for event, hooks in session.hooks.items():
            session.hooks[event] = [hook for hook in hooks if hook.call is not function]

    session.apply(work)


class SessionChanges:
    """The changes that a program makes to a session. Each takes effect with the next turn."""

    _parts: SessionParts

    def set_tools(self, names: Sequence[str]) -> None:
        """Make exactly these tools active, in this order; an unknown name is reported."""
        set_tools(self._parts, list(names))

    def register(self, *tools: Any) -> None:
        """Add and activate tools in any form, also functions. A tool with a known name replaces it."""
        register_tools(self._parts, tools_from(list(tools), "tools"))

    def unregister(self, *names: str) -> None:
        """Remove tools. The order of the others, and of a tool that is added again, does not change."""
        unregister_tools(self._parts, names)

    def reload(self, reason: str = "asked for") -> None:
        """Read everything again: configuration, extensions, SYSTEM.md, context, skills, `resources_discover`."""
        reload_session(self._parts, reason)

    def add_resources(
        self,
        skills: Sequence[str] = (),
        context: Sequence[str] = (),
        prompts: Sequence[str] = (),
        themes: Sequence[str] = (),
    ) -> None:
        """Add folders of skills, project files, templates, and themes to what is discovered."""
        add_resources(self._parts, Resources(tuple(skills), tuple(context), tuple(prompts), tuple(themes)))

    def set_model(self, model: str, provider: str | None = None) -> None:
        """Change the model."""
        update_fields(self._parts, {"runtime": Runtime(model=model, provider=provider)}, "model", f"model: {model}")

    def set_budget(self, budget: BudgetLimit | Budget | None, count: CountFunction | None = None) -> None:
        """Change the budget, counted as before unless `count` is given; None: no budget."""
        set_budget(self._parts, budget, count)

    def update(self, **fields: Any) -> None:
        """Set fields of the State, such as `memories` or `task`; they override what is discovered."""
        update_fields(self._parts, fields, "state")

    @overload
    def hook(self, event: EventName, function: H, *, name: str | None = None) -> H: ...
    @overload
    def hook(self, event: EventName, function: None = None, *, name: str | None = None) -> Callable[[H], H]: ...
    def hook(self, event: EventName, function: Hook | None = None, *, name: str | None = None) -> Any:
        """Call a function, async or not, on `before_agent_start`, `context` or `resources_discover`.

        Usable as a decorator. Hooks are called in the order in which they were registered.
        """
        return hook_into(self._parts, event, function, name)

    def unhook(self, function: Hook) -> None:
        """Remove a hook."""
        remove_hook(self._parts, function)
