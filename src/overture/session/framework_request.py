"""Prepares the next request of a framework that runs the loop and keeps the messages: SessionFramework."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from os import fspath
from typing import Any, NamedTuple, TypedDict, Unpack

from ..assemble.choose_cache_breakpoints import Breakpoints, find_stable_ends
from ..assemble.sanitize.forbidden_frames import prompt_guard
from ..assemble.sanitize.messages_and_tools import sanitize_tools
from ..discovery.world import Path
from ..model.convert_tools import tools_from
from ..model.message import Message, Usage
from ..model.prompt.block import JOIN
from ..model.prompt.prompt import Prompt
from ..model.safe_text import SafeTool
from ..model.tool import Tool
from ..providers.render import facts_for, list_native_tools
from ..providers.write.cache_plan_and_manifest import RequestInput, SystemText, list_block_ends, model_of, plan_caching
from ..providers.write.tools import callable_tools
from ..tokens.counter import estimate
from ..traces import Attribute, describe_turn, traced
from .bring_up_to_date import prepare_prompt
from .change_session import get_toolbox, register_tools, unregister_tools
from .current_files import NestedFile, hand_over_nested, note_missed_changes
from .framework_rows import AddedText, RequestRow, RowForms, join_items
from .framework_turn import FrameworkTurn
from .hooks import call_in_thread
from .load_skill import use_skill
from .replies_and_results import record_reply_usage
from .session_parts import SessionParts
from .session_setup import complete_tool
from .take_turn import run_turn, run_turn_async
from .trace_and_price_requests import SentTexts
from .turn_and_context import Turn


class SessionRequest(NamedTuple):
    """The next request of a framework: the system prompt, its messages with the added texts, and its tools."""

    turn: Turn
    rows: tuple[RequestRow, ...]
    """The framework's messages with the added texts, after the hooks."""
    added: tuple[AddedText, ...]
    """The added texts, for a framework whose messages can't be replaced."""
    tools: tuple[SafeTool, ...]
    """The sanitized tools: a description can't forge the prompt's frames."""
    instructions: tuple[str, ...] = ()
    """The framework's own instructions, which follow the prompt."""

    @property
    def prompt(self) -> Prompt:
        """The system prompt of the framework's request."""
        return self.turn.prompt

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages as they are sent."""
        return self.turn.messages

    @property
    def system(self) -> str:
        """The system prompt and, after it, the framework's own instructions, as one text."""
        return JOIN.join([text for text in (self.prompt.text, *self.instructions) if text])

    def write_tools(
        self, tools: Iterable[Any], read: Callable[[Any], Any], write: Callable[[Any, SafeTool], Any]
    ) -> list[Any]:
        """The framework's tools, with those rewritten that sanitizing changed.

        `read` returns a tool in any form, or None for one that the provider runs itself. Sanitizing changes a
        description that would forge a frame of the prompt.
        """
        safe: dict[str, SafeTool] = {tool.name: tool for tool in self.tools}
        written = []
        for tool in tools:
            form = read(tool)
            known = tools_from([form])[0] if form is not None else None
            clean = safe.get(known.name) if known else None
            written.append(write(tool, clean) if known and clean and _differs(clean, known) else tool)
        return written

    def write_messages(self, groups: Sequence[list[Any]], forms: RowForms) -> list[Any]:
        """The framework's messages, from the groups of `split_items`, with the added texts."""
        return join_items(self.rows, groups, forms)

    def split_stable(self) -> tuple[str, str]:
        """The prompt in two parts: the text that is stable for the session, and the text that may change each turn."""
        ends = find_stable_ends(list_block_ends(self.prompt))
        end = max(ends.get("static", 0), ends.get("session", 0))
        return self.prompt.text[:end], self.prompt.text[end:].removeprefix(JOIN)

    def split_system(self, provider: str, model: str | None = None) -> tuple[SystemText, ...]:
        """`system`, split at the provider's cache breakpoints; in one piece if it has none."""
        pieces = split_at_breakpoints(self.prompt, self.tools, provider, model)
        if not self.instructions:
            return pieces
        rest = JOIN.join(["", *self.instructions] if pieces else self.instructions)
        return (*pieces, SystemText(rest, False))


def _differs(clean: SafeTool, known: Tool) -> bool:
    return (clean.description or "", clean.parameters or {}) != (known.description or "", known.parameters or {})


def split_at_breakpoints(
    prompt: Prompt, tools: Sequence[SafeTool], provider: str, model: str | None = None
) -> tuple[SystemText, ...]:
    """The system prompt for a framework, split at the cache breakpoints that pay off for this model."""
    facts = facts_for(provider, model or model_of(prompt))
    marks = plan_caching(prompt, facts, estimate, tools, (), None)[0] if facts.way == "marked" else Breakpoints()
    return RequestInput(prompt, facts, marks=marks).pieces


