"""Trust: a project may bring code, or have git run in it, only where the user says so, and never says so itself."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...model.diagnostic import Diagnostic, warning
from ..disk.walk import at_or_above
from ..disk.world import World
from .values import PROJECT, USER, Extension, Layer, Value

ADDED = ("extensions", "trusted")
"""The keys whose values add up: a project takes nothing away of what the user gave."""
SWITCH = "features.extensions.enabled"
GIT = "features.git.enabled"
"""It has git run in the project, which may hold whatever somebody packed into it."""
Layers = Sequence[Layer]


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
        if layer.rank == PROJECT and any(map(_needs_trust, layer.values)) and not _same(world, layer.origin, user_file):
            layer = _humbled(layer, user_file, result)
            if not _trusts(world, trusted, layer.folder):
                layer = _without_git(layer, user_file, result)
                folder = _real(world, layer.folder) or layer.folder
                listed = json.dumps([*dict.fromkeys((*trusted, folder))], ensure_ascii=False)
                layer = _without_code(layer, layers, folder, f"{user_file}: trusted = {listed}", result)
        result.layers.append(layer)
    return result


def _humbled(layer: Layer, user_file: str, result: Judged) -> Layer:
    """A project's layer without the trust that it gives itself."""
    if "trusted" not in layer.values:
        return layer
    message = f"'trusted' is not used: a project can't trust itself. Write it in {user_file}, if you mean it"
    result.notes.append(warning("config-untrusted", message, layer.origin))
    return layer._replace(values={key: value for key, value in layer.values.items() if key != "trusted"})


def _without_git(layer: Layer, user_file: str, result: Judged) -> Layer:
    """A project's layer that has git asked nowhere. It may switch off what it does not want said of itself."""
    asked = [key for key, value in layer.values.items() if _is_git(key) and value]
    if not asked:
        return layer
    message = f"{', '.join(map(repr, asked))} is not used: git would run in a project that is not trusted"
    way = f"Write it in {user_file}, or give it with -c, if you mean it"
    result.notes.append(warning("config-untrusted", f"{message}. {way}", layer.origin))
    return layer._replace(values={key: value for key, value in layer.values.items() if key not in asked})


def _without_code(layer: Layer, others: Layers, folder: str, line: str, result: Judged) -> Layer:
    """A project's layer without what it says of extensions; reported, where that would have changed anything."""
    code = [key for key in layer.values if _is_code(key)]
    lost = [key for key in code if _changes(key, layer.values[key], others)]
    if lost:
        message = f"{', '.join(map(repr, lost))} is not used: {folder} is not trusted. To trust it, write at the top of"
        result.untrusted.append(warning("extension-untrusted", f"{message} {line}", layer.origin))
    return layer._replace(values={key: value for key, value in layer.values.items() if key not in code})


def _changes(key: str, value: Any, others: Layers) -> bool:
    """Whether it is another value than without the project: a list that gives something, or the other switch."""
    said = [layer.values[key] for layer in others if layer.rank != PROJECT and key in layer.values]
    return bool(value) if _is_extensions(key) else value != (said[0] if said else True)


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


def _needs_trust(key: str) -> bool:
    return _is_code(key) or _is_git(key)


def _is_git(key: str) -> bool:
    return key == GIT or key.endswith(f".{GIT}")


def _is_code(key: str) -> bool:
    """Whether a key says which code is run."""
    return key == "trusted" or key == SWITCH or key.endswith(f".{SWITCH}") or _is_extensions(key)


def _is_extensions(key: str) -> bool:
    return key == "extensions" or (key.startswith("recipes.") and key.endswith(".extensions") and key.count(".") == 2)


def _recipe(key: str) -> str | None:
    return key.split(".")[1] if key.startswith("recipes.") else None
