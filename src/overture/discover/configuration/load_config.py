"""Loads the configuration: the layers of command line, environment, project and user file, as one Config."""

import re
from collections.abc import Iterator
from typing import Any

from ...errors import ConfigError, find_similar, suggest
from ...model.diagnostic import Diagnostic, warning
from ..files import describe_dead_link
from ..parse_json_and_toml import MAX_TOML_BYTES, locate_toml_error, parse_toml
from ..paths import contains_path, list_walk_folders
from ..place import Location
from ..repository import find_project_folder
from ..world import World, read_limited
from .check_values import check_value, parse_value
from .config import (
    PROJECT,
    Config,
    ConfigLayer,
    ConfigValue,
    RecipeDefinition,
    find_setting_line,
    list_configured_extensions,
    merge_added_keys,
)
from .config_keys import KEYS, find_recipe_tables, flatten_table
from .trusted_settings import judge_layers, report_taken_recipe

USER_FILE = ".config/overture/overture.toml"


def load_config(location: Location) -> Config:
    """The configuration for the working directory, with the caller's own values."""
    world, cwd, home, _, overrides = location
    notes: list[Diagnostic] = []
    for key in overrides:
        if key not in KEYS and not key.startswith("recipes."):
            tip = find_similar(key, KEYS)
            message = f"No setting named {key!r}"
            raise ConfigError(f"Unknown setting {key!r}.", message=message, noun="setting", tip=tip)
    layers = [
        ConfigLayer("command line", cwd, dict(overrides), 0),
        *_read_environment_layers(world, cwd, notes),
        *_read_project_layer(world, cwd, notes),
        *_read_user_layer(world, home, notes),
    ]
    typed = [
        layer._replace(values={k: check_value(k, v, layer, home) for k, v in layer.values.items()}) for layer in layers
    ]
    allowed = judge_layers(world, typed, f"{home.rstrip('/')}/{USER_FILE}", home)
    values: dict[str, ConfigValue] = dict(merge_added_keys(allowed.layers))
    for layer in allowed.layers:
        for key, value in layer.values.items():
            values.setdefault(key, ConfigValue(value, layer.origin, layer.rank, layer.within))
    notes += allowed.notes
    file = next((layer.origin for layer in layers if layer.rank == PROJECT), "")
    return Config(
        values,
        _collect_recipes(allowed.layers, notes),
        tuple(notes),
        list_configured_extensions(allowed.layers),
        tuple(allowed.untrusted),
        file,
        next(iter(allowed.requests), None),
    )


def _collect_recipes(layers: list[ConfigLayer], notes: list[Diagnostic]) -> dict[str, RecipeDefinition]:
    """The recipes that files define. An untrusted project never replaces a recipe that the user defines."""
    own = [layer for layer in layers if layer.within is None]
    recipes: dict[str, RecipeDefinition] = {}
    for layer in (*own, *(layer for layer in layers if layer.within is not None)):
        for name, table in layer.recipes.items():
            line = find_setting_line(layer, f"recipes.{name}") if layer.within is not None else None
            definition = recipes.setdefault(
                name, RecipeDefinition(table, layer.folder, layer.origin, layer.within, line)
            )
            if layer.within is not None and definition.origin != layer.origin:
                notes.append(report_taken_recipe(name, definition.origin, layer.origin, layer.folder, line))
    return recipes


NO_SETTINGS = ("OVERTURE_TOKEN",)
"""Our variables that are no settings: a token is private, and a cache changes no result."""


def _read_environment_layers(world: World, cwd: str, notes: list[Diagnostic]) -> Iterator[ConfigLayer]:
    """Each variable by its own name, `OVERTURE_RECIPES_PI_FOLDER` for a recipe's setting."""
    own_variables = sorted(
        (name, text) for name, text in world.machine.environment().items() if name.startswith("OVERTURE_")
    )
    names = {"OVERTURE_" + key.upper().replace(".", "_"): key for key in KEYS} if own_variables else {}
    for name, text in own_variables:
        own = re.fullmatch(r"OVERTURE_RECIPES_([A-Z0-9]+)_([A-Z0-9_]+)", name)
        if name in names:
            yield ConfigLayer(name, cwd, {names[name]: parse_value(text, KEYS[names[name]])}, 1)
        elif own:
            key = names.get(f"OVERTURE_{own[2]}", own[2].lower())
            kind = KEYS.get(key)
            yield ConfigLayer(
                name, cwd, {f"recipes.{own[1].lower()}.{key}": parse_value(text, kind) if kind else text}, 1
            )
        elif name not in NO_SETTINGS:
            notes.append(warning("config-unknown", f"unknown variable {name}.{suggest(name, names)}"))


