"""Applies an agent's own settings and environment variables to what its recipe looks for."""

import json
import os
import posixpath
import re
from collections.abc import Iterator, Mapping
from itertools import groupby, product
from typing import Any

import msgspec

from ...known_agents.quirks import apply_quirk
from ...model.diagnostic import warning
from ...model.file_steps import FileStep, SettingsFile
from ...model.skill_dirs import SkillDirs
from ...model.wants import Wants
from ..disk.boundary import PathReference, plain_folder_name
from ..disk.file_reader import FileReader
from ..disk.look_at_paths import Sighting
from ..disk.search_scope import SearchScope
from ..parse_json_and_toml import find_setting, parse_settings, split_key

MAX_SETTING_NAMES = 200
"""Names that a setting may have."""
REMOTE = "://"
"""What a URL has, and no name of a file."""
OFF_WORDS = ("0", "false", "no", "off")
SWITCHES = (".off", ".on")
ChangedWants = tuple[Wants, tuple[str, ...]]
SettingsRead = dict[str, Mapping[str, Any] | None]
"""The values of each settings file, by path; None if it is missing or unreadable."""


def move_folders(wants: Wants, settings: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """The settings, with the folders that environment variables move."""
    moved = dict(settings)
    for name, variables in wants.moves.items():
        for variable, _, below in (each.partition("/") for each in reversed(variables.split())):
            if value := environment.get(variable, ""):
                moved[name] = posixpath.join(value, below) if below else value
    return moved


def apply_agent_settings(reader: FileReader, wants: Wants, scope: SearchScope) -> ChangedWants:
    """The wants as the agent's settings and environment variables change them, and the paths that they exclude."""
    if not wants.settings_files and not wants.environment and all(step.on for step in wants.files):
        return wants, ()
    table: dict[str, Any] = msgspec.to_builtins(wants)
    excluded: list[str] = []
    _obey_files(reader, wants, scope, table, excluded)
    _obey_variables(reader, wants, scope, table, excluded)
    for step in table.get("files", []):
        if not step.get("on", True):
            step["names"] = []
    if table.get("skills") and not table["skills"].get("on", True):
        table["skills"] = None
    return msgspec.convert(table, Wants), tuple(excluded)


def _obey_files(
    reader: FileReader, wants: Wants, scope: SearchScope, table: dict[str, Any], excluded: list[str]
) -> None:
    """Change the wants as settings files do."""
    read = SettingsRead()
    for file in wants.settings_files:
        for path, key, value in _read_all_settings(reader, file, scope, read):
            if not file.keys[key]:
                _note_unmodelled(reader, key.partition("=")[0].strip('"'), value, path)
                continue
            _note_remote_names(reader, key, value, path)
            before = _collect_wanted_names(table)
            fits = _set(table, excluded, file.keys[key], value)
            users = path in {_resolve_home_path(each, scope) for each in file.paths if _is_users(each)}
            _note_reaches(reader, path, key, _collect_wanted_names(table) - before, users=users)
            if not fits:
                message = f"{key} is {value!r:.60}, which is invalid: it is skipped"
                reader.diagnostics.append(warning("settings-invalid", message, path))


def _obey_variables(
    reader: FileReader, wants: Wants, scope: SearchScope, table: dict[str, Any], excluded: list[str]
) -> None:
    """Change the wants as environment variables do."""
    environment = reader.world.environment()
    for variable, sets in wants.environment.items():
        if setting := environment.get(variable):
            form, _, rest = sets.partition(" ")
            sets, form = (rest, form) if form in ("json", "folders") else (sets, "")
            if not sets:
                _note_unmodelled(reader, variable, setting not in OFF_WORDS)
            for each in sets.split():
                value = (
                    setting not in OFF_WORDS if each.endswith(SWITCHES) else _split_variable(setting, form, scope.cwd)
                )
                _set(table, excluded, each, value)


def _read_all_settings(
    reader: FileReader, file: SettingsFile, scope: SearchScope, read: SettingsRead
) -> list[tuple[str, str, Any]]:
    """The settings of the files: a path, a key and its value each. If only the last counts, only that one."""
    settings = [
        (path, key, value)
        for path in _list_settings_paths(file, scope)
        if (values := _read_once(reader, path, read)) is not None
        for key in file.keys
        if (value := _read_setting(values, key, scope)) is not None
    ]
    return settings if file.several == "add" else list({setting[1]: setting for setting in settings}.values())


def _list_settings_paths(file: SettingsFile, scope: SearchScope) -> Iterator[str]:
    """Where an agent's settings file may be: in folders of the project, or at home."""
    top = scope.above.index(scope.root) if scope.root else len(scope.above) - 1
    folders = {"cwd": [scope.cwd], "root": [scope.project], "walk": scope.above[top:]}[file.where]
    for fixed, paths in groupby(file.paths, key=_is_users):
        if fixed:
            yield from (_resolve_home_path(path, scope) for path in paths)
        else:
            yield from (posixpath.join(folder, path) for folder, path in product(folders, list(paths)))


def _is_users(path: str) -> bool:
    """Whether a settings file is under home or belongs to the machine, and not to a project."""
    return path.startswith(("~/", "/"))


def _resolve_home_path(path: str, scope: SearchScope) -> str:
    return posixpath.normpath(posixpath.join(scope.home, path.removeprefix("~/")))


def _collect_wanted_names(table: Mapping[str, Any]) -> set[str]:
    """All names that are looked for: of files, and of folders with skills."""
    steps = [step.get(field, ()) for step in table.get("files", ()) for field in ("names", "unless")]
    skills = [(table.get("skills") or {}).get(field, ()) for field in ("project", "here", "home")]
    return {name for names in (*steps, *skills) for name in names}


def _note_reaches(reader: FileReader, path: str, key: str, names: set[str], *, users: bool) -> None:
    """Record the names that a project's settings add; names in the user's own settings may lead anywhere."""
    limits = reader.boundary.limits_of(reader.boundary.project) if reader.boundary else None
    for name in map(plain_folder_name, names):
        if users:
            reader.reaches.pop(name, None)
        elif limits is not None:
            reader.reaches[name] = PathReference(f"named by {key} in {path}", limits)


def _read_once(reader: FileReader, path: str, read: SettingsRead) -> Mapping[str, Any] | None:
    """The values of a settings file. An agent's recipe may name a file several times; it is reported once."""
    if path not in read:
        read[path] = _read(reader, path)
    return read[path]


def _read(reader: FileReader, path: str) -> Mapping[str, Any] | None:
    """The values of a settings file; an unreadable one is reported and ignored."""
    result = reader.look_at(path, "/")
    if not isinstance(result, Sighting):
        if result.outcome != "absent":
            reader.refuse(path, "settings", result.outcome, result.detail)
        return None
    values: Mapping[str, Any] | str | None = reader.load(result, "settings", _parse_settings)
    if isinstance(values, Mapping):
        reader.note(path, "settings", "loaded")
        return values
    if values is not None:
        reader.refuse(path, "settings", "skipped", values)
    return None


def _parse_settings(text: str, path: str) -> tuple[Mapping[str, Any] | str, tuple[()]]:
    """The values of a settings file, or what is wrong with it."""
    try:
        return parse_settings(text, path), ()
    except (ValueError, RecursionError) as problem:
        return str(problem) or "it can't be read", ()


def _read_setting(values: Mapping[str, Any], key: str, scope: SearchScope) -> Any:
    """The value of a key; for `key=value`, True if the key has that value, and nothing otherwise."""
    key, equals, wanted = key.partition("=")
    steps = (step.replace("{cwd}", scope.cwd).replace("{project}", scope.project) for step in split_key(key))
    value = find_setting(values, steps)
    if not equals:
        return value
    return True if value == wanted or (isinstance(value, bool) and str(value).lower() == wanted) else None


def _note_unmodelled(reader: FileReader, name: str, value: object, path: str | None = None) -> None:
    """Report a setting whose effect is not modelled, unless it is off or empty."""
    if value:
        message = f"not modelled: {name} is set; the agent may read other files than shown here"
        reader.diagnostics.append(warning("not-modelled", message, path))


def _note_remote_names(reader: FileReader, key: str, value: object, path: str) -> None:
    """Report the names of a setting that are URLs: the agent may fetch them, and discovery has no network."""
    for name in value if isinstance(value, list) else [value]:
        if isinstance(name, str) and REMOTE in name:
            _note_unmodelled(reader, f"{name:.80} in {key}", True, path)


def _split_variable(text: str, form: str, cwd: str) -> Any:
    """The names in a variable, or its folders, relative to cwd; None if they have to be JSON and are not."""
    if form == "folders":
        return [posixpath.normpath(posixpath.join(cwd, each.strip())) for each in text.split(",") if each.strip()]
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None if form == "json" else [each.strip() for each in re.split("[,:]", text) if each.strip()]


def _set(table: dict[str, Any], excluded: list[str], sets: str, value: Any) -> bool:
    """Apply all changes of a setting; False if its value is unusable."""
    return all([_set_one(table, excluded, each, value) for each in sets.split()])


def _set_one(table: dict[str, Any], excluded: list[str], sets: str, value: Any) -> bool:
    """Apply one change of an agent's setting to its wants: an exclusion, a limit, the menu, or a step."""
    if sets == "exclude":
        names = _check_file_names(value)
        excluded += names or []
        return names is not None
    target, _, field = sets.rpartition(".")
    if target in ("limits", "menu") and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
        return False
    if target == "limits":
        for limit in [limit for limit in table.get("limits", []) if limit["name"] == field]:
            limit["most"] = value
        return True
    if target == "menu":
        menu = (table.get("skills") or {}).get("menu")
        if menu is not None:
            menu[field] = value
        return menu is not None
    steps = [each for each in table.get("files", ()) if each["step"] == target]
    step = table.get("skills") if target == "skills" else next(iter(steps), None)
    if step is None:
        return False
    before, kind = dict(step), SkillDirs if target == "skills" else FileStep
    try:
        fits = _set_step(step, field, value)
        msgspec.convert(step, kind)
    except msgspec.ValidationError:  # a field that takes no names, or does not exist
        step.clear()
        step.update(before)
        return False
    return fits


def _set_step(step: dict[str, Any], field: str, value: Any) -> bool:
    """Apply an agent's setting to a step: a switch, folders, or names."""
    if field in ("off", "on", "always", "anywhere", "walk"):
        return isinstance(value, bool) and _switch(step, field, value)
    if field == "folders":
        return isinstance(value, Mapping) and _set_folders(step, value)
    names = _check_file_names(value)
    if names is None:
        return False
    name = field.strip("+")
    old = step.get(name, []) if "+" in field else []
    step[name] = list(dict.fromkeys([*old, *names] if field.endswith("+") else [*names, *old]))
    return True


def _set_folders(step: dict[str, Any], switches: Mapping[str, Any]) -> bool:
    """Folders that a setting adds or excludes: a table of paths, each true or false."""
    table = {
        path.strip().rstrip("/"): on for path, on in list(switches.items())[:MAX_SETTING_NAMES] if isinstance(on, bool)
    }
    names = _check_file_names(list(table))
    folders = {path: table[path] for path in names or ()}
    return names is not None and apply_quirk(step.get("quirks", ""), "set_folders", False, step, folders)


def _switch(step: dict[str, Any], field: str, enabled: bool) -> bool:
    """Switch a step on or off, or where it looks, as an agent's setting says."""
    if field == "always":
        step["unless"] = [] if enabled else step.get("unless", [])
    elif field == "walk":
        step["where"] = "walk" if enabled else "cwd"
    elif field == "anywhere":
        imports = step.get("imports") or {}
        imports["within"] = "anywhere" if enabled else imports.get("within", "project")
    else:
        step["on"] = enabled == (field == "on")
    return True


def _check_file_names(value: Any) -> list[str] | None:
    """Names of files, without those on the network."""
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(
        isinstance(each, str) and each and _can_be_path(each) for each in listed
    ):
        return None
    return [each for each in listed[:MAX_SETTING_NAMES] if REMOTE not in each]


def _can_be_path(name: str) -> bool:
    """Whether the disk could have such a name: JSON may hold a NUL, and half of a surrogate pair."""
    try:
        return b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        return False
