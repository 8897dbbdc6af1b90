"""Session holds everything the model sees, turn after turn. It is the one object that changes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import fspath
from types import TracebackType
from typing import Any, Literal, Self, TypeVar, overload
from uuid import uuid4

from ..discover.disk.location import Path
from ..discover.disk.real_world import RealWorld
from ..discover.disk.world import World
from ..errors import SessionError
from ..model.message import Call, Message
from ..model.prompt.budget import Budget, BudgetLimit, check_budget
from ..model.prompt.prompt import Prompt
from ..model.recipe.recipe import Recipe
from ..model.state.agent_and_task import SessionInfo
from ..model.state.runtime import Runtime
from ..model.state.state import Audience, Secrets, State, audience_fields
from ..model.tool.tool_forms import tools_from
from ..project.find_recipe import RecipeSource, check_recipe_source
from ..providers.read.contents import ContentInput as Said
from ..report.context import Context
from ..tokens.counter import CountFunction, as_counter
from . import change_session as settings
from .call_hooks import EventName, Hook
from .change_session import add_hook, check_event, register_tools, remove_hook, set_tools, unregister_tools
from .extensions.extensions import ExtensionSource, get_pending_changes
from .files.nested_files import Nested, hand_over_nested
from .files.reload import prepare_prompt
from .files.session_files import Memories, collect_given_fields
from .files.watch_files import get_session_files, import_watchfiles, note_changed_files, run_and_watch, start_watching
from .messages import add_messages as saying
from .messages.add_messages import add_assistant, add_reply, add_result_of, make_shell_message
from .messages.load_skill import answer, use_skill
from .options import SessionOptions
from .record import Entry
from .session_parts import SessionParts
from .toolbox import parse_tools_or_names
from .triggers import Resources
from .turn.current_prompt import SessionPrompt
from .turn.on_change import OnChange
from .turn.take_turn import take_turn, take_turn_async
from .turn.turn import Turn

H = TypeVar("H", bound=Hook)


class Session(SessionParts):
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
        memories: Memories | None = None,
        on_change: OnChange = "rewrite",
        resources: Resources | None = None,
        extensions: Iterable[ExtensionSource] = (),
        hook_limit: float | None = 10.0,
        max_depth: int = 1,
        keep: int = 1000,
        budget: BudgetLimit | Budget | None = None,
        count: CountFunction | None = None,
        watch: bool = False,
        world: World | None = None,
        audience: Audience | None = None,
        secrets: Secrets | None = None,
        inspect: bool = False,
    ) -> None:
        """`tools` are names of the recipe's own, definitions or functions; `state` wins over what is discovered.

        `extensions` are functions that take the session and register tools, hooks and resources, or `module:function`.
        `budget` is the most tokens that the system prompt may have, by `count`, or else by the best that there is here.
        `audience` and `secrets` say what is kept from readers, as for `build`.
        `inspect` publishes its turns for `overture serve --attach`, in a file that only the user may read.
        A recipe or setting that is not known, and a folder that is not there, are errors at once; the project is read
        with the first turn.
        """
        given = collect_given_fields(state or {}) | audience_fields(audience, secrets)
        options = SessionOptions(
            check_recipe_source(recipe),
            cwd,
            home,
            root,
            config,
            world or RealWorld(),
            memories,
            on_change,
            hook_limit,
            max_depth,
            keep,
            check_budget(budget),
            None if count is None else as_counter(count),
        )
        options.check()
        info = given.get("session") or SessionInfo(uuid4().hex[:12])
        asked = tools if tools is not None else given.pop("tools", None)
        current = SessionPrompt(options, given, None if asked is None else parse_tools_or_names(asked), info)
        super().__init__(
            current, resources or Resources(), keep=keep, watch=watch, extensions=check_extensions(extensions)
        )
        if inspect:
            self._inspect()

    # Taking a turn, and what there is to see.

    def turn(self, text: Said | None = None) -> Turn:
        """Everything that the model sees now. Without a text, the turn that is going on is continued.

        A list holds texts, images and documents in the form of any provider.
        """
        return run_and_watch(self, lambda: take_turn(self, text)) if self._unwatched else take_turn(self, text)

    async def aturn(self, text: Said | None = None) -> Turn:
        """As `turn`, without ever blocking the event loop."""
        if not self._unwatched:
            return await take_turn_async(self, text)
        import asyncio

        await asyncio.to_thread(import_watchfiles)
        turn = await take_turn_async(self, text)
        start_watching(self)  # at once: a turn that is taken can't be cancelled any more
        return turn

    def prepare(self, *, record: bool = False) -> Prompt:
        """Bring the prompt up to date without a turn; with `record`, an entry of turn 0 says what was triggered."""
        if self._unwatched:
            return run_and_watch(self, lambda: prepare_prompt(self, record=record))
        return prepare_prompt(self, record=record)

    def _inspect(self) -> None:
        from .publish.publish_turn import make_publisher

        info = self.current.info
        self.publisher = make_publisher(self.current.options, info.id if info else None)

    @property
    def _unwatched(self) -> bool:
        """Whether files are to be watched, and are not yet."""
        return self.watching and self.watcher is None

    @property
    def prompt(self) -> Prompt:
        """The prompt that `turn` would give now, without the edits of hooks."""
        return self.prepare()

    @property
    def state(self) -> State:
        """The state of which the prompt is made."""
        self.prepare()
        assert self.current.state is not None
        wishes = get_pending_changes(self)
        return wishes.state if wishes else self.current.state

    @property
    def context(self) -> Context:
        """What each part of what would be sent now takes of the model's window."""
        from .turn.take_turn import measure_session

        return measure_session(self, self.prepare())

    @property
    def recipe(self) -> Recipe:
        """The recipe in which it is said."""
        return prepare_prompt(self, look=False).recipe

    @property
    def themes(self) -> tuple[str, ...]:
        """The themes that programs, hooks and extensions add, for whoever draws; no prompt holds them."""
        prepare_prompt(self, look=False)
        ground = get_session_files(self)
        return ground.themes if ground else ()

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

    # What is said.

    def add(self, message: Message) -> None:
        """Add any message; while tool calls are open, it waits for their results."""
        saying.add_message(self, message)

    def assistant(
        self, text: str | None = "", calls: Iterable[Any] | None = (), blocks: Iterable[dict[str, Any]] = ()
    ) -> None:
        """Add what the model said, and the tools that it wants to call, as any SDK hands them over."""
        add_assistant(self, text, calls, blocks)

    def reply(self, response: Any) -> tuple[Call, ...]:
        """Add a whole response of an SDK, as an object, a dict or JSON: text, calls, reasoning and usage.

        OpenAI (both protocols), Anthropic, Gemini, Bedrock and Ollama are known by their form. The calls come back.
        """
        return add_reply(self, response)

    def result(self, call: Any, text: Said, *, failed: bool = False, touched: Iterable[str] = ()) -> None:
        """Add the result of a call or of its id, as a text or as content parts.

        Files that it touched are looked around with the next turn.
        """
        add_result_of(self, call, text, failed=failed, touched=touched)

    def interrupt(self, why: str = "The call was interrupted.") -> None:
        """Answer every open call with an error, so that the conversation can go on."""
        saying.interrupt_calls(self, why)

    def touch(self, *paths: str) -> None:
        """Say that a tool touched these files: recipes that ask for it deliver the project files on the way, once."""
        with self.lock:
            self.touched += paths

    def shell(self, command: str, output: str, exit_code: int | None = 0, *, cut: str | None = None) -> None:
        """Add a command that the user ran: `!cmd` is sent, `!!cmd` is kept and not sent."""
        self.add(make_shell_message(command, output, exit_code, cut=cut))

    def send_message(
        self, text: str, *, name: str | None = None, shown: bool = True, when: Literal["now", "next"] = "now"
    ) -> None:
        """Add a message of a program's, now or after the user's next one. Hidden or shown, it is always sent."""
        message = Message("user", text, "custom", name=name, shown=shown)
        self.do(lambda: self.queued.append(message) if when == "next" else self.talk.add(message))

    def compact(self, summary: str, keep: int = 0) -> None:
        """Replace all but the last `keep` messages by a summary; what messages told of the prompt is folded in."""
        saying.compact_messages(self, summary, keep)

    def branch(self, summary: str, keep: int) -> None:
        """Go back to the first `keep` messages, with a summary of what is left behind."""
        saying.branch_messages(self, summary, keep)

    def use_skill(self, name: str) -> str:
        """Load a skill's full instructions, by its name.

        They come back as text, each time, and no message is added: a tool for a framework that keeps its own messages.
        A name that is not known gives `Error: …` with the nearest one, so that the model can try again.
        In a loop that asks for turns, `answer(call)` loads the skill as a message, once.
        """
        return use_skill(self, name)

    def nested_for(self, *paths: Path, again: bool = False) -> tuple[Nested, ...]:
        """The instructions of nested project files that touched paths bring, for a framework with its own messages.

        Each file comes once, whoever touched it; `again` gives it once more, for a framework that dropped it. Recipes
        and settings decide as with `touch`, which brings the same as messages.
        """
        if self.current.state is None:
            self.prepare()
        return hand_over_nested(self, [fspath(path) for path in paths], again=again)

    def answer(self, call: Any) -> bool:
        """Answer a call of the session's own tool, `use_skill`; false where the call is somebody else's.

        A call whose arguments are no JSON object is answered with an error, whosever it is.
        """
        return answer(self, call)

    # What changes it: each takes effect with the next turn.

    def set_tools(self, names: Sequence[str]) -> None:
        """Make exactly these tools active, in this order; an unknown name is reported."""
        set_tools(self, list(names))

    def register(self, *tools: Any) -> None:
        """Add tools in any form, functions too, active from now on. One of a known name takes its place."""
        register_tools(self, tools_from(list(tools), "tools"))

    def unregister(self, *names: str) -> None:
        """Take tools away. The others stay where they are, and so does the place for a tool that comes back."""
        unregister_tools(self, names)

    def reload(self, reason: str = "asked for") -> None:
        """Look at everything again: configuration, extensions, SYSTEM.md, context, skills, `resources_discover`."""
        if get_pending_changes(self) is not None:
            raise SessionError("An extension can't reload the session that is setting it up. Leave reload() to others.")
        self.trigger("reload", reason)

    def refresh(self) -> None:
        """Look whether a file changed, for those who do not watch. Only changed files are read."""
        self.trigger("file", "asked whether a file changed")

    def files_changed(self, paths: Iterable[str]) -> bool:
        """Note that files changed on disk; whether any of them matters to the prompt."""
        return note_changed_files(self, paths)

    def add_resources(
        self,
        skills: Sequence[str] = (),
        context: Sequence[str] = (),
        prompts: Sequence[str] = (),
        themes: Sequence[str] = (),
    ) -> None:
        """Add folders of skills, project files, templates, and themes to what is discovered."""
        settings.add_resources(self, Resources(tuple(skills), tuple(context), tuple(prompts), tuple(themes)))

    def set_model(self, model: str, provider: str | None = None) -> None:
        """Another model from now on."""
        settings.update_fields(self, {"runtime": Runtime(model=model, provider=provider)}, "model", f"model: {model}")

    def set_budget(self, budget: BudgetLimit | Budget | None, count: CountFunction | None = None) -> None:
        """Another budget from now on, counted as before unless `count` is given; None: no budget."""
        settings.set_budget(self, budget, count)

    def update(self, **fields: Any) -> None:
        """Give fields of the State, as `memories` or `task`; they win over what is discovered."""
        settings.update_fields(self, fields, "state")

    @overload
    def hook(self, event: EventName, function: H, *, name: str | None = None) -> H: ...
    @overload
    def hook(self, event: EventName, function: None = None, *, name: str | None = None) -> Callable[[H], H]: ...
    def hook(self, event: EventName, function: Hook | None = None, *, name: str | None = None) -> Any:
        """Call a function, async or not, on `before_agent_start`, `context` or `resources_discover`.

        Usable as a decorator. Hooks are called in the order in which they were registered.
        """
        check_event(event)
        if function is None:
            return lambda function: self.hook(event, function, name=name)
        add_hook(self, event, function, name)
        return function

    def unhook(self, function: Hook) -> None:
        """Call that function no more."""
        remove_hook(self, function)

    # Sub-agents, and keeping it.

    def subagent(self, task: str, *, tools: Iterable[str] | None = None, prompt: str | None = None) -> "Session":
        """A session of its own for a task: the same context and skills, no planning, no `sub_agent` or `ask_user`.

        Its first `turn()` begins with the task.
        """
        from .subagent import start_subagent

        return start_subagent(type(self), self, task, tools, prompt)

    def save(self, path: Path) -> None:
        """Write the session to a JSON file; if that fails, the file stays as it was."""
        from .save.save_and_resume import make_save
        from .save.save_file import encode_save, write_save

        write_save(fspath(path), encode_save(make_save(self)))

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

        session = resume_session(cls, read_save(fspath(path)), recipe, world, count, check_extensions(extensions))
        if inspect:
            session._inspect()
        return session

    def __enter__(self) -> Self:
        self.watching = self.watches
        self.prepare()
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
        """Stop watching files and publishing turns. Nothing else needs to be given back."""
        with self.lock:
            watcher, self.watcher, self.watching = self.watcher, None, False
        if watcher is not None:
            watcher.stop()
        if self.publisher is not None:
            self.publisher.close()


def check_extensions(extensions: Iterable[ExtensionSource]) -> tuple[ExtensionSource, ...]:
    """Extensions as a list; one alone is a mistake that would be read letter by letter."""
    if isinstance(extensions, str) or callable(extensions):
        raise SessionError(f"extensions is {extensions!r:.60}. Give a list: extensions=[…].")
    return tuple(extensions)
