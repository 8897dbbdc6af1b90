"""The public methods of Session for messages, replies, tool calls, results and MCP: SessionMessages."""

from collections.abc import Iterable
from typing import Any, Literal

from ...discover.disk.world import Path
from ...errors import SessionError, show_value
from ...model.message import Call, Message
from ...providers.read.read_content import ContentInput
from ..request.framework_request import SessionFramework
from ..request.trace_and_price_requests import SentRequest, SessionUsage, trace_request
from ..session_parts import SessionParts
from ..turn.announce_and_record import fold_messages
from .add_replies_and_results import add_assistant, add_message, add_reply, add_result_of
from .load_skill import answer_call


class SessionMessages:
    """The messages of a session. Every method may be called from any thread."""

    _parts: SessionParts

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

        It recognizes OpenAI (both protocols), Anthropic, Gemini, Bedrock and Ollama by their form. It also recognizes
        the replies of LangChain, pydantic-ai, openai-agents, LiteLLM and Google ADK. It returns the calls.
        """
        return add_reply(self._parts, response)

    def result(self, call: Any, text: ContentInput, *, failed: bool = False, touched: Iterable[Path] = ()) -> None:
        """Add the result of a call or of its id: a text, content parts, or what MCP, LangChain or pydantic-ai returned.

        The next turn looks for instruction files near the paths that it touched.
        `result(None, "The call was interrupted.", failed=True)` answers every open call.
        """
        add_result_of(self._parts, call, text, failed=failed, touched=touched)

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
        """Replace all but the last `keep` messages with a summary; announced prompt changes go into the prompt."""
        with self._parts.lock:
            self._parts.history.compact(summary, keep)
            fold_messages(self._parts, "compaction")

    def branch(self, summary: str, keep: int) -> None:
        """Return to the first `keep` messages, with a summary of the removed ones."""
        with self._parts.lock:
            self._parts.history.branch(summary, keep)
            fold_messages(self._parts, "another branch")

    @property
    def framework(self) -> SessionFramework:
        """The methods for a framework that runs the loop and keeps the messages itself."""
        return SessionFramework(self._parts)

    @property
    def last_request(self) -> SentRequest | None:
        """The last request, each part with its sources; None before the first turn."""
        with self._parts.lock:
            sent, loaded = self._parts.last_sent, dict(self._parts.loaded_texts)
        return None if sent is None else trace_request(sent, loaded)

    @property
    def usage(self) -> SessionUsage:
        """The total usage, including sub-agents: tokens, cache reads, and the price in US dollars."""
        with self._parts.lock:
            return self._parts.usage

    def answer(self, call: Any) -> bool:
        """Answer a call of the session's own tool, `use_skill`; returns false for other tools.

        A call whose arguments are not a JSON object is answered with an error, for any tool.
        """
        return answer_call(self._parts, call)

    async def add_mcp(self, client: Any, name: str | None = None) -> None:
        """Add the tools of a connected MCP client: the SDK's `Client` or `ClientSession`.

        The server's instructions are a section of their own, if the recipe has one for them. The session follows the
        server's tool list. A tool whose name is taken is `mcp__NAME__tool`. A server that fails is only a diagnostic.
        """
        from ..mcp.session_servers import add_client

        await add_client(self._parts, client, name)

    async def call_mcp(self, call: Any) -> Any:
        """Call an MCP server's tool and return its `CallToolResult`; None for other tools.

        If the server fails or does not respond in time, the result has `is_error`.
        """
        from ..mcp.session_servers import call_server

        return await call_server(self._parts, call)
