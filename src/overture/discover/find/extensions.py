"""`module:function` and `file.py:function` -> the function; and those that installed packages bring along."""

import importlib
import os
import sys
import zlib
from collections.abc import Callable
from functools import lru_cache
from operator import attrgetter
from types import ModuleType
from typing import Any, NamedTuple

from ...errors import ConfigError
from ..configuration.values import Extension
from ..disk.import_afresh import Installed, Placed, afresh
from ..disk.walk import expanded
from ..disk.world import RealWorld, World

GROUP = "overture.extensions"
EXAMPLE = "'package.module:setup' or 'folder/file.py:setup'"


class Located(NamedTuple):
    """Where a function is to be found: a file or a package's folder, or a module that Python finds."""

    place: str | None
    module: str
    """The dotted name; for a place, what follows it."""
    function: str

    @property
    def key(self) -> str:
        """The same for two names of one function."""
        where = "/".join((self.place, *self.module.split("."))) if self.place and self.module else self.place
        return f"{(where or self.module).removesuffix('.py')}:{self.function}"


def locate(world: World, extension: Extension, home: str) -> Located:
    """Where the function lies. Nothing is run."""
    where, _, function = extension.spec.rpartition(":")
    where = where.strip()
    if not where or not all(word.isidentifier() for word in function.split(".")):
        raise ConfigError(f"{extension.spec!r} names no function; write {EXAMPLE}")
    if where.endswith(".py") or "/" in where:
        path = os.path.normpath(expanded(where, extension.folder, home))
        if not _is_file(world, path):
            raise ConfigError(f"there is no file {path!r}; give the path of a .py file")
        return Located(world.real(path), "", function)
    if not all(word.isidentifier() for word in where.split(".")):
        raise ConfigError(f"{where!r} is no name of a module; write {EXAMPLE}")
    top, _, rest = where.partition(".")
    beside = f"{extension.folder.rstrip('/')}/{where.replace('.', '/')}"
    if extension.beside and any(_is_file(world, f"{beside}{end}") for end in (".py", "/__init__.py")):
        return _beside(world, extension.folder.rstrip("/"), top, rest, function)
    return Located(None, where, function)


def _beside(world: World, folder: str, top: str, rest: str, function: str) -> Located:
    """A module in a folder; one in a package is imported through the package, so that it finds its neighbours."""
    package = f"{folder}/{top}"
    if not rest and not _is_file(world, f"{package}/__init__.py"):
        return Located(world.real(f"{package}.py"), "", function)
    return Located(world.real(package), rest, function)


def load_function(world: World, located: Located, *, again: bool) -> Callable[..., Any]:
    """Import the module and take the function out of it. `again`: afresh, though Python knows it already."""
    module = _module(world, located, again)
    try:
        function = attrgetter(located.function)(module)
    except AttributeError:
        known = ", ".join(name for name, value in vars(module).items() if callable(value) and name[0] != "_")
        raise ConfigError(f"the module has no {located.function!r}; it has: {known or 'no function'}") from None
    if not callable(function):
        raise ConfigError(f"{located.function!r} is {function!r:.60}, which can't be called; name a function")
    found: Callable[..., Any] = function
    return found


def _module(world: World, located: Located, again: bool) -> ModuleType:
    place = located.place
    if place is not None:
        top = f"overture_extension_{zlib.crc32(place.encode('utf-8', 'surrogatepass')):08x}"
        name = f"{top}.{located.module}" if located.module else top
        return afresh(name, top, Placed(top, place, world.read, lambda path: _is_file(world, path)))
    if again:
        return afresh(located.module, located.module, Installed(located.module, RealWorld().read))
    importlib.invalidate_caches()
    return importlib.import_module(located.module)


def _is_file(world: World, path: str) -> bool:
    try:
        entry = world.look(world.real(path))
    except OSError:
        return False
    return entry is not None and entry.kind == "file"


def packaged_extensions() -> tuple[Extension, ...]:
    """Those of installed packages, by the name of their entry point."""
    return _packaged(tuple((folder, _stamp(folder)) for folder in sys.path))


@lru_cache(maxsize=4)
def _packaged(_folders: tuple[tuple[str, int], ...]) -> tuple[Extension, ...]:
    # Reading what every package offers takes longer than starting a session, so it is done when a folder changed.
    from importlib.metadata import entry_points

    points = sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value))
    return tuple(
        Extension(f"{point.module}:{point.attr}", f"package {point.dist.name if point.dist else point.name}", ".")
        for point in points
    )


def _stamp(folder: str) -> int:
    try:
        return os.stat(folder or ".").st_mtime_ns
    except OSError:
        return 0
