"""The input and output of a provider's module: the input, cache breakpoints and key, the request, its manifest."""

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from ...assemble.choose_cache_breakpoints import Breakpoints, choose_breakpoints, find_stable_ends
from ...known_models.model_facts import ModelFacts
from ...known_models.model_table import ANY_MODEL
from ...model.diagnostic import Diagnostic
from ...model.message import Message
from ...model.prompt.block import JOIN
from ...model.prompt.prompt import Prompt
from ...model.recipe.section import Pace
from ...model.safe_text import SafeTool
from ...model.source import Source
from ...model.struct import Frozen, note
from ...tokens.counter import estimate
from .messages import MessageItem
from .tools import tools_text


def plan_caching(
    prompt: Prompt,
    facts: ModelFacts,
    count: Callable[[str], int],
    tools: Sequence[SafeTool],
    messages: Sequence[MessageItem],
    ttl: str | None,
) -> tuple[Breakpoints, str]:
    """The breakpoints of a request, beside those of the caller, and the lifetime of the first of them."""
    key = BREAKPOINT_KEYS.get(facts.vendor)
    callers_marks = list(_list_marks(messages, key)) if key else []
    lifetime = choose_ttl_beside(callers_marks, ttl, facts.write)
    if lifetime is None:
        return Breakpoints(), facts.ttl(ttl)
    return choose_breakpoints(
        list_block_ends(prompt), prompt.text, facts, count, tools_text(tools), len(callers_marks)
    ), lifetime


def list_block_ends(prompt: Prompt) -> list[tuple[Pace, int]]:
    """The pace of each block of the system prompt, and the character at which it ends."""
    return [(block.pace, at + len(block.text)) for block, at in prompt.placed]


def derive_cache_key(prompt: Prompt) -> str:
    """A key that is the same for all requests of one recipe that begin alike."""
    reached = find_stable_ends(list_block_ends(prompt))
    stable = prompt.text[: reached.get("static", reached.get("session", 0))]
    return f"{prompt.recipe.name[:32]}-{hashlib.sha256(stable.encode()).hexdigest()[:16]}"


BREAKPOINT_KEYS = {"anthropic": "cache_control", "bedrock": "cachePoint", "openai": "prompt_cache_breakpoint"}
"""The key that makes a breakpoint, by vendor."""
DATA_KEYS = ("input", "json")
"""Keys with JSON of a model or a tool: a mark's key in it has no meaning."""
MAX_TTL = "1h"


def _list_marks(value: Any, key: str) -> Iterator[Mapping[str, Any]]:
    """The cache marks that a caller's messages already have, anywhere in a message that is sent."""
    if isinstance(value, Message):
        own = [part.own for part in value.parts]
        yield from _list_marks([*value.blocks, *own] if value.sent else (), key)
    elif isinstance(value, Mapping):
        for name, item in value.items():
            if name == key and isinstance(item, Mapping):
                yield item
            elif name not in DATA_KEYS:
                yield from _list_marks(item, key)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _list_marks(item, key)


def choose_ttl_beside(marks: Sequence[Mapping[str, Any]], wanted: str | None, known: Mapping[str, float]) -> str | None:
    """The lifetime of marks before a caller's; none: they can't be set.

    A longer lifetime must come first. A prefix that a caller caches for an hour begins with tools and system prompt,
    so an hour for them costs nothing extra.
    """
    if not any(mark.get("ttl") == MAX_TTL for mark in marks):
        return wanted or next(iter(known))
    return MAX_TTL if MAX_TTL in known and wanted in (None, MAX_TTL) else None


class SystemText(NamedTuple):
    """A part of the system prompt that is sent as one text, and whether a cache breakpoint follows it."""

    text: str
    marked: bool


