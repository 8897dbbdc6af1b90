"""Session is everything the model sees, turn after turn. It is the one object that changes."""

import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from os import fspath
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack, overload

from ..discover.disk.location import Path
from ..discover.disk.real_world import RealWorld
from ..discover.disk.world import World
from ..model.prompt.budget import Budget, BudgetLimit, check_budget
from ..model.prompt.prompt import Prompt
from ..model.recipe.recipe import Recipe
from ..model.state.runtime import Runtime
from ..model.state.state import State
from ..model.tool.tool_forms import tools_from
from ..project.find_recipe import RecipeSource, check_recipe_source
from ..providers.read.contents import ContentInput
from ..report.context import Context
from ..tokens.counter import CountFunction, as_counter
from .call_hooks import EventName, Hook
from .change_session import (
    add_resources,
    hook_into,
    register_tools,
    reload_session,
    remove_hook,
    set_budget,
    set_tools,
    unregister_tools,
    update_fields,
)
from .extensions.extensions import ExtensionSource, check_extensions, get_pending_changes
from .files.watch_files import (
    close_session,
    get_session_files,
    note_changed_files,
    refresh_files,
    run_and_watch,
    run_and_watch_async,
)
from .messages.session_messages import SessionMessages
from .options import SessionKeywords, SessionOptions, SessionSettings, merge_options
from .record import Entry
from .session_parts import SessionParts
from .setup import make_setup
from .triggers import Resources
from .turn.prepare_prompt import prepare_prompt
from .turn.take_turn import measure_session, take_turn, take_turn_async
from .turn.turn import Turn

H = TypeVar("H", bound=Hook)


