"""Session is everything the model sees, turn after turn. It is the one object that changes."""

import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import fspath
from typing import Any, Literal, Self, TypeVar, overload

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from ..discovery.world import Path, World
from ..errors import SessionError, show_value
from ..model.convert_tools import tools_from
from ..model.message import Call, Message
from ..model.prompt.budget import Budget, BudgetLimit, check_budget
from ..model.prompt.prompt import Prompt
from ..model.recipe.recipe import Recipe
from ..model.state.state import Audience, Secrets, State, audience_fields
from ..project.find_recipe import RecipeSource, check_recipe_source
from ..providers.read.read_content import ContentInput
from ..report.context import Context
from ..tokens.counter import CountFunction, as_counter
from .bring_up_to_date import prepare_prompt
from .change_session import activate_tools, add_hook, change_resources, register_tools, start_subagent, update_session
from .current_files import get_session_files, note_changed_files
from .extension_changes import ExtensionSource, get_pending_changes
from .framework_request import SessionFramework
from .hooks import EventName, Hook
from .load_skill import answer_call
from .record_entry import Entry
from .replies_and_results import add_assistant, add_message, add_reply, add_result_of
from .session_files import Memories, Resources, check_list, check_list_of_texts
from .session_parts import SessionParts
from .session_setup import SessionOptions, SessionSettings, make_setup
from .take_turn import take_turn, take_turn_async
from .trace_and_price_requests import SentRequest, SessionUsage, trace_request
from .turn_and_context import Turn, measure_prompt_context

H = TypeVar("H", bound=Hook)


