"""The public methods of Session that change it: tools, fields, budget, resources and hooks (SessionChanges)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeVar, overload

import msgspec

from ..errors import ConfigError, SessionError, explain_unknown
from ..model.convert_tools import tools_from
from ..model.prompt.budget import Budget, BudgetLimit, check_budget
from ..model.state.agent_and_runtime import Runtime
from ..model.state.field_aliases import CATALOG, canonical_keys
from ..model.struct import overlay_value
from ..tokens.counter import CountFunction, as_counter
from .call_hooks import EVENTS, EventName, Hook, NamedHook, make_hook_name
from .extension_changes import get_pending_changes
from .files.session_files import Resources, check_list, collect_caller_fields
from .register_tools import get_toolbox, register_tools, unregister_tools
from .session_parts import SessionParts

H = TypeVar("H", bound=Hook)


def complete_mission(session: SessionParts, fields: Mapping[str, Any]) -> Mapping[str, Any]:
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


class SessionChanges:
    """The changes that a program makes to a session. Each takes effect with the next turn."""

    _parts: SessionParts

    def set_tools(self, names: Sequence[str]) -> None:
        """Make exactly these tools active, in this order; an unknown name is reported."""
        parts, box, wanted = self._parts, get_toolbox(self._parts), check_list("names", names)

        def work() -> None:
            before = box.names
            parts.turn.diagnostics += box.activate(wanted)
            parts.setup.requested_names |= {"", *wanted}
            if box.names != before:
                parts.add_trigger("tools", f"active: {', '.join(box.names) or 'none'}")

        parts.apply(work)

    def register(self, *tools: Any) -> None:
        """Add and activate tools in any form, also functions. A tool with a known name replaces it."""
        register_tools(self._parts, tools_from(list(tools), "tools"))

    def unregister(self, *names: str) -> None:
        """Remove tools. The order of the others, and of a tool that is added again, does not change."""
        unregister_tools(self._parts, names)

    def reload(self, reason: str = "asked for") -> None:
        """Read everything again: configuration, extensions, SYSTEM.md, context, skills, `resources_discover`."""
        if get_pending_changes(self._parts) is not None:
            raise SessionError(
                "An extension can't reload the session that is setting it up.", hint="Call reload() later."
            )
        self._parts.add_trigger("reload", reason)

    def add_resources(
        self,
        skills: Sequence[str] = (),
        context: Sequence[str] = (),
        prompts: Sequence[str] = (),
        themes: Sequence[str] = (),
    ) -> None:
        """Add folders of skills, project files, templates, and themes to what is discovered."""
        parts, more = self._parts, Resources(skills, context, prompts, themes)  # type: ignore[arg-type]  # made tuples

        def work() -> None:
            new = more - parts.resources
            if new.paths:  # known paths need no rebuild
                parts.resources += more
                parts.add_trigger("resources", ", ".join(new.paths))

        parts.apply(work)

    def set_model(self, model: str, provider: str | None = None) -> None:
        """Change the model."""
        self._update({"runtime": Runtime(model=model, provider=provider)}, "model", f"model: {model}")

    def set_budget(self, budget: BudgetLimit | Budget | None, count: CountFunction | None = None) -> None:
        """Change the budget, counted as before unless `count` is given; None: no budget."""
        parts, limits, counter = self._parts, check_budget(budget), None if count is None else as_counter(count)
        names = [section.name for section in parts.current.recipe.sections] if parts.current.recipe else []
        for name in limits.sections if limits and names else ():
            if name not in names:
                raise ConfigError(explain_unknown("Section", name, names))

        def work() -> None:
            settings = parts.setup.settings
            parts.setup.settings = settings._replace(budget=limits, counter=counter or settings.counter)
            parts.add_trigger("budget", "none" if budget is None else f"at most {budget!r}")

        parts.apply(work)

    def update(self, **fields: Any) -> None:
        """Set fields of the State, such as `memories` or `task`; they override what is discovered."""
        self._update(fields, "state")

    def _update(self, fields: Mapping[str, Any], trigger: Literal["state", "model"], reason: str = "") -> None:
        """Set fields of the State. A struct is merged field by field."""
        parts = self._parts
        changes = collect_caller_fields(complete_mission(parts, canonical_keys(fields)))
        if "tools" in changes:
            name = "tools" if "tools" in fields else CATALOG
            raise SessionError(f"update({name}=…) can't change tools.", hint="Use set_tools, register or unregister.")

        def work() -> None:
            for name, value in changes.items():
                parts.setup.fields[name] = overlay_value(parts.setup.fields.get(name), value)
            parts.error_shown &= "mission" not in changes
            parts.add_trigger(trigger, reason or f"given: {', '.join(changes)}")

        parts.apply(work)

    @overload
    def hook(self, event: EventName, function: H, *, name: str | None = None) -> H: ...
    @overload
    def hook(self, event: EventName, function: None = None, *, name: str | None = None) -> Callable[[H], H]: ...
    def hook(self, event: EventName, function: Hook | None = None, *, name: str | None = None) -> Any:
        """Call a function, async or not, on `before_agent_start`, `context` or `resources_discover`.

        Usable as a decorator. Hooks are called in the order in which they were registered.
        """
        if event not in EVENTS:
            raise SessionError(explain_unknown("Event", event, EVENTS))
        if function is None:
            return lambda function: self.hook(event, function, name=name)
        parts, named = self._parts, NamedHook(name or make_hook_name(function), function)

        def work() -> None:
            parts.hooks[event].append(named)
            if event == "resources_discover" and parts.current.state is not None:
                parts.add_trigger("reload", f"hook {named.name!r} may add resources")

        parts.apply(work)
        return function

    def unhook(self, function: Hook) -> None:
        """Remove a hook."""
        parts = self._parts

        def work() -> None:
            for event, hooks in parts.hooks.items():
                parts.hooks[event] = [hook for hook in hooks if hook.call != function]

        parts.apply(work)
