"""Facts about a model: its names, how its provider caches prompts, what that costs. Dated: the numbers change."""

import re
from datetime import date
from typing import Annotated, Literal

from msgspec import Meta

from ..model.struct import Frozen, note

CacheMode = Literal["marked", "automatic"]
"""A prefix is cached up to marks that the request sets, or as far as it goes, with nothing to set."""

SystemRole = Literal["developer", "system"]
Ttl = Literal["5m", "30m", "1h", "12h", "24h"]
UncertainPrice = Literal["read", Ttl]
SearchUnit = Literal["query", "request"]
Natural = Annotated[int, Meta(ge=0)]
PriceNumber = Annotated[float, Meta(ge=0)]
UNITS = {"m": 60, "h": 3600}
TTL = re.compile(r"[0-9]{1,5}[mh]")
"""A time to live that a request may ask for; anything else is no time, or longer than any provider keeps a prefix."""
RETENTIONS = {"in_memory": "5m", "24h": "24h"}
"""The time to live behind each value of OpenAI's `prompt_cache_retention`; in memory, it is 5 to 10 minutes."""


class PriceStep(Frozen, frozen=True):
    """Price factors for a request whose prompt has more tokens than a limit, including cached tokens."""

    above: Annotated[int, Meta(ge=0)]
    input: Annotated[PriceNumber, note("of fresh, read and written tokens")]
    output: PriceNumber


UNPUBLISHED_LIVES = frozenset(("gemini", "xai", "others"))
"""Vendors that do not publish how long implicit caching keeps a prefix. The table assumes five minutes for them."""


class PriceChange(Frozen, frozen=True):
    """Prices that apply from a date on."""

    since: date
    input: PriceNumber | None = None
    output: PriceNumber | None = None
    read: PriceNumber | None = None


class ModelFacts(Frozen, frozen=True, omit_defaults=False):
    """Facts about one model: cache, prices, context window."""

    vendor: str
    model: str
    known: Annotated[bool, note("false: the model is not in the table, and the general numbers of its provider apply")]
    as_known_on: date
    way: CacheMode
    minimum: Annotated[int, note("tokens below which nothing is cached, without notice")]
    breakpoints: Annotated[int, note("cache breakpoints that one request may set")]
    lookback: Annotated[int, note("positions that a breakpoint looks back, including its own; 0: all")]
    step: Annotated[int, note("a prefix is cached in steps of so many tokens")]
    write: Annotated[dict[str, float], note("price of cache writes, as a factor of the input price, by time to live")]
    read: Annotated[float, note("price of cache reads, as a factor of the input price")]
    input: Annotated[float | None, note("US dollars per million input tokens")]
    role: Annotated[SystemRole, note("the role of the system prompt, if that is a message")]
    system_messages: Annotated[bool, note("accepts system messages in the middle of a conversation")]
    window: Annotated[int | None, note("maximum tokens of a request")] = None
    output: Annotated[float | None, note("US dollars per million output tokens")] = None
    implicit: Annotated[
        bool, note("the provider sets a breakpoint of its own after the newest user or tool message")
    ] = False
    matches: Annotated[int, note("latest breakpoints at which an entry is looked up; 0: all")] = 0
    steps: Annotated[tuple[PriceStep, ...], note("higher prices for long prompts")] = ()
    tiers: Annotated[dict[str, float], note("factors of the prices, by service tier")] = {}
    full_reads: Annotated[bool, note("cheaper tiers give no discount on cache reads")] = False
    speeds: Annotated[dict[str, float], note("factors of the prices, by `speed`")] = {}
    geos: Annotated[dict[str, float], note("factors of the prices, by `inference_geo`")] = {}
    hosts: Annotated[dict[str, float], note("factors of the prices, by the host that is called")] = {}
    region: Annotated[float | None, note("factor of the prices for the region in the id; null: the id has none")] = 1.0
    search: Annotated[float | None, note("US dollars per thousand web searches")] = None
    search_by: Annotated[
        SearchUnit, note("whether a search is one query, or one request with any number of queries")
    ] = "query"
    storage: Annotated[bool, note("cached content that a request names is stored for an hourly fee")] = False
    off_peak: Annotated[float | None, note("factor of the prices at certain hours, which are unknown here")] = None
    unsure: Annotated[
        tuple[UncertainPrice, ...], note("prices that no source confirms: of cache reads, or of a time to live")
    ] = ()
    sources: Annotated[tuple[str, ...], note("the sources of these numbers, with the date of each")] = ()

    def ttl(self, wanted: str | None = None) -> str:
        """The cache's time to live that the model has: the wanted one if it exists, else the default, the first."""
        return wanted if wanted in self.write else next(iter(self.write))

    @property
    def publishes_life(self) -> bool:
        """Whether the vendor publishes how long it caches prefixes; if not, `5m` is an assumption."""
        return self.vendor not in UNPUBLISHED_LIVES

    def life(self, *requested: str) -> str:
        """The first time to live that a request asks for, whether its price is known or not; else the default."""
        return next((each for each in requested if TTL.fullmatch(each)), self.ttl())


