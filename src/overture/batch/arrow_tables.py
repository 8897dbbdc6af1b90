"""Tables of Arrow: rows read from Parquet, Arrow files and queries, or written as Parquet."""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, BinaryIO

from ..errors import ConfigError

BATCH_ROWS = 1_000
"""Rows that are read at once."""


def read_batches(file: BinaryIO | None, form: str, name: str) -> Iterator[dict[str, Any]]:
    """The rows of a Parquet or Arrow file, or, without a file, of the query that `name` is."""
    from pyarrow import ArrowException

    try:
        for batch in _run_query(name) if file is None else _open_arrow(file, form):
            yield from list_rows(batch, name)
    except (ArrowException, OSError, UnicodeDecodeError) as problem:
        raise ConfigError(f"{name!r} can't be read: {problem}.", hint="Check that the file is complete.") from None


def list_rows(batch: Any, source: str) -> Iterator[dict[str, Any]]:
    """The rows of a record batch or a table of Arrow, as objects by column."""
    refuse_repeated_columns(names := batch.schema.names, source)
    columns = [_list_values(name, batch.column(name), source) for name in names]
    rows = zip(*columns, strict=True) if names else ()
    yield from (dict(zip(names, values, strict=True)) for values in rows)


def _list_values(name: str, column: Any, source: str) -> list[Any]:
    """The values of a column of Arrow; times that Python has no type for, such as with nanoseconds, are text."""
    from pyarrow import ArrowException

    with suppress(ValueError, OverflowError):
        return list(column.to_pylist())
    with suppress(ArrowException):
        texts = column.cast("string").to_pylist() if str(column.type).startswith(("timestamp", "time", "date")) else []
        if texts and not any(text and text.startswith("<") for text in texts):  # Arrow's own word for out of range
            return [text and text.replace(" ", "T") for text in texts]
    hint = f"Convert it with --sql: select * replace ({name}::varchar as {name}) from …"
    raise ConfigError(
        f"Column {name!r} of {source!r} has a value that can't be read, of type {column.type}.", hint=hint
    )


def refuse_repeated_columns(names: list[str], source: str) -> None:
    """A row is an object by column: of two columns of one name it would have the last."""
    if len({*names}) < len(names):
        hint = "Rename one; in a query: select id as other."
        raise ConfigError(f"{source!r} has two columns of one name: {', '.join(names)}.", hint=hint)


ARROW_FILE = b"ARROW1"
"""How an Arrow file begins and ends."""


def _open_arrow(file: BinaryIO, form: str) -> Iterator[Any]:
    """The record batches of a Parquet file, an Arrow file or an Arrow stream."""
    from pyarrow import ArrowInvalid, BufferReader, ipc, parquet

    source = file if file.seekable() else BufferReader(file.read())
    if form == "parquet":
        yield from parquet.ParquetFile(source).iter_batches(BATCH_ROWS)
    elif source.read(6) == ARROW_FILE:
        # Arrow would find it out in a thread that it has just started, and ending right after that may abort.
        source.seek(-len(ARROW_FILE), os.SEEK_END)
        if source.read() != ARROW_FILE:
            raise ArrowInvalid("Not an Arrow file")
        reader = ipc.RecordBatchFileReader(source)
        yield from map(reader.get_batch, range(reader.num_record_batches))
    else:
        source.seek(0)
        yield from ipc.open_stream(source)


def _run_query(query: str) -> Iterator[Any]:
    import duckdb

    try:
        relation = duckdb.connect().sql(query)
        if relation is None:
            raise ConfigError("The query gives no rows.", hint="Pass a SELECT.")
        yield from relation.to_arrow_reader(BATCH_ROWS)
    except duckdb.Error as problem:
        raise ConfigError(f"The query failed: {str(problem).strip()}") from None


def make_arrow_table(rows: list[dict[str, Any]], columns: Mapping[str, str]) -> Any:
    """A table of Arrow with columns of these types; `list` is one of texts."""
    import pyarrow

    types = {"list": pyarrow.list_(pyarrow.string())}
    names = [(name, types.get(kind) or getattr(pyarrow, kind)()) for name, kind in columns.items()]
    return pyarrow.Table.from_pylist(rows, pyarrow.schema(names))


def encode_parquet(table: Any) -> bytes:
    """A Parquet file."""
    from pyarrow import BufferOutputStream, parquet

    sink = BufferOutputStream()
    parquet.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue())
