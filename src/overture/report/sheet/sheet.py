"""A sheet is one prompt as the page shows it: a browser counts and truncates nothing."""

from collections.abc import Callable
from datetime import date
from typing import Annotated, Literal, NamedTuple

from ...known_models.model_facts import ModelFacts
from ...model.diagnostic import Level
from ...model.prompt.saved_prompt import SavedBlock, SavedMessage, SavedPart, SavedPrompt, Tokens
from ...model.recipe.section import Pace
from ...model.source import Source, SourceKind, Tier
from ...model.state.discovery import Look
from ...model.struct import Frozen, note
from ..context import Context
from ..stats_and_cut_notes import Row

MarkKind = Literal["hidden", "neutralised", "secret", "cut"]
"""hidden: an invisible character that is made visible · neutralised: a tag, heading or token that would look like one
of the prompt's own · secret: a key that is not shown · cut: text that was shortened"""


describe = note
"""`note` for a struct with a field `note`: Python 3.14 evaluates annotations after the fields are defined."""


class Mark(Frozen, frozen=True, omit_defaults=False):
    """A place where the prompt differs from its source."""

    kind: MarkKind
    was: Annotated[str, describe("the source's text there; empty if it is a secret or nothing")]
    note: Annotated[str, describe("a description")]


class SheetPiece(Frozen, frozen=True):
    """Text of one source."""

    text: Annotated[str, note("empty only if a mark describes what is missing")]
    source: Annotated[int, note("index into the sheet's sources")]
    tokens: int = 0
    line: Annotated[int | None, note("the line of the file where this piece begins")] = None
    mark: Mark | None = None


class SheetBlock(Frozen, frozen=True, omit_defaults=False):
    """The text of one section."""

    name: str
    why: Annotated[str, note("why it is there")]
    pace: Pace
    tokens: int
    share: Annotated[float, note("share of the whole prompt, 0 to 1")]
    chars: int
    reads: tuple[str, ...]
    before: Annotated[str, note("the whitespace between the previous section and this one")]
    pieces: tuple[SheetPiece, ...]

    @property
    def text(self) -> str:
        """The text of all pieces of a block of the sheet."""
        return "".join(piece.text for piece in self.pieces)


class SheetOmission(Frozen, frozen=True, omit_defaults=False):
    """A section that is not in the prompt, or a part of one."""

    name: str
    reason: str
    after: Annotated[int, note("the index of the block after which it would come; -1: at the top")]


class SheetSource(Frozen, frozen=True, omit_defaults=False):
    """The source of some text."""

    kind: SourceKind
    label: Annotated[str, note("for a person: AGENTS.md:3, task.title")]
    path: str | None
    line: int | None
    name: str | None
    tier: Tier
    pinned: Annotated[bool, note("the whole text belongs to that one line")] = False
    outside: Annotated[bool, note("it is a file from outside the repository")] = False
    file: Annotated[str | None, note("the id under which the page requests the file")] = None


class SheetCut(Frozen, frozen=True, omit_defaults=False):
    """A part that was shortened or dropped to fit the budget."""

    block: str
    part: Annotated[str, note("its name, or the path for a person")]
    from_tokens: int
    to_tokens: int
    how: str


class SheetProblem(Frozen, frozen=True, omit_defaults=False):
    """One problem, in a line."""

    level: Level
    code: str
    message: str
    path: str | None
    line: int | None
    shown: Annotated[str, note("the path for a person")] = ""
    file: str | None = None


class CacheMark(Frozen, frozen=True, omit_defaults=False):
    """The end of a prefix that a provider is to cache."""

    after: Annotated[str, note("the last section before it, or `tools`")]
    char: Annotated[int, note("offset in the system prompt; 0: after the tools")]
    tokens: Annotated[int, note("from the start of the request")]


class SheetPrice(Frozen, frozen=True, omit_defaults=False):
    """The price of one request's input in US dollars, from a dated table."""

    provider: str
    model: str
    known: Annotated[bool, note("false: the model is unknown, so its provider's defaults are used")]
    as_known_on: date
    fresh: Annotated[float | None, note("with an empty cache")]
    cached: Annotated[float | None, note("with everything cacheable in the cache")]
    kept: Annotated[int, note("tokens that can be read from the cache")]
    marks: tuple[CacheMark, ...] = ()
    at_least: Annotated[bool, note("some prices are unknown: the true cost is this or more")] = False


