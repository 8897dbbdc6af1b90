"""What of a call a cache looks at: its text without what Anthropic strips or defers, settings but no defaults, time."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import Any

from ...known_models.cache_rules import CachePosition, CacheRequest
from ...known_models.model_facts import ModelFacts, TableForm
from ...known_models.model_table import find_facts, find_model_form, find_vendors
from ...lazy import cached
from ...providers import PROVIDERS
from ..recorded_call import BETAS, CallPiece, Form, PieceKind, RecordedCall
from .price_call import read_requested_ttl
from .volatile_spans import VolatileSpans

FAMILY_CHARS = 80
"""So many characters of each text of a system prompt identify its agent; numbers in them may change."""
BILLING = "x-anthropic-billing-header"
PREVIOUS = re.compile(r"\bcc_prev_req=([\w-]+)")
DEFERRED = '"defer_loading":true'


class CallHead:
    """The tools and the system prompt of calls, and what follows from them alone."""

    def __init__(self, tools: tuple[CallPiece, ...], system: tuple[CallPiece, ...]) -> None:
        self.tools, self.system = tools, system

    @cached_property
    def tool_names(self) -> frozenset[str]:
        """The tools that a call offers, by which its conversation is named."""
        return frozenset(piece.name for piece in self.tools)

    @cached_property
    def has_deferred_tools(self) -> bool:
        """Whether a tool is sent that the model finds only by a search."""
        return any(DEFERRED in piece.text for piece in self.tools)

    @cached_property
    def system_texts(self) -> list[str]:
        """The texts of the system prompt, without the line that only counts for a bill."""
        return [piece.text for piece in self.system if not piece.text.startswith(BILLING)]

    @cached_property
    def family_key(self) -> str:
        """How the system prompt begins, whatever numbers stand in it."""
        return "\0".join(re.sub(r"\d+", "0", text[:FAMILY_CHARS]) for text in self.system_texts)

    @cached_property
    def previous_request(self) -> str:
        """The request before it in its conversation, by the provider's id, where the billing header names it."""
        texts = (piece.text for piece in self.system if BILLING in piece.text)
        match = PREVIOUS.search(next(texts, ""))
        return match[1] if match else ""


@cached
def find_head(call: RecordedCall) -> CallHead:
    """The head of a call."""
    return CallHead(call.select_pieces("tool"), call.select_pieces("system"))


Count = Callable[[str], int]
NOT_COUNTED = ("image", "document", "audio", "video")
"""Kinds of pieces whose size in tokens is unknown."""
LONG_AGO = datetime(1970, 1, 1)
DAY = 86_400_000.0
STRIPS_BILLING = "api.anthropic.com"
STRIPS_THINKING = re.compile(r"claude-(?:3|haiku|.*-haiku|opus-4(?:-[01]\b|-2|$)|sonnet-4(?:-[05]\b|-2|$))")
"""Haiku, Opus before 4.5 and Sonnet before 4.6 (Claude Platform docs, 22 August 2026)."""
ROUTING = "prompt_cache_key"
DEFAULTS = {"tool_choice": ({"type": "auto"}, "auto"), "thinking": ({"type": "disabled"},)}
"""Values that are the same as nothing."""
KEYS: dict[str, dict[PieceKind, tuple[str, ...]]] = {
    "anthropic": {
        "tool": (BETAS,), "system": ("speed",), "message": ("tool_choice", "thinking", "output_config"),
    },
    "openai": {"tool": ("reasoning.effort", "reasoning_effort", "text", "response_format")},
}  # fmt: skip
"""Settings that are part of a cache's key, from which kind of pieces on."""
ORDER: tuple[PieceKind, ...] = ("tool", "system", "message")


def find_stripped_header(call: RecordedCall) -> int | None:
    """The piece that Anthropic's own endpoint strips: its billing header, as the first entry of the system prompt."""
    if call.host != STRIPS_BILLING or call.form != "anthropic":
        return None
    system = call.select_pieces("system")
    if not system or not system[0].text.startswith(BILLING):
        return None
    # A system prompt that is one text is not a list of entries: what is flattened into it is read by the model.
    alone = "\n" not in system[0].text.strip()
    return call.pieces.index(system[0]) if len(system) > 1 or alone else None


@cached
def list_compared_pieces(call: RecordedCall) -> list[int]:
    """The pieces of a call that the cache compares."""
    skipped = {find_stripped_header(call), *list_stripped_thinking(call), *list_deferred_tools(call)} - {None}
    every = range(len(call.pieces))
    return [index for index in every if index not in skipped] if skipped else [*every]


def select_indexes(pieces: tuple[CallPiece, ...], indexes: Sequence[int]) -> tuple[CallPiece, ...]:
    """The pieces at these indexes, which most often are all."""
    return pieces if len(indexes) == len(pieces) else tuple([pieces[index] for index in indexes])


def list_stripped_thinking(call: RecordedCall) -> list[int]:
    """Thinking before the newest turn of a user, which some models of Anthropic are not given again."""
    if call.form not in ("anthropic", "bedrock") or not STRIPS_THINKING.search(call.model.replace(".", "-")):
        return []
    newest = len(call.pieces) - 1
    while newest > 0 and (call.pieces[newest].name != "user" or call.pieces[newest].what == "tool result"):
        newest -= 1
    return [at for at, piece in enumerate(call.pieces[: max(newest, 0)]) if piece.what == "thinking"]


def list_deferred_tools(call: RecordedCall) -> list[int]:
    """Tools that are sent and yet no part of the prompt: they are found when they are searched for."""
    if call.form != "anthropic" or not find_head(call).has_deferred_tools:
        return []
    return [at for at, piece in enumerate(call.pieces) if piece.kind == "tool" and DEFERRED in piece.text]


