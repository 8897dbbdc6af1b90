"""Reads an agent's own settings. What a project's settings name may not lead out of the project."""

import json
import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, product
from typing import TYPE_CHECKING, Any, NamedTuple

from ...discovery.allowed import PathReference, plain_folder_name
from ...discovery.parse_json_and_toml import find_setting, parse_settings, split_key
from ...discovery.reader import Sighting
from ...model.agent_rules import Settings
from ...model.diagnostic import warning

if TYPE_CHECKING:
    from .look import Look

MAX_SETTING_NAMES = 200
"""Names that a setting may have."""
REMOTE = "://"
"""What a URL has, and no name of a file."""


class Value(NamedTuple):
    """The value of a key in one settings file."""

    path: str
    value: Any
    is_users: bool
    """Whether it is the user's own file, or the machine's."""


class SettingsRead:
    """The settings of some files."""

    def __init__(self, look: "Look", files: Sequence[tuple[str, bool, Mapping[str, Any]]]) -> None:
        self.look, self.files = look, files

    def values(self, key: str) -> list[Value]:
        """The values of a key, in the order of the files."""
        steps = split_key(key)
        found = (Value(path, find_setting(values, steps), is_users) for path, is_users, values in self.files)
        return [each for each in found if each.value is not None]

    def last(self, key: str) -> Any:
        """The value of a key that counts."""
        return next((each.value for each in reversed(self.values(key))), None)

    def flag(self, key: str) -> bool | None:
        """A switch; None if it is not set."""
        on = None
        for each in self.values(key):
            if isinstance(each.value, bool):
                on = each.value
            else:
                self._report(key, each)
        return on

    def number(self, key: str) -> int | None:
        """A limit; None if it is not set."""
        for each in self.values(key)[-1:]:
            if isinstance(each.value, int) and not isinstance(each.value, bool) and each.value >= 0:
                return each.value
            self._report(key, each)
        return None

    def names(
        self, key: str, *, last: bool = False, known: Iterable[str] = (), replaces: bool = False
    ) -> list[str] | None:
        """The names of files that a key lists, in all files or in the last; None if none has a list.

        `known` are names that the agent looks for anyway: a project's setting does not limit those. With `replaces`,
        each list stands in place of those of the files before, and of the known names.
        """
        names: dict[str, None] | None = None
        values, free = self.values(key), set(self.look.free_names)
        for each in values[-1:] if last else values:
            for name in each.value if isinstance(each.value, list) else [each.value]:
                if isinstance(name, str) and REMOTE in name:  # the agent may fetch it, and discovery has no network
                    _report_unmodelled(self.look, f"{name:.80} in {key}", each.path)
            checked = self._check_names(each.value)
            if checked is None:
                self._report(key, each)
                continue
            new = set(checked).difference(() if replaces and names is not None else known, names or ())
            self._limit_reach(new, key, each)
            names = {**({} if replaces else names or {}), **dict.fromkeys(checked)}
            if replaces:  # without those of a list that is replaced
                self.look.free_names -= set(known).difference(names)
                self.look.free_names &= free.union(names)
        return None if names is None else list(names)

    def texts(self, key: str) -> list[str]:
        """All texts that a key lists, in all files."""
        texts: list[str] = []
        for each in self.values(key):
            checked = check_file_names(each.value)
            if checked is None:
                self._report(key, each)
            texts += checked or ()
        return texts

    def tables(self, key: str) -> list[Value]:
        """What each file has for a key: a table of folders, each true or false."""
        tables = []
        for each in self.values(key):
            rows = list(each.value.items())[:MAX_SETTING_NAMES] if isinstance(each.value, Mapping) else None
            table = {path.strip().rstrip("/"): on for path, on in rows or () if isinstance(on, bool)}
            names = self._check_names(list(table))
            if rows is None or names is None:
                self._report(key, each)
            else:
                tables.append(each._replace(value={name: table[name] for name in names}))
        return tables

    def replace(self, before: Iterable[str], names: Iterable[str], key: str, each: Value) -> None:
        """Names that a key of one file puts in place of others: the new ones of a project's setting stay in it."""
        self.look.free_names -= set(before).difference(names)
        self._limit_reach(set(names).difference(before), key, each)

    def _check_names(self, value: Any) -> list[str] | None:
        """Names of files; `{folder}` in a setting does not lead to the agent's own folders."""
        names = check_file_names(value)
        return None if names is None else [name for name in names if self.look.fill(name) == name]

    def _limit_reach(self, names: set[str], key: str, each: Value) -> None:
        """A project's settings name files of the project; names in the user's own settings may lead anywhere."""
        reader, names = self.look.reader, names - self.look.free_names
        self.look.free_names |= names if each.is_users else set()
        reach = PathReference(f"named by {key} in {each.path}", reader.allowed.limits_of(reader.allowed.project))
        for name in map(plain_folder_name, names):
            if each.is_users:
                reader.reaches.pop(name, None)
            else:
                reader.reaches[name] = reach

    def _report(self, key: str, each: Value) -> None:
        message = f"{key} is {each.value!r:.60}, which is invalid: it is skipped"
        _report_once(self.look, "settings-invalid", message, each.path)


