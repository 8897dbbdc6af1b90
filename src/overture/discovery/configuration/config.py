"""Config holds the winning value of each key, and its origin; it is loaded from command line, environment and files."""

import re
from collections.abc import Iterator, Mapping, Sequence
from posixpath import normpath
from typing import Any, NamedTuple

import msgspec

from ...errors import ConfigError, find_similar, suggest
from ...model.diagnostic import Diagnostic, warning
from ...model.recipe.recipe import Recipe
from ...model.state.agent_and_runtime import Docs
from ...model.struct import explain_error
from ..files import describe_dead_link, describe_os_error, explain_unusable_path
from ..parse_json_and_toml import MAX_TOML_BYTES, find_setting, locate_toml_error, parse_toml
from ..paths import contains_path, expand_path, list_walk_folders
from ..place import Location, find_project_folder
from ..world import World, find_folders, make_absolute, read_limited
from .keys import (
    KEYS,
    PROJECT,
    USER,
    ConfigLayer,
    Features,
    ProjectRequests,
    find_key,
    flatten_table,
    leads_out_of_folder,
    locate_server,
    parse_value,
)  # fmt: skip
from .trust import judge_project

USER_FILE = ".config/overture/overture.toml"
NO_SETTINGS = ("OVERTURE_TOKEN",)  # our variables that are no settings


class RecipeTable(NamedTuple):
    """A recipe as a file has it, until it is made; that of an untrusted project names files `within` a folder."""

    name: str
    table: Mapping[str, Any]
    folder: str
    origin: str = ""
    within: str | None = None
    line: int | None = None
    notes: tuple[Diagnostic, ...] = ()  # reports of files outside that folder


class Extension(NamedTuple):
    """`module:function` or `file.py:function`, with its origin."""

    spec: str
    origin: str
    folder: str
    beside: bool = False
    """Whether a module is looked for in that folder before anywhere else: so in a configuration file."""
    recipe: str | None = None  # the only recipe that uses it; None: all recipes


class ConfigValue(NamedTuple):
    """A value, its origin and its rank: the least rank wins."""

    value: Any
    origin: str
    rank: int = 99
    within: str | None = None  # the folder that must contain a file which a project names; None if the user names it


class Config(NamedTuple):
    """The values of all layers, the winner of each key."""

    values: Mapping[str, ConfigValue]
    recipes: Mapping[str, RecipeTable] = {}
    notes: tuple[Diagnostic, ...] = ()
    extensions: tuple[Extension, ...] = ()  # the extensions of all layers, the farthest first
    untrusted: tuple[Diagnostic, ...] = ()  # untrusted settings of a project, reported where extensions would be loaded
    file: str = ""  # the project's file that counts, if it exists
    requests: ProjectRequests | None = None

    @property
    def folder(self) -> str | None:
        """The folder of the project's configuration file."""
        return self.file.rpartition("/")[0] if self.file else None

    def extending(self, recipe: str) -> tuple[Extension, ...]:
        """The extensions that are configured for sessions of a recipe."""
        return tuple(each for each in self.extensions if each.recipe in (None, recipe))

    def get(self, key: str, recipe: str | None = None) -> ConfigValue:
        """The value of a key in the Config: of the nearest layer, and there the recipe's own before the general one."""
        own = self.values.get(f"recipes.{recipe}.{key}") if recipe else None
        general = self.values.get(key) or ConfigValue(KEYS[key].default, "default")
        return own if own is not None and own.rank <= general.rank else general

    def counting(self, key: str, recipe: str) -> str:
        """The key to change for a recipe: the recipe's own key if it takes effect, else the general one."""
        own = f"recipes.{recipe}.{key}"
        return own if own in self.values and self.get(key, recipe) is self.values[own] else key

    def features(self, recipe: str) -> Features:
        """The feature switches that are configured for a recipe."""
        names = self.get("features.context.filenames", recipe)
        switches = {key: self.get(key, recipe).value for key in KEYS if key.startswith("features.")}
        values = {key.removeprefix("features.").replace(".", "_"): value for key, value in switches.items()}
        return Features(**values, context_within=names.within if names.value is not None else None)

    def docs(self, recipe: str) -> Docs | None:
        """Paths of the harness's documentation, as far as they are configured."""
        values = {name: self.get(f"runtime.docs.{name}", recipe).value or None for name in Docs.__struct_fields__}
        return Docs(**values) if any(values.values()) else None

    def settings(self, recipe: Recipe) -> dict[str, ConfigValue]:
        """The recipe's own settings; one that it does not have is an error."""
        prefix = f"recipes.{recipe.name}."
        for key, (value, origin, *_) in self.values.items():
            name = key.removeprefix(prefix)
            if not key.startswith(prefix) or name in KEYS:
                continue
            if name not in recipe.settings:
                text, message = f"{origin}: unknown setting {key}.", f"No setting named {key!r}"
                tip = find_similar(name, (*recipe.settings, *KEYS))
                raise ConfigError(text, message=message, noun="setting", place=origin, tip=tip)
            if not isinstance(value, str) or leads_out_of_folder(value):
                raise ConfigError(f"{origin}: {key}: {value!r} is not a plain name; use a name such as '.sf'.")
        defaults = {name: ConfigValue(default, "default") for name, default in recipe.settings.items()}
        return {name: self.values.get(prefix + name, default) for name, default in defaults.items()}


# How it is loaded.


