"""Writes the rows of all repositories: six tables of JSONL in a folder, or one file of JSONL, Parquet or DuckDB."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress

from msgspec import Struct, json
from msgspec.structs import asdict, fields

from ..jobs.output_folder import OutputFolder, explain_write_errors, replace_output
from .rows import TABLES, RepositoryAudit

FILE_SUFFIXES = (".jsonl", ".parquet", ".duckdb")
REPOSITORIES = "repositories"
MAX_ROW_BYTES = 100_000_000


@contextmanager
def open_tables(folder: OutputFolder, file: str | None, drafts: str) -> Iterator[Callable[[RepositoryAudit], None]]:
    """What takes results, and writes tables that are there when the block ends; what leads to them is in `drafts`.

    Without a `file`, the tables are in the folder. A database has the same; in other files, the row of a repository
    has its rows of the other tables as lists.
    """
    suffix, encoder = file and os.path.splitext(file)[1].lower(), json.Encoder()
    names = TABLES if suffix in (None, ".duckdb") else {REPOSITORIES: TABLES[REPOSITORIES]}
    place = f"{drafts}/" if suffix else ""
    paths = {table: folder.locate(f"{place}{table}.jsonl") for table in names}
    if file and suffix == ".jsonl":
        paths = {REPOSITORIES: file}

    def add(result: RepositoryAudit) -> None:
        if len(files) == 1:
            nested = {table: getattr(result, table) for table in TABLES if table != REPOSITORIES}
            files[REPOSITORIES].write(encoder.encode_lines([{**asdict(result.row), **nested}]))
            return
        name = {"repository": result.row.repository}
        for table, lines in files.items():
            rows = (result.row,) if table == REPOSITORIES else getattr(result, table)
            lines.write(encoder.encode_lines([{**name, **asdict(row)} for row in rows]))

    with ExitStack() as stack:
        files = {table: stack.enter_context(replace_output(path, durable=False)) for table, path in paths.items()}
        yield add
    if file and suffix != ".jsonl":
        _convert(folder, [*names], file, drafts)


def _convert(folder: OutputFolder, tables: list[str], file: str, drafts: str) -> None:
    """Make the file of the lines of its tables."""
    import duckdb

    database, result = (folder.locate(f"{drafts}/{name}") for name in ("tables.duckdb", "rows.parquet"))
    with explain_write_errors(file):
        for draft in (database, result):  # of a run that was killed
            with suppress(FileNotFoundError):
                os.unlink(draft)
        try:
            with duckdb.connect(database) as connection:
                for table in tables:
                    lines = _quote(folder.locate(f"{drafts}/{table}.jsonl"))
                    columns = _describe(table, nested=len(tables) == 1)
                    connection.execute(f"create table {table} as select * from read_json({lines}, {columns})")
                if len(tables) == 1:
                    connection.execute(f"copy {REPOSITORIES} to {_quote(result)} (format parquet)")
        except duckdb.Error as problem:
            raise OSError(str(problem).partition("\n")[0]) from None
        with open(result if len(tables) == 1 else database, "rb") as source, replace_output(file) as target:  # noqa: PTH123
            shutil.copyfileobj(source, target)


def _quote(path: str) -> str:
    """A text in SQL."""
    return "'" + path.replace("'", "''") + "'"


def _describe(table: str, *, nested: bool) -> str:
    """How DuckDB reads the lines of a table: its columns, from the types of its rows."""
    columns = {"repository": "varchar", **_list_columns(TABLES[table])}
    for name, kind in TABLES.items() if nested else ():
        if name != table:
            inner = ", ".join(f'"{column}" {of}' for column, of in _list_columns(kind).items())
            columns[name] = f"struct({inner})[]"
    return f"format='newline_delimited', maximum_object_size={MAX_ROW_BYTES}, columns={columns}"


def _list_columns(row: type[Struct]) -> dict[str, str]:
    columns = {}
    for field in fields(row):
        kind = str(getattr(field.type, "__origin__", field.type))
        name = "bigint" if "int" in kind else "boolean" if "bool" in kind else "varchar"
        columns[field.name] = f"{name}[]" if "tuple" in kind else name
    return columns
