"""Parses and checks the values of configuration keys, makes paths absolute, and reports paths that do not exist."""

from collections.abc import Iterable, Iterator
from posixpath import normpath
from typing import Any, Literal, NamedTuple, get_origin

import msgspec

from ...errors import ConfigError
from ...model.diagnostic import Diagnostic, warning
from ...model.struct import explain_error
from ..files import describe_dead_link, describe_os_error
from ..paths import expand_path
from ..world import World, find_folders, make_absolute
from .config import PROJECT, Config, ConfigLayer, find_setting_line
from .config_keys import (
    KEYS,
    SWITCH_TYPES,
    SWITCH_WORDS,
    Amount,
    ConfigKey,
    find_key,
    locate_server,
)
from .trusted_settings import leads_out_of_folder


def check_value(key: str, value: Any, layer: ConfigLayer, home: str) -> Any:
    """The value in its type, paths made absolute from the folder of the file that sets them."""
    kind = find_key(key)
    if key.startswith("recipes.") and key.endswith((".trusted", ".trust")):
        name = key.rpartition(".")[2]
        raise ConfigError(f"{layer.origin}: {key}: trust applies to all recipes; write it as {name!r}.")
    if kind is None:  # a setting of one recipe: its recipe knows it
        return value
    try:
        typed = msgspec.convert(value, kind.type)
    except msgspec.ValidationError as problem:
        why = explain_error(problem, kind.type)
        message = f"{key}: {why} It is {value!r}."
        line = find_setting_line(layer, key) if layer.data else None
        place = f"{layer.origin}:{line}" if line else layer.origin
        raise ConfigError(f"{layer.origin}: {message}", message=message, place=place) from None
    texts = typed if isinstance(typed, tuple) else (typed,)
    if any("\0" in text for text in texts if isinstance(text, str)):
        raise ConfigError(f"{layer.origin}: {key}: {value!r} contains a NUL character, which is invalid in a path.")
    if key.endswith("context.filenames") and layer.rank != PROJECT:  # of a project, such names are dropped
        for name in filter(leads_out_of_folder, typed or ()):
            raise ConfigError(f"{layer.origin}: {key}: {name!r} is not a plain file name such as 'TEAM.md'.")
    if kind.paths == "list":
        return tuple(expand_path(item, layer.folder, home) for item in typed)
    if kind.paths == "place":
        return typed if not typed or "://" in typed else normpath(expand_path(typed, layer.folder, home))
    if key == "mcp.servers":
        start = layer.folder if layer.rank == PROJECT else None
        return {name: locate_server(server, start, layer.folder, home) for name, server in typed.items()}
    # A text may also be a name: of a recipe. Only a path has an ending.
    is_path = kind.paths == "text" and isinstance(typed, str) and (key != "recipe" or typed.endswith(".toml"))
    return expand_path(typed, layer.folder, home) if is_path else typed


class ConfiguredPath(NamedTuple):
    """A path of the configuration: its key if there is one, and whether it has to be a folder."""

    key: str
    path: str
    origin: str
    folder: bool


def list_configured_paths(world: World, config: Config, recipe: str) -> tuple[ConfiguredPath, ...]:
    """The folders and places that count for a recipe. A missing file, as that of the tools, is its reader's error."""
    found = []
    for key, kind in KEYS.items():
        value, origin, *_ = config.get(key, recipe)
        if kind.paths == "list":
            found += [ConfiguredPath(key, make_absolute(world, path), origin, folder=True) for path in value]
        elif kind.paths == "place" and value and "://" not in value:
            found.append(ConfiguredPath(key, value, origin, folder=False))
    return tuple(found)


def find_missing_config_paths(
    world: World, named: Iterable[ConfiguredPath]
) -> Iterator[tuple[ConfiguredPath, Diagnostic]]:
    """A report of each path that does not exist, or is no folder where a folder is required."""
    for each in named:
        fault = _find_path_fault(world, each)
        if fault:
            yield each, warning("config-missing", f"{each.key} names {each.path!r}, which {fault}", each.origin)


def _find_path_fault(world: World, named: ConfiguredPath) -> str | None:
    """What is wrong with a path of the configuration; None if it can be used."""
    try:
        if "*" in named.path and named.key == "features.skills.extra_dirs":
            return None if find_folders(world, named.path) else "matches no folder: create one, or use another path"
        if world.look(named.path) is None:
            return "does not exist: create it, or use another path"
        entry = world.look(world.real(named.path))
    except FileNotFoundError:
        cause = describe_dead_link(world, named.path) or "it is a broken symlink"
        return f"{cause.removeprefix('it ')}: fix it, or use another path"
    except OSError as problem:
        return f"can't be used: {describe_os_error(problem)}"
    if named.folder and (entry is None or entry.kind != "dir"):
        return "is not a folder: use another path"
    return None


def parse_value(text: str, key: ConfigKey) -> Any:
    """The value in a text of the environment or the command line, in the type of its key."""
    if key.type is str or get_origin(key.type) is Literal:
        return text
    if key.type in SWITCH_TYPES and text.lower() in SWITCH_WORDS:
        return SWITCH_WORDS[text.lower()]
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):  # half a surrogate pair: bytes that are not UTF-8
        value = text
    takes_list = key.type not in (*SWITCH_TYPES, Amount)
    if takes_list and isinstance(value, str) and not value.endswith(".json"):
        return [part.strip() for part in value.split(",") if part.strip()]
    return value
