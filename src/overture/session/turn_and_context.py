"""Turn is everything the model sees on one call; its context is the size of each part of it."""

from collections import Counter as Tally
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, Unpack, get_args, overload
from warnings import warn

from msgspec import Struct

from ..errors import ConfigError, OvertureWarning
from ..known_models.model_facts import TableForm
from ..known_models.model_table import ANY_MODEL, find_window, packaged_table
from ..lazy import cached
from ..model.message import Message
from ..model.prompt.prompt import Prompt
from ..model.tool import Tool
from ..providers.detect_provider import load_provider
from ..providers.parsed_call import Form
from ..providers.read.pieces_and_calls import BlockForm
from ..providers.render import RenderOptions, list_native_tools, report_unknown_model, request, sent_tools
from ..providers.write.cache_plan_and_manifest import ManifestEntry, ProviderRequest, RequestInput, make_manifest
from ..providers.write.messages import clean_message, encode_arguments, result_of
from ..providers.write.tools import callable_tools, tools_text
from ..report.context import Context, RequestText, measure_context
from ..tokens.counter import ESTIMATE
from ..tokens.load_tokenizer import find_counter
from .record_entry import Entry


def measure_prompt_context(
    prompt: Prompt, messages: Iterable[Message] | None = None, models: TableForm | None = None
) -> Context:
    """The context of a prompt with this conversation; without messages, that of the first request.

    Without a chosen counter, the installed tokenizer counts. The window is that of the state's model.
    """
    if prompt.counter is ESTIMATE:
        prompt = prompt.counted(find_counter())
    tools = [RequestText("tool", tool.name, tools_text([tool])[1:-1]) for tool in sent_tools(prompt, ordered=False)]
    sent = None if messages is None else [clean_message(message) for message in messages if message.sent]
    if sent is None:  # the sections that the recipe will place in the user's first message
        texts = [RequestText("sections", block.name, block.text) for block in prompt.messages]
    else:
        texts = [text for message in sent for text in _list_message_texts(message)]
    own = ("the agent's own prompt and tools",) if prompt.recipe.agent else ()
    context = measure_context(prompt, tools, texts, (*own, *_list_unmeasured(sent or ())))
    model = prompt.state.runtime.model if prompt.state.runtime else None
    return context.within(_find_window(model, models or packaged_table()), model)


def _find_window(model: str | None, models: TableForm) -> int | None:
    try:
        return find_window(models, model) if model else None
    except ConfigError:
        return None


def _list_message_texts(message: Message) -> Iterator[RequestText]:
    kind = message.kind
    named = (message.name or "") if kind in ("skill", "context", "custom", "hook") else ""
    texts = [result_of(message) if message.role == "tool" else message.text, *_list_further_texts(message)]
    for index, text in enumerate(texts):
        yield RequestText(kind, named, text, begins=index == 0 and bool(text.strip() or not message.calls))
    if message.sections:
        yield RequestText("sections", "", message.sections)
    for call in message.calls:
        yield RequestText("call", call.name, call.name + encode_arguments(call))


def _list_further_texts(message: Message) -> Iterator[str]:
    """Further texts of a message that count in a turn's context: its parts, and the provider's own blocks."""
    yield from (part.text for part in message.parts if part.kind == "text" and part.text)
    if message.provider is None:
        yield from (block["text"] for block in message.blocks if isinstance(block.get("text"), str))


def _list_unmeasured(messages: Sequence[Message]) -> Iterator[str]:
    """The sent contents whose size only the provider knows."""
    counts: Tally[tuple[str, str]] = Tally()
    for message in messages:
        counts.update((str(part.kind), message.kind) for part in message.parts if part.kind != "text")
        counts.update((kind, message.kind) for kind in _list_unmeasured_blocks(message))
    for (what, kind), number in counts.items():
        yield f"{number:,} of type {what!r} in messages ({kind})"


def _list_unmeasured_blocks(message: Message) -> Iterator[str]:
    """The types of a message's blocks, without texts and calls, which are counted already."""
    form: BlockForm | None = None
    if message.provider is not None and message.provider in get_args(Form):
        form = getattr(load_provider(message.provider), "BLOCKS", None)
    for block in message.blocks:
        is_text = isinstance(block.get("text"), str) if form is None else form.text(block) is not None
        names = [name for name in block if name not in ("text", "tool_calls")]
        kind = block.get("type") or next(iter(names), None)
        if kind and not is_text and (form is None or form.call(block) is None):
            yield str(kind)


class Turn(Struct, frozen=True, eq=False):
    """Everything that the model gets in one call."""

    number: int
    prompt: Prompt
    """The system prompt: the same object that explain, diff and render use."""
    messages: tuple[Message, ...]
    """The sent messages, in order."""
    entry: Entry
    """The record of this turn."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The active tools; those that are for planning only are not offered."""
        return _list_active_tools(self.prompt)

    @property
    def context(self) -> Context:
        """How much of the model's window each part takes: sections, tools, skills, messages by kind."""
        return measure_prompt_context(self.prompt, self.messages)

    @overload
    def render(
        self, provider: str, *, with_manifest: Literal[False] = ..., **how: Unpack[RenderOptions]
    ) -> dict[str, Any]: ...
    @overload
    def render(
        self, provider: str, *, with_manifest: Literal[True], **how: Unpack[RenderOptions]
    ) -> tuple[dict[str, Any], tuple[ManifestEntry, ...]]: ...
    def render(
        self, provider: str, *, with_manifest: bool = False, **how: Unpack[RenderOptions]
    ) -> dict[str, Any] | tuple[dict[str, Any], tuple[ManifestEntry, ...]]:
        """The request of this turn, as from `overture.render`; the keywords are the same.

        Tools keep the session's order, and each message keeps the sections that it was sent with: the next turn sends
        the same bytes again.
        """
        inputs, result = self._make_request(provider, how)
        return (result.body, make_manifest(inputs, result)) if with_manifest else result.body

    def _make_request(self, provider: str, how: RenderOptions) -> tuple[RequestInput, ProviderRequest]:
        tools = callable_tools(list_native_tools(self.prompt))
        result = request(provider, self.prompt, self.messages, tools, is_sanitized=True, **how)
        refused = [note for note in result[0].notes if note.code == "tool-name"]  # the record has the others
        for note in (*refused, *report_unknown_model(provider, how.get("model"), how.get("models"))):
            warn(note.message, OvertureWarning, stacklevel=3)
        return result

    def to_openai(self, **how: Unpack[RenderOptions]) -> dict[str, Any]:
        """`client.chat.completions.create(model=…, **turn.to_openai())`; pass `model=` here too."""
        return drop_model(self._make_request("openai-chat", adapt_to_any_model(how))[1])

    def to_anthropic(self, **how: Unpack[RenderOptions]) -> dict[str, Any]:
        """`client.messages.create(model=…, max_tokens=…, **turn.to_anthropic())`; pass `model=` here too."""
        return drop_model(self._make_request("anthropic", adapt_to_any_model(how))[1])


@cached
def _list_active_tools(prompt: Prompt) -> tuple[Tool, ...]:
    return tuple([tool for tool in prompt.state.tools if not tool.planning_only])


def adapt_to_any_model(how: RenderOptions) -> RenderOptions:
    """The options of a request that gets its model later: only what every model supports, unless `model` is set."""
    return {**how, "model": how.get("model") or ANY_MODEL}


def drop_model(request: ProviderRequest) -> dict[str, Any]:
    """The body of a request without `model`, which the caller passes separately."""
    return {key: value for key, value in request.body.items() if key != "model"}
