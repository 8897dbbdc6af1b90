"""Files that a caller names: tools and states as JSON. Unlike project files, a bad one is an error."""

from collections.abc import Sequence
from typing import Any

import msgspec

from ..model.errors import ConfigError, OvertureError, StateError, unknown
from ..model.recipe import Recipe
from ..model.tool import Tool
from ..model.tool_forms import tools_from
from .world import World


def read_json(world: World, path: str) -> Any:
    """The JSON value in a file."""
    try:
        return decode_json(world.read_input(path), path)
    except OSError as problem:
        raise ConfigError(f"{path}: it can't be read: {(problem.strerror or str(problem)).lower()}.") from None


def decode_json(data: bytes, name: str) -> Any:
    """The JSON value of `data`, which came from `name`."""
    try:
        return msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as problem:
        raise StateError(f"{name}: it is not JSON: {problem}.") from None


def read_tools(world: World, path: str) -> tuple[Tool, ...]:
    """The tools in a JSON file, in any of the forms."""
    try:
        return tools_from(read_json(world, path))
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
