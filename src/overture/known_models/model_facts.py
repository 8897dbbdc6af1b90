"""What is known of a model: how its provider caches prompts, and what that costs. Dated, for the numbers move."""

from datetime import date
from typing import Annotated, Literal

from msgspec import Meta

from ..model.struct import Frozen, note

Way = Literal["marked", "automatic"]
"""A prefix is kept up to marks that the request sets, or as far as it goes, with nothing to set."""

Role = Literal["developer", "system"]
Ttl = Literal["5m", "30m", "1h"]
Natural = Annotated[int, Meta(ge=0)]
Price = Annotated[float, Meta(ge=0)]
UNITS = {"m": 60, "h": 3600}


class Facts(Frozen, frozen=True, omit_defaults=False):
    """What counts for one model."""

    vendor: str
    model: str
    known: Annotated[bool, note("false: the model is in no table, and its provider's general numbers count")]
    as_known_on: date
    way: Way
    minimum: Annotated[int, note("tokens below which no prefix is kept, in silence")]
    breakpoints: Annotated[int, note("marks that one request may set")]
    lookback: Annotated[int, note("content blocks that a mark looks back over; 0: all")]
    step: Annotated[int, note("a prefix is kept in steps of so many tokens")]
    write: Annotated[dict[str, float], note("what writing costs, as a factor of the input price, by time to live")]
    read: Annotated[float, note("what reading costs, as a factor of the input price")]
    input: Annotated[float | None, note("US dollars for a million input tokens")]
    role: Annotated[Role, note("who speaks the system prompt, where that is a message")]
    system_messages: Annotated[bool, note("takes system messages in the middle of a conversation")]
    window: Annotated[int | None, note("tokens that a request may have")] = None
    output: Annotated[float | None, note("US dollars for a million output tokens")] = None

    def ttl(self, wanted: str | None = None) -> str:
        """The time to live that counts: the one that is wanted if there is such a one, else the shortest."""
        return wanted if wanted in self.write else next(iter(self.write))


def seconds(ttl: str) -> int:
    """`5m` -> 300."""
    return int(ttl[:-1]) * UNITS[ttl[-1]]


class ModelForm(Frozen, frozen=True):
    """One model in the file: what differs from its provider's general numbers."""

    way: Way | None = None
    minimum: Natural | None = None
    breakpoints: Natural | None = None
    lookback: Natural | None = None
    step: Annotated[int, Meta(ge=1)] | None = None
    write: Annotated[dict[Ttl, Price], Meta(min_length=1)] | None = None
    read: Price | None = None
    input: Price | None = None
    role: Role | None = None
    system_messages: bool | None = None
    window: Annotated[int, Meta(ge=1)] | None = None
    output: Price | None = None


class VendorForm(ModelForm, frozen=True):
    """One provider in the file: its general numbers, and its models."""

    default: Annotated[str | None, note("the model that `overture cache` takes when none is named")] = None
    families: Annotated[tuple[str, ...], note("what names of its models hold, those that are in no table too")] = ()
    open: Annotated[bool | None, note("servers of others take this form: any name may be that of a model")] = None
    models: dict[str, ModelForm] = {}


class TableForm(Frozen, frozen=True):
    """The file: when its numbers were looked up, and the providers."""

    as_known_on: date | None = None
    note: str = ""
    providers: dict[str, VendorForm] = {}
