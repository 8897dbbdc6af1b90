"""Loads the configuration: the layers of command line, environment, project and user file, as one Config."""

import re
from collections.abc import Iterator, Mapping, Sequence
from posixpath import normpath
from typing import Any

import msgspec

from ...errors import ConfigError, find_similar, suggest
from ...model.diagnostic import Diagnostic, warning
from ...model.struct import explain_error
from ..files import describe_os_error, explain_unusable_path
from ..parse_json_and_toml import MAX_TOML_BYTES, find_setting, locate_toml_error, parse_toml
from ..paths import contains_path, expand_path, list_walk_folders
from ..place import Location, find_project_folder
from ..world import World, read_limited
from .config import PROJECT, USER, Config, ConfigLayer, ConfigValue, Extension, RecipeTable
from .keys import KEYS, find_key, flatten_table, leads_out_of_folder, locate_server, parse_value
from .trust import judge_project

USER_FILE = ".config/overture/overture.toml"
NO_SETTINGS = ("OVERTURE_TOKEN",)
"""Our variables that are no settings."""


def load_config(location: Location) -> Config:
    """The configuration for the working directory, with the caller's own values."""
    world, cwd, home, _, overrides = location
    notes: list[Diagnostic] = []
    for key in overrides:
        if key not in KEYS and not key.startswith("recipes."):
            message, tip = f"No setting named {key!r}", find_similar(key, KEYS)
            raise ConfigError(f"Unknown setting {key!r}.", message=message, noun="setting", tip=tip)
    layers = [
        ConfigLayer("command line", cwd, dict(overrides), 0),
        *_read_environment_layers(world, cwd, notes),
        *_read_project_layer(world, cwd, notes),
        *_read_user_layer(world, home, notes),
    ]
    layers = [
        layer._replace(values={key: _check_value(key, value, layer, home) for key, value in layer.values.items()})
        for layer in layers
    ]
    requests, project = None, next((layer for layer in layers if layer.rank == PROJECT), None)
    if project:
        others, user_file = [each for each in layers if each is not project], f"{home.rstrip('/')}/{USER_FILE}"
        judged, more, requests = judge_project(world, project, others, user_file, home)
        layers[layers.index(project)] = judged
        notes += more
    values, recipes = _merge_added_keys(layers), dict[str, RecipeTable]()
    for layer in layers:
        for key, value in layer.values.items():
            values.setdefault(key, ConfigValue(value, layer.origin, layer.rank, layer.within))
        for name, table in layer.recipes.items():
            line = layer.find_line(f"recipes.{name}") if layer.within is not None else None
            recipes.setdefault(name, RecipeTable(name, table, layer.folder, layer.origin, layer.within, line))
    later = tuple(each for each in notes if each.code in ("extension-untrusted", "mcp-untrusted"))
    now, file = tuple(each for each in notes if each not in later), project.origin if project else ""
    return Config(values, recipes, now, _list_extensions(layers), later, file, requests)


def _check_value(key: str, value: Any, layer: ConfigLayer, home: str) -> Any:
    """The value in its type, paths made absolute from the folder of the file that sets them."""
    kind = find_key(key)
    if kind is KEYS["trusted"] and key != "trusted":
        raise ConfigError(f"{layer.origin}: {key}: trust applies to all recipes; write it as 'trusted'.")
    if kind is None:  # a setting of one recipe: its recipe knows it
        return value
    try:
        typed = msgspec.convert(value, kind.type)
    except msgspec.ValidationError as problem:
        message = f"{key}: {explain_error(problem, kind.type)} It is {value!r}."
        line = layer.find_line(key) if layer.data else None
        place = f"{layer.origin}:{line}" if line else layer.origin
        raise ConfigError(f"{layer.origin}: {message}", message=message, place=place) from None
    if any("\0" in text for text in (typed if isinstance(typed, tuple) else (typed,)) if isinstance(text, str)):
        raise ConfigError(f"{layer.origin}: {key}: {value!r} contains a NUL character, which is invalid in a path.")
    if kind.paths == "names" and layer.rank != PROJECT:  # of a project, such names are dropped
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


# What the layers make together.


def _merge_added_keys(layers: Sequence[ConfigLayer]) -> dict[str, ConfigValue]:
    """The keys whose values add up: a project removes nothing of the user; the nearest server of a name counts."""
    merged: dict[str, ConfigValue] = {}
    for key in ("extensions", "trusted", "mcp.servers"):
        value: dict[str, Any] = {}  # servers by name, or the items in their order
        giving = [layer for layer in reversed(layers) if layer.values.get(key)]
        for layer in giving:
            value |= layer.values[key] if key == "mcp.servers" else dict.fromkeys(layer.values[key])
        if giving:
            origin = ", ".join(dict.fromkeys(layer.origin for layer in giving))
            merged[key] = ConfigValue(value if key == "mcp.servers" else tuple(value), origin, giving[-1].rank)
    return merged


