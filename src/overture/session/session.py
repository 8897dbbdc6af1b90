"""Session: all that the model sees, turn after turn. The one object that changes."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import fspath
from types import TracebackType
from typing import Any, Literal, Self, TypeVar, overload
from uuid import uuid4

from ..assemble.change import Change
from ..discover.world import RealWorld, World
from ..model.budget import Budget, Limit, checked
from ..model.counter import Count, as_counter
from ..model.diagnostic import Diagnostic
from ..model.errors import SessionError, unknown
from ..model.held import Held
from ..model.message import Call, Message
from ..model.prompt import Prompt
from ..model.recipe import Recipe
from ..model.runtime import Runtime
from ..model.state import State
from ..model.tool_forms import tools_from
from ..model.work import SessionInfo
from ..settle import Path
from . import steps
from .conversation import Conversation
from .current import Current
from .delta import OnChange
from .ground import Memories, given_fields, over
from .hooks import EventName, Hook, Named, name_of
from .message import call_of, shell
from .options import Options
from .record import Entry
from .take import atake, take
from .triggers import Resources, Trigger, TriggerName
from .turn import Turn

EVENTS: tuple[EventName, ...] = ("before_agent_start", "context", "resources_discover")
TOUCHING = ("path", "file_path", "filename", "file", "notebook_path")
"""Arguments of a tool call that name the file which it touches."""
H = TypeVar("H", bound=Hook)


class Session:
    """A live prompt: discovered once, built again when something changes, with the messages around it.

    Every method may be called from any thread. What changes takes effect with the next turn; a turn that is being
    built is not disturbed.
    """

    def __init__(
        self,
        recipe: str | Recipe | None = None,
        *,
        cwd: Path | None = None,
        home: Path | None = None,
        root: Path | None = None,
        tools: Iterable[Any] | None = None,
        state: State | Mapping[str, Any] | None = None,
        config: Mapping[str, Any] | None = None,
        memories: Memories | None = None,
        on_change: OnChange = "rewrite",
        resources: Resources | None = None,
        hook_limit: float | None = 10.0,
        max_depth: int = 1,
        keep: int = 1000,
        budget: Limit | Budget | None = None,
        count: Count | None = None,
        watch: bool = False,
        world: World | None = None,
    ) -> None:
        """`tools` are names of the recipe's own, or definitions; `state` wins over what is discovered.

        `budget` is the most tokens that the system prompt may have, by `count`; without it, an estimate counts.
        """
        given = given_fields(state or {})
        options = Options(
            recipe, cwd, home, root, config, world or RealWorld(), memories, on_change, hook_limit, max_depth, keep,
            checked(budget), None if count is None else as_counter(count),
        )  # fmt: skip
        info = given.get("session") or SessionInfo(uuid4().hex[:12])
        asked = tools if tools is not None else given.pop("tools", None)
        self.current = Current(options, given, None if asked is None else tuple(tools_or_names(asked)), info)
        self.talk = Conversation()
        self.hooks: dict[EventName, list[Named]] = {event: [] for event in EVENTS}
        self.added, self.hooked = resources or Resources(), Resources()
        self.pending: list[Trigger] = [Trigger("start", "the session begins")]
        self.resettle = False
        self.touched: list[str] = []
        self.queued: list[Message] = []
        self.task: str | None = None
        self.depth = self.number = 0
        self.changes: tuple[tuple[str, Change], ...] = ()
        self.edited: tuple[Prompt, Prompt] | None = None
        self.triggers: list[Trigger] = []
        self.notes: list[Diagnostic] = []
        self.told: list[Held] = []
        self.last: Prompt | None = None
        self.entries: deque[Entry] = deque(maxlen=keep)
        self.lock = threading.RLock()
        self.turns = threading.Lock()
        self.watching = watch
        self.watcher: Any = None

    def __enter__(self) -> Self:
        self.prepare()
        if self.watching:
            from .watch import Watcher

            self.watcher = Watcher(self)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        import asyncio

        return await asyncio.to_thread(self.__enter__)

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        import asyncio

        await asyncio.to_thread(self.close)

    def close(self) -> None:
        """Stop watching files. Nothing else needs to be given back."""
        watcher, self.watcher = self.watcher, None
        if watcher is not None:
            watcher.stop()

    def turn(self, text: str | None = None) -> Turn:
        """Everything that the model sees now. Without a text, the turn that is going on is continued."""
        return take(self, text)

    async def aturn(self, text: str | None = None) -> Turn:
        """As `turn`, without ever blocking the event loop."""
        return await atake(self, text)

    def prepare(self, *, record: bool = False) -> Prompt:
        """Bring the prompt up to date without a turn; with `record`, an entry of turn 0 says what was triggered."""
        return steps.prepare(self, record=record)

    @property
    def prompt(self) -> Prompt:
        """The prompt as it is now, without the edits of hooks."""
        return self.prepare()

    @property
    def state(self) -> State:
        """The state of which the prompt is made."""
        self.prepare()
        assert self.current.state is not None
        return self.current.state

    @property
    def recipe(self) -> Recipe:
        """The recipe in which it is said."""
        return self.prepare().recipe

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages, those that are not sent included."""
        with self.lock:
            return tuple(self.talk.all)

    @property
    def record(self) -> tuple[Entry, ...]:
        """What is known about each turn, the oldest first."""
        with self.lock:
            return tuple(self.entries)

    def trigger(self, name: TriggerName, reason: str) -> None:
        """Note an event after which the prompt is built again, with the next turn."""
        with self.lock:
            self.pending.append(Trigger(name, reason))

    def set_tools(self, names: Sequence[str]) -> None:
        """Make exactly these tools active. Those that stay keep their order; an unknown name is reported."""
        box = steps.toolbox(self)
        with self.lock:
            before = box.names
            self.notes += box.activate(list(names))
            self.current.asked_names |= {"", *names}
            if box.names != before:
                self.trigger("tools", f"active: {', '.join(box.names) or 'none'}")

    def register(self, *tools: Any) -> None:
        """Add tools in any form, active from now on. One of a known name takes its place."""
        box = steps.toolbox(self)
        with self.lock:
            known = steps.allowed(self, tools_from(list(tools)))
            before = box.tools
            self.notes += box.register(known)
            if box.tools != before:
                self.trigger("registry", f"registered: {', '.join(tool.name for tool in known)}")

    def unregister(self, *names: str) -> None:
        """Take tools away. The others stay where they are, and so does the place for a tool that comes back."""
        box = steps.toolbox(self)
        with self.lock:
            before = box.tools
            self.notes += box.unregister(names)
            if box.tools != before:
                self.trigger("registry", f"unregistered: {', '.join(names)}")

    def reload(self, reason: str = "asked for") -> None:
        """Look at everything again: configuration, SYSTEM.md, context, skills, templates, `resources_discover`."""
        self.trigger("reload", reason)

    def refresh(self) -> None:
        """Look whether a file changed, for those who do not watch. Only changed files are read."""
        self.trigger("file", "asked whether a file changed")

    def files_changed(self, paths: Iterable[str]) -> bool:
        """Note that files changed on disk; whether any of them matters to the prompt."""
        matter = [path for path in dict.fromkeys(paths) if steps.matters(self, path)]
        if matter:
            with self.lock:
                self.resettle |= any(steps.settles(self, path) for path in matter)
                self.trigger("file", ", ".join(matter))
        return bool(matter)

    def add_resources(
        self, skills: Sequence[str] = (), context: Sequence[str] = (), prompts: Sequence[str] = ()
    ) -> None:
        """Add folders of skills, project files, and templates to what is discovered."""
        more = Resources(tuple(skills), tuple(context), tuple(prompts))
        with self.lock:
            self.added += more
            self.trigger("resources", ", ".join((*more.skills, *more.context, *more.prompts)) or "nothing")

    def set_model(self, model: str, provider: str | None = None) -> None:
        """Another model from now on."""
        self.update(runtime=Runtime(model=model, provider=provider), _trigger="model")

    def set_budget(self, budget: Limit | Budget | None, count: Count | None = None) -> None:
        """Another budget from now on, counted as before unless `count` is given; None: no budget."""
        allowed = checked(budget)
        with self.lock:
            options = self.current.options
            counter = options.counter if count is None else as_counter(count)
            self.current.options = options._replace(budget=allowed, counter=counter)
            self.trigger("budget", "none" if budget is None else f"at most {budget!r}")

    def update(self, *, _trigger: Literal["state", "model"] = "state", **fields: Any) -> None:
        """Give fields of the State, as `memories` or `task`; they win over what is discovered."""
        given = given_fields(fields)
        if "tools" in given:
            raise SessionError("update(tools=…) is not how tools change. Use set_tools, register or unregister.")
        with self.lock:
            for name, value in given.items():
                self.current.given[name] = over(self.current.given.get(name), value)
            said = f"model: {fields['runtime'].model}" if _trigger == "model" else f"given: {', '.join(given)}"
            self.trigger(_trigger, said)

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
        with self.lock:
            self.hooks[event].append(Named(name or name_of(function), function))
            if event == "resources_discover" and self.current.state is not None:
                self.trigger("reload", f"hook {name or name_of(function)!r} may know of more resources")
        return function

    def unhook(self, function: Hook) -> None:
        """Call that function no more."""
        with self.lock:
            for event, hooks in self.hooks.items():
                self.hooks[event] = [hook for hook in hooks if hook.call is not function]

    def add(self, message: Message) -> None:
        """Add any message; while tool calls are open, it waits for their results."""
        with self.lock:
            self.talk.add(message)

    def assistant(
        self, text: str = "", calls: Iterable[Call | Mapping[str, Any]] = (), blocks: Iterable[dict[str, Any]] = ()
    ) -> None:
        """Add what the model said, and the tools that it wants to call."""
        self.add(Message("assistant", text, "reply", calls=tuple(map(call_of, calls)), blocks=tuple(blocks)))

    def result(self, call: str, text: str, *, failed: bool = False, touched: Iterable[str] = ()) -> None:
        """Add the result of a tool call. Files that it touched are looked around with the next turn."""
        with self.lock:
            made = steps.open_call(self, call)
            self.talk.add(Message("tool", text, "result", call=call, failed=failed))
            named = [value for key in TOUCHING if made and isinstance(value := made.arguments.get(key), str)]
            self.touched += [*named, *touched]

    def interrupt(self, why: str = "The call was interrupted.") -> None:
        """Answer every open call with an error, so that the conversation can go on."""
        with self.lock:
            for call in tuple(self.talk.open):
                self.talk.add(Message("tool", why, "result", call=call, failed=True))

    def touch(self, *paths: str) -> None:
        """Say that a tool touched these files: the project files on the way there are delivered once."""
        with self.lock:
            self.touched += paths

    def shell(self, command: str, output: str, exit_code: int | None = 0, *, cut: str | None = None) -> None:
        """Add a command that the user ran: `!cmd` is sent, `!!cmd` is kept and not sent."""
        self.add(shell(command, output, exit_code, cut=cut))

    def send_message(
        self, text: str, *, name: str | None = None, shown: bool = True, when: Literal["now", "next"] = "now"
    ) -> None:
        """Add a message of a program's, now or after the user's next one. Hidden or shown, it is always sent."""
        message = Message("user", text, "custom", name=name, shown=shown)
        with self.lock:
            if when == "next":
                self.queued.append(message)
            else:
                self.talk.add(message)

    def compact(self, summary: str, keep: int = 0) -> None:
        """Replace all but the last `keep` messages by a summary; what messages told of the prompt is folded in."""
        with self.lock:
            self.talk.compact(summary, keep)
            steps.fold(self, "compaction")

    def branch(self, summary: str, keep: int) -> None:
        """Go back to the first `keep` messages, with a summary of what is left behind."""
        with self.lock:
            self.talk.branch(summary, keep)
            steps.fold(self, "another branch")

    def use_skill(self, name: str) -> str:
        """Load a skill: its body becomes a user's message, once. What to answer the model comes back."""
        return steps.use_skill(self, name)

    def answer(self, call: Call | Mapping[str, Any]) -> bool:
        """Answer a call of the session's own tool, `use_skill`; false where the call is somebody else's."""
        return steps.answer(self, call_of(call))

    def subagent(self, task: str, *, tools: Iterable[str] | None = None, prompt: str | None = None) -> "Session":
        """A session of its own for a task: the same context and skills, no planning, no `sub_agent` or `ask_user`.

        Its first `turn()` begins with the task.
        """
        from .subagent import subagent

        return subagent(self, task, tools, prompt)

    def save(self, path: Path) -> None:
        """Write the session to a JSON file; if that fails, the file stays as it was."""
        from .resume import saved
        from .save import save, written

        save(fspath(path), written(saved(self)))

    @classmethod
    def resume(
        cls,
        path: Path,
        *,
        recipe: str | Recipe | None = None,
        world: World | None = None,
        count: Count | None = None,
    ) -> "Session":
        """The session of a file, with the same bytes, whatever became of the project. Hooks are added anew.

        A `count` of your own has to be given again; a tokenizer is found by its name.
        """
        from .resume import resumed
        from .save import read_save

        return resumed(cls, read_save(fspath(path)), recipe, world, count)


def tools_or_names(tools: Any) -> Iterable[Any]:
    """Tools as a list, an MCP result with its envelope, or names."""
    return tools_from(tools) if isinstance(tools, Mapping) else tools