def load_config(location: Location) -> Config:
    """The configuration for the working directory, with the caller's own values."""
    world, cwd, home, _, overrides = location
    notes: list[Diagnostic] = []
    for key in overrides:
        if key not in KEYS and not key.startswith("recipes."):
            message, tip = f"No setting named {key!r}", find_similar(key, KEYS)
            raise ConfigError(f"Unknown setting {key!r}.", message=message, noun="setting", tip=tip)
    user_file = f"{home.rstrip('/')}/{USER_FILE}"
    layers = [
        ConfigLayer("command line", cwd, dict(overrides), 0),
        *_read_environment_layers(world, cwd, notes),
        *_read_project_layer(world, cwd, notes),
    ]
    try:
        layers += _read_config_file(world, user_file, USER, notes) if world.look(user_file) else []
    except OSError as problem:  # it stops nothing
        message = f"home can't be searched: {describe_os_error(problem)}; its files are not known"
        notes.append(warning("home-unreadable", message, home))
    layers = [
        layer._replace(values={key: _check_value(key, value, layer, home) for key, value in layer.values.items()})
        for layer in layers
    ]
    requests, project = None, next((layer for layer in layers if layer.rank == PROJECT), None)
    if project:
        others = [each for each in layers if each is not project]
        judged, more, requests = judge_project(world, project, others, user_file, home)
        layers[layers.index(project)] = judged
        notes += more
    return _merge_layers(layers, notes, project.origin if project else "", requests)


def _merge_layers(
    layers: Sequence[ConfigLayer], notes: list[Diagnostic], file: str, requests: ProjectRequests | None
) -> Config:
    """What the layers make together: the nearest value of each key, and all extensions, trusted folders and servers.

    A project removes nothing of the user. Of two servers with one name, the nearest counts.
    """
    values, recipes, extensions = dict[str, ConfigValue](), dict[str, RecipeTable](), list[Extension]()
    for key in ("extensions", "trusted", "mcp.servers"):
        added: dict[str, Any] = {}  # servers by name, or the items in their order
        giving = [layer for layer in reversed(layers) if layer.values.get(key)]
        for layer in giving:
            added |= layer.values[key] if key == "mcp.servers" else dict.fromkeys(layer.values[key])
        if giving:
            origin = ", ".join(dict.fromkeys(layer.origin for layer in giving))
            values[key] = ConfigValue(added if key == "mcp.servers" else tuple(added), origin, giving[-1].rank)
    for layer in layers:
        for key, value in layer.values.items():
            values.setdefault(key, ConfigValue(value, layer.origin, layer.rank, layer.within))
        for name, table in layer.recipes.items():
            line = layer.find_line(f"recipes.{name}") if layer.within is not None else None
            recipes.setdefault(name, RecipeTable(name, table, layer.folder, layer.origin, layer.within, line))
    for layer in reversed(layers):  # the farthest first; a recipe's own behind those for all
        for key in sorted(layer.values, key=lambda key: (key != "extensions", key)):
            if find_key(key) is KEYS["extensions"]:
                recipe = key.rpartition(".")[0].removeprefix("recipes.") or None
                is_file, specs = layer.rank in (PROJECT, USER), layer.values[key]
                extensions += [Extension(spec, layer.origin, layer.folder, is_file, recipe) for spec in specs]
    later = tuple(each for each in notes if each.code in ("extension-untrusted", "mcp-untrusted"))
    now = tuple(each for each in notes if each not in later)
    return Config(values, recipes, now, tuple(extensions), later, file, requests)


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
    """The nearest overture.toml, or pyproject.toml with a [tool.overture] table, that is in its project."""
    for folder in reversed(list_walk_folders(cwd, None)):
        layers: list[ConfigLayer] = []
        for path in (f"{folder.rstrip('/')}/{name}" for name in ("overture.toml", "pyproject.toml")):
            entry = world.look(path)
            if entry is None:
                continue
            if entry.kind == "link" and world.is_file(path):  # else it is refused for what it is, wherever that is
                project = find_project_folder(world, folder)
                if not contains_path(project, world.real_or_same(path)):
                    message = f"skipped: it is a symlink that leaves {project}. Put the file itself there"
                    notes.append(warning("config-untrusted", message, path))
                    continue
            layers += _read_config_file(world, path, PROJECT, notes)
        if len(layers) > 1:
            message = f"[tool.overture] has no effect: {layers[0].origin} comes first"
            notes.append(warning("config-shadowed", message, layers[1].origin))
        if layers:
            return layers[:1]
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
    if is_shared and not isinstance(table := find_setting(table, "tool.overture"), dict):
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


# What in it leads nowhere.


def find_missing_paths(world: World, config: Config, recipe: str) -> Iterator[tuple[str, Diagnostic]]:
    """Each folder and place that counts for a recipe and can't be used, with a report.

    A missing file, as that of the tools, is its reader's error.
    """
    for key, kind in KEYS.items():
        value, origin, *_ = config.get(key, recipe)
        is_place = kind.paths == "place" and value and "://" not in value
        paths = value if kind.paths == "list" else (value,) if is_place else ()
        for path in dict.fromkeys(make_absolute(world, each) for each in paths):
            fault = ""
            try:
                entry = None if "*" in path else world.look(world.real(path))
                if "*" in path and key.endswith("extra_dirs"):
                    fault = "" if find_folders(world, path) else "matches no folder: create one, or use another path"
                elif kind.paths == "list" and (entry is None or entry.kind != "dir"):
                    fault = "is not a folder: use another path"
            except OSError as problem:
                is_missing = isinstance(problem, FileNotFoundError)
                dead = describe_dead_link(world, path) if is_missing else None
                fault = f"{dead.removeprefix('it ')}: fix it" if dead else "does not exist: create it"
                fault = (
                    f"{fault}, or use another path" if is_missing else f"can't be used: {describe_os_error(problem)}"
                )
            if fault:
                yield path, warning("config-missing", f"{key} names {path!r}, which {fault}", origin)
