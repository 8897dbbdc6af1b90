"""Lists the extensions of a session: from packages, configuration and the program, each once."""

import sys
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any, NamedTuple

from ...discover.configuration.values import Extension
from ...discover.discover import ResolvedProject
from ...discover.disk.world import World
from ...discover.load_extension import list_packaged_extensions, load_function, locate_extension
from ...errors import ConfigError
from ..call_hooks import hook_name
from .extensions import ExtensionSource, Setup

PROGRAM_ORIGIN = "Session"


class ExtensionUnit(NamedTuple):
    """One extension, before it is set up."""

    id: str
    key: str
    """The same for two names of one function."""
    name: str
    find: Callable[[bool], Setup]
    """Its function; imported afresh where that is asked for."""
    path: str | None = None
    """The file that gives it."""


def list_session_extensions(
    project: ResolvedProject | None, world: World, cwd: str, sources: Iterable[ExtensionSource]
) -> list[ExtensionUnit]:
    """All of them, the nearest last: what it registers counts. One that is given twice is one."""
    found: dict[str, ExtensionUnit] = {}
    home = project.home if project else world.home()
    configured = project.extensions if project else ()
    packaged = list_packaged_extensions() if project and project.features.extensions_enabled else ()
    for each in (*packaged, *configured):
        found.setdefault((unit := _locate_extension_unit(world, each, home)).key, unit)
    for unit in _list_given_extensions(world, cwd, home, sources):
        found.setdefault(unit.key, unit)
    return list(found.values())


def _list_given_extensions(
    world: World, cwd: str, home: str, sources: Iterable[ExtensionSource]
) -> Iterator[ExtensionUnit]:
    names: list[str] = []
    for item in sources:
        if isinstance(item, str):
            yield _locate_extension_unit(world, Extension(item, PROGRAM_ORIGIN, cwd), home)
            continue
        name = f"{getattr(item, '__module__', '')}:{hook_name(item)}"
        yield ExtensionUnit(
            f"{name}#{names.count(name)}", _make_extension_key(item, name), name, _make_given_finder(item)
        )
        names.append(name)


def _make_extension_key(item: Any, name: str) -> str:
    """The name of a function that can be found under it; of any other, what tells it apart."""
    module, _, function = name.partition(":")
    try:
        there = attrgetter(function)(sys.modules[module])
    except (KeyError, AttributeError):
        there = None
    return name if there is item else f"{name}@{id(getattr(item, '__self__', item))}"


def _make_given_finder(item: Any) -> Callable[[bool], Setup]:
    def find(_: bool) -> Setup:
        if not callable(item):
            raise ConfigError(f"it is {item!r:.60}, which is not callable; pass a function or 'module:function'")
        setup: Setup = item
        return setup

    return find


def _locate_extension_unit(world: World, extension: Extension, home: str) -> ExtensionUnit:
    spec, origin = extension.spec, extension.origin
    id, path = f"{origin} {spec}", origin if origin.startswith("/") else None
    name = f"{spec} of {origin}" if origin.startswith("package ") else spec
    try:
        located = locate_extension(world, extension, home)
    except (ConfigError, OSError) as problem:
        return ExtensionUnit(id, id, name, _make_failing_finder(str(problem)), path)
    return ExtensionUnit(id, located.key, name, lambda again: load_function(world, located, again=again), path)


def _make_failing_finder(problem: str) -> Callable[[bool], Setup]:
    def find(_: bool) -> Setup:
        raise ConfigError(problem)

    return find