def _read_setting(settings: Mapping[str, str], name: str) -> str:
    """A setting as JSON; empty where it is the default."""
    outer, _, inner = name.partition(".")
    text = settings.get(outer, "")
    try:
        value: Any = json.loads(text) if text else None
    except (ValueError, RecursionError):
        value = text
    if inner:
        return json.dumps(value.get(inner)) if isinstance(value, dict) and inner in value else ""
    return "" if value in DEFAULTS.get(name, ()) else text


def list_changed_settings(before: RecordedCall, after: RecordedCall, ignored: VolatileSpans) -> list[str]:
    """Settings that differ, without those that the provider was seen to ignore; a default is the same as nothing."""
    names = dict.fromkeys((*before.settings, *after.settings))
    return [
        name
        for name in names
        if name not in ignored.settings and _read_setting(before.settings, name) != _read_setting(after.settings, name)
    ]


def is_key_setting(call: RecordedCall, name: str, kind: PieceKind) -> bool:
    """Whether a setting is part of the key of all pieces of this kind."""
    levels = KEYS.get(_find_vendor(call), {})
    names = [each.partition(".")[0] for level in ORDER[: ORDER.index(kind) + 1] for each in levels.get(level, ())]
    return name in names


def _find_vendor(call: RecordedCall) -> str:
    return "openai" if call.form.startswith("openai") else call.form


def make_cache_positions(
    pieces: Sequence[CallPiece], levels: Mapping[PieceKind, str], known: Sequence[CachePosition]
) -> list[CachePosition]:
    """Pieces as a cache compares them; before the first of a kind stand the settings that count from there on.

    The first positions may be known: those of pieces that were sent before, under the same settings.
    """
    positions = list(known)
    at = max((ORDER.index(kind) for kind in {piece.kind for piece in pieces[: len(known)]}), default=0)
    for piece in pieces[len(known) :]:
        settings = ""
        while at < ORDER.index(piece.kind):
            at += 1
            settings += levels[ORDER[at]]
        positions.append(CachePosition(piece.text, 0, f"{settings}\0{piece.kind}\0{piece.name}\0{piece.what}"))
    return positions


def write_level_texts(call: RecordedCall, ignored: VolatileSpans) -> dict[PieceKind, str]:
    """The settings by which a cache keeps prefixes as text, by the kind of pieces from which on they count.

    That a conversation has images is one of its messages' settings.
    """
    texts: dict[PieceKind, str] = {}
    levels = KEYS.get(_find_vendor(call), {})
    for kind in ORDER:
        names = [name for name in levels.get(kind, ()) if name.partition(".")[0] not in ignored.settings]
        values = {name: _read_setting(call.settings, name) for name in names}
        texts[kind] = str(sorted((name, value) for name, value in values.items() if value))
    if call.form == "anthropic" and any([piece.what == "image" for piece in call.select_pieces("message")]):
        texts["message"] += "images"
    return texts


def make_cache_seed(call: RecordedCall) -> str:
    """What no prefix is shared beyond: the host and the model."""
    return f"{call.host}\0{call.model}"


def find_call_facts(call: RecordedCall, table: TableForm) -> ModelFacts:
    """The facts about a call's model: by the form of the request, else by the model's vendor."""
    return find_facts_on(table, call.form, call.model, parse_time(call).date())


UNNAMED = "a model without a name"
"""What a call without a model is priced as: not as the provider's default, which it may not have used."""


def find_facts_on(table: TableForm, form: Form, model: str, day: date) -> ModelFacts:
    """The same of all calls of a model on a day."""
    own = PROVIDERS[form]
    if find_model_form(table, own, model) is None:
        own = next(iter(find_vendors(table, model)), own)
    return find_facts(table, own, model or UNNAMED, day)


@cached
def parse_time(call: RecordedCall) -> datetime:
    """When it began; one whose time can't be read began long ago."""
    try:
        at = datetime.fromisoformat(call.at)
    except ValueError:
        return LONG_AGO
    # Near the ends of all time, nothing can be added to a time.
    return at.replace(tzinfo=None) - (at.utcoffset() or timedelta()) if 1970 <= at.year < 9000 else LONG_AGO


def make_cache_request(
    call: RecordedCall, ignored: VolatileSpans, facts: ModelFacts, levels: Mapping[PieceKind, str]
) -> CacheRequest:
    """A call as the rules of caching take it, without its positions and what is marked of them."""
    # Calls to an automatic cache find their entries by the key that they give.
    routed = facts.way == "automatic" and ROUTING not in ignored.settings
    key = call.settings.get(ROUTING, "") if routed else ""
    return CacheRequest(
        positions=(),
        at=parse_time(call),
        explicit='"mode":"explicit"' in call.settings.get("prompt_cache_options", ""),
        scope=f"{make_cache_seed(call)}\0{key}\0{levels['tool']}",
        wait=timedelta(milliseconds=min(call.first_ms or 0.0, DAY)),
        ttl=read_requested_ttl(call, facts),
    )


def count_piece(piece: CallPiece, count: Count) -> int:
    """The tokens of a piece; 0 if they are unknown."""
    return 0 if piece.what in NOT_COUNTED else count(piece.text)


def list_turn_ends(pieces: Sequence[CallPiece]) -> list[int]:
    """Where messages of a user or a tool end."""
    ends = {piece.message: at for at, piece in enumerate(pieces) if piece.kind == "message"}
    return [at for at in ends.values() if pieces[at].name not in ("assistant", "model")]