class Session(SessionMessages):
    """A live prompt: discovered once, built again when something changes, with the messages around it.

    Every method may be called from any thread. What changes takes effect with the next turn; a turn that is being
    built is not disturbed.
    """

    def __init__(
        self,
        recipe: RecipeSource | None = None,
        *,
        cwd: Path | None = None,
        home: Path | None = None,
        root: Path | None = None,
        tools: Iterable[Any] | None = None,
        state: State | Mapping[str, Any] | None = None,
        config: Mapping[str, Any] | None = None,
        resources: Resources | None = None,
        extensions: Iterable[ExtensionSource] = (),
        budget: BudgetLimit | Budget | None = None,
        options: SessionOptions | None = None,
        **keywords: Unpack[SessionKeywords],
    ) -> None:
        """`tools` are names of the recipe's own, definitions or functions; `state` wins over what is discovered.

        `extensions` are functions that take the session and register tools, hooks and resources, or `module:function`.
        `budget` is the most tokens that the system prompt may have, by `count`, or else by the best that there is here.
        `options` is how the session behaves; each field of SessionOptions is also a keyword, which wins.
        A recipe or setting that is not known, and a folder that does not exist, are errors at once; the project is
        read with the first turn.
        """
        merged = merge_options(options, keywords)
        settings = SessionSettings(
            check_recipe_source(recipe), cwd, home, root, config, merged.world or RealWorld(), check_budget(budget),
            None if merged.count is None else as_counter(merged.count), options=merged,
        )  # fmt: skip
        settings.check()
        setup = make_setup(settings, state or {}, tools)
        self._use(SessionParts(setup, resources or Resources(), check_extensions(extensions)))

    def _use(self, parts: SessionParts) -> Self:
        """Be the session of these parts."""
        self._parts = parts
        parts.owner = weakref.ref(self)
        if parts.setup.settings.options.inspect:
            from .publish.publish_turn import make_publisher

            parts.publisher = make_publisher(parts.setup)
        return self

    # The turn, and what there is to see.

    def turn(self, text: ContentInput | None = None) -> Turn:
        """Everything that the model sees now. Without a text, the current turn goes on.

        A list holds texts, images and documents in the form of any provider.
        """
        parts = self._parts
        return run_and_watch(parts, lambda: take_turn(parts, text)) if parts.watching else take_turn(parts, text)

    async def aturn(self, text: ContentInput | None = None) -> Turn:
        """As `turn`, without ever blocking the event loop."""
        parts = self._parts
        if parts.watching:
            return await run_and_watch_async(parts, lambda: take_turn_async(parts, text))
        return await take_turn_async(parts, text)

    def prepare(self) -> Prompt:
        """Bring the prompt up to date without a turn."""
        return run_and_watch(self._parts, lambda: prepare_prompt(self._parts))

    @property
    def prompt(self) -> Prompt:
        """The prompt that `turn` would give now, without the edits of hooks."""
        return self.prepare()

    @property
    def state(self) -> State:
        """The state of which the prompt is made."""
        self.prepare()
        pending, state = get_pending_changes(self._parts), self._parts.current.state
        assert state is not None
        return pending.state if pending else state

    @property
    def context(self) -> Context:
        """What each part of what would be sent now takes of the model's window."""
        return measure_session(self._parts, self.prepare())

    @property
    def recipe(self) -> Recipe:
        """The recipe of the prompt."""
        return prepare_prompt(self._parts, look=False).recipe

    @property
    def themes(self) -> tuple[str, ...]:
        """The themes that programs, hooks and extensions add, for a user interface; no prompt holds them."""
        prepare_prompt(self._parts, look=False)
        files = get_session_files(self._parts)
        return files.themes if files else ()

    @property
    def record(self) -> tuple[Entry, ...]:
        """What is known about each turn, the oldest first."""
        with self._parts.lock:
            return tuple(self._parts.entries)

    # Changes: each takes effect with the next turn.

    def set_tools(self, names: Sequence[str]) -> None:
        """Make exactly these tools active, in this order; an unknown name is reported."""
        set_tools(self._parts, list(names))

    def register(self, *tools: Any) -> None:
        """Add tools in any form, functions too, active from now on. One of a known name takes its place."""
        register_tools(self._parts, tools_from(list(tools), "tools"))

    def unregister(self, *names: str) -> None:
        """Remove tools. The others stay where they are, and so does the place for a tool that comes back."""
        unregister_tools(self._parts, names)

    def reload(self, reason: str = "asked for") -> None:
        """Read everything again: configuration, extensions, SYSTEM.md, context, skills, `resources_discover`."""
        reload_session(self._parts, reason)

    def refresh(self, *paths: str) -> bool:
        """Look whether a file changed, for those who do not watch; only changed files are read.

        With paths, only whether one of these matters to the prompt; false where none does.
        """
        return refresh_files(self._parts, paths)

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
        """Another model from now on."""
        update_fields(self._parts, {"runtime": Runtime(model=model, provider=provider)}, "model", f"model: {model}")

    def set_budget(self, budget: BudgetLimit | Budget | None, count: CountFunction | None = None) -> None:
        """Another budget from now on, counted as before unless `count` is given; None: no budget."""
        set_budget(self._parts, budget, count)

    def update(self, **fields: Any) -> None:
        """Give fields of the State, as `memories` or `task`; they win over what is discovered."""
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
        """Call that function no more."""
        remove_hook(self._parts, function)

    # Sub-agents, and keeping it.

    def subagent(self, task: str, *, tools: Iterable[str] | None = None, prompt: str | None = None) -> "Session":
        """A session of its own for a task: the same context and skills, no planning, no `sub_agent` or `ask_user`.

        Its first `turn()` begins with the task.
        """
        from .subagent import start_subagent

        return object.__new__(type(self))._use(start_subagent(self._parts, task, tools, prompt))

    def save(self, path: Path) -> None:
        """Write the session to a JSON file; if that fails, the file stays as it was."""
        from .save.save_and_resume import make_save
        from .save.save_file import encode_save, write_save

        write_save(fspath(path), encode_save(make_save(self._parts)))

    @classmethod
    def resume(
        cls,
        path: Path,
        *,
        recipe: str | Recipe | None = None,
        world: World | None = None,
        count: CountFunction | None = None,
        extensions: Iterable[ExtensionSource] = (),
        inspect: bool = False,
    ) -> "Session":
        """The session of a file, with the same bytes, whatever became of the project. Hooks are added anew.

        So are `extensions`, which are set up again. A `count` of your own has to be given again; a tokenizer is
        found by its name. `inspect` publishes what it does from here on.
        """
        from .save.save_and_resume import resume_session
        from .save.save_file import read_save

        more = SessionOptions(world=world, count=count, inspect=inspect)
        return object.__new__(cls)._use(
            resume_session(read_save(fspath(path)), recipe, more, check_extensions(extensions))
        )

    def __enter__(self) -> Self:
        self._parts.watching = self._parts.setup.settings.options.watch
        self.prepare()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        import asyncio

        return await asyncio.to_thread(self.__enter__)

    async def __aexit__(self, *_: object) -> None:
        import asyncio

        await asyncio.to_thread(self.close)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """`files_changed(paths)` is the old name of `refresh(*paths)`."""
            if name == "files_changed":
                return partial(note_changed_files, self._parts)
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def close(self) -> None:
        """Stop watching files and publishing turns. Nothing else needs to be given back."""
        close_session(self._parts)


def get_parts(session: Session) -> SessionParts:
    """The state of a session, for our own commands and pages. No promise: it changes from release to release."""
    return session._parts
