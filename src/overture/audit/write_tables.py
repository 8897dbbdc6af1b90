"""Writes the rows of all repositories as tables: JSONL; and from that, with DuckDB, Parquet or one database."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec

from msgspec import json
from msgspec.structs import asdict, fields

from ..errors import ConfigError
from ..jobs.output_folder import OutputFolder, explain_write_errors, replace_output
from .rows import TABLES, RepositoryAudit

FORMATS = ("jsonl", "parquet", "duckdb")
DATABASE = "audit.duckdb"
MAX_ROW_BYTES = 100_000_000


def check_packages(form: str, engine: str | None) -> None:
    """A format or an engine whose package is missing is an error before any work begins."""
    if form != "jsonl" and find_spec("duckdb") is None:
        raise ConfigError(f"--format {form} needs duckdb.", hint="pip install 'overture[batch]'")
    if engine and find_spec(engine) is None:
        raise ConfigError(f"--engine {engine} needs {engine}.", hint=f"pip install 'overture[{engine}]'")


@contextmanager
def open_tables(folder: OutputFolder, form: str, drafts: str) -> Iterator[Callable[[RepositoryAudit], None]]:
    """What takes results, and writes tables that are there when the block ends; what leads to them is in `drafts`."""
    place, encoder = "" if form == "jsonl" else f"{drafts}/", json.Encoder()
    paths = {table: folder.locate(f"{place}{table}.jsonl") for table in TABLES}

    def add(result: RepositoryAudit) -> None:
        name = {"repository": result.row.repository}
        for table, file in files.items():
            rows = (result.row,) if table == "repositories" else getattr(result, table)
            file.write(encoder.encode_lines([{**name, **asdict(row)} for row in rows]))

    with ExitStack() as stack:
        files = {table: stack.enter_context(replace_output(path, durable=False)) for table, path in paths.items()}
        yield add
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
                    lines = f"read_json({path}.jsonl', {_describe(table)})"
                    database.execute(f"create table {table} as select * from {lines}")
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
