"""The files of an audit: results that are found by place or by commit, and all rows as JSONL, Parquet or a database."""

import os
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

import msgspec
from msgspec.structs import fields, replace

from ..discover.revisions.find_repositories import RepositoryPlace
from ..jobs.output_folder import copy_output, explain_write_errors
from .rows import TABLES, RepositoryAudit, RepositoryRow

RESULTS = msgspec.json.Decoder(RepositoryAudit)
HEADS = msgspec.json.Decoder(RepositoryRow)
FILE_SUFFIXES = (".jsonl", ".parquet", ".duckdb")
MAX_ROW_BYTES = 100_000_000


class StoredResult(NamedTuple):
    """A line of a file."""

    path: str
    start: int
    size: int
    row: RepositoryRow

    def read(self, place: RepositoryPlace | None = None) -> RepositoryAudit:
        """All rows of the repository; of another clone at the same commit, under the name of `place`."""
        with open(self.path, "rb") as file:  # noqa: PTH123
            file.seek(self.start)
            result = RESULTS.decode(file.read(self.size))
        if place is None:
            return result
        path, revision = place.key
        return replace(result, repository=place.name, place=path, kind=place.kind, revision=revision)


class ResultIndex:
    """The lines of some files, the last of a place before earlier ones."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.of_place: dict[tuple[str, str], StoredResult] = {}
        self.of_commit: dict[tuple[str, str], StoredResult] = {}
        for path in paths:
            with open(path, "rb") as file:  # noqa: PTH123
                start = 0
                for line in file:
                    self._add(path, start, line)
                    start += len(line)

    def _add(self, path: str, start: int, line: bytes) -> None:
        try:
            row = HEADS.decode(line)
        except msgspec.DecodeError:  # a line that somebody has edited
            return
        found = self.of_place[row.place, row.revision] = StoredResult(path, start, len(line), row)
        if row.status == "ok":
            self.of_commit[row.identity, row.stamp] = found

    def find(self, identity: str | None, stamp: str) -> StoredResult | None:
        """What an audit of this very commit would give again, be it of another clone of it."""
        return self.of_commit.get((identity or "", stamp))


def write_rows(lines: str, file: str, draft: str) -> None:
    """Make a file of lines: a row per repository with lists of rows, or a database with a table for each list."""
    with explain_write_errors(file):
        with suppress(FileNotFoundError):  # of a run that was killed
            os.unlink(draft)
        if not file.lower().endswith(".jsonl"):
            _convert(lines, draft, as_database=file.lower().endswith(".duckdb"))
        copy_output(draft if os.path.exists(draft) else lines, file)


def _convert(lines: str, draft: str, *, as_database: bool) -> None:
    import duckdb

    inner = {name: [f'"{column}" {of}' for column, of in _list_columns(kind).items()] for name, kind in TABLES.items()}
    lists = {name: f"struct({', '.join(columns)})[]" for name, columns in inner.items()}
    columns = {**_list_columns(RepositoryRow), **lists}
    read = f"read_json({_quote(lines)}, format='newline_delimited', maximum_object_size={MAX_ROW_BYTES}, {columns=})"
    try:
        with duckdb.connect(draft if as_database else ":memory:") as connection:
            if not as_database:
                connection.execute(f"copy (from {read}) to {_quote(draft)} (format parquet)")
                return
            connection.execute(f"create temp table results as from {read}")
            connection.execute(f"create table repositories as select * exclude ({', '.join(lists)}) from results")
            for name in lists:
                unnested = f"unnest({name}, max_depth := 2)"  # the list and its structs, and no list within these
                connection.execute(f"create table {name} as select repository, {unnested} from results")
    except duckdb.Error as problem:
        raise OSError(str(problem).partition("\n")[0]) from None


def _quote(path: str) -> str:
    """A text in SQL."""
    return "'" + path.replace("'", "''") + "'"


def _list_columns(row: type[msgspec.Struct]) -> dict[str, str]:
    """The columns of a table in SQL, from the types of its rows."""
    columns = {}
    for field in fields(row):
        kind = str(getattr(field.type, "__origin__", field.type))
        name = "bigint" if "int" in kind else "boolean" if "bool" in kind else "varchar"
        columns[field.name] = f"{name}[]" if "tuple" in kind else name
    return columns
