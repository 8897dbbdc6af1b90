"""Session is everything the model sees, turn after turn. It is the one object that changes."""

import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import fspath
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack, overload

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from ..discover.disk.real_world import RealWorld
from ..discover.disk.world import Path, World
from ..errors import SessionError
from ..model.convert_tools import tools_from
from ..model.prompt.budget import Budget, BudgetLimit, check_budget
from ..model.prompt.prompt import Prompt
from ..model.recipe.recipe import Recipe
from ..model.state.state import State
from ..project.find_recipe import RecipeSource, check_recipe_source
from ..providers.read.read_content import ContentInput
from ..report.context import Context
from ..tokens.counter import CountFunction, as_counter
from .call_hooks import EventName, Hook
from .change_session import activate_tools, add_hook, change_resources, update_session
from .extension_changes import ExtensionSource, get_pending_changes
from .files.session_files import Resources, check_list, check_list_of_texts
from .files.watch_files import get_session_files, note_changed_files, prepare_watch, start_watching
from .messages.message_methods import SessionMessages
from .old_names import OLD_NAMES
from .options_and_setup import SessionKeywords, SessionOptions, SessionSettings, make_setup, merge_options
from .record_entry import Entry
from .register_tools import register_tools
from .session_parts import SessionParts
from .start_subagent import start_subagent
from .turn.bring_up_to_date import prepare_prompt
from .turn.take_turn import take_turn, take_turn_async
from .turn.turn_and_context import Turn, measure_prompt_context

H = TypeVar("H", bound=Hook)