def seconds(ttl: str) -> int:
    """The seconds of a cache's time to live: `5m` -> 300."""
    return int(ttl[:-1]) * UNITS[ttl[-1]]


class ModelForm(Frozen, frozen=True):
    """One model in the file: what differs from its provider's general numbers."""

    way: CacheMode | None = None
    minimum: Natural | None = None
    breakpoints: Natural | None = None
    lookback: Natural | None = None
    step: Annotated[int, Meta(ge=1)] | None = None
    write: Annotated[dict[Ttl, PriceNumber], Meta(min_length=1)] | None = None
    read: PriceNumber | None = None
    input: PriceNumber | None = None
    role: SystemRole | None = None
    system_messages: bool | None = None
    window: Annotated[int, Meta(ge=1)] | None = None
    output: PriceNumber | None = None
    implicit: bool | None = None
    matches: Natural | None = None
    steps: tuple[PriceStep, ...] | None = None
    tiers: dict[str, PriceNumber] | None = None
    full_reads: bool | None = None
    speeds: dict[str, PriceNumber] | None = None
    geos: dict[str, PriceNumber] | None = None
    hosts: dict[str, PriceNumber] | None = None
    search: PriceNumber | None = None
    search_by: SearchUnit | None = None
    storage: bool | None = None
    off_peak: PriceNumber | None = None
    unsure: tuple[UncertainPrice, ...] | None = None
    changes: Annotated[tuple[PriceChange, ...] | None, note("announced or past changes of its prices")] = None
    regional: Annotated[PriceNumber | None, note("factor of the prices if the id names one region")] = None
    aliases: Annotated[tuple[str, ...] | None, note("other names of the same model")] = None
    sources: Annotated[tuple[str, ...] | None, note("keys of the table's `sources`")] = None


class VendorForm(ModelForm, frozen=True):
    """One provider in the file: its general numbers, and its models."""

    default: Annotated[str | None, note("its default model")] = None
    families: Annotated[tuple[str, ...], note("what names of its models contain, including unknown ones")] = ()
    open: Annotated[bool | None, note("other servers use this format: any name may be a model")] = None
    models: dict[str, ModelForm] = {}
    models_of: Annotated[str | None, note("another provider whose models it sells at the same prices")] = None
    since: Annotated[dict[str, ModelForm], note("what applies from a version of a line of models on")] = {}


class TableForm(Frozen, frozen=True):
    """The file: when its numbers were looked up, and the providers."""

    as_known_on: date | None = None
    note: str = ""
    sources: Annotated[dict[str, str], Meta(description="name and date of each source, by a short key")] = {}
    providers: dict[str, VendorForm] = {}
