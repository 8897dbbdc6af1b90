"""What a project's own file may say: each value is taken, taken in part, or waits until somebody trusts the project."""

import json
from collections.abc import Iterator
from posixpath import normpath
from typing import Any, NamedTuple

from ..disk.walk import absolute, at_or_above, fixed_part
from ..disk.world import World
from ..formats.toml_lines import line_of
from .keys import kind_of
from .values import Layer, Wish

NOTHING = object()
"""In place of a value of which nothing is left."""


class Heard(NamedTuple):
    """What is left of a layer, and what is not."""

    layer: Layer
    wishes: tuple[Wish, ...]


def project_folder(world: World, folder: str) -> str:
    """The folder that a configuration speaks for: the repository it lies in, or else its own. A real path."""
    real = real_or(world, folder)
    here = real
    while True:
        try:
            if world.look(f"{here.rstrip('/')}/.git") is not None:
                return here
        except OSError:
            return real
        if here == "/":
            return real
        here = here.rpartition("/")[0] or "/"


def heard(world: World, layer: Layer, within: str) -> Heard:
    """A layer of a project that nobody trusts, with what lies inside the project alone."""
    kept: dict[str, Any] = {}
    wishes: list[Wish] = []
    for key, value in layer.values.items():
        left, why = _left(world, key, value, within)
        if why:
            asked = [item for item in value if item not in left] if isinstance(left, tuple) else value
            wishes.append(Wish(key, _tidy(asked), why, where(layer, key)))
        if left is not NOTHING:
            kept[key] = left
    return Heard(layer._replace(values=kept, within=within), tuple(wishes))


def _tidy(value: Any) -> Any:
    """Paths without `..`, so that one sees where they lead."""
    if isinstance(value, list | tuple):
        return tuple(map(_tidy, value))
    return normpath(value) if isinstance(value, str) and value.startswith("/") else value


def _left(world: World, key: str, value: Any, within: str) -> tuple[Any, str]:
    """What is left of a value, and why the rest waits."""
    kind = kind_of(key)
    word = kind.project if kind else "yes"
    if kind is None or word in ("yes", "never"):
        return value, ""
    if word == "trusted":
        return NOTHING, "code would run" if key.endswith("extensions") else "it is for you to say"
    if word == "strict":
        runs = key.endswith("git.enabled")
        why = "git would run in a project that is not trusted" if runs else "a project can hide more, not less"
        return (value, "") if value == kind.strict else (NOTHING, why)
    return _inside(world, value, within) if kind.paths else (value, "")


def _inside(world: World, value: Any, within: str) -> tuple[Any, str]:
    if isinstance(value, tuple):
        faults = {path: why for path in value if "/" in path and (why := fault_of(world, path, within, folder=True))}
        left = tuple(path for path in value if path not in faults)
        return left, next(iter(faults.values()), "")
    if not isinstance(value, str) or "://" in value or not value.startswith("/"):
        return value, ""
    why = fault_of(world, value, within)
    return (NOTHING if why else value), why


def fault_of(world: World, path: str, within: str, *, folder: bool = False) -> str:
    """Why a project may not name a path: it lies, or leads, outside, or is nothing that is read; else nothing."""
    place = fixed_part(absolute(world, path))
    try:
        real = world.real(place)
        entry = world.look(real)
    except OSError:  # what is not there is reported where it is missed
        real, entry = _real_beginning(world, normpath(place)), None
    if not at_or_above(within, real):
        return f"it lies outside {within}"
    if entry is not None and entry.kind == "other" and not folder:
        return "it is no regular file"
    return ""


def _real_beginning(world: World, path: str) -> str:
    """The path with the links followed of as much of it as there is."""
    folder, _, name = path.rpartition("/")
    try:
        return world.real(path)
    except OSError:
        return f"{_real_beginning(world, folder).rstrip('/')}/{name}" if folder else path


def real_or(world: World, path: str) -> str:
    """The real path, or the path itself where it can't be told."""
    try:
        return world.real(path)
    except OSError:
        return path


def where(layer: Layer, key: str) -> int | None:
    """The line on which a layer's file gives a key."""
    top = "tool.overture" if layer.origin.endswith("/pyproject.toml") else ""
    return line_of(layer.data.decode("utf-8-sig", "replace"), key, top)


def shown(value: Any) -> str:
    """A value as one would write it."""
    return json.dumps(value, ensure_ascii=False, default=str)


def named_files(layer: Layer) -> Iterator[str]:
    """The files that a layer names by path."""
    for key, value in layer.values.items():
        kind = kind_of(key)
        if kind is not None and kind.paths == "text" and isinstance(value, str) and value.startswith("/"):
            yield value
