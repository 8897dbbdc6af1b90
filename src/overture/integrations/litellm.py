"""Overture with LiteLLM: `completion(session, model=…)` sends the session's next request to any provider.

LiteLLM has no loop of its own, so the session keeps the messages. `session.turn("hi")`, or the second argument here,
adds the user's message; `session.result(call, …)` adds a tool's result.
"""

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

from ..errors import ConfigError
from ..providers.openai_shared import SYSTEM_ROLES
from ..providers.read.read_content import ContentInput
from ..providers.render import sent_tools
from ..providers.write.cache_plan_and_manifest import BREAKPOINT_KEYS
from ..session.framework_request import split_at_breakpoints
from ..session.session import Session, get_parts
from ..session.take_turn import take_turn, take_turn_async
from ..session.turn_and_context import Turn
from .frameworks import import_framework, mark_end, write_pieces

LOWEST = "1.106.2"
NEWEST = "1.106.2"
if TYPE_CHECKING:
    import litellm
else:
    litellm = import_framework("litellm", "litellm", LOWEST, "litellm", "completion", "acompletion")

BREAKPOINT = BREAKPOINT_KEYS["anthropic"]


def completion(session: Session, prompt: ContentInput | None = None, *, model: str, **keywords: Any) -> Any:
    """The response to the session's next request. The session adds the reply to its messages, and counts its usage.

    With `stream=True` the chunks come one by one, and the session adds the reply after the last.
    """
    sent = write_request(take_turn(get_parts(session), prompt, note_changes=True), model, keywords)
    response = litellm.completion(**sent)
    if keywords.get("stream"):
        return _pass_chunks(session, response, sent["messages"])
    session.reply(response)
    return response


async def acompletion(session: Session, prompt: ContentInput | None = None, *, model: str, **keywords: Any) -> Any:
    """As `completion`, on an event loop."""
    sent = write_request(await take_turn_async(get_parts(session), prompt, note_changes=True), model, keywords)
    response = await litellm.acompletion(**sent)
    if keywords.get("stream"):
        return _pass_chunks_async(session, response, sent["messages"])
    session.reply(response)
    return response


def write_request(turn: Turn, model: str, keywords: dict[str, Any]) -> dict[str, Any]:
    """The keywords of LiteLLM's own functions; the caller's override them, except messages and tools."""
    for name in ("messages", "tools"):
        if name in keywords:
            raise ConfigError(
                f"`{name}` is set by the session.", hint="Use turn(), reply(), result() and register() instead."
            )
    request = turn.to_openai()
    messages = request.get("messages", [])
    if not is_openai(model):
        messages = [_keep_place(index, message) for index, message in enumerate(messages)]
        request = {key: value for key, value in request.items() if key in ("messages", "tools")}
    if is_claude(model) and messages:
        messages = [*_mark_system(turn, messages[0], model), *messages[1:-1], *map(_mark_end, messages[1:][-1:])]
    return {**request, **keywords, "messages": messages, "model": model, **_ask_for_usage(keywords)}


def is_openai(model: str) -> bool:
    """Whether a model takes the fields that only OpenAI's models have."""
    return str(litellm.get_llm_provider(model)[1]) in ("openai", "azure")


def is_claude(model: str) -> bool:
    """Whether a model caches at marks in the form of Anthropic, which LiteLLM passes on."""
    return "claude" in model.lower()


def _keep_place(index: int, message: dict[str, Any]) -> dict[str, Any]:
    """Send a later system message as the user's: LiteLLM would move it to the front, before the cached prefix."""
    if message.get("role") not in SYSTEM_ROLES:
        return message
    return {**message, "role": "user" if index else "system"}


def _mark_system(turn: Turn, message: dict[str, Any], model: str) -> Iterator[dict[str, Any]]:
    """The system prompt in blocks, with marks where Claude caches."""
    if message.get("role") not in SYSTEM_ROLES:
        yield message
        return
    name = model.rpartition("/")[2]
    pieces = split_at_breakpoints(turn.prompt, sent_tools(turn.prompt, ordered=False), "anthropic", name)
    yield {**message, "content": write_pieces(pieces, BREAKPOINT)}


def _mark_end(message: dict[str, Any]) -> dict[str, Any]:
    """The last message with a mark: the next request reads everything up to here from the cache."""
    if message.get("role") not in ("user", "tool"):
        return message
    return {**message, "content": mark_end(message.get("content"), BREAKPOINT)}


def _ask_for_usage(keywords: dict[str, Any]) -> dict[str, Any]:
    """The option that makes a stream report its usage."""
    if not keywords.get("stream"):
        return {}
    return {"stream_options": {"include_usage": True, **(keywords.get("stream_options") or {})}}


def _pass_chunks(session: Session, chunks: Any, messages: list[Any]) -> Iterator[Any]:
    """Pass on LiteLLM's chunks, and add the reply that they make to the session."""
    passed = []
    for chunk in chunks:
        passed.append(chunk)
        yield chunk
    session.reply(litellm.stream_chunk_builder(passed, messages=messages))


async def _pass_chunks_async(session: Session, chunks: Any, messages: list[Any]) -> AsyncIterator[Any]:
    passed = []
    async for chunk in chunks:
        passed.append(chunk)
        yield chunk
    session.reply(litellm.stream_chunk_builder(passed, messages=messages))
