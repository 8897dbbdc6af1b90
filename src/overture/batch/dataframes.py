"""`overture.batch.map`: columns with prompts for a Ray Dataset, or a Daft, Polars or PySpark frame."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from ..api import discover, load_recipe
from ..discovery.world import Path
from ..errors import ConfigError
from ..jobs import ProcessValue
from ..model.prompt.budget import Budget, BudgetLimit, as_budget
from ..model.recipe.recipe import Recipe
from ..model.state.state import State
from .arrow_tables import list_rows, make_arrow_table
from .build_rows import COLUMNS, BatchSetup, RowBuilder, describe_row
from .columns_to_state import ColumnMap, resolve_columns
from .row_files import RowError

Frame = TypeVar("Frame")
Builder = ProcessValue[RowBuilder]


def map(
    dataset: Frame,
    recipe: Path | Recipe,
    *,
    columns: Mapping[str, str] | None = None,
    ignore: Sequence[str] = (),
    state: State | Mapping[str, Any] | None = None,
    cwd: Path | None = None,
    budget: BudgetLimit | Budget | None = None,
    tokenizer: str | None = None,
) -> Frame:
    """The same kind of dataset, with the columns `text`, `tokens`, `fingerprint` and `diagnostics`.

    `columns` maps fields of State to columns: `{"memories": "notes"}`; columns named like a field map by themselves,
    others are an error unless `ignore` names them (`*` matches all). Under the rows lies `state`, or the project at
    `cwd`. A row that fails has no text, and says why in `diagnostics`.
    """
    kind = type(dataset).__module__.partition(".")[0]
    if kind not in ADAPTERS:
        raise ConfigError(f"{type(dataset).__qualname__!r} is not a Ray Dataset, nor a Daft, Polars or PySpark frame.")
    loaded = load_recipe(recipe, cwd=cwd)
    if state is None:
        state = discover(loaded, cwd=cwd).state
    base = state if isinstance(state, State) else State.from_dict(state)
    names = _list_names(dataset)
    if taken := [name for name in COLUMNS if name in names]:
        raise ConfigError(f"The dataset has a column {taken[0]!r}, which is one of the results.", hint="Rename it.")
    resolved = resolve_columns(names, ColumnMap(columns or {}, None, tuple(ignore)))
    limit = None if budget is None else as_budget(budget)
    setup = BatchSetup(lambda: loaded, base, resolved, budget=limit, tokenizer=tokenizer)
    builder = ProcessValue(partial(RowBuilder, setup))
    builder.get()  # problems of the recipe or the state are raised here, not on a worker
    result: Frame = ADAPTERS[kind](dataset, builder)
    return result


def _list_names(dataset: Any) -> list[str]:
    if hasattr(dataset, "collect_schema"):  # of Polars, where asking a lazy frame for its columns warns
        return list(dataset.collect_schema().names())
    names = dataset.column_names if hasattr(dataset, "column_names") else dataset.columns
    return list(names() if callable(names) else names)


def _build_rows(builder: Builder, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The new columns of some rows."""
    build, built = builder.get().build, list[dict[str, Any]]()
    for row in rows:
        try:
            built.append(describe_row(build(row).prompt))
        except RowError as problem:
            built.append({**dict.fromkeys(COLUMNS), "diagnostics": [f"error: {problem.code}: {problem.message}"]})
    return built


def _map_table(builder: Builder, table: Any) -> Any:
    """A table of Arrow with the new columns."""
    columns = make_arrow_table(_build_rows(builder, list_rows(table, "the dataset")), COLUMNS)
    for name in COLUMNS:
        table = table.append_column(name, columns[name])
    return table


def _map_ray(dataset: Any, builder: Builder) -> Any:
    return dataset.map_batches(partial(_map_table, builder), batch_format="pyarrow")


def _map_polars(frame: Any, builder: Builder) -> Any:
    import polars

    def add(eager: Any) -> Any:
        return polars.from_arrow(_map_table(builder, eager.to_arrow()))

    if isinstance(frame, polars.DataFrame):
        return add(frame)
    return frame.map_batches(add, schema=add(frame.clear().collect()).schema)


def _map_pyspark(frame: Any, builder: Builder) -> Any:
    import pyarrow
    from pyspark.sql.types import ArrayType, StringType, StructType

    def add(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            table = _map_table(builder, pyarrow.Table.from_batches([batch]))
            yield from table.cast(table.schema.set(len(batch.schema), pyarrow.field("text", "string"))).to_batches()

    schema = StructType([*frame.schema.fields]).add("text", "string").add("tokens", "long")
    return frame.mapInArrow(add, schema.add("fingerprint", "string").add("diagnostics", ArrayType(StringType())))


def _map_daft(frame: Any, builder: Builder) -> Any:
    import daft

    names, kinds = frame.column_names, daft.DataType
    types = (kinds.string(), kinds.int64(), kinds.string(), kinds.list(kinds.string()))

    @daft.func.batch(return_dtype=kinds.struct(dict(zip(COLUMNS, types, strict=True))))  # type: ignore[untyped-decorator]
    def add(*columns: Any) -> Any:
        values = zip(*[column.to_pylist() for column in columns], strict=True)
        return _build_rows(builder, [dict(zip(names, each, strict=True)) for each in values])

    added = frame.with_column("overture", add(*[frame[name] for name in names]))
    return added.select(*names, *[added["overture"][name].alias(name) for name in COLUMNS])


ADAPTERS = {"ray": _map_ray, "daft": _map_daft, "polars": _map_polars, "pyspark": _map_pyspark}
"""How each library maps its own kind, which is recognised by the module of its type."""