def _read_project_layer(world: World, cwd: str, notes: list[Diagnostic]) -> Iterator[ConfigLayer]:
    """The nearest overture.toml, or pyproject.toml with a [tool.overture] table."""
    for folder in reversed(list_walk_folders(cwd, None)):
        base = folder.rstrip("/")
        own, other = f"{base}/overture.toml", f"{base}/pyproject.toml"
        layers = [*_read_config_file(world, own, 2)] if _is_project_file(world, own, notes) else []
        layers += _read_pyproject(world, other, notes) if _is_project_file(world, other, notes) else ()
        if len(layers) > 1:
            notes.append(warning("config-shadowed", f"[tool.overture] has no effect: {layers[0].origin} comes first",
                                 layers[1].origin))  # fmt: skip
        if layers:
            yield layers[0]
            return


def _is_project_file(world: World, path: str, notes: list[Diagnostic]) -> bool:
    """Whether a project's configuration file exists, in the project, and is no link to a user's own file."""
    entry = world.look(path)
    if entry is None or entry.kind != "link":
        return entry is not None
    project, real = find_project_folder(world, path.rpartition("/")[0] or "/"), world.real_or_same(path)
    target = world.look(real)
    # A path that is no file is refused for that reason, wherever it is.
    inside = target is None or target.kind != "file" or contains_path(project, real)
    if not inside:
        message = f"skipped: it is a symlink that leaves {project}. Put the file itself there"
        notes.append(warning("config-untrusted", message, path))
    return inside


def _read_user_layer(world: World, home: str, notes: list[Diagnostic]) -> Iterator[ConfigLayer]:
    """The user's own file. An unreadable home is recorded and stops nothing."""
    path = f"{home.rstrip('/')}/{USER_FILE}"
    try:
        world.look(path)
    except OSError as problem:
        why = (problem.strerror or str(problem)).lower()
        message = f"home can't be searched: {why}; its files are not known"
        notes.append(warning("home-unreadable", message, home))
        return
    yield from _read_config_file(world, path, 3)


def _read_config_file(world: World, path: str, rank: int) -> Iterator[ConfigLayer]:
    raw, data = _read_toml(world, path)
    if isinstance(data, str):
        raise ConfigError(f"{path}: {data}", **locate_toml_error(path, data, raw))
    if data is not None:
        yield _make_layer(path, data, rank, raw)


def _make_layer(path: str, table: dict[str, Any], rank: int, raw: bytes) -> ConfigLayer:
    """The layer of a file; an unknown key is an error with its line."""
    layer = ConfigLayer(path, path.rpartition("/")[0], {}, rank, find_recipe_tables(table), raw)
    try:
        return layer._replace(values=dict(flatten_table(table, path)))
    except ConfigError as problem:
        line, name = find_setting_line(layer, problem.place), problem.place.rpartition(".")[2]
        problem.source = raw.decode("utf-8-sig", "replace").splitlines()[line - 1] if line else ""
        column = f":{problem.source.index(name) + 1}" if name in problem.source else ""
        problem.place = f"{path}:{line}{column}" if line else path
        raise


def _read_pyproject(world: World, path: str, notes: list[Diagnostic]) -> Iterator[ConfigLayer]:
    raw, data = _read_toml(world, path)
    if isinstance(data, str):
        # It may belong to another tool: a broken one must not stop us.
        notes.append(warning("config-unreadable", f"skipped: {data}", path))
        return
    tool = (data or {}).get("tool")
    table = tool.get("overture") if isinstance(tool, dict) else None
    if isinstance(table, dict):
        yield _make_layer(path, table, 2, raw)


def _read_toml(world: World, path: str) -> tuple[bytes, dict[str, Any] | str | None]:
    """The file, and its table, what is wrong with it, or None if there is none."""
    data = b""
    try:
        entry = world.look(path)
        if entry is None:
            return b"", None
        if entry.kind not in ("file", "link"):
            return b"", "it is not a regular file"
        data = read_limited(world, path, MAX_TOML_BYTES)
        return data, parse_toml(data)
    except ValueError as problem:
        return data, str(problem)
    except OSError as problem:
        nowhere = describe_dead_link(world, path) if isinstance(problem, FileNotFoundError) else None
        return b"", nowhere or f"it can't be read: {(problem.strerror or str(problem)).lower()}"
