"""What a call cost, by the provider's own counts where it gives them."""

from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec.structs import replace

from ...known_models.model_facts import RETENTIONS, ModelFacts
from ...known_models.prices import NO_SPLIT, BilledUsage, cost_of
from ...model.struct import Frozen, note
from ...providers.parsed_call import find_count
from ...providers.read.plain_data import Data, a_dict, a_text, dicts
from ..recorded_call import CallUsage, RecordedCall

DETAILS = ("promptTokensDetails", "prompt_tokens_details", "input_tokens_details")


def read_billing_terms(call: RecordedCall) -> BilledUsage:
    """Tier, speed, place and searches: as the response reports them, else as requested."""
    usage = call.usage
    raw = usage.raw if usage else {}
    requested = _read_setting(call, "service_tier", "serviceTier")
    tier = usage.tier if usage else ""
    searches = usage.searches if usage else 0
    return BilledUsage(
        searches=None if not searches and _read_setting(call, "web_search_options") else searches,
        tier=tier,
        asked_tier="" if tier else requested,
        speed=a_text(raw.get("speed")) or _read_setting(call, "speed"),
        geo=a_text(raw.get("inference_geo")) or _read_setting(call, "inference_geo"),
        host=call.host.partition(":")[0],
    )


def _read_setting(call: RecordedCall, *names: str) -> str:
    """What a request sets under one of these names, as a text."""
    text = next((each[name] for each in (call.settings, call.others) for name in names if name in each), "")
    if not text:
        return ""
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text
    return a_text(value.get("type")) or "given" if isinstance(value, dict) else a_text(value)


def read_requested_ttl(call: RecordedCall, facts: ModelFacts) -> str:
    """The time to live that a request asks for as a whole; '': none, and its model's default counts."""
    if facts.way == "automatic":
        return RETENTIONS.get(_read_setting(call, "prompt_cache_retention").replace("-", "_"), "")
    # Since GPT-5.6 a retention is only a maximum: the options set how long a prefix lives.
    options = call.settings.get("prompt_cache_options", "")
    try:
        return a_text(a_dict(msgspec.json.decode(options)).get("ttl")) if options else ""
    except msgspec.DecodeError:
        return ""


def read_marked_ttl(call: RecordedCall, facts: ModelFacts) -> str:
    """The time to live that all marks of a request ask for; none if they differ or are unknown."""
    lives = {facts.life(piece.ttl, read_requested_ttl(call, facts)) for piece in call.marked_pieces}
    return lives.pop() if len(lives) == 1 and "mark" not in call.unknown else NO_SPLIT


def split_written_by_ttl(call: RecordedCall, written: int, facts: ModelFacts) -> dict[str, int]:
    """The tokens written to the cache, by the time to live that the provider reports, else by that of all marks."""
    if not written:
        return {}
    lives: dict[str, int] = {}
    for ttl, tokens in _read_reported_ttls(call):
        part = min(tokens, written - sum(lives.values()))
        if part:
            lives[ttl] = lives.get(ttl, 0) + part
    rest, ttl = written - sum(lives.values()), read_marked_ttl(call, facts)
    return {**lives, ttl: lives.get(ttl, 0) + rest} if rest else lives


def _read_reported_ttls(call: RecordedCall) -> Iterator[tuple[str, int]]:
    """Each provider's own form, the longest time first."""
    raw = call.usage.raw if call.usage else {}
    anthropic = a_dict(raw.get("cache_creation"))
    for ttl in ("1h", "5m") if anthropic else ():
        yield ttl, find_count(anthropic, f"ephemeral_{ttl}_input_tokens") or 0
    for name in DETAILS:
        openai = a_dict(a_dict(raw.get(name)).get("cache_write_tokens_details"))
        for ttl in ("12h", "30m") if openai else ():
            yield ttl, find_count(openai, f"ttl_{ttl}_tokens") or 0
    for row in dicts(raw.get("cacheDetails")):
        yield a_text(row.get("ttl")) or NO_SPLIT, find_count(row, "inputTokens") or 0
    if not anthropic and call.usage is not None and call.usage.hour:
        yield "1h", call.usage.hour


