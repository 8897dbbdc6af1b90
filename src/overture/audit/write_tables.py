"""Writes the rows of all repositories as tables: JSONL; and from that, with DuckDB, Parquet or one database."""

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from typing import BinaryIO

from msgspec import json
from msgspec.structs import asdict, fields

from ..errors import ConfigError
from ..jobs.output_folder import OutputFolder, explain_write_errors, replace_output
from .rows import TABLES, RepositoryAudit

FORMATS = ("jsonl", "parquet", "duckdb")
DATABASE = "audit.duckdb"
MAX_ROW_BYTES = 100_000_000


def check_format(form: str) -> None:
    """A format whose package is missing is an error before any work begins."""
    if form != "jsonl" and find_spec("duckdb") is None:
        raise ConfigError(f"--format {form} needs duckdb.", hint="pip install 'overture[batch]'")


class TableWriter:
    """A file of lines for each table."""

    def __init__(self, files: dict[str, BinaryIO]) -> None:
        self.files, self.encoder = files, json.Encoder()

    def add(self, result: RepositoryAudit) -> None:
        """Write the rows of a repository."""
        name = {"repository": result.row.repository}
        for table, file in self.files.items():
            rows = (result.row,) if table == "repositories" else getattr(result, table)
            file.write(self.encoder.encode_lines([{**name, **asdict(row)} for row in rows]))


@contextmanager
def open_tables(folder: OutputFolder, form: str, drafts: str) -> Iterator[TableWriter]:
    """Tables that are in the folder when the block ends, whole. `drafts` is a folder in it for what leads to them."""
    place = "" if form == "jsonl" else f"{drafts}/"
    with ExitStack() as stack:
        paths = {table: folder.locate(f"{place}{table}.jsonl") for table in TABLES}
        yield TableWriter({table: stack.enter_context(replace_output(paths[table], durable=False)) for table in paths})
    if form != "jsonl":
        _convert(folder, form, drafts)


def _convert(folder: OutputFolder, form: str, drafts: str) -> None:
    import duckdb

    draft = folder.locate(f"{drafts}/{DATABASE}")
    with explain_write_errors(folder.path):
        with suppress(FileNotFoundError):  # of a run that was killed
            os.unlink(draft)
        try:
            with duckdb.connect(draft) as database:
                for table in TABLES:
                    path = _quote(folder.locate(f"{drafts}/{table}"))
                    database.execute(
                        f"create table {table} as select * from read_json({path}.jsonl', {_describe(table)})"
                    )
                    if form == "parquet":
                        database.execute(f"copy {table} to {path}.parquet' (format parquet)")
        except duckdb.Error as problem:
            raise OSError(str(problem).partition("\n")[0]) from None
        for name in [DATABASE] if form == "duckdb" else [f"{table}.parquet" for table in TABLES]:
            draft = folder.locate(f"{drafts}/{name}")
            with open(draft, "rb") as source, replace_output(folder.locate(name)) as file:  # noqa: PTH123
                shutil.copyfileobj(source, file)


def _quote(path: str) -> str:
    """The beginning of a text in SQL: what follows ends it."""
    return "'" + path.replace("'", "''")


def _describe(table: str) -> str:
    """How DuckDB reads the lines of a table: its columns, from the types of its rows."""
    columns = {"repository": "varchar"}
    for field in fields(TABLES[table]):
        kind = str(getattr(field.type, "__origin__", field.type))
        name = "bigint" if "int" in kind else "boolean" if "bool" in kind else "varchar"
        columns[field.name] = f"{name}[]" if "tuple" in kind else name
    return f"format='newline_delimited', maximum_object_size={MAX_ROW_BYTES}, columns={columns}"
