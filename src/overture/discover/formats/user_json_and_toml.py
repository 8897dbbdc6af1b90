"""Files that a caller names: tools and states as JSON, models as TOML. Unlike project files, a bad one is an error."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from ...errors import ConfigError, OvertureError, StateError, unknown
from ...model.recipe.recipe import Recipe
from ...model.state.tool import Tool
from ...model.state.tool_forms import tools_from
from ..disk.world import World, read_within
from .toml_tables import LARGEST, toml_table

LARGEST_JSON = 16 * 1024 * 1024
"""Bytes of a file that the configuration names. One that the caller names may be as large as any."""


def read_json(world: World, path: str, *, pipes: bool = True, within: str | None = None) -> Any:
    """The JSON value in a file, which lies `within` a folder; `pipes`: or in what a shell puts in the place of one."""
    try:
        return decode_json(world.read_input(path) if pipes else read_within(world, path, within, LARGEST_JSON), path)
    except OSError as problem:
        raise ConfigError(f"{path}: it can't be read: {_said(problem)}.") from None


def _said(problem: OSError) -> str:
    return problem.strerror.lower() if problem.strerror else str(problem)


def decode_json(data: bytes, name: str) -> Any:
    """The JSON value of `data`, which came from `name`."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not data.strip():
        raise StateError(f"{name}: it is not JSON: it is empty; give it {{}} at least.")
    try:
        value = msgspec.json.decode(data)
        if (twice := _key_twice(data)) is not None:
            raise StateError(f"{name}: the key {twice!r} is given twice in one object; keep one of them.")
        return value
    except RecursionError:
        raise StateError(f"{name}: it is nested too deeply to be read; flatten it.") from None
    except StateError:
        raise
    except (msgspec.DecodeError, ValueError) as problem:
        half = re.search(rb"\\u[dD][89a-fA-F]", data)
        hint = f" (it holds {half[0].decode()}…, half of a character)" if half else ""
        raise StateError(f"{name}: it is not JSON: {str(problem).rstrip('.')}{hint}.") from None


def _key_twice(data: bytes) -> str | None:
    """A key that an object has twice: JSON readers keep the last, and lose the first without a word."""
    found: list[str] = []

    def look(pairs: list[tuple[str, Any]]) -> None:
        if not found and len(dict(pairs)) < len(pairs):
            times = Counter(key for key, _ in pairs)
            found.append(next(key for key in times if times[key] > 1))

    json.loads(data, object_pairs_hook=look)
    return found[0] if found else None


def read_toml(world: World, path: str, within: str | None = None) -> dict[str, Any]:
    """The table in a TOML file, which lies `within` a folder."""
    try:
        return toml_table(read_within(world, path, within, LARGEST))
    except OSError as problem:
        raise ConfigError(f"{path}: it can't be read: {_said(problem)}.") from None
    except ValueError as problem:
        raise ConfigError(f"{path}: {problem}.") from None


def read_tools(world: World, path: str, *, pipes: bool = True, within: str | None = None) -> tuple[Tool, ...]:
    """The tools in a JSON file, in any of the forms."""
    try:
        return tools_from(read_json(world, path, pipes=pipes, within=within))
    except ConfigError:
        raise
    except OvertureError as problem:
        raise StateError(str(problem) if str(problem).startswith(path) else f"{path}: {problem}") from None


def named_tools(recipe: Recipe, names: Sequence[str]) -> tuple[Tool, ...]:
    """The recipe's own tools of these names, in this order."""
    known = {tool.name: tool for tool in recipe.tools}
    for name in names:
        if name not in known:
            raise ConfigError(unknown(f"Tool of recipe {recipe.name!r}", name, known))
    return tuple(known[name] for name in dict.fromkeys(names))