def find_unknown_charges(call: RecordedCall, facts: ModelFacts) -> Iterator[str]:
    """Charges of a call whose amount is unknown."""
    usage = call.usage
    if facts.storage and any(name in call.settings for name in ("cachedContent", "cached_content")):
        yield "the storage fee for cached content"
    if usage is not None and usage.input is None and usage.output is not None:
        yield "the provider's count of input tokens"
    if usage is None or usage.input is None:
        return
    yield from (f"the price of {each}" for each in usage.unpriced)
    if usage.output is not None and _broke_off(call):
        yield "the output of responses that broke off"
    if (
        usage.written is None
        and min(facts.write.values()) > 1
        and usage.input >= facts.minimum
        and _may_write(call, facts)
    ):
        yield "how many tokens were written to the cache"
    if _has_audio(usage.raw):
        yield "the price of audio tokens"
    for row in dicts(usage.raw.get("iterations")):
        kind = a_text(row.get("type"))
        if kind not in ("", "message"):
            yield f"the price of a {kind} within a call"


def _broke_off(call: RecordedCall) -> bool:
    """Whether a stream ended before its end, so that its counts may be those of its beginning."""
    return call.stream and not call.stop and not call.unknown and bool(call.error or call.missing)


def _may_write(call: RecordedCall, facts: ModelFacts) -> bool:
    """Whether a request may have written tokens: by its own mark, by the provider's, or its marks are unknown."""
    return facts.implicit or "mark" in call.unknown or bool(call.marked_pieces)


def _has_audio(raw: dict[str, Any]) -> bool:
    """Whether a call's usage counts tokens of audio, which have another price."""
    for name in DETAILS:
        details = raw.get(name)
        if find_count(details, "audio_tokens"):
            return True
        if any(row.get("modality") == "AUDIO" and find_count(row, "tokenCount") for row in dicts(details)):
            return True
    return False


CACHED = ("cache_read_input_tokens", "cache_creation_input_tokens")
PROMPT = ("input_tokens", *CACHED)
ADDED_BY_TOOLS = ("toolUsePromptTokenCount", "tool_use_prompt_token_count")
"""Gemini's count of what its own tools added to a prompt."""


def count_iteration_tokens(raw: dict[str, Any]) -> list[int]:
    """The prompt tokens of each request of which a call is made, where a provider's own tools made it several."""
    return [_add_counts(row, PROMPT) for row in _list_iterations(raw)]


def _list_iterations(raw: dict[str, Any]) -> list[Data]:
    """The requests of which a call is made, as Anthropic counts them."""
    return [row for row in dicts(raw.get("iterations")) if row.get("type") in (None, "message")]


def _add_counts(row: Data, names: tuple[str, ...]) -> int:
    return sum(find_count(row, name) or 0 for name in names)


class SentCounts(NamedTuple):
    """The provider's counts of a request as it was sent, without what its own tools added."""

    input: int | None = None
    """All its tokens; None: the counts do not tell."""
    cached: int | None = None
    """Those up to its last mark: read from the cache, or written to it."""
    left: int | None = None
    """What was read or written when the response ended."""


def read_sent_counts(call: RecordedCall) -> SentCounts:
    """The counts of a request. A provider that runs tools itself adds up several requests, or the tools' results."""
    usage = call.usage
    if usage is None or usage.input is None:
        return SentCounts()
    added = find_count(usage.raw, *ADDED_BY_TOOLS) or 0
    inner = _list_iterations(usage.raw)
    if len(inner) < 2 and (added or call.form == "gemini" or not _ran_tools(usage)):
        cached = None if usage.written is None else (usage.read or 0) + usage.written
        return SentCounts(max(usage.input - added, 0), cached, cached)
    if len(inner) < 2:
        return SentCounts()
    cached_of = [_add_counts(row, CACHED) for row in (inner[0], inner[-1])]
    return SentCounts(_add_counts(inner[0], PROMPT), *cached_of)


def _ran_tools(usage: CallUsage) -> bool:
    own = a_dict(usage.raw.get("server_tool_use"))
    return bool(usage.searches or usage.unpriced or any(find_count(own, name) for name in own))


