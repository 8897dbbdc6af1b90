"""Trust: a project may bring code of its own only where the user says so, and never says so itself."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..model.config import Value
from ..model.diagnostic import Diagnostic, warning
from ..model.extension import Extension
from .layer import PROJECT, USER, Layer
from .walk import at_or_above
from .world import World

ADDED = ("extensions", "trusted")
"""The keys whose values add up: a project takes nothing away of what the user gave."""
SWITCH = "features.extensions.enabled"


class Judged(NamedTuple):
    """The layers without what a project may not say, and what became of that."""

    layers: list[Layer]
    notes: list[Diagnostic]
    untrusted: list[Diagnostic]


def judged(world: World, layers: Sequence[Layer], user_file: str) -> Judged:
    """Take from a project's layer the trust that it gives itself, and its code where nobody trusts it."""
    trusted = tuple(folder for layer in layers if layer.rank != PROJECT for folder in layer.values.get("trusted", ()))
    result = Judged([], [], [])
    for layer in layers:
        if layer.rank == PROJECT and not _same(world, layer.origin, user_file):
            layer = _of_project(world, layer, trusted, user_file, result)
        result.layers.append(layer)
    return result


def _of_project(world: World, layer: Layer, trusted: tuple[str, ...], user_file: str, result: Judged) -> Layer:
    values = dict(layer.values)
    if "trusted" in values:
        message = f"'trusted' is not used: a project can't trust itself. Write it in {user_file}"
        result.notes.append(warning("config-untrusted", f"{message}, if you mean it", layer.origin))
        del values["trusted"]
    code = [key for key in values if key == SWITCH or key.endswith(f".{SWITCH}") or _is_extensions(key)]
    if code and not _trusts(world, trusted, layer.folder):
        folder = _real(world, layer.folder) or layer.folder
        line = f"trusted = {json.dumps([*dict.fromkeys((*trusted, folder))], ensure_ascii=False)}"
        message = f"{', '.join(map(repr, code))} is not used: {folder} is not trusted. To trust it, write at the top of"
        result.untrusted.append(warning("extension-untrusted", f"{message} {user_file}: {line}", layer.origin))
        values = {key: value for key, value in values.items() if key not in code}
    return layer._replace(values=values)


def _trusts(world: World, trusted: tuple[str, ...], folder: str) -> bool:
    real = _real(world, folder)
    tops = (_real(world, top) for top in trusted)
    return real is not None and any(top is not None and at_or_above(top, real) for top in tops)


def _real(world: World, path: str) -> str | None:
    try:
        return world.real(path)
    except OSError:
        return None


def _same(world: World, path: str, other: str) -> bool:
    real = _real(world, path)
    return path == other or (real is not None and real == _real(world, other))


def added(layers: Sequence[Layer]) -> Iterator[tuple[str, Value]]:
    """The keys whose values add up, each with what all layers say, the farthest first."""
    for key in ADDED:
        rows = [(item, layer) for layer in reversed(layers) for item in layer.values.get(key, ())]
        if rows:
            origins = dict.fromkeys(layer.origin for _, layer in rows)
            values: tuple[Any, ...] = tuple(dict.fromkeys(item for item, _ in rows))
            yield key, Value(values, ", ".join(origins), min(layer.rank for _, layer in rows))


def extensions(layers: Sequence[Layer]) -> tuple[Extension, ...]:
    """The extensions that the layers give, the farthest first; a recipe's own behind those for all."""
    return tuple(
        Extension(spec, layer.origin, layer.folder, layer.rank in (PROJECT, USER), _recipe(key))
        for layer in reversed(layers)
        for key in sorted(layer.values, key=lambda key: (key != "extensions", key))
        if _is_extensions(key)
        for spec in layer.values[key]
    )


def _is_extensions(key: str) -> bool:
    return key == "extensions" or (key.startswith("recipes.") and key.endswith(".extensions") and key.count(".") == 2)


def _recipe(key: str) -> str | None:
    return key.split(".")[1] if key.startswith("recipes.") else None
