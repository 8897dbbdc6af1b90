"""Config holds the winning value of each key, and its origin; some keys have the values of all layers."""

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from ...errors import ConfigError, find_similar
from ...model.diagnostic import Diagnostic, warning
from ...model.recipe.recipe import Recipe
from ...model.state.agent_and_runtime import Docs
from ...model.struct import Frozen, note
from ..files import describe_dead_link, describe_os_error
from ..parse_json_and_toml import find_toml_line
from ..world import World, find_folders, make_absolute
from .keys import KEYS, Features, leads_out_of_folder

PROJECT, USER = 2, 3
"""The rank of a project file's layer, and of the user file's."""


class RecipeTable(NamedTuple):
    """A recipe as a file has it, until it is made; that of an untrusted project names files `within` a folder."""

    name: str
    table: Mapping[str, Any]
    folder: str
    origin: str = ""
    within: str | None = None
    line: int | None = None
    notes: tuple[Diagnostic, ...] = ()
    """Reports of files outside that folder."""


class ConfigLayer(NamedTuple):
    """Values from one place."""

    origin: str
    folder: str
    values: dict[str, Any]
    rank: int
    """How near: command line 0, environment 1, project file 2, user file 3."""
    recipes: Mapping[str, Mapping[str, Any]] = {}
    data: bytes = b""
    within: str | None = None
    """For an untrusted project: the folder that contains everything it may name."""

    def find_line(self, key: str) -> int | None:
        """The line on which the file sets a key."""
        top = "tool.overture" if self.origin.endswith("/pyproject.toml") else ""
        return find_toml_line(self.data.decode("utf-8-sig", "replace"), key, top)


class Extension(NamedTuple):
    """`module:function` or `file.py:function`, with its origin."""

    spec: str
    origin: str
    folder: str
    beside: bool = False
    """Whether a module is looked for in that folder before anywhere else: so in a configuration file."""
    recipe: str | None = None
    """The only recipe that uses it; None: all recipes."""


class TrustRequest(Frozen, frozen=True, omit_defaults=False):
    """One setting in a project's own file that needs approval."""

    key: str
    value: Any
    why: Annotated[str, note("why")]
    line: int | None = None


FilePurpose = tuple[str, str]
"""What a file is approved as, and its real path."""


class ProjectRequests(NamedTuple):
    """What a project's own file asks for and may not set by itself; `problem` is why that can't be approved."""

    asked: tuple[TrustRequest, ...]
    files: Mapping[FilePurpose, bytes | None]
    """The file, with its content as it was read, and those that it pulls in: they are trusted together."""
    trust: Literal["unknown", "changed", "trusted", "folder"]
    problem: str = ""


class ConfigValue(NamedTuple):
    """A value, its origin and its rank: the least rank wins."""

    value: Any
    origin: str
    rank: int = 99
    within: str | None = None
    """The folder that must contain a file which a project names; None if the user names it."""


class Config(NamedTuple):
    """The values of all layers, the winner of each key."""

    values: Mapping[str, ConfigValue]
    recipes: Mapping[str, RecipeTable] = {}
    notes: tuple[Diagnostic, ...] = ()
    extensions: tuple[Extension, ...] = ()
    """The extensions of all layers, the farthest first."""
    untrusted: tuple[Diagnostic, ...] = ()
    """Untrusted settings of a project, reported where extensions would be loaded."""
    file: str = ""
    """The project's file that counts, if it exists."""
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


def format_setting(key: str, value: Any) -> str:
    """A setting as one would write it; without a value, its key."""
    text = json.dumps(msgspec.to_builtins(value), ensure_ascii=False, default=str)
    return key if value is None else f"{key} = {text}"


def find_missing_paths(world: World, config: Config, recipe: str) -> Iterator[tuple[str, Diagnostic]]:
    """Each folder and place that counts for a recipe and can't be used, with a report.

    A missing file, as that of the tools, is its reader's error.
    """
    for key, kind in KEYS.items():
        value, origin, *_ = config.get(key, recipe)
        is_place = kind.paths == "place" and value and "://" not in value
        paths = value if kind.paths == "list" else (value,) if is_place else ()
        for path in dict.fromkeys(make_absolute(world, each) for each in paths):
            if fault := _find_fault(world, path, folder=kind.paths == "list", pattern=key.endswith("extra_dirs")):
                yield path, warning("config-missing", f"{key} names {path!r}, which {fault}", origin)


def _find_fault(world: World, path: str, *, folder: bool, pattern: bool) -> str | None:
    """What is wrong with a path of the configuration; None if it can be used."""
    try:
        if pattern and "*" in path:
            return None if find_folders(world, path) else "matches no folder: create one, or use another path"
        if world.look(path) is None:
            return "does not exist: create it, or use another path"
        entry = world.look(world.real(path))
    except OSError as problem:
        dead = describe_dead_link(world, path) if isinstance(problem, FileNotFoundError) else None
        fix = f"{dead.removeprefix('it ')}: fix it, or use another path" if dead else ""
        return fix or f"can't be used: {describe_os_error(problem)}"
    return "is not a folder: use another path" if folder and (entry is None or entry.kind != "dir") else None
