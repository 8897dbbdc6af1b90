"""Columns of a row -> fields of State, the user's message and the id."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from msgspec.structs import replace

from ..discovery.parse_json_and_toml import read_toml_file
from ..discovery.world import World
from ..errors import ConfigError, StateError, find_similar
from ..model.state.field_paths import convert_field, find_bad_step, flatten_paths, put_value
from ..model.state.state import FIELDS, State, find_root_field
from ..text.words import join_words
from .row_files import RowError, write_cell

MESSAGE = "message"
"""The target that is no field of State: the text of the user's message."""
ID_COLUMNS = ("custom_id", "id")
"""Columns that are the id by default."""


class ColumnMap(NamedTuple):
    """Maps columns to fields of State."""

    targets: Mapping[str, str]
    """Column by target: `memories`, `agent.name`, `message`."""
    id: str | None = None
    ignored: tuple[str, ...] = ()
    """Names of columns, or patterns with `*`."""
    required: tuple[str, ...] = ()
    """Columns that the user names: a row without one fails. Others may be missing."""

    @property
    def roots(self) -> frozenset[str]:
        """The fields of State that rows change."""
        return frozenset(find_root_field(path) for path in self.targets if path != MESSAGE)

    def knows(self, name: str) -> bool:
        """Whether a column is mapped, or ignored."""
        mapped = name in self.targets.values() or name == self.id
        return mapped or any(fnmatchcase(name, pattern) for pattern in self.ignored)


def parse_map(maps: Sequence[str]) -> dict[str, str]:
    """`memories=notes` or a TOML file of such pairs -> column by target."""
    targets: dict[str, str] = {}
    for text in maps:
        target, equals, column = text.partition("=")
        if not (target and column if equals else text.endswith(".toml")):
            raise ConfigError(f"--map {text!r} is neither FIELD=COLUMN, e.g. memories=notes, nor a .toml file.")
        more = {target: column} if equals else flatten_paths(read_toml_file(World(), text))
        for name in more.keys() & targets.keys():
            raise ConfigError(f"--map {name!r} is given twice: {targets[name]!r} and {more[name]!r}.")
        targets |= more
    return targets


def resolve_columns(names: Sequence[str], mapping: ColumnMap) -> ColumnMap:
    """Checks a mapping against the columns of the rows; columns named like a field of State map by themselves."""
    for target in mapping.targets:
        if target != MESSAGE and (bad := find_bad_step(target.partition("[")[0])):
            tip = find_similar(bad[1], (*bad[2], MESSAGE))
            hint = "" if tip else "`overture schema state` lists the fields."
            raise ConfigError(f"--map {target!r}: {bad[0]}.", noun="field", tip=tip, hint=hint)
    required = (*mapping.targets.values(), *([mapping.id] if mapping.id else []))
    for column in required if names else ():
        if column not in names:
            hint, tip = f"The columns are: {', '.join(names)}.", find_similar(column, names)
            raise ConfigError(f"There is no column {column!r}.", noun="column", tip=tip, hint=hint)
    identity = mapping.id or next((name for name in ID_COLUMNS if name in names and name not in required), None)
    columns = mapping._replace(id=identity, required=required)
    own = [name for name in names if not columns.knows(name)]
    if unknown := [name for name in own if name != MESSAGE and find_bad_step(name)]:
        hint = "Use --map FIELD=COLUMN (message is the user's text), --id COLUMN or --ignore-column NAME."
        tip = find_similar(unknown[0], (*FIELDS, MESSAGE))
        raise ConfigError(_explain_unknown(*unknown), noun="field", tip=tip, hint=hint)
    if twice := next((name for name in own if name in columns.targets), None):
        hint = f"Pass --ignore-column {twice}."
        raise ConfigError(f"Columns {columns.targets[twice]!r} and {twice!r} both fill {twice!r}.", hint=hint)
    return columns._replace(targets={**columns.targets, **{name: name for name in own}})


def _explain_unknown(*names: str) -> str:
    if len(names) == 1:
        return f"Column {names[0]!r} is not mapped, and no field of the state has this name."
    return f"Columns {join_words(list(map(repr, names)))} are not mapped, and no field of the state has these names."


class RowMapper:
    """Puts the values of rows into one base state."""

    def __init__(self, columns: ColumnMap, base: State) -> None:
        self.base, self.columns = base, columns
        self.own = base.replace(**{name: getattr(base, name) for name in columns.roots})
        """The base without the files that gave what rows give."""
        self.fields = {target: column for target, column in columns.targets.items() if target in FIELDS}
        self.paths = {target: c for target, c in columns.targets.items() if target not in (*FIELDS, MESSAGE)}
        self.plain = base.to_dict() if self.paths else {}
        self.checked = set[str]()
        """The columns of the last row: most rows have the same."""

    def map(self, row: Mapping[str, Any]) -> tuple[State, str, str | None]:
        """The state with the row's values in it, the message and the id; a null leaves what the base has."""
        if row.keys() != self.checked:
            self._check_columns(row)
        try:
            values = ((name, row.get(column)) for name, column in self.fields.items())
            changes = {name: convert_field(name, value) for name, value in values if value is not None}
            changes |= self._convert_paths(row) if self.paths else {}
        except StateError as problem:
            raise RowError("bad-value", str(problem)) from None
        state = replace(self.own, **changes) if changes else self.base
        message, identity = row.get(self.columns.targets.get(MESSAGE, "")), row.get(self.columns.id or "")
        return state, write_cell(message) or "", write_cell(identity)

    def _check_columns(self, row: Mapping[str, Any]) -> None:
        for column in self.columns.required:
            if column not in row:
                raise RowError("missing-column", f"The row has no column {column!r}.")
        for name in row:
            if not self.columns.knows(name):
                late = name == MESSAGE or not find_bad_step(name)
                more = f"Column {name!r} is in none of the first rows: give it to one of them, as null."
                raise RowError("unknown-column", more if late else _explain_unknown(name))
        self.checked = {*row}

    def _convert_paths(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Fields of which a row has a part, such as `agent.name`: the rest is the base's."""
        data: dict[str, Any] = {}
        for path, column in self.paths.items():
            if (value := row.get(column)) is not None:
                if (root := find_root_field(path)) in self.plain:
                    data.setdefault(root, deepcopy(self.plain[root]))
                put_value(data, path, value)
        state = State.from_dict(data)
        return {name: getattr(state, name) for name in data}