class CallPrice(Frozen, frozen=True):
    """The tokens of a call as they are paid for, and the price in US dollars."""

    fresh: Annotated[int, note("input tokens at the full price")]
    read: Annotated[int, note("input tokens from the cache")]
    written: Annotated[int, note("input tokens written to the cache")]
    output: Annotated[int | None, note("null: not reported")]
    said: Annotated[bool, note("false: the provider reported no counts, so they are predicted")]
    dollars: Annotated[float | None, note("null: the model's price is unknown")] = None
    uncached: Annotated[float | None, note("the same without a cache")] = None
    at_least: Annotated[bool, note("some price is unknown: the true price is this or more")] = False
    unknown: Annotated[tuple[str, ...], note("what is unknown")] = ()
    parts: Annotated[dict[str, float], note("fresh, read, written, output, searches: what `dollars` adds up")] = {}

    @property
    def input(self) -> int:
        """All input tokens of the call."""
        return self.fresh + self.read + self.written


def price_call(call: RecordedCall, facts: ModelFacts, tokens: int, read: int, written: int) -> CallPrice:
    """The price of a call; the numbers are predicted, and count if the provider reports none."""
    usage = make_billed_usage(call, facts, tokens, read, written)
    cost, plain = cost_of(usage, facts), cost_of(usage.uncached, facts)
    put, counted = sum(usage.written.values()), call.usage is not None and call.usage.input is not None
    output = call.usage.output if call.usage else None
    return CallPrice(
        usage.fresh, usage.read, put, output, counted, cost.dollars, plain.dollars,
        cost.at_least, cost.unknown, cost.parts,
    )  # fmt: skip


def price_by_counts(call: RecordedCall, facts: ModelFacts) -> CallPrice:
    """The price of a call that a log contains only in part; None in dollars if it has no counts either."""
    counted = call.usage is not None and call.usage.input is not None
    if counted or not call.is_answered:
        return price_call(call, facts, 0, 0, 0)
    output = call.usage.output if call.usage else None
    return CallPrice(0, 0, 0, output, False, at_least=True, unknown=("the tokens of calls whose log has no counts",))


def make_billed_usage(call: RecordedCall, facts: ModelFacts, tokens: int, read: int, written: int) -> BilledUsage:
    """All that a call is billed for; the numbers count if the provider reports none."""
    usage = call.usage
    if not call.is_answered and (usage is None or usage.input is None):
        # Providers do not charge for a refused call.
        return BilledUsage()
    terms, unknown = read_billing_terms(call), tuple(find_unknown_charges(call, facts))
    if usage is None or usage.input is None:
        put = {read_marked_ttl(call, facts): written} if written else {}
        output = usage.output if usage else None
        return replace(terms, fresh=tokens - read - written, read=read, written=put, output=output, unknown=unknown)
    got = min(usage.read or 0, usage.input)
    lives = split_written_by_ttl(call, min(usage.written or 0, usage.input - got), facts)
    inner = count_iteration_tokens(usage.raw)
    return replace(
        terms,
        fresh=usage.input - got - sum(lives.values()),
        read=got,
        written=lives,
        output=usage.output,
        shortest=min(inner) if len(inner) > 1 else None,
        unknown=unknown,
    )


def price_lost_tokens(lost: int, price: CallPrice, call: RecordedCall, facts: ModelFacts) -> float | None:
    """What tokens cost that were not read from the cache: beyond what reading them would have cost."""
    usage = make_billed_usage(call, facts, price.input, price.read, price.written)
    paid, ideal = cost_of(usage, facts).dollars, cost_of(_move_to_read(usage, lost), facts).dollars
    return None if paid is None or ideal is None else max(paid - ideal, 0.0)


def _move_to_read(usage: BilledUsage, lost: int) -> BilledUsage:
    """The same request, had it read so many tokens more: of those written first, then of the fresh ones."""
    written = dict(_subtract_lost(usage.written, lost))
    moved = sum(usage.written.values()) - sum(written.values())
    fresh = min(lost - moved, usage.fresh)
    return replace(usage, fresh=usage.fresh - fresh, read=usage.read + moved + fresh, written=written)


def _subtract_lost(written: dict[str, int], lost: int) -> Iterator[tuple[str, int]]:
    """The tokens written to the cache, by time to live, without those that were lost."""
    for ttl, tokens in written.items():
        yield ttl, tokens - min(lost, tokens)
        lost -= min(lost, tokens)