def _list_extensions(layers: Sequence[ConfigLayer]) -> tuple[Extension, ...]:
    """The extensions of the layers, the farthest first; a recipe's own behind those for all."""
    return tuple(
        Extension(
            spec,
            each.origin,
            each.folder,
            each.rank in (PROJECT, USER),
            key.rpartition(".")[0].removeprefix("recipes.") or None,
        )
        for each in reversed(layers)
        for key in sorted(each.values, key=lambda key: (key != "extensions", key))
        if find_key(key) is KEYS["extensions"]
        for spec in each.values[key]
    )


# Where the layers are read.


def _read_environment_layers(world: World, cwd: str, notes: list[Diagnostic]) -> Iterator[ConfigLayer]:
    """Each variable by its own name, `OVERTURE_RECIPES_PI_FOLDER` for a recipe's setting."""
    variables = sorted(each for each in world.machine.environment().items() if each[0].startswith("OVERTURE_"))
    names = {"OVERTURE_" + key.upper().replace(".", "_"): key for key in KEYS} if variables else {}
    for name, text in variables:
        key = names.get(name, "")
        if own := None if key else re.fullmatch(r"OVERTURE_RECIPES_([A-Z0-9]+)_([A-Z0-9_]+)", name):
            key = f"recipes.{own[1].lower()}.{names.get(f'OVERTURE_{own[2]}', own[2].lower())}"
        if key:
            kind = find_key(key)
            yield ConfigLayer(name, cwd, {key: parse_value(text, kind) if kind else text}, 1)
        elif name not in NO_SETTINGS:
            notes.append(warning("config-unknown", f"unknown variable {name}.{suggest(name, names)}"))


def _read_project_layer(world: World, cwd: str, notes: list[Diagnostic]) -> list[ConfigLayer]:
    """The nearest overture.toml, or pyproject.toml with a [tool.overture] table."""
    for folder in reversed(list_walk_folders(cwd, None)):
        paths = [f"{folder.rstrip('/')}/{name}" for name in ("overture.toml", "pyproject.toml")]
        files = [path for path in paths if _is_project_file(world, path, notes)]
        layers = [layer for path in files for layer in _read_config_file(world, path, PROJECT, notes)]
        if len(layers) > 1:
            message = f"[tool.overture] has no effect: {layers[0].origin} comes first"
            notes.append(warning("config-shadowed", message, layers[1].origin))
        if layers:
            return layers[:1]
    return []


def _is_project_file(world: World, path: str, notes: list[Diagnostic]) -> bool:
    """Whether a project's configuration file exists, in the project, and is no link to a user's own file."""
    entry = world.look(path)
    if entry is None or entry.kind != "link":
        return entry is not None
    project, real = find_project_folder(world, path.rpartition("/")[0] or "/"), world.real_or_same(path)
    # A path that is no file is refused for that reason, wherever it is.
    if contains_path(project, real) or not world.is_file(real):
        return True
    message = f"skipped: it is a symlink that leaves {project}. Put the file itself there"
    notes.append(warning("config-untrusted", message, path))
    return False


def _read_user_layer(world: World, home: str, notes: list[Diagnostic]) -> list[ConfigLayer]:
    """The user's own file. An unreadable home is recorded and stops nothing."""
    path = f"{home.rstrip('/')}/{USER_FILE}"
    try:
        return _read_config_file(world, path, USER, notes) if world.look(path) else []
    except OSError as problem:
        message = f"home can't be searched: {describe_os_error(problem)}; its files are not known"
        notes.append(warning("home-unreadable", message, home))
        return []


def _read_config_file(world: World, path: str, rank: int, notes: list[Diagnostic]) -> list[ConfigLayer]:
    """The layer of a file, if it has one; an unknown key is an error with its line.

    A pyproject.toml may belong to another tool: a broken one stops nothing.
    """
    is_shared, data = path.endswith("/pyproject.toml"), b""
    try:
        if world.look(path) is None:
            return []
        data = read_limited(world, path, MAX_TOML_BYTES)
        table = parse_toml(data)
    except (OSError, ValueError) as problem:
        why = str(problem)
        if isinstance(problem, OSError):
            why = f"it can't be read: {explain_unusable_path(world, path, problem)}"
        if not is_shared:
            raise ConfigError(f"{path}: {why}", **locate_toml_error(path, why, data)) from None
        notes.append(warning("config-unreadable", f"skipped: {why}", path))
        return []
    if is_shared and not isinstance(table := find_setting(table, ("tool", "overture")), dict):
        return []
    recipes: dict[str, Mapping[str, Any]] = {}
    layer = ConfigLayer(path, path.rpartition("/")[0], {}, rank, recipes, data)
    try:
        layer.values.update(flatten_table(table, path, recipes))
        return [layer]
    except ConfigError as problem:
        line, name = layer.find_line(problem.place), problem.place.rpartition(".")[2]
        problem.source = data.decode("utf-8-sig", "replace").splitlines()[line - 1] if line else ""
        column = f":{problem.source.index(name) + 1}" if name in problem.source else ""
        problem.place = f"{path}:{line}{column}" if line else path
        raise
