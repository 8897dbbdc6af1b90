"""What a provider's file is handed, and what it hands back."""

from collections.abc import Callable
from typing import Any, NamedTuple

from ...assemble.cache_breakpoints import Breakpoints
from ...known_models.model_facts import Facts
from ...model.admitted import AdmittedTool
from ...model.diagnostic import Diagnostic
from ...model.prompt.block_tokens import JOIN
from ...model.prompt.prompt import Prompt
from ...tokens.estimate import estimate
from .messages import Item


class Piece(NamedTuple):
    """A stretch of the system prompt that is sent as one text, and whether a cache breakpoint follows it."""

    text: str
    marked: bool


class Ask(NamedTuple):
    """One prompt on its way to one provider."""

    prompt: Prompt
    facts: Facts
    model: str | None = None
    messages: tuple[Item, ...] = ()
    tools: tuple[AdmittedTool, ...] = ()
    marks: Breakpoints = Breakpoints()
    ttl: str = "5m"
    cache_key: str | None = None
    count: Callable[[str], int] = estimate
    settled: bool = False
    """Every message holds the sections that it was sent with, and the prompt's own go nowhere else."""
    cache: bool = True
    """False: the caller wants nothing kept."""
    notes: tuple[Diagnostic, ...] = ()
    """What was done to the tools on their way."""

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The system prompt, cut at its breakpoints.

        What separates two blocks leads the later piece: a piece stays the same when what follows it goes.
        """
        text, cuts = self.prompt.text, self.marks.system
        starts = (0, *cuts)
        pieces = [Piece(text[at:end], end in cuts) for at, end in zip(starts, (*cuts, len(text)), strict=True)]
        return tuple(piece for piece in pieces if piece.text)

    @property
    def sections(self) -> str:
        """What the recipe puts into the user's message."""
        return JOIN.join(block.text for block in self.prompt.messages)


class Laid(NamedTuple):
    """A request, and where in it the prompt's texts lie."""

    body: dict[str, Any]
    system: tuple[str, ...] = ()
    """The path of each piece, e.g. `system[0].text`."""
    sections: str = ""
    """The path of what went into the user's message, and the character at which it begins there."""
    sections_at: int = 0