class SheetBudget(Frozen, frozen=True, omit_defaults=False):
    """The budget, and the tokens without it."""

    limit: int | None
    whole: Annotated[int, note("tokens without it")]


class Sheet(Frozen, frozen=True, omit_defaults=False):
    """One prompt, with its sources, its price and what is not in it."""

    turn: int
    at: Annotated[str, note("when it was made, ISO 8601")]
    recipe: str
    about: str
    project: Annotated[str, note("the name of the folder")]
    cwd: str
    fingerprint: str
    chars: int
    tokens: int
    tokenizer: str
    exact: Annotated[bool, note("false: the tokens are an estimate")]
    blocks: tuple[SheetBlock, ...]
    messages: Annotated[tuple[SheetBlock, ...], note("what goes into the user's message instead")]
    omitted: tuple[SheetOmission, ...]
    sources: tuple[SheetSource, ...]
    cuts: tuple[SheetCut, ...]
    problems: tuple[SheetProblem, ...]
    paces: tuple[Row, ...]
    context: Context
    price: SheetPrice
    inputs: Annotated[dict[str, str], note("a digest of each field of the state")]
    tools: Annotated[str, note("a digest of the tools as they are sent")]
    budget: SheetBudget | None = None
    broken: Annotated[str | None, note("the error of a later edit; this is the last good prompt")] = None
    title: Annotated[str, note("the name of the agent, or that of the recipe")] = ""
    lacks_own_prompt: Annotated[bool, note("whether it is an agent's, whose own text and tools are not in it")] = False

    @property
    def text(self) -> str:
        """The prompt of the sheet, character for character."""
        return "".join(f"{block.before}{block.text}" for block in self.blocks)


class SheetWithTools(Frozen, frozen=True):
    """A sheet, and the tools as they are sent with it."""

    sheet: Sheet
    tools: str = ""


def sheet_as_prompt(sheet: Sheet) -> SavedPrompt:
    """The prompt of a sheet, with the fields that comparisons need."""
    blocks: list[SavedBlock] = []
    at = 0
    for block in sheet.blocks:
        at += len(block.before)
        blocks.append(_make_saved_block(sheet, block, at))
        at += block.chars
    return SavedPrompt(
        recipe=sheet.recipe,
        text=sheet.text,
        fingerprint=sheet.fingerprint,
        chars=sheet.chars,
        tokens=Tokens(sheet.tokens, sheet.tokenizer, sheet.exact),
        blocks=tuple(blocks),
        messages=tuple(SavedMessage(block.name, block.text) for block in sheet.messages),
        omitted=(),
        cuts=(),
        diagnostics=(),
        inputs=sheet.inputs,
    )


def _make_saved_block(sheet: Sheet, block: SheetBlock, at: int) -> SavedBlock:
    """A block of a sheet, as comparisons of prompts have it."""
    parts: list[SavedPart] = []
    here = at
    for piece in block.pieces:
        row = sheet.sources[piece.source]
        source = Source(row.kind, path=row.path, line=piece.line, name=row.name)
        parts.append(SavedPart(here, here + len(piece.text), piece.tokens, source, row.tier))
        here += len(piece.text)
    return SavedBlock(block.name, at, here, block.pace, block.tokens, block.reads, tuple(parts))


UNSEEN_OUTCOMES = ("absent", "unreadable", "outside", "off", "unread", "waiting")
"""Outcomes of a look without any text to show."""


class SheetPlace(NamedTuple):
    """Where a project is."""

    cwd: str = ""
    shown: Callable[[str], str] = str
    """A path as a person reads it."""


class SheetDetails(NamedTuple):
    """The number and time of a sheet, and its files and messages."""

    turn: int = 0
    at: str = ""
    broken: str | None = None
    outside: frozenset[str] = frozenset()
    """Files from outside the repository."""
    files: frozenset[str] = frozenset()
    """Files that can be shown."""

    def with_looks(self, looks: tuple[Look, ...]) -> "SheetDetails":
        """The same with the files of these looks: those outside the repository, and those that can be shown."""
        outside = frozenset(look.path for look in looks if look.outside)
        return self._replace(
            outside=outside, files=frozenset(look.path for look in looks if look.outcome not in UNSEEN_OUTCOMES)
        )


class SheetContext(NamedTuple):
    """What a sheet shows besides the prompt."""

    context: Context
    facts: ModelFacts
    provider: str
    tools: str = ""
    """The tools as they are sent."""
    place: SheetPlace = SheetPlace()
    details: SheetDetails = SheetDetails()