class Session:
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
        count: CountFunction | None = None,
        memories: Memories | None = None,
        hook_limit: float | None = 10.0,
        max_depth: int = 1,
        keep: int = 1000,
        world: World | None = None,
        audience: Audience | None = None,
        secrets: Secrets | None = None,
    ) -> None:
        """`tools` are names of the recipe's tools, definitions or functions; `state` overrides what is discovered.

        `extensions` are functions that take the session and register tools, hooks and resources, or `module:function`.
        `budget` is the maximum tokens of the system prompt, counted by `count` or the best installed tokenizer.

        - `memories`: `live`: they follow their file; `frozen`: they stay as at the start; None: the recipe decides.
        - `hook_limit`: seconds that a hook or an extension may take; None: no limit.
        - `max_depth`: how deep sub-agents may nest: at 1, a sub-agent can't start another.
        - `keep`: entries of the record that are kept.
        - `world`: where files, clock and environment are read; None: this machine.
        - `audience` and `secrets`: as for `build`.

        An unknown recipe or setting and a missing folder raise immediately; the project is
        read with the first turn.
        """
        settings = SessionSettings(
            check_recipe_source(recipe), cwd, home, root, config, world or World(), check_budget(budget),
            None if count is None else as_counter(count),
            options=SessionOptions(memories, hook_limit, max_depth, keep),
        )  # fmt: skip
        settings.check()
        setup = make_setup(settings, state or {}, tools, audience_fields(audience, secrets))
        self._use(SessionParts(setup, resources or Resources(), check_list("extensions", extensions)))

    def _use(self, parts: SessionParts) -> Self:
        self._parts = parts
        parts.owner = weakref.ref(self)
        return self

    # The turn, and the properties of the current prompt.

    def turn(self, text: ContentInput | None = None) -> Turn:
        """Start a turn with the user's text, or continue the current one without a text.

        A list holds texts, images and documents.
        """
        return take_turn(self._parts, text)

    async def aturn(self, text: ContentInput | None = None) -> Turn:
        """Like `turn`, without blocking the event loop."""
        return await take_turn_async(self._parts, text)

    @property
    def prompt(self) -> Prompt:
        """The prompt that `turn` would send now, without the edits of hooks. It has its recipe and its state."""
        prompt = prepare_prompt(self._parts)
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

    @property
    def usage(self) -> SessionUsage:
        """The total usage, including sub-agents: tokens, cache reads, and the price in US dollars."""
        with self._parts.lock:
            return self._parts.usage

    @property
    def last_request(self) -> SentRequest | None:
        """The last request, each part with its sources; None before the first turn."""
        with self._parts.lock:
            sent, loaded = self._parts.last_sent, dict(self._parts.loaded_texts)
        return None if sent is None else trace_request(sent, loaded)

    @property
    def framework(self) -> SessionFramework:
        """The methods for a framework that runs the loop and keeps the messages itself."""
        return SessionFramework(self._parts)

    # The conversation.

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages, including those that are not sent."""
        with self._parts.lock:
            return tuple(self._parts.history.all)

    def add(self, message: Message) -> None:
        """Add any message; while tool calls are open, it waits for their results."""
        add_message(self._parts, message)

    def assistant(self, text: str | None = "", calls: Iterable[Any] | None = ()) -> None:
        """Add the model's text and tool calls, in the form of any SDK."""
        add_assistant(self._parts, text, calls)

    def reply(self, response: Any) -> tuple[Call, ...]:
        """Add a whole response of an SDK, as an object, a dict or JSON: text, calls, reasoning and usage.

        It recognizes OpenAI (both protocols), Anthropic, Gemini, Bedrock and Ollama by their form, and the replies
        of openai-agents and LiteLLM, which have OpenAI's. It returns the calls.
        """
        return add_reply(self._parts, response)

    def result(self, call: Any, text: ContentInput, *, failed: bool = False, touched: Iterable[Path] = ()) -> None:
        """Add the result of a call or of its id: a text, content parts, or the result of an MCP client.

        The next turn looks for instruction files near the paths that it touched.
        `result(None, "The call was interrupted.", failed=True)` answers every open call.
        """
        add_result_of(self._parts, call, text, failed=failed, touched=touched)

    def answer(self, call: Any) -> bool:
        """Answer a call of the session's own tool, `use_skill`; returns false for other tools.

        A call whose arguments are not a JSON object is answered with an error, for any tool.
        """
        return answer_call(self._parts, call)

    def send_message(
        self, text: str, *, name: str | None = None, shown: bool = True, when: Literal["now", "next"] = "now"
    ) -> None:
        """Add a program's message, now or after the user's next message. It is always sent, shown or not."""
        message = Message("user", text, "custom", name=name, shown=shown)
        if when not in ("now", "next"):
            raise SessionError(f"when is {show_value(when)}.", hint="Pass 'now' or 'next'.")
        if when == "next":
            self._parts.apply(lambda: self._parts.queue.messages.append(message))
        else:
            self.add(message)

    def compact(self, summary: str, keep: int = 0) -> None:
        """Replace all but the last `keep` messages with a summary."""
        with self._parts.lock:
            self._parts.history.compact(summary, keep)

    def branch(self, summary: str, keep: int) -> None:
        """Return to the first `keep` messages, with a summary of the removed ones."""
        with self._parts.lock:
            self._parts.history.branch(summary, keep)

    async def add_mcp(self, client: Any, name: str | None = None) -> None:
        """Add the tools of a connected MCP client: the SDK's `Client` or `ClientSession`.

        The server's instructions are a section of their own, if the recipe has one for them. The session follows the
        server's tool list. A tool whose name is taken is `mcp__NAME__tool`. A server that fails is only a diagnostic.
        """
        from .mcp_servers import add_client

        await add_client(self._parts, client, name)

    async def call_mcp(self, call: Any) -> Any:
        """Call an MCP server's tool and return its `CallToolResult`; None for other tools.

        If the server fails or does not respond in time, the result has `is_error`.
        """
        from .mcp_servers import call_server

        return await call_server(self._parts, call)

    # What a program changes. It takes effect with the next turn.

    def refresh(self, *paths: str, touched: Iterable[Path] | None = None) -> None:
        """Make the next turn read the files that changed, or look whether these did; only changed ones are read.

        `touched` are files that somebody opened: recipes that support it load the nested project files near them, once.
        """
        if touched is not None:
            opened = check_list_of_texts("touched", touched)
            with self._parts.lock:
                self._parts.queue.touched += opened
        if paths:
            note_changed_files(self._parts, paths)
        elif touched is None:
            self._parts.add_trigger("file", "asked whether a file changed")

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
        from .save_and_resume import encode_save, make_save, write_save

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
    ) -> "Session":
        """Load a saved session, with the same bytes even if the project changed. Add hooks again.

        Pass `extensions` again, too: they are set up again. Pass a `count` of your own again; a tokenizer is
        found by its name.
        """
        from .save_and_resume import read_save, resume_session

        save = read_save(fspath(path))
        parts = resume_session(save, recipe, world, count, check_list("extensions", extensions))
        return object.__new__(cls)._use(parts)

    def __enter__(self) -> Self:
        _ = self.prompt
        from .mcp_servers import start_configured

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

    def close(self) -> None:
        """Stop the session's MCP servers."""
        parts = self._parts
        if parts.mcp is not None and parts.depth == 0:  # a sub-agent shares its parent's servers
            parts.mcp.close()


def get_parts(session: Session) -> SessionParts:
    """The parts of a session, for our own commands and pages. They are private: any release may change them."""
    return session._parts
