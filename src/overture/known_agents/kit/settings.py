"""Reads an agent's own settings. What a project's settings name may not lead out of the project."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, product
from typing import TYPE_CHECKING, Any, NamedTuple

from ...discovery.globs import join_name
from ...discovery.parse_json_and_toml import find_setting, parse_settings
from ...discovery.reader import PathReference, Sighting, plain_folder_name
from ...model.agent_rules import Settings
from ...model.diagnostic import Diagnostic, warning
from ...model.state.reasons import because

if TYPE_CHECKING:
    from .look import Look
MAX_SETTING_NAMES = 200  # names that a setting may have
REMOTE = "://"  # what a URL has, and no name of a file


class Value(NamedTuple):  # the value of a key in one settings file
    path: str
    value: Any
    is_users: bool  # whether it is the user's own file, or the machine's


class SettingsRead:
    """The settings of some files."""

    def __init__(self, look: "Look", files: Sequence[tuple[str, bool, Mapping[str, Any]]]) -> None:
        self.look, self.files = look, files

    def values(self, key: str) -> list[Value]:
        """The values of a key, in the order of the files; of several, the last counts."""
        found = (Value(path, find_setting(values, key), is_users) for path, is_users, values in self.files)
        return [each for each in found if each.value is not None]

    def valid(self, key: str, check: Callable[[Any], Any] = lambda value: value) -> list[Any]:
        """What the check makes of the values of a key, file after file; those of which it makes None are reported."""
        made = [(each, check(each.value)) for each in self.values(key)]
        for each in (each for each, value in made if value is None):
            self.report(key, each)
        return [value for _, value in made if value is not None]

    def flag(self, key: str) -> bool | None:
        on: bool | None = [None, *self.valid(key, lambda value: value if isinstance(value, bool) else None)][-1]
        return on

    def number(self, key: str) -> int | None:
        valid = self.valid(key, lambda value: value if type(value) is int and value >= 0 else None)
        most: int | None = [None, *valid][-1]
        return most

    def texts(self, key: str) -> list[str]:
        """All texts that a key lists, in all files."""
        return [text for texts in self.valid(key, check_file_names) for text in texts]

    def names(self, key: str, *, last: bool = False, replaces: Iterable[str] | None = None) -> list[str] | None:
        """The names of files that a key lists, in all files or in the last; None if none has a list.

        With `replaces`, each list stands in place of these names, or of those in the files before.
        """
        names: list[str] | None = None
        values = self.values(key)
        for each in values[-1:] if last else values:
            checked = self.check_names(each.value, key, each)
            if checked is None:
                continue
            if replaces is None:
                names = list(dict.fromkeys((*(names or ()), *checked)))
                self.limit_reach(checked, key, each)
            else:
                names = list(dict.fromkeys(checked))
                self.replace(replaces, names, key, each)
                replaces = names
        return names

    def check_names(self, value: Any, key: str, each: Value) -> list[str] | None:
        """Names of files; `{folder}` in a setting does not lead to the agent's own folders. None: it is reported."""
        names = check_file_names(value)
        if names is None:
            self.report(key, each)
            return None
        for name in (name for name in names if REMOTE in name):  # the agent may fetch it; discovery has no network
            _report_unmodelled(self.look, f"{name:.80} in {key}", each.path)
        return [name for name in names if REMOTE not in name and self.look.fill(name) == name]

    def replace(self, before: Iterable[str], names: Iterable[str], key: str, each: Value) -> None:
        """Names that a key of one file puts in place of others: the new ones of a project's setting stay in it."""
        self.look.free_names -= set(before).difference(names)
        self.limit_reach(set(names).difference(before), key, each)

    def limit_reach(self, names: Iterable[str], key: str, each: Value) -> None:
        """A project's settings name files of the project; names in the user's own settings may lead anywhere."""
        reader, new = self.look.reader, set(names) - self.look.free_names
        reach = PathReference(f"named by {key} in {each.path}", reader.allowed.limits_of(reader.allowed.project))
        self.look.free_names |= new if each.is_users else set()
        for name in map(plain_folder_name, new):
            reader.reaches[name] = reach
            if each.is_users:
                del reader.reaches[name]

    def report(self, key: str, each: Value) -> None:
        message = f"{key} is {each.value!r:.60}, which is invalid: it is skipped"
        _report_once(self.look, warning("settings-invalid", message, each.path))


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
    """Where a settings file may be: in folders of the project, or at home, which is the user's own."""
    folders = {"cwd": [look.cwd], "root": [look.project], "walk": look.walk}[file.where]
    for is_users, paths in groupby(map(look.fill, file.paths), key=lambda path: path.startswith(("~/", "/"))):
        for folder, path in product([look.home] if is_users else folders, list(paths)):
            yield join_name(folder, path, look.home), is_users


def _read(look: "Look", path: str) -> Mapping[str, Any] | None:
    """The values of a settings file; an unreadable one is reported and ignored."""
    reader, result = look.reader, look.reader.look_at(path)
    if not isinstance(result, Sighting):
        if result.outcome != "absent":
            reader.refuse(path, "settings", *result)
        return None
    values: Mapping[str, Any] | str | None = reader.load(result, "settings", _parse)
    if isinstance(values, str):
        reader.refuse(path, "settings", "skipped", because("invalid", "", values))
    elif values is not None:
        reader.note(path, "settings", "loaded")
        return values
    return None


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
        for key, equals, wanted in (each.partition("=") for each in file.unmodelled):
            for each in read.values(key.replace("{cwd}", look.cwd).replace("{project}", look.project)):
                said = str(each.value).lower() if isinstance(each.value, bool) else each.value
                if said == wanted if equals else each.value:
                    _report_unmodelled(look, key.strip('"'), each.path)
    for variable in filter(look.flag, look.wants.variables):
        _report_unmodelled(look, variable)


def _report_unmodelled(look: "Look", name: str, path: str | None = None) -> None:
    message = f"not modelled: {name} is set; the agent may read other files than shown here"
    _report_once(look, warning("not-modelled", message, path))


def _report_once(look: "Look", note: Diagnostic) -> None:
    """Skills and files may ask for the same setting."""
    look.reader.diagnostics += [] if note in look.reader.diagnostics else [note]


def check_file_names(value: Any) -> list[str] | None:
    """Names that the disk could have: JSON may hold a NUL, and half of a surrogate pair; None if it is not all that."""
    names = [value] if isinstance(value, str) else value
    try:
        valid = isinstance(names, list) and all(name and b"\0" not in os.fsencode(name) for name in names)
        return names[:MAX_SETTING_NAMES] if valid else None
    except (TypeError, UnicodeEncodeError):
        return None