class RequestOptions(TypedDict, total=False):
    """The options of a framework's next request."""

    tools: Iterable[Any] | None
    """All tools that it offers, in any form; None: the session's tools stay."""
    instructions: Iterable[str]
    """Its own instructions, sent after the prompt."""
    conversation: str
    """An id that separates conversations with the same beginning."""


def _begin_request(session: SessionParts, messages: Sequence[Message], options: RequestOptions) -> FrameworkTurn:
    """Make the framework's tools the session's, and find the files near the paths that its calls touched."""
    tools = options.get("tools")
    if tools is not None:
        use_exactly(session, tools_from(list(tools), "tools"))
    framework = FrameworkTurn(session, messages, options.get("conversation", ""))
    note_missed_changes(session)
    # A turn that begins with the user's text re-reads the followed files itself.
    look = framework.content is None and (not messages or messages[-1].role == "user")
    prepare_prompt(session, look=look)
    framework.find_nested()
    return framework


def _end_request(
    session: SessionParts, framework: FrameworkTurn, turn: Turn, options: RequestOptions
) -> SessionRequest:
    sent, _ = sanitize_tools(callable_tools(list_native_tools(turn.prompt)), prompt_guard(turn.prompt))
    own = tuple(text for text in options.get("instructions", ()) if text)
    with session.lock:
        session.last_sent = SentTexts(turn.prompt, turn.messages, sent, own)
    return SessionRequest(turn, framework.rows, framework.added, sent, own)


def use_exactly(session: SessionParts, tools: tuple[Tool, ...]) -> None:
    """Make exactly these the session's tools. Each keeps the known snippet and guidelines of its name."""
    box = get_toolbox(session)
    tools = tuple({tool.name: tool for tool in reversed(tools)}.values())[::-1]
    known = [complete_tool(tool, box.known.get(tool.name)) for tool in tools]
    new = tuple(tool for tool in known if tool.name not in box.active or box.known.get(tool.name) != tool)
    names = {tool.name for tool in known}
    removed_names = [name for name in box.names if name not in names]
    with session.lock:
        session.setup.requested_names.add("")
    if new:
        register_tools(session, new, exactly=True)
    if removed_names:
        unregister_tools(session, removed_names)


def _describe_request(request: SessionRequest) -> Iterable[Attribute]:
    """The turn of a request, for its span, which includes what the request reads before its turn."""
    return describe_turn(request.turn)


class SessionFramework:
    """The methods of `session.framework`: requests, skills, nested files. None of them adds a message.

    Every method may be called from any thread.
    """

    def __init__(self, _parts: SessionParts) -> None:
        self._parts = _parts

    @traced("overture.turn", _describe_request)
    def prepare_request(self, messages: Sequence[Message] = (), **about: Unpack[RequestOptions]) -> SessionRequest:
        """The next request: prompt, messages and tools.

        `tools` are all tools of the framework, in any form: they become the session's tools. `instructions` are its
        own, sent after the prompt. `conversation` separates conversations with the same beginning.
        """
        framework = _begin_request(self._parts, messages, about)
        turn = run_turn(self._parts, framework.content, framework)
        return _end_request(self._parts, framework, turn, about)

    @traced("overture.turn", _describe_request)
    async def aprepare_request(
        self, messages: Sequence[Message] = (), **about: Unpack[RequestOptions]
    ) -> SessionRequest:
        """Like `prepare_request`, without blocking the event loop; async hooks run on it."""
        begin = partial(_begin_request, self._parts, messages, about)
        framework: FrameworkTurn = await call_in_thread(begin, "overture request")
        turn = await run_turn_async(self._parts, framework.content, framework)
        return _end_request(self._parts, framework, turn, about)

    def nested_for(self, *paths: Path, again: bool = False) -> tuple[NestedFile, ...]:
        """The nested project files for touched paths, for the framework to put into its request.

        Each file is returned once; `again` returns it once more, for a framework that dropped it. Recipes and
        settings decide as with `refresh(touched=…)`, which adds the same files as messages.
        """
        if self._parts.current.state is None:
            prepare_prompt(self._parts)
        return hand_over_nested(self._parts, [fspath(path) for path in paths], again=again)

    def use_skill(self, name: str) -> str:
        """Load a skill's full instructions, by its name.

        They come back as text, each time, and no message is added: give the method to the model as a tool.
        A name that is not known gives `Error: …` with the nearest one, so that the model can try again.
        In a loop that asks for turns, `answer(call)` loads the skill as a message, once.
        """
        return use_skill(self._parts, name)

    def add_usage(self, usage: Usage, model: str | None = None) -> None:
        """Add a provider's token counts for a reply that the session has not seen; `reply` does so itself."""
        record_reply_usage(self._parts, usage, model)