class Session(SessionMessages):
    """A conversation with a live prompt: the prompt is rebuilt when its files or inputs change.

    Every method is thread-safe. Changes take effect with the next turn; a turn that is being built is not affected.
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
        """`tools` are names of the recipe's tools, definitions or functions; `state` overrides what is discovered.

        `extensions` are functions that take the session and register tools, hooks and resources, or `module:function`.
        `budget` is the maximum tokens of the system prompt, counted by `count` or the best installed tokenizer.
        `options` sets how the session behaves; each field of SessionOptions is also a keyword, which overrides it.
        An unknown recipe or setting and a missing folder raise immediately; the project is
        read with the first turn.
        """
        merged = merge_options(options, keywords)
        settings = SessionSettings(
            check_recipe_source(recipe), cwd, home, root, config, merged.world or RealWorld(), check_budget(budget),
            None if merged.count is None else as_counter(merged.count), options=merged,
        )  # fmt: skip
        settings.check()
        setup = make_setup(settings, state or {}, tools)
        self._use(SessionParts(setup, resources or Resources(), check_list("extensions", extensions)))

    def _use(self, parts: SessionParts) -> Self:
        """Make this the session of these parts."""
        self._parts = parts
        parts.owner = weakref.ref(self)
        if parts.setup.settings.options.inspect:
            from .publish.publisher import make_publisher

            parts.publisher = make_publisher(parts.setup)
        return self

    # The turn, and the properties of the current prompt.

    def turn(self, text: ContentInput | None = None) -> Turn:
        """Start a turn with the user's text, or continue the current one without a text.

        A list holds texts, images and documents in the form of any provider.
        """
        return take_turn(self._parts, text)

    async def aturn(self, text: ContentInput | None = None) -> Turn:
        """Like `turn`, without blocking the event loop."""
        return await take_turn_async(self._parts, text)

    @property
    def prompt(self) -> Prompt:
        """The prompt that `turn` would send now, without the edits of hooks. It has its recipe and its state."""
        is_watch_due = prepare_watch(self._parts)
        prompt = prepare_prompt(self._parts)
        if is_watch_due:
            start_watching(self._parts)
        pending = get_pending_changes(self._parts)
        return replace(prompt, state=pending.state) if pending else prompt

    @property
    def context(self) -> Context:
        """How much of the model's window each part of the next request takes."""
        parts, prompt = self._parts, self.prompt
        with parts.lock:
            edit, messages = parts.turn.hook_edit, tuple(parts.history.sent)
        # With the edits that hooks made for the user's current prompt.
        return measure_prompt_context(edit[1] if edit is not None and edit[0] is prompt else prompt, messages)

    @property
    def themes(self) -> tuple[str, ...]:
        """Themes that programs, hooks and extensions add, for a user interface; never in a prompt."""
        prepare_prompt(self._parts, look=False)
        files = get_session_files(self._parts)
        return files.themes if files else ()

    @property
    def record(self) -> tuple[Entry, ...]:
        """The record of each turn, oldest first."""
        with self._parts.lock:
            return tuple(self._parts.entries)

    # What a program changes. It takes effect with the next turn.

    def refresh(self, *paths: str, touched: Iterable[Path] | None = None) -> bool:
        """Check whether a file changed, for sessions without `watch`; only changed files are read.

        With paths, it returns whether one of these matters to the prompt. `touched` are files that somebody opened:
        recipes that support it load the nested project files near them, once.
        """
        if touched is not None:
            opened = check_list_of_texts("touched", touched)
            with self._parts.lock:
                self._parts.queue.touched += opened
        if paths:
            return note_changed_files(self._parts, paths)
        if touched is None:
            self._parts.add_trigger("file", "asked whether a file changed")
        return True

    def reload(self) -> None:
        """Read everything again: configuration, extensions, SYSTEM.md, context, skills, `resources_discover`."""
        if get_pending_changes(self._parts) is not None:
            raise SessionError(
                "An extension can't reload the session that is setting it up.", hint="Call reload() later."
            )
        self._parts.add_trigger("reload", "asked for")

    def update(
        self,
        *,
        budget: BudgetLimit | Budget | UnsetType | None = UNSET,
        count: CountFunction | None = None,
        **fields: Any,
    ) -> None:
        """Set fields of the State, such as `memories` or `runtime`; they override what is discovered.

        `budget` is the new budget, None for no budget; `count` counts its tokens from now on.
        """
        update_session(self._parts, fields, budget, count)

    def set_tools(self, names: Sequence[str]) -> None:
        """Make exactly these tools active, in this order; an unknown name is reported."""
        activate_tools(self._parts, names)

    def register(self, *tools: Any) -> None:
        """Add and activate tools in any form, also functions. A tool with a known name replaces it."""
        register_tools(self._parts, tools_from(list(tools), "tools"))

    def add_resources(
        self,
        skills: Sequence[Path] = (),
        context: Sequence[Path] = (),
        prompts: Sequence[Path] = (),
        themes: Sequence[Path] = (),
    ) -> None:
        """Add folders of skills, project files, templates, and themes to what is discovered."""
        change_resources(self._parts, Resources(skills, context, prompts, themes))  # type: ignore[arg-type]

    @overload
    def hook(self, event: EventName, function: H, *, name: str | None = None) -> H: ...
    @overload
    def hook(self, event: EventName, function: None = None, *, name: str | None = None) -> Callable[[H], H]: ...
    def hook(self, event: EventName, function: Hook | None = None, *, name: str | None = None) -> Any:
        """Call a function, async or not, on `before_agent_start`, `context` or `resources_discover`.

        Usable as a decorator. Hooks are called in the order in which they were registered.
        """
        return add_hook(self._parts, event, function, name=name)

    # Sub-agents, save and resume.

    def subagent(self, task: str, *, tools: Iterable[str] | None = None, prompt: str | None = None) -> "Session":
        """Start a sub-agent's session: same context and skills, no planning, no `sub_agent` or `ask_user`.

        Its first `turn()` begins with the task.
        """
        return object.__new__(type(self))._use(start_subagent(self._parts, task, tools, prompt))

    def save(self, path: Path) -> None:
        """Write the session to a JSON file; if that fails, the file is unchanged."""
        from .save_and_resume import make_save
        from .save_file import encode_save, write_save

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
        """Load a saved session, with the same bytes even if the project changed. Add hooks again.

        Pass `extensions` again, too: they are set up again. Pass a `count` of your own again; a tokenizer is
        found by its name. `inspect` publishes the turns from here on.
        """
        from .save_and_resume import resume_session
        from .save_file import read_save

        more = SessionOptions(world=world, count=count, inspect=inspect)
        return object.__new__(cls)._use(
            resume_session(read_save(fspath(path)), recipe, more, check_list("extensions", extensions))
        )

    def __enter__(self) -> Self:
        self._parts.watching = self._parts.setup.settings.options.watch
        _ = self.prompt
        from .mcp.session_servers import start_configured

        start_configured(self._parts)
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
            """The names of 0.1."""
            if name in OLD_NAMES:
                return OLD_NAMES[name](self)
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def close(self) -> None:
        """Stop watching files and publishing turns, and stop the session's MCP servers."""
        parts = self._parts
        with parts.lock:
            watcher, parts.watcher, parts.watching = parts.watcher, None, False
        if watcher is not None:
            watcher.stop()
        if parts.mcp is not None and parts.depth == 0:  # a sub-agent shares its parent's servers
            parts.mcp.close()
        if parts.publisher is not None:
            parts.publisher.close()


def get_parts(session: Session) -> SessionParts:
    """The parts of a session, for our own commands and pages. They are private: any release may change them."""
    return session._parts
