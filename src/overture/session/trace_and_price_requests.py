"""The requests of a session: the source of each character of the last one, and the cost of all."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, NamedTuple

from ..known_models.model_table import find_facts, find_vendors, packaged_table
from ..known_models.prices import BilledUsage, cost_of
from ..model.message import Message, Usage
from ..model.prompt.block import JOIN
from ..model.prompt.prompt import Prompt
from ..model.safe_text import SafeTool
from ..model.source import Source, from_file
from ..model.struct import Frozen, note
from ..model.tool import Tool
from ..providers.write.cache_plan_and_manifest import list_message_entries, list_span_entries

Origin = Literal["session", "framework", "user", "model", "tool"]
"""session: Overture wrote it, with its source · framework: its own instructions · the others: the author"""
ORIGINS: Mapping[str, Origin] = {"user": "user", "assistant": "model", "tool": "tool"}


class SentSource(Frozen, frozen=True, omit_defaults=False):
    """Characters `start` to `end` of a part, all of one origin."""

    start: int
    end: int
    origin: Origin
    source: Annotated[Source | None, note("source of the text: file and line, field, rule or recipe")] = None
    section: Annotated[str | None, note("of the prompt")] = None


class SentPart(Frozen, frozen=True, omit_defaults=False):
    """One text of a request, and its sources: every character is in exactly one of them."""

    at: Annotated[str, note("`system`, or `messages[3]`")]
    role: Annotated[str, note("system, user, assistant or tool")]
    text: str
    sources: tuple[SentSource, ...]


class SentRequest(Frozen, frozen=True, omit_defaults=False):
    """A request, part by part."""

    parts: tuple[SentPart, ...]
    tools: Annotated[tuple[str, ...], note("the names of the tools that it offers")]

    @property
    def system(self) -> str:
        """The system prompt as it was sent."""
        return JOIN.join(part.text for part in self.parts if part.role == "system")


class SentTexts(NamedTuple):
    """The texts of a sent request. `trace_request` finds their sources on demand."""

    prompt: Prompt
    messages: tuple[Message, ...]
    tools: tuple[Tool | SafeTool, ...]
    instructions: tuple[str, ...] = ()


def trace_request(sent: SentTexts, loaded: Mapping[str, Source]) -> SentRequest:
    """Find the source of each character. `loaded` holds texts of skills and files that tools returned to the model."""
    spans = list_span_entries(sent.prompt, "system", 0, len(sent.prompt.text))
    system = (SentSource(each.start, each.end, "session", each.source, each.section) for each in spans)
    parts = [SentPart("system", "system", sent.prompt.text, tuple(system))] * bool(sent.prompt.text)
    parts += [
        SentPart("system", "system", text, (SentSource(0, len(text), "framework"),)) for text in sent.instructions
    ]
    parts += [
        SentPart(f"messages[{index}]", message.role, text, sources)
        for index, message in enumerate(sent.messages)
        for text, sources in _trace_message(message, sent.prompt, loaded)
    ]
    return SentRequest(tuple(parts), tuple([tool.name for tool in sent.tools]))


TracedText = tuple[str, tuple[SentSource, ...]]


def _trace_message(message: Message, prompt: Prompt, loaded: Mapping[str, Source]) -> Iterator[TracedText]:
    """The texts of a message, with the sections of the prompt that were sent in it."""
    own = _find_own_source(message, prompt)
    for text in [message.text, *(part.text for part in message.parts if part.kind == "text")]:
        if text and own is not None:
            yield text, (SentSource(0, len(text), "session", own),)
        elif text:
            yield text, tuple(_trace_text(text, ORIGINS[message.role], loaded))
    if message.sections:
        yield message.sections, tuple(_trace_sections(message.sections, prompt))


def _find_own_source(message: Message, prompt: Prompt) -> Source | None:
    """The source of a sent message that the session wrote."""
    if message.kind == "context" and message.name:
        return from_file(message.name)
    if message.kind == "skill":
        location = next((skill.location for skill in prompt.state.skills if skill.name == message.name), None)
        return from_file(location) if location else None
    if message.kind == "hook":
        return Source("hook", name=message.name)
    return Source("recipe", name=prompt.recipe.name) if message.kind in ("summary", "branch") else None


def _trace_text(text: str, origin: Origin, loaded: Mapping[str, Source]) -> Iterator[SentSource]:
    """The sources of a conversation's text, which may contain texts that the session returned to tools."""
    at = 0
    occurrences = sorted(
        (start, len(part), source) for part, source in loaded.items() if (start := text.find(part)) >= 0
    )
    for start, size, source in occurrences:
        if start < at:
            continue
        if start > at:
            yield SentSource(at, start, origin)
        yield SentSource(start, start + size, "session", source)
        at = start + size
    if at < len(text):
        yield SentSource(at, len(text), origin)


def _trace_sections(text: str, prompt: Prompt) -> Iterator[SentSource]:
    """The sources of the sections in the user's message. The source of an older prompt's text is only the recipe."""
    if text != JOIN.join(block.text for block in prompt.messages):
        yield SentSource(0, len(text), "session", Source("recipe", name=prompt.recipe.name))
        return
    for each in list_message_entries(prompt, "", 0):
        yield SentSource(each.start, each.end, "session", each.source, each.section)


class SessionUsage(Frozen, frozen=True, omit_defaults=False):
    """The sum over all replies of a session."""

    requests: int = 0
    input: Annotated[int, note("tokens of the whole requests, cached ones included")] = 0
    output: int = 0
    cached: Annotated[int, note("of the input: read from the provider's cache")] = 0
    written: Annotated[int, note("of the input: written to the provider's cache")] = 0
    price: Annotated[float | None, note("US dollars; null: no price is known")] = None
    at_least: Annotated[bool, note("some prices are unknown: the true sum is `price` or more")] = False

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input + self.output


def add_usage(total: SessionUsage, usage: Usage, model: str | None) -> SessionUsage:
    """The sum with one more reply of a model."""
    price, at_least = price_reply(usage, model)
    return SessionUsage(
        total.requests + 1,
        total.input + usage.input,
        total.output + usage.output,
        total.cached + usage.cache_read,
        total.written + usage.cache_write,
        total.price if price is None else (total.price or 0.0) + price,
        total.at_least or at_least,
    )


def price_reply(usage: Usage, model: str | None) -> tuple[float | None, bool]:
    """The cost of a reply, and whether it is only a lower bound."""
    table = packaged_table()
    vendors = find_vendors(table, model) if model else ()
    facts = find_facts(table, vendors[0], model) if vendors else None
    if facts is None or facts.input is None:
        return None, True
    fresh = max(0, usage.input - usage.cache_read - usage.cache_write)
    written = {facts.ttl(None): usage.cache_write} if usage.cache_write else {}
    cost = cost_of(BilledUsage(fresh, usage.cache_read, written, usage.output), facts)
    return cost.dollars, cost.at_least
