"""A chunk of rows -> a part: a file of results, and beside it a record of them.

A part is there when its record is. A run that goes on after an interruption makes the missing ones.
"""

import gc
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

import msgspec

from ..jobs.output_folder import PARTS, replace_output
from ..jobs.run_chunks import LOCAL, run_chunks
from ..model.prompt.prompt import Prompt
from .build_rows import BatchSetup, BuiltRow, RowBuilder
from .read_rows import Chunk, RowError, decode_rows

GC_THRESHOLD = 50_000
"""Objects after which Python looks for garbage: rows leave none behind."""
COLUMNS = {"text": "large_string", "tokens": "int64", "fingerprint": "string", "diagnostics": "list"}
"""The columns that a row gets, and their types in Arrow."""


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
    """Of all system prompts, and of all messages."""
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
        """Write both, the record last. Its size tells when a crash of the machine left the other short."""
        files = {self.data_path(number): data, self._record_path(number): msgspec.msgpack.encode(record)}
        for path, content in files.items():
            with replace_output(path, durable=False) as file:
                file.write(content)

    def read(self, number: int) -> PartRecord | None:
        """The record of a part; None where the part has to be made."""
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
            errors.append(FailedRow(number, identity and str(identity), problem.code, problem.message))
            continue
        built.append((number, result))
        if result.prompt.fitted is not None and result.prompt.cuts:
            truncated.update({"", *(cut.block for cut in result.prompt.cuts)})
    if folder.by_prefix:
        built.sort(key=lambda each: each[1].key)
    data = _encode_parquet(built) if folder.as_parquet else b"".join([row.line for _, row in built])
    lines = [(row.key, len(row.line), row.shared_tokens, row.cached_tokens) for _, row in built]
    system, messages = [row.prompt.tokens for _, row in built], [row.message_tokens for _, row in built]
    longest = max(map(sum, zip(system, messages, strict=True)), default=0)
    tokens = {"system": sum(system), "messages": sum(messages)}
    return data, PartRecord(chunk.digest, len(data), lines, errors, dict(truncated), tokens, longest)


def describe_row(prompt: Prompt) -> dict[str, Any]:
    """The columns that a row gets."""
    notes = [str(note) for note in prompt.diagnostics]
    return dict(zip(COLUMNS, (prompt.text, prompt.tokens, prompt.fingerprint, notes), strict=True))


def make_table(rows: list[dict[str, Any]], **more: str) -> Any:
    """A table of Arrow with these columns, behind others."""
    import pyarrow

    types = {"list": pyarrow.list_(pyarrow.string())}
    names = [(name, types.get(kind) or getattr(pyarrow, kind)()) for name, kind in {**more, **COLUMNS}.items()]
    return pyarrow.Table.from_pylist(rows, pyarrow.schema(names))


def _encode_parquet(built: list[tuple[int, BuiltRow]]) -> bytes:
    from pyarrow import BufferOutputStream, parquet

    sink, rows = BufferOutputStream(), [{"row": n, "id": row.id, **describe_row(row.prompt)} for n, row in built]
    parquet.write_table(make_table(rows, row="int64", id="string"), sink, compression="zstd")
    return bytes(sink.getvalue())


def run_parts(
    engine: str, setup: BatchSetup, folder: PartFolder, processes: int | None, chunks: Iterable[tuple[int, Chunk]]
) -> Iterator[tuple[int, int]]:
    """Make a part of each chunk: its number, and how many rows it has."""
    recipe, writes = setup.load_recipe(), engine == LOCAL  # workers elsewhere may not see this disk
    if not writes:
        setup = setup._replace(load_recipe=lambda: recipe)  # it travels: others may not have its files
    numbered = ((number, (number, chunk)) for number, chunk in chunks)
    try:
        begin = partial(_begin, setup, folder, writes)
        for number, (count, part) in run_chunks(_build_part, begin, numbered, processes, engine):
            if part is not None:
                folder.write(number, *part)
            yield number, count
    finally:
        gc.unfreeze()  # in this process: DuckDB prints what it finds frozen when Python ends


def _begin(setup: BatchSetup, folder: PartFolder, writes: bool) -> tuple[RowBuilder, PartFolder, bool]:
    """Build the base prompt, once in each process; looking for garbage in it again and again takes a while."""
    builder = RowBuilder(setup)
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD)
    return builder, folder, writes


def _build_part(
    context: tuple[RowBuilder, PartFolder, bool], numbered: tuple[int, Chunk]
) -> tuple[int, tuple[bytes, PartRecord] | None]:
    """How many rows it has, and the part itself where it is not written here."""
    (builder, folder, writes), (number, chunk) = context, numbered
    data, record = make_part(builder, folder, chunk)
    if writes:
        folder.write(number, data, record)
    return len(record.lines) + len(record.errors), None if writes else (data, record)
