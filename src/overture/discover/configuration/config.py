"""Config holds the winning value of each key, and its origin; some keys have the values of all layers."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from ...errors import ConfigError, find_similar
from ...model.diagnostic import Diagnostic
from ...model.recipe.recipe import Recipe
from ...model.state.agent_and_runtime import Docs
from ..parse_json_and_toml import find_toml_line
from .config_keys import KEYS, Features

PROJECT, USER = 2, 3
"""The rank of a project file's layer, and of the user file's."""


class ConfigLayer(NamedTuple):
    """Values from one place."""

    origin: str
    folder: str
    values: dict[str, Any]
    rank: int
    """How near: command line 0, environment 1, project file 2, user file 3."""
    recipes: dict[str, Mapping[str, Any]] = {}
    data: bytes = b""
    """The file as it was read."""
    within: str | None = None
    """For an untrusted project: the folder that contains everything it may name."""


class RecipeDefinition(NamedTuple):
    """A recipe that a configuration file defines."""

    table: Mapping[str, Any]
    folder: str
    """Where its paths start from."""
    origin: str = ""
    within: str | None = None
    """As in `ConfigLayer`."""
    line: int | None = None


class Extension(NamedTuple):
    """`module:function` or `file.py:function`, with its origin."""

    spec: str
    origin: str
    """The file, variable or package that sets it."""
    folder: str
    """The folder that relative paths start from."""
    beside: bool = False
    """Whether a module is looked for in that folder before anywhere else: so in a configuration file."""
    recipe: str | None = None
    """The only recipe that uses it; None: all recipes."""


class RequestedSetting(NamedTuple):
    """Something that a project's own file asks for."""

    key: str
    value: Any
    why: str
    """Why it waits."""
    line: int | None = None


class ConfigTrustRequest(NamedTuple):
    """All settings that a project's own file asks for and may not make by itself."""

    origin: str
    folder: str
    requested: tuple[RequestedSetting, ...]
    files: tuple[str, ...]
    """The file, and those that it pulls in: they are trusted together."""
    trust: Literal["unknown", "changed", "trusted", "folder"]
    """`folder`: the user trusts everything in the folder."""
    problem: str = ""
    """Why they can't be approved by content."""


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
    recipes: Mapping[str, RecipeDefinition] = {}
    """Recipes that a configuration file defines."""
    notes: tuple[Diagnostic, ...] = ()
    extensions: tuple[Extension, ...] = ()
    """The extensions of all layers, the farthest first."""
    untrusted: tuple[Diagnostic, ...] = ()
    """Untrusted settings of a project, reported where extensions would be loaded."""
    file: str = ""
    """The project's file that counts, if it exists."""
    request: ConfigTrustRequest | None = None
    """What that file asks for and may not set by itself."""

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
        values = {
            key.removeprefix("features.").replace(".", "_"): self.get(key, recipe).value
            for key in KEYS
            if key.startswith("features.")
        }
        names = self.get("features.context.filenames", recipe)
        return Features(**values, context_within=names.within if names.value is not None else None)

    def docs(self, recipe: str) -> Docs | None:
        """Paths of the harness's documentation, as far as they are configured."""
        values = {name: self.get(f"runtime.docs.{name}", recipe).value or None for name in Docs.__struct_fields__}
        return Docs(**values) if any(values.values()) else None

    def settings(self, recipe: Recipe) -> dict[str, ConfigValue]:
        """The recipe's own settings; one that it does not have is an error."""
        prefix = f"recipes.{recipe.name}."
        for key, value in self.values.items():
            name = key.removeprefix(prefix)
            if not key.startswith(prefix) or name in KEYS:
                continue
            if name not in recipe.settings:
                known = (*recipe.settings, *KEYS)
                raise ConfigError(
                    f"{value.origin}: unknown setting {key}.", message=f"No setting named {key!r}", noun="setting",
                    place=value.origin, tip=find_similar(name, known),
                )  # fmt: skip
            if not isinstance(value.value, str) or not value.value.strip("/"):
                raise ConfigError(f"{value.origin}: {key}: expected a string, got {value.value!r}.")
            if value.value.startswith(("/", "~")) or ".." in value.value.split("/"):
                raise ConfigError(
                    f"{value.origin}: {key}: {value.value!r} is not a plain name; use a name such as '.sf'."
                )
        return {
            name: self.values.get(prefix + name) or ConfigValue(default, "default")
            for name, default in recipe.settings.items()
        }


def find_setting_line(layer: ConfigLayer, key: str) -> int | None:
    """The line on which a layer's file sets a key."""
    top = "tool.overture" if layer.origin.endswith("/pyproject.toml") else ""
    return find_toml_line(layer.data.decode("utf-8-sig", "replace"), key, top)


def format_setting(value: Any) -> str:
    """A value as one would write it."""
    return json.dumps(msgspec.to_builtins(value), ensure_ascii=False, default=str)


ADDED_KEYS = ("extensions", "trusted")
"""The keys whose values add up: a project removes nothing that the user set."""
SERVERS_KEY = "mcp.servers"
"""Another such key: of two servers of one name, the nearest counts."""


def merge_added_keys(layers: Sequence[ConfigLayer]) -> Iterator[tuple[str, ConfigValue]]:
    """The keys whose values add up, each with the values of all layers, the farthest first."""
    for key in ADDED_KEYS:
        rows = [(item, layer) for layer in reversed(layers) for item in layer.values.get(key, ())]
        if rows:
            origins = dict.fromkeys(layer.origin for _, layer in rows)
            values: tuple[Any, ...] = tuple(dict.fromkeys(item for item, _ in rows))
            yield key, ConfigValue(values, ", ".join(origins), min(layer.rank for _, layer in rows))
    giving = [layer for layer in reversed(layers) if layer.values.get(SERVERS_KEY)]
    if giving:
        servers = {name: server for layer in giving for name, server in layer.values[SERVERS_KEY].items()}
        yield SERVERS_KEY, ConfigValue(servers, ", ".join(layer.origin for layer in giving), giving[-1].rank)


def list_configured_extensions(layers: Sequence[ConfigLayer]) -> tuple[Extension, ...]:
    """The extensions of the layers, the farthest first; a recipe's own behind those for all."""
    return tuple(
        Extension(
            spec, layer.origin, layer.folder, layer.rank in (PROJECT, USER), key.split(".")[1] if "." in key else None
        )
        for layer in reversed(layers)
        for key in sorted(layer.values, key=lambda key: (key != "extensions", key))
        if gives_extensions(key)
        for spec in layer.values[key]
    )


def gives_extensions(key: str) -> bool:
    """Whether a key lists extensions: those for all recipes, or for one."""
    return key == "extensions" or (key.startswith("recipes.") and key.endswith(".extensions") and key.count(".") == 2)
