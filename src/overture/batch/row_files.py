"""Files of rows: read in chunks of JSON Lines that another process decodes, or converted to Parquet and DuckDB."""

import csv
import os
import sys
from codecs import BOM_UTF8
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing
from hashlib import blake2b
from itertools import chain
from typing import Any, BinaryIO, NamedTuple

import msgspec

from ..errors import ConfigError, describe_unreadable, explain_unknown, require_packages
from .arrow_tables import read_batches, refuse_repeated_columns

CHUNK_ROWS = 1_000
CHUNK_BYTES = 8_000_000
"""A chunk ends with the row that reaches either."""
FORMATS = ("jsonl", "csv", "parquet", "arrow")
SUFFIXES = {"ndjson": "jsonl", "json": "jsonl", "ipc": "arrow", "arrows": "arrow", "feather": "arrow"}
OTHER_SEPARATORS = ";\t|"
MAX_ROW_BYTES = 100_000_000
NOT_UTF8 = b'"\xff"\n'
"""A line that fails as its row has to."""


class RowError(Exception):
    """Why one row has no result: a stable code, and a sentence. The other rows go on."""

    def __init__(self, code: str, message: str) -> None:
        """A row that can't be used, with a code for programs."""
        super().__init__(code, message)
        self.code, self.message = code, message


class Chunk(NamedTuple):
    """Rows that are built together, as JSON Lines."""

    first: int
    """The number of its first row, from 1; of JSON Lines, the line."""
    data: bytes
    part: float
    """How far the input is read with it, from 0 to 1; 0 if that is unknown."""
    repeated: frozenset[int] = frozenset()
    """Numbers of rows that have the id of an earlier one."""

    @property
    def digest(self) -> str:
        """A digest of a chunk: the same for the same rows."""
        return blake2b(self.data, digest_size=16).hexdigest()


class RowSource(NamedTuple):
    """Where rows come from: a path, `-`, or a query; and their format."""

    name: str
    form: str
    size: int = 0
    """Bytes of a file; 0 of anything else."""

    def read(self) -> Iterator[Chunk]:
        """The rows in chunks: the same ones whenever the input is the same."""
        first, group, length, done = 1, list[bytes](), 0, 0
        with closing(self._lines()) as lines:
            for line in lines:
                group.append(line)
                length += len(line)
                if len(group) >= CHUNK_ROWS or length >= CHUNK_BYTES:
                    done += length
                    yield Chunk(first, b"".join(group), done / self.size if self.form == "jsonl" and self.size else 0.0)
                    first, group, length = first + len(group), [], 0
        if group:
            yield Chunk(first, b"".join(group), 1.0)

    def _lines(self) -> Generator[bytes, None, None]:
        """The rows of a file or a query as JSON Lines."""
        if self.form == "sql":
            yield from _encode(read_batches(None, self.form, self.name))
            return
        with _open_rows(self.name) as file:
            if self.form == "jsonl":
                yield from chain([next(file, b"").removeprefix(BOM_UTF8)], file)
            elif self.form == "csv":
                yield from _encode_csv(file, self.name)
            else:
                yield from _encode(read_batches(file, self.form, self.name))


