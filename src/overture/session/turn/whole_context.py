"""A turn -> its whole context: the texts of a request as they are sent, handed over to be counted."""

from collections import Counter as Tally
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...discover.load_tokenizer import find_counter
from ...errors import ConfigError
from ...known_models.model_facts import TableForm
from ...known_models.models_table import packaged, window_of
from ...model.message import Message
from ...model.prompt.prompt import Prompt
from ...providers.request.check_texts import sendable
from ...providers.request.messages import arguments_of, result_of
from ...providers.request.render import sent_tools
from ...providers.request.tools import tools_text
from ...report.context import Context, Said, context
from ...tokens.counter import ESTIMATE
from ..live_session import Live

CALLS = ("tool_use", "tool_call", "function_call", "toolUse")
"""Blocks in which a provider has a call that the message names too."""


def context_of(prompt: Prompt, messages: Iterable[Message] | None = None, models: TableForm | None = None) -> Context:
    """The context of a prompt with this conversation; without one, as it would begin.

    Where nobody chose a counter, the tokenizer counts that is installed. The window is that of the state's model.
    """
    if prompt.counter is ESTIMATE:
        prompt = prompt.counted(find_counter())
    tools = [Said("tool", tool.name, tools_text([tool])[1:-1]) for tool in sent_tools(prompt, ordered=False)]
    sent = None if messages is None else [sendable(message) for message in messages if message.sent]
    said = _before(prompt) if sent is None else [text for message in sent for text in _said(message)]
    told = context(prompt, tools, said, _unknown(sent or ()))
    model = prompt.state.runtime.model if prompt.state.runtime else None
    return told.within(_window(model, models or packaged()), model)


def live_context(session: Live, prompt: Prompt) -> Context:
    """The context of what a session would send now, with what its hooks changed for this prompt of the user's."""
    with session.lock:
        edited, messages = session.edited, tuple(session.talk.sent)
    return context_of(edited[1] if edited is not None and edited[0] is prompt else prompt, messages)


def _before(prompt: Prompt) -> list[Said]:
    """What the recipe will place in the user's first message."""
    return [Said("sections", block.name, block.text) for block in prompt.messages]


def _window(model: str | None, models: TableForm) -> int | None:
    try:
        return window_of(models, model) if model else None
    except ConfigError:
        return None


def _said(message: Message) -> Iterator[Said]:
    """The texts of a message, each as it is sent."""
    kind = message.kind
    named = (message.name or "") if kind in ("skill", "context", "custom", "hook") else ""
    texts = [result_of(message) if message.role == "tool" else message.text, *_texts(message)]
    for index, text in enumerate(texts):
        yield Said(kind, named, text, begins=index == 0 and bool(text.strip() or not message.calls))
    if message.sections:
        yield Said("sections", "", message.sections)
    for call in message.calls:
        yield Said("call", call.name, call.name + arguments_of(call))


def _texts(message: Message) -> Iterator[str]:
    """Further texts of a message: among its parts, and among the provider's own blocks where they say more."""
    yield from (part.text for part in _parts(message) if part.kind == "text" and part.text)
    if _provider(message) is None:
        yield from (block["text"] for block in message.blocks if isinstance(block.get("text"), str))


def _unknown(messages: Sequence[Message]) -> Iterator[str]:
    """What is sent, and has a size that only the provider knows."""
    found: Tally[tuple[str, str]] = Tally()
    for message in messages:
        found.update((str(part.kind), message.kind) for part in _parts(message) if part.kind != "text")
        found.update((kind, message.kind) for block in message.blocks if (kind := _kind(block)) is not None)
    for (what, kind), number in found.items():
        yield f"{number:,} of type {what!r} in messages ({kind})"


def _kind(block: Mapping[str, Any]) -> str | None:
    """What a provider calls its block; None where it is a text, or a call that is counted already."""
    kind = block.get("type") or next(iter(block), "unknown")
    return None if isinstance(block.get("text"), str) or kind in CALLS else str(kind)


def _parts(message: Message) -> tuple[Any, ...]:
    return getattr(message, "parts", ())


def _provider(message: Message) -> str | None:
    return getattr(message, "provider", None)
