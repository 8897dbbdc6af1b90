"""Rows -> prompts -> parts. The base prompt is built once in each process; a row costs what differs in it.

A part is what became of a chunk of rows: a file of results, and a record of them, which is written last.
"""

import gc
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec

from ..assemble.build import build
from ..errors import BudgetError, OvertureError
from ..fit.fit import fit, refuse_empty
from ..jobs import run_chunks
from ..known_models.model_facts import TableForm
from ..model.diagnostic import Diagnostic
from ..model.prompt.budget import Budget
from ..model.prompt.prompt import Prompt
from ..model.recipe.recipe import Recipe
from ..model.recipe.section import Section
from ..model.state.state import State
from ..providers.batch_lines import RequestWriter, Shape, block_json
from ..terminal.job_options_and_rate import LOCAL
from ..tokens.load_tokenizer import find_counter
from .arrow_tables import encode_parquet, make_arrow_table
from .columns_to_state import MESSAGE, ColumnMap, RowMapper
from .job_folder import PARTS, replace_output
from .row_files import Chunk, RowError, decode_rows, name_row, write_cell

READ_BY_ALL = frozenset(("audience", "secrets", "origins"))
"""Fields that may change any section."""
GC_THRESHOLD = 50_000
"""Objects after which Python looks for garbage: rows leave none behind."""
COLUMNS = {"text": "large_string", "tokens": "int64", "fingerprint": "string", "diagnostics": "list"}
"""The columns that a row gets, and their types in Arrow."""


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
    """Notes for the manifest."""


class BuiltRow(NamedTuple):
    """What became of a row, and what a provider's cache may keep of it."""

    id: str
    prompt: Prompt
    line: bytes = b""
    message_tokens: int = 0
    tools_tokens: int = 0
    key: bytes = b""
    """Of all blocks that vary: sorted by it, requests that begin alike are neighbours."""
    shared_tokens: int = 0
    """Up to the first block that varies: the same for all rows."""
    cached_tokens: int = 0
    """Up to the last mark, or the end of the system prompt: the same for rows of one key."""


class RowBuilder:
    """Builds the rows of one batch, in one process, each from the same base prompt."""

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
        """The prompt of a row, and its line for a provider if there is one; raises RowError if there is no prompt."""
        state, message, identity = self.mapper.map(row)
        identity = identity or name_row(number)
        try:
            prompt = build(self.recipe, state, since=self.base, found=self.setup.found)
            if self.setup.budget is not None:
                prompt = refuse_empty(prompt, fit(prompt, self.setup.budget, self.counter))
            shape = self._find_shape(prompt)
            if self.writer is None:
                return BuiltRow(identity, prompt)
            return self._write_row(self.writer, identity, prompt, message, shape)
        except OvertureError as problem:
            raise RowError("over-budget" if isinstance(problem, BudgetError) else "not-built", str(problem)) from None

    def _find_shape(self, prompt: Prompt) -> Shape:
        """What the prompt shares with others of the same sections, so that only what varies is counted."""
        sections = tuple([block.section for block in prompt.blocks])
        shape = self.shapes.get(sections)
        if shape is None:
            shape = self.shapes[sections] = Shape(prompt, self.varying)
        return shape

    def _write_row(self, writer: RequestWriter, identity: str, prompt: Prompt, message: str, shape: Shape) -> BuiltRow:
        """The row as a line for the provider; one beyond a limit of the provider is a RowError."""
        batch, window = writer.batch, writer.facts.window if writer.facts.known else None
        if not re.fullmatch(pattern := f"{batch.ids}{{1,{batch.max_id}}}", identity):
            raise RowError("bad-id", f"{identity[:80]!r} is not a valid id: {pattern}.")
        if not message.strip() and (MESSAGE in self.setup.columns.targets or not prompt.messages):
            raise RowError("no-message", "The row has no message for the model.")
        line, tools_tokens = writer.write(prompt, message, identity)
        if len(line) > batch.max_bytes:
            raise RowError("too-large", f"The request has {len(line):,} bytes; {batch.max_bytes:,} are allowed.")
        tokens = sum([self.counter(text) for text in (message, *[block.text for block in prompt.messages])])
        total = tools_tokens + prompt.tokens + tokens
        if window is not None and total > window:
            raise RowError("over-window", f"The request has {total:,} tokens; the model's window has {window:,}.")
        blocks = prompt.blocks
        key = b"".join([blake2b(block_json(blocks[index]), digest_size=8).digest() for index in shape.varying])
        marks = shape.stable if writer.facts.way == "marked" else (shape.shared, len(blocks))
        ends = max([mark for mark in marks if mark <= shape.shared], default=0), max(marks, default=0)
        cached = [tools_tokens + sum(prompt.block_tokens[:end]) if end else 0 for end in ends]
        if prompt.state.tools is not writer.tools:  # they are before all else in a request
            key, cached[0] = blake2b(repr(prompt.state.tools).encode(), digest_size=8).digest() + key, 0
        return BuiltRow(identity, prompt, line, tokens, tools_tokens, key, *cached)


class FailedRow(msgspec.Struct):
    """A line of errors.jsonl."""

    row: int
    id: str | None
    code: str
    message: str


