"""The lines that a session publishes: who it is, parts of sheets by their digest, turns made of them, its end."""

from typing import Annotated

from msgspec import Raw, Struct

from ...model.struct import Frozen, note
from .turn_row import TurnRow

VERSION = 1
AGE = 200
"""A part that so many turns did not name is forgotten by the reader; a writer that needs it again writes it again."""
APART = frozenset(("blocks", "messages"))
"""Fields of a sheet whose items are parts by themselves."""


class Header(Struct, frozen=True, omit_defaults=True):
    """The first line. What a later version adds is passed over."""

    version: int
    id: str
    pid: int
    started: Annotated[str, note("ISO 8601")]
    by: Annotated[str, note("the version of Overture")] = ""
    recipe: Annotated[str, note("as it was asked for; empty: the configuration's")] = ""
    cwd: str = ""
    title: Annotated[str, note("of a sub-agent, its task; else the last part of cwd")] = ""
    parent: Annotated[str | None, note("the session whose sub-agent it is")] = None


class Ref(Struct, frozen=True, omit_defaults=True):
    """A field of a sheet: the digest of a part, of several, or the value itself."""

    part: str | None = None
    parts: tuple[str, ...] | None = None
    value: Raw = Raw()

    @property
    def names(self) -> tuple[str, ...]:
        """The digests of all its parts."""
        return (self.part,) if self.part is not None else self.parts or ()


class PublishedTurn(Frozen, frozen=True):
    """A turn, its sheet in parts."""

    row: TurnRow
    sheet: dict[str, Ref]
    context: dict[str, Ref]
    tools: Ref


class Line(Struct, frozen=True, omit_defaults=True):
    """Any line but the first: exactly one thing is told."""

    part: str | None = None
    value: Annotated[Raw, note("of the part")] = Raw()
    turn: Raw = Raw()
    ended: str | None = None