def read_settings(look: "Look", files: Iterable[Settings]) -> SettingsRead:
    """What these files say, each path read once and reported once."""
    rows = []
    for path, is_users in (row for file in files for row in _list_paths(look, file)):
        if path not in look.settings_read:
            look.settings_read[path] = _read(look, path)
        if (values := look.settings_read[path]) is not None:
            rows.append((path, is_users, values))
    return SettingsRead(look, rows)


def _list_paths(look: "Look", file: Settings) -> Iterator[tuple[str, bool]]:
    """Where a settings file may be: in folders of the project, or at home."""
    folders = {"cwd": [look.cwd], "root": [look.project], "walk": look.walk}[file.where]
    for is_users, paths in groupby(map(look.fill, file.paths), key=lambda path: path.startswith(("~/", "/"))):
        if is_users:
            yield from ((path, True) for path in look.at_home(*(path.removeprefix("~/") for path in paths)))
        else:
            yield from ((posixpath.join(folder, path), False) for folder, path in product(folders, list(paths)))


def _read(look: "Look", path: str) -> Mapping[str, Any] | None:
    """The values of a settings file; an unreadable one is reported and ignored."""
    reader = look.reader
    result = reader.look_at(path)
    if not isinstance(result, Sighting):
        if result.outcome != "absent":
            reader.refuse(path, "settings", *result)
        return None
    values: Mapping[str, Any] | str | None = reader.load(result, "settings", _parse)
    if isinstance(values, str):
        reader.refuse(path, "settings", "skipped", values)
        return None
    if values is not None:
        reader.note(path, "settings", "loaded")
    return values


def _parse(text: str, path: str) -> tuple[Mapping[str, Any] | str, tuple[()]]:
    """The values of a settings file, or what is wrong with it."""
    try:
        return parse_settings(text, path), ()
    except (ValueError, RecursionError) as problem:
        return str(problem) or "it can't be read", ()


def report_unmodelled(look: "Look") -> None:
    """Report settings and variables that are set and whose effect is not modelled."""
    for file in look.wants.configured:
        read = read_settings(look, [file])
        for key in file.unmodelled:
            name, equals, wanted = key.partition("=")
            name = name.replace("{cwd}", look.cwd).replace("{project}", look.project)
            for each in read.values(name):
                said = each.value == wanted or (isinstance(each.value, bool) and str(each.value).lower() == wanted)
                if said if equals else each.value:
                    _report_unmodelled(look, key.partition("=")[0].strip('"'), each.path)
    for variable in filter(look.flag, look.wants.variables):
        _report_unmodelled(look, variable)


def _report_unmodelled(look: "Look", name: str, path: str | None = None) -> None:
    message = f"not modelled: {name} is set; the agent may read other files than shown here"
    _report_once(look, "not-modelled", message, path)


def _report_once(look: "Look", code: str, message: str, path: str | None) -> None:
    """Skills and files may ask for the same setting."""
    note = warning(code, message, path)
    look.reader.diagnostics += [] if note in look.reader.diagnostics else [note]


def split_names(text: str, *, form: str = "") -> list[str] | None:
    """The names in a variable: JSON, or separated by commas or colons; None if they have to be JSON and are not."""
    try:
        return check_file_names(json.loads(text))
    except (ValueError, RecursionError):
        return None if form == "json" else [each.strip() for each in re.split("[,:]", text) if each.strip()]


def check_file_names(value: Any) -> list[str] | None:
    """Names of files, without those on the network; None if it is something else."""
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(each, str) and _can_be_path(each) for each in listed):
        return None
    return [each for each in listed[:MAX_SETTING_NAMES] if REMOTE not in each]


def _can_be_path(name: str) -> bool:
    """Whether the disk could have such a name: JSON may hold a NUL, and half of a surrogate pair."""
    try:
        return bool(name) and b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        return False
