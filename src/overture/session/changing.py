"""What happens to a session between two turns: tools, files, resources, fields, the budget, hooks."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, TypeVar, overload

from ..model.budget import Budget, Limit, checked
from ..model.counter import Count, as_counter
from ..model.errors import ConfigError, SessionError, unknown
from ..model.runtime import Runtime
from ..model.tool_forms import tools_from
from . import around, steps
from .ground import given_fields, over
from .hooks import EVENTS, EventName, Hook, Named, name_of
from .live import Live
from .triggers import Resources
from .wishes import wishes_of

H = TypeVar("H", bound=Hook)


class Changing(Live):
    """The methods of Session after which a prompt is built anew, or edited."""

    def set_tools(self, names: Sequence[str]) -> None:
        """Make exactly these tools active, in this order; an unknown name is reported."""
        box, chosen = steps.toolbox(self), list(names)

        def work() -> None:
            before = box.names
            self.notes += box.activate(chosen)
            self.current.asked_names |= {"", *chosen}
            if box.names != before:
                self.trigger("tools", f"active: {', '.join(box.names) or 'none'}")

        self.do(work)

    def register(self, *tools: Any) -> None:
        """Add tools in any form, active from now on. One of a known name takes its place."""
        box, given = steps.toolbox(self), tools_from(list(tools), "tools")

        def work() -> None:
            known = steps.allowed(self, given)
            before = box.tools
            self.notes += box.register(known)
            if box.tools != before:
                self.trigger("registry", f"registered: {', '.join(tool.name for tool in known)}")

        self.do(work)

    def unregister(self, *names: str) -> None:
        """Take tools away. The others stay where they are, and so does the place for a tool that comes back."""
        box = steps.toolbox(self)

        def work() -> None:
            before = box.tools
            self.notes += box.unregister(names)
            if box.tools != before:
                self.trigger("registry", f"unregistered: {', '.join(names)}")

        self.do(work)

    def reload(self, reason: str = "asked for") -> None:
        """Look at everything again: configuration, extensions, SYSTEM.md, context, skills, `resources_discover`."""
        if wishes_of(self) is not None:
            raise SessionError("An extension can't reload the session that is setting it up. Leave reload() to others.")
        self.trigger("reload", reason)

    def refresh(self) -> None:
        """Look whether a file changed, for those who do not watch. Only changed files are read."""
        self.trigger("file", "asked whether a file changed")

    def files_changed(self, paths: Iterable[str]) -> bool:
        """Note that files changed on disk; whether any of them matters to the prompt."""
        matter = [path for path in dict.fromkeys(paths) if around.matters(self, path)]
        if matter:
            with self.lock:
                self.resettle |= any(around.settles(self, path) for path in matter)
                self.trigger("file", ", ".join(matter))
        return bool(matter)

    def add_resources(
        self,
        skills: Sequence[str] = (),
        context: Sequence[str] = (),
        prompts: Sequence[str] = (),
        themes: Sequence[str] = (),
    ) -> None:
        """Add folders of skills, project files, templates, and themes to what is discovered."""
        more = Resources(tuple(skills), tuple(context), tuple(prompts), tuple(themes))

        def work() -> None:
            self.added += more
            self.trigger("resources", ", ".join(more.paths) or "nothing")

        self.do(work)

    def set_model(self, model: str, provider: str | None = None) -> None:
        """Another model from now on."""
        self.update(runtime=Runtime(model=model, provider=provider), _trigger="model")

    def set_budget(self, budget: Limit | Budget | None, count: Count | None = None) -> None:
        """Another budget from now on, counted as before unless `count` is given; None: no budget."""
        allowed, other = checked(budget), None if count is None else as_counter(count)
        names = [section.name for section in self.current.recipe.sections] if self.current.recipe else []
        for name in allowed.sections if allowed and names else ():
            if name not in names:
                raise ConfigError(unknown("Section", name, names))

        def work() -> None:
            options = self.current.options
            self.current.options = options._replace(budget=allowed, counter=other or options.counter)
            self.trigger("budget", "none" if budget is None else f"at most {budget!r}")

        self.do(work)

    def update(self, *, _trigger: Literal["state", "model"] = "state", **fields: Any) -> None:
        """Give fields of the State, as `memories` or `task`; they win over what is discovered."""
        given = given_fields(fields)
        if "tools" in given:
            raise SessionError("update(tools=…) is not how tools change. Use set_tools, register or unregister.")

        def work() -> None:
            for name, value in given.items():
                self.current.given[name] = over(self.current.given.get(name), value)
            said = f"model: {fields['runtime'].model}" if _trigger == "model" else f"given: {', '.join(given)}"
            self.trigger(_trigger, said)

        self.do(work)

    @overload
    def hook(self, event: EventName, function: H, *, name: str | None = None) -> H: ...
    @overload
    def hook(self, event: EventName, function: None = None, *, name: str | None = None) -> Callable[[H], H]: ...
    def hook(self, event: EventName, function: Hook | None = None, *, name: str | None = None) -> Any:
        """Call a function, async or not, on `before_agent_start`, `context` or `resources_discover`.

        Usable as a decorator. Hooks are called in the order in which they were registered.
        """
        if event not in EVENTS:
            raise SessionError(unknown("Event", event, EVENTS))
        if function is None:
            return lambda function: self.hook(event, function, name=name)
        named = Named(name or name_of(function), function)

        def work() -> None:
            self.hooks[event].append(named)
            if event == "resources_discover" and self.current.state is not None:
                self.trigger("reload", f"hook {named.name!r} may know of more resources")

        self.do(work)
        return function

    def unhook(self, function: Hook) -> None:
        """Call that function no more."""

        def work() -> None:
            for event, hooks in self.hooks.items():
                self.hooks[event] = [hook for hook in hooks if hook.call is not function]

        self.do(work)