class RequestInput(NamedTuple):
    """The input of one request to one provider."""

    prompt: Prompt
    facts: ModelFacts
    model: str | None = None
    messages: tuple[MessageItem, ...] = ()
    tools: tuple[SafeTool, ...] = ()
    marks: Breakpoints = Breakpoints()
    ttl: str = "5m"
    cache_key: str | None = None
    count: Callable[[str], int] = estimate
    is_sanitized: bool = False
    """Every message contains the sections that it was sent with; the prompt's own are not added again."""
    cache: bool = True
    """False: the caller wants nothing cached."""
    notes: tuple[Diagnostic, ...] = ()
    """Changes and refusals of tools and messages."""

    @property
    def pieces(self) -> tuple[SystemText, ...]:
        """The system prompt, split at its breakpoints.

        The blank line between two blocks begins the later piece: a piece does not change when a later one goes.
        """
        text, cuts = self.prompt.text, self.marks.system
        starts = (0, *cuts)
        pieces = [SystemText(text[at:end], end in cuts) for at, end in zip(starts, (*cuts, len(text)), strict=True)]
        return tuple(piece for piece in pieces if piece.text)

    @property
    def sections(self) -> str:
        """The sections that the recipe puts into the user's message."""
        return JOIN.join(block.text for block in self.prompt.messages)


class ProviderRequest(NamedTuple):
    """A request, and the paths of the prompt's texts in it."""

    body: dict[str, Any]
    system: tuple[str, ...] = ()
    """The path of each piece, e.g. `system[0].text`."""
    sections: str = ""
    """The path of the sections in the user's message, and the character at which they begin."""
    sections_at: int = 0


# The manifest: the source of each character of a request in a provider's form.


class ManifestEntry(Frozen, frozen=True, omit_defaults=False):
    """Characters `start` to `end` of one text in the request, all of one section and one source."""

    at: Annotated[str, note("the text's path in the request, e.g. system[0].text")]
    start: int
    end: int
    section: Annotated[str | None, note("none: the blank line between two sections")]
    source: Source
    of: Annotated[int | None, note("the position of `start` in the prompt's text; none: it is in the user's message")]


def make_manifest(inputs: RequestInput, request: ProviderRequest) -> tuple[ManifestEntry, ...]:
    """The sources of all texts of the prompt in a request, in the order of sending."""
    sent: list[ManifestEntry] = []
    at = 0
    texts = [piece.text for piece in inputs.pieces] if len(request.system) > 1 else [inputs.prompt.text]
    for path, text in zip(request.system, texts, strict=False):
        sent += list_span_entries(inputs.prompt, path, at, at + len(text))
        at += len(text)
    if request.sections:
        sent += list_message_entries(inputs.prompt, request.sections, request.sections_at)
    return tuple(sent)


def list_span_entries(prompt: Prompt, path: str, low: int, high: int) -> Iterator[ManifestEntry]:
    """The spans of the prompt within characters `low` to `high`, counted from `low`."""
    for span in prompt.spans:
        start, end = max(span.start, low), min(span.end, high)
        if start < end:
            yield ManifestEntry(path, start - low, end - low, _find_section_at(prompt, start), span.source, start)


def _find_section_at(prompt: Prompt, index: int) -> str | None:
    block, at = prompt.placed[bisect_right(prompt.placed, index, key=lambda placed: placed[1]) - 1]
    return block.name if at <= index < at + len(block.text) else None


def list_message_entries(prompt: Prompt, path: str, at: int) -> Iterator[ManifestEntry]:
    """The manifest's entries of the prompt's messages."""
    join = Source("recipe", name=prompt.recipe.name)
    for index, block in enumerate(prompt.messages):
        if index:
            yield ManifestEntry(path, at, at + len(JOIN), None, join, None)
            at += len(JOIN)
        for span in block.spans:
            yield ManifestEntry(path, at + span.start, at + span.end, block.name, prompt.resolved(span.source), None)
        at += len(block.text)


def model_of(prompt: Prompt) -> str:
    """The model that the state names. Without one, a request has only fields that every model accepts."""
    runtime = prompt.state.runtime
    return (runtime.model if runtime else None) or ANY_MODEL
