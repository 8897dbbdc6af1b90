"""Row -> prompt -> line. The base prompt is built once in each process; a row costs what differs in it."""

import re
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

from ..assemble.build import build
from ..discover.load_tokenizer import find_counter
from ..errors import BudgetError, OvertureError
from ..fit.fit import fit, refuse_empty
from ..known_models.model_facts import TableForm
from ..model.diagnostic import Diagnostic
from ..model.prompt.block import JOIN
from ..model.prompt.budget import Budget
from ..model.prompt.prompt import Prompt
from ..model.recipe.recipe import Recipe
from ..model.recipe.section import Section
from ..model.state.state import State
from ..providers.batch_lines import RequestWriter, Shape, block_json
from .map_columns import MESSAGE, ColumnMap, RowMapper
from .read_rows import RowError

READ_BY_ALL = frozenset(("audience", "secrets", "mark", "runtime"))
"""Fields that may change any section: what it may say, and how it is fenced."""


class BatchSetup(NamedTuple):
    """All that a process needs to build rows."""

    load_recipe: Callable[[], Recipe]
    """Recipes hold functions, which processes can't send each other."""
    state: State
    columns: ColumnMap
    found: tuple[Diagnostic, ...] = ()
    provider: str | None = None
    model: str | None = None
    models: TableForm = TableForm()
    settings: Mapping[str, Any] = {}
    budget: Budget | None = None
    tokenizer: str | None = None
    notes: tuple[str, ...] = ()
    """What the manifest says of all this."""


class BuiltRow(NamedTuple):
    """What became of a row, and what a provider's cache may keep of it."""

    id: str
    prompt: Prompt
    line: bytes = b""
    message_tokens: int = 0
    key: bytes = b""
    """Of all blocks that vary: sorted by it, requests that begin alike are neighbours."""
    shared_tokens: int = 0
    """Up to the first block that varies: the same for all rows."""
    cached_tokens: int = 0
    """Up to the last mark, or the end of the system prompt: the same for rows of one key."""


class RowBuilder:
    """Builds the rows of one batch, in one process."""

    def __init__(self, setup: BatchSetup) -> None:
        self.setup = setup
        self.counter = find_counter(setup.tokenizer)
        self.recipe = setup.load_recipe()
        self.base = build(self.recipe, setup.state, found=setup.found, counting=self.counter)
        self.mapper = RowMapper(setup.columns, setup.state)
        self.roots = roots = setup.columns.roots
        any_section = not roots.isdisjoint(READ_BY_ALL) or setup.budget is not None
        self.varying = frozenset(s for s in self.recipe.sections if any_section or not roots.isdisjoint(s.reads))
        self.shapes: dict[tuple[Section, ...], Shape] = {}
        self.writer: RequestWriter | None = None
        if setup.provider is not None:
            self.writer = RequestWriter(setup.provider, setup.model, setup.models, setup.settings, self.base)

    def build(self, row: Mapping[str, Any], number: int = 0) -> BuiltRow:
        """The prompt of a row, and its line where a provider is given; a RowError where there is none."""
        state, message, identity = self.mapper.map(row)
        identity = identity or f"row-{number}"
        try:
            prompt = build(self.recipe, state, since=self.base, found=self.setup.found, changed=self.roots)
            if self.setup.budget is not None:
                prompt = refuse_empty(prompt, fit(prompt, self.setup.budget, self.counter))
            shape = self._find_shape(prompt)
            return (
                self._write_row(self.writer, identity, prompt, message, shape)
                if self.writer
                else BuiltRow(identity, prompt)
            )
        except OvertureError as problem:
            raise RowError("over-budget" if isinstance(problem, BudgetError) else "not-built", str(problem)) from None

    def _find_shape(self, prompt: Prompt) -> Shape:
        """What the prompt shares with others of the same sections, so that only what varies is counted."""
        sections = tuple([block.section for block in prompt.blocks])
        shape = self.shapes.get(sections)
        if shape is None:
            shape = self.shapes[sections] = Shape(prompt, self.varying)
        elif self.counter.additive and self.setup.budget is None:
            tokens, last = list(shape.tokens), len(sections) - 1
            for index in shape.varying:
                text = prompt.blocks[index].text
                if text.startswith("/"):
                    return shape  # it may be one token with the end of the block before
                tokens[index] = self.counter.by_lines(text + JOIN if index < last else text)
            prompt.know_tokens(tuple(tokens))
        return shape

    def _write_row(self, writer: RequestWriter, identity: str, prompt: Prompt, message: str, shape: Shape) -> BuiltRow:
        batch, window = writer.batch, writer.facts.window if writer.facts.known else None
        if not re.fullmatch(pattern := f"{batch.ids}{{1,{batch.max_id}}}", identity):
            raise RowError("bad-id", f"{identity[:80]!r} is not a valid id: {pattern}.")
        if not message.strip() and (MESSAGE in self.setup.columns.targets or not prompt.messages):
            raise RowError("no-message", "The row has no message for the model.")
        line = writer.write(prompt, message, identity, shape)
        if len(line) > batch.max_bytes:
            raise RowError("too-large", f"The request has {len(line):,} bytes; {batch.max_bytes:,} are allowed.")
        tokens = sum([self.counter(text) for text in (message, *[block.text for block in prompt.messages])])
        total = writer.tools_tokens + prompt.tokens + tokens
        if window is not None and total > window:
            raise RowError("over-window", f"The request has {total:,} tokens; the model's window has {window:,}.")
        blocks = prompt.blocks
        key = b"".join([blake2b(block_json(blocks[index]), digest_size=8).digest() for index in shape.varying])
        marks = shape.stable if writer.facts.way == "marked" else (shape.shared, len(blocks))
        ends = max([mark for mark in marks if mark <= shape.shared], default=0), max(marks, default=0)
        cached = [writer.tools_tokens + sum(prompt.block_tokens[:end]) if end else 0 for end in ends]
        return BuiltRow(identity, prompt, line, tokens, key, *cached)