class PartRecord(msgspec.Struct, array_like=True):
    """What is known of a part."""

    digest: str
    """Of the rows it was made of."""
    size: int
    lines: list[tuple[bytes, int, int, int]]
    """Of each result, in the order of the file: key, size, shared and cached tokens, as BuiltRow has them."""
    errors: list[FailedRow]
    truncated: dict[str, int]
    """Rows in which a section is truncated; under an empty name, in which any is."""
    tokens: dict[str, int]
    """Of all system prompts, all messages and all tools."""
    longest: int
    """Tokens of the longest request."""


class PartFolder(NamedTuple):
    """Where parts are written: requests as JSON Lines, or prompts as Parquet."""

    path: str
    as_parquet: bool = False
    by_prefix: bool = False

    def data_path(self, number: int) -> str:
        """The results. A Parquet file is final as it is; requests are joined."""
        name = f"prompts-{number + 1:05}.parquet" if self.as_parquet else f"{PARTS}/{number:08}.jsonl"
        return os.path.join(self.path, name)

    def _record_path(self, number: int) -> str:
        return os.path.join(self.path, PARTS, f"{number:08}.part")

    def write(self, number: int, data: bytes, record: PartRecord) -> None:
        """Writes the rows of a part, then its record, whose size shows when a crash truncated the rows."""
        files = {self.data_path(number): data, self._record_path(number): msgspec.msgpack.encode(record)}
        for path, content in files.items():
            with replace_output(path, durable=False) as file:
                file.write(content)

    def read(self, number: int) -> PartRecord | None:
        """The record of a part of the rows; None if its rows have to be built."""
        try:
            with open(self._record_path(number), "rb") as file:  # noqa: PTH123
                record = msgspec.msgpack.decode(file.read(), type=PartRecord)
            return record if os.path.getsize(self.data_path(number)) == record.size else None
        except (OSError, msgspec.DecodeError):
            return None


def make_part(builder: RowBuilder, folder: PartFolder, chunk: Chunk) -> tuple[bytes, PartRecord]:
    """Build each row of a chunk. One that can't be built is in the record, and the others go on."""
    built, errors, truncated = list[tuple[int, BuiltRow]](), list[FailedRow](), Counter[str]()
    for number, row in decode_rows(chunk):
        try:
            if isinstance(row, RowError):
                raise row
            if number in chunk.repeated:
                raise RowError("duplicate-id", "An earlier row has the same id.")
            result = builder.build(row, number)
        except RowError as problem:
            identity = row.get(builder.setup.columns.id or "") if isinstance(row, dict) else None
            errors.append(FailedRow(number, write_cell(identity), problem.code, problem.message))
            continue
        built.append((number, result))
        if result.prompt.fitted is not None and result.prompt.cuts:
            truncated.update({"", *(cut.block for cut in result.prompt.cuts)})
    if folder.by_prefix:
        built.sort(key=lambda each: each[1].key)
    data = b"".join([row.line for _, row in built])
    if folder.as_parquet:
        rows = [{"row": number, "id": row.id, **describe_row(row.prompt)} for number, row in built]
        data = encode_parquet(make_arrow_table(rows, {"row": "int64", "id": "string", **COLUMNS}))
    lines = [(row.key, len(row.line), row.shared_tokens, row.cached_tokens) for _, row in built]
    system, messages = [row.prompt.tokens for _, row in built], [row.message_tokens for _, row in built]
    tools = [row.tools_tokens for _, row in built]
    longest = max(map(sum, zip(system, messages, tools, strict=True)), default=0)
    tokens = {"system": sum(system), "messages": sum(messages), "tools": sum(tools)}
    return data, PartRecord(chunk.digest, len(data), lines, errors, dict(truncated), tokens, longest)


def describe_row(prompt: Prompt) -> dict[str, Any]:
    """The columns that a row gets."""
    notes = [str(note) for note in prompt.diagnostics]
    return dict(zip(COLUMNS, (prompt.text, prompt.tokens, prompt.fingerprint, notes), strict=True))


def run_parts(
    engine: str, setup: BatchSetup, folder: PartFolder, processes: int | None, chunks: Iterable[tuple[int, Chunk]]
) -> Iterator[tuple[int, int]]:
    """Make a part of each chunk: its number, and how many rows it has."""
    recipe, writes = setup.load_recipe(), engine == LOCAL  # workers elsewhere may not see this disk
    if not writes:
        setup = setup._replace(load_recipe=lambda: recipe)  # it travels: others may not have its files
    numbered, begin = ((number, (number, chunk)) for number, chunk in chunks), partial(_begin, setup, folder, writes)
    for number, (count, part) in run_chunks(_build_part, begin, numbered, processes, engine):
        if part is not None:
            folder.write(number, *part)
        yield number, count


def _begin(setup: BatchSetup, folder: PartFolder, writes: bool) -> tuple[RowBuilder, PartFolder, bool]:
    """Build the base prompt, once in each process."""
    gc.set_threshold(GC_THRESHOLD)
    return RowBuilder(setup), folder, writes


def _build_part(
    context: tuple[RowBuilder, PartFolder, bool], numbered: tuple[int, Chunk]
) -> tuple[int, tuple[bytes, PartRecord] | None]:
    """How many rows it has, and the part itself if it is not written here."""
    (builder, folder, writes), (number, chunk) = context, numbered
    data, record = make_part(builder, folder, chunk)
    if writes:
        folder.write(number, data, record)
    return len(record.lines) + len(record.errors), None if writes else (data, record)