def _encode(rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    yield from (msgspec.json.encode(row) + b"\n" for row in rows)


def find_source(rows: str | None, sql: str | None, form: str | None) -> RowSource:
    """Check that there is exactly one input, in a known format, with the packages it needs installed."""
    if sql is not None and rows is None:
        require_packages("Rows from SQL", "batch", "duckdb", "pyarrow")
        return RowSource(sql, "sql")
    if rows is None or sql is not None:
        raise ConfigError("Rows come from one place.", hint="Pass a file, `-` for standard input, or --sql QUERY.")
    if os.path.isdir(rows):
        raise ConfigError(
            f"{rows!r} is a folder.",
            hint='Pass a file of rows; a query of --sql reads many: select * from "rows/*.parquet"',
        )
    suffix = os.path.splitext(rows)[1].lower().removeprefix(".")
    file_format = form or ("jsonl" if rows == "-" else SUFFIXES.get(suffix, suffix))
    if file_format not in FORMATS:
        raise ConfigError(explain_unknown("Format of rows", file_format, FORMATS), hint="Pass --rows-format.")
    if file_format in ("parquet", "arrow"):
        require_packages(f"Rows from {file_format.capitalize()}", "batch", "pyarrow")
    with _open_rows(rows) as file:
        return RowSource(rows, file_format, os.fstat(file.fileno()).st_size if rows != "-" else 0)


def _open_rows(path: str) -> BinaryIO:
    try:
        return os.fdopen(os.dup(0), "rb") if path == "-" else open(path, "rb")  # noqa: PTH123
    except OSError as problem:
        raise ConfigError(f"{describe_unreadable(path, problem)}.") from None


def _encode_csv(file: BinaryIO, path: str) -> Iterator[bytes]:
    """Each row as an object by column, empty cells as null; one with other cells than the header as a text."""
    csv.field_size_limit(sys.maxsize)
    # Strict, as a quote that is never closed would take all rows behind it for one cell.
    records = csv.reader((line.decode("utf-8", "surrogateescape") for line in file), strict=True)
    try:
        header = [name.removeprefix("\ufeff") for name in next(records, [])]
        refuse_repeated_columns(header, path)
        if len(header) == 1 and any(sign in header[0] for sign in OTHER_SEPARATORS):
            hint = "Use commas, or read the file with --sql, which finds other separators."
            raise ConfigError(f"{path!r} has no commas between its columns: {header[0]!r}.", hint=hint)
        for cells in filter(None, records):
            row = dict(zip(header, (cell or None for cell in cells), strict=False))
            other = f"{len(cells)} cells for {len(header)} columns"
            try:
                yield msgspec.json.encode(row if len(cells) == len(header) else other) + b"\n"
            except UnicodeEncodeError:
                yield NOT_UTF8
    except csv.Error as problem:
        hint = "Check the quotes there, and in the row before."
        raise ConfigError(f"{path!r} is not CSV, in line {records.line_num:,}: {problem}.", hint=hint) from None


def write_cell(value: Any) -> str | None:
    """A text as it is, anything else as JSON."""
    return value if isinstance(value, str) or value is None else msgspec.json.encode(value).decode()


def decode_rows(chunk: Chunk) -> Iterator[tuple[int, dict[str, Any] | RowError]]:
    """Each row with its number, as an object by column, or why it is invalid."""
    for number, line in enumerate(chunk.data.split(b"\n"), chunk.first):
        if not line or line.isspace():
            continue
        try:
            row = msgspec.json.decode(line)
        except UnicodeDecodeError:
            yield number, RowError("not-utf-8", "The row is not UTF-8.")
        except (msgspec.DecodeError, RecursionError) as problem:
            yield number, RowError("not-json", f"The row is not JSON: {problem}.")
        else:
            if not isinstance(row, dict):
                shown = line[:40].decode(errors="replace").strip()
                row = RowError("not-an-object", f"The row is not an object: {shown}")
            yield number, row


def name_row(number: int) -> str:
    """The id of a row that has none."""
    return f"row-{number}"


def mark_repeated_ids(chunks: Iterable[Chunk], column: str) -> Iterator[Chunk]:
    """The same chunks; of rows with one id, the first is the one that a provider gets."""
    row_id: Any = msgspec.defstruct("RowId", [("value", Any, None)], rename={"value": column})
    decode, hashes = msgspec.json.Decoder(row_id).decode, set[int]()  # the builder of rows decodes the other columns
    for chunk in chunks:
        repeated = []
        for number, line in enumerate(chunk.data.split(b"\n"), chunk.first):
            try:
                identity = decode(line).value
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                continue
            known = hash(write_cell(identity) or name_row(number))
            repeated += [number] if known in hashes else []
            hashes.add(known)
        yield chunk._replace(repeated=frozenset(repeated))


def list_columns(source: RowSource, chunk: Chunk) -> list[str]:
    """The columns of the first chunk, by which a mapping is checked before all the work."""
    rows = [row for _, row in decode_rows(chunk)]
    codes = {row.code if isinstance(row, RowError) else "" for row in rows}
    if source.form == "jsonl" and codes <= {"not-json", "not-an-object"}:
        hint = 'A row is an object on a line of its own, in UTF-8 and not compressed. Of a list: jq -c ".[]" FILE'
        raise ConfigError(
            f"No line of {source.name!r} is {'JSON' if codes == {'not-json'} else 'an object'}.", hint=hint
        )
    return list(dict.fromkeys(name for row in rows if isinstance(row, dict) for name in row))
