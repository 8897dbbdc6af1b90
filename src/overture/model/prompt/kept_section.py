"""A section whose change was told in a message instead of rewriting the system prompt."""

from typing import Annotated

from ..struct import Frozen, note


class Held(Frozen, frozen=True, omit_defaults=False, forbid_unknown_fields=False):
    """A block that stays as it was sent, and what counts in its place."""

    name: Annotated[str, note("of the section")]
    text: Annotated[str | None, note("what it says now; null: it is withdrawn")]
    because: Annotated[tuple[str, ...], note("the fields of State that it reads and that changed")] = ()
    why: Annotated[str, note("why it was not rewritten")] = ""
