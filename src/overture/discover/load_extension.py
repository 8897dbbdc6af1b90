"""Locates the function of an extension and imports it, afresh if it was imported before."""

import importlib
import os
import sys
import zlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from operator import attrgetter
from types import ModuleType
from typing import Any, NamedTuple

from ..errors import ConfigError
from .configuration.config import Extension
from .disk.paths import expand_path
from .disk.real_world import RealWorld
from .disk.world import World, find_entry

ReadBytes = Callable[[str], bytes]


class FreshLoader(Loader):
    """Runs the current source of a file: a .pyc may be as old as the second in which the file was last changed."""

    def __init__(self, file: str, read: ReadBytes) -> None:
        self.file, self.read = file, read

    def exec_module(self, module: ModuleType) -> None:
        """Compile and run."""
        exec(compile(self.read(self.file), self.file, "exec", dont_inherit=True), module.__dict__)


class InstalledFinder(MetaPathFinder):
    """Modules that Python itself finds."""

    def __init__(self, name: str, read: ReadBytes) -> None:
        self.name, self.read = name, read

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The spec from Python's own finder. Modules with a source file run from it."""
        if not is_submodule(name, self.name):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader and spec.origin:
            spec.loader = FreshLoader(spec.origin, self.read)
        return spec


class FolderFinder(MetaPathFinder):
    """Modules below a file or folder, under a unique name."""

    def __init__(self, name: str, path: str, read: ReadBytes, is_file: Callable[[str], bool]) -> None:
        self.name, self.place, self.read, self.is_file = name, path, read, is_file

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The file for a name: `a.py`, or a package with or without its `__init__.py`."""
        if not is_submodule(name, self.name):
            return None
        if self.place.endswith(".py") and name == self.name:
            return self._make_module_spec(name, self.place)
        where = self.place + name.removeprefix(self.name).replace(".", "/")
        if self.is_file(f"{where}/__init__.py"):
            return self._make_module_spec(name, f"{where}/__init__.py", [where])
        if self.is_file(f"{where}.py"):
            return self._make_module_spec(name, f"{where}.py")
        if name != self.name:
            return None
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [where]
        return spec

    def _make_module_spec(self, name: str, file: str, locations: list[str] | None = None) -> ModuleSpec | None:
        return spec_from_file_location(
            name, file, loader=FreshLoader(file, self.read), submodule_search_locations=locations
        )  # fmt: skip


def is_submodule(name: str, top: str) -> bool:
    """Whether a module has that name, or is below it."""
    return name == top or name.startswith(f"{top}.")


def import_fresh(name: str, top: str, finder: MetaPathFinder) -> ModuleType:
    """Import a module, and all at and below `top`, anew. If that fails, the earlier modules are restored."""
    importlib.invalidate_caches()
    modules = {each: module for each, module in list(sys.modules.items()) if is_submodule(each, top)}
    sys.meta_path.insert(0, finder)
    try:
        for each in modules:
            del sys.modules[each]
        return importlib.import_module(name)
    except BaseException:
        for each in [each for each in list(sys.modules) if is_submodule(each, top)]:
            del sys.modules[each]
        sys.modules.update(modules)
        raise
    finally:
        sys.meta_path.remove(finder)


# `module:function` and `file.py:function` -> the function; and the extensions of installed packages.


ENTRY_POINT_GROUP = "overture.extensions"
EXAMPLE_SPECS = "'package.module:setup' or 'folder/file.py:setup'"


class ExtensionLocation(NamedTuple):
    """The location of a function: a file or a package's folder, or a module that Python finds."""

    place: str | None
    module: str
    """The dotted name; for a file or folder, the rest of the spec."""
    function: str

    @property
    def key(self) -> str:
        """The same for two names of one function."""
        where = "/".join((self.place, *self.module.split("."))) if self.place and self.module else self.place
        return f"{(where or self.module).removesuffix('.py')}:{self.function}"


def locate_extension(world: World, extension: Extension, home: str) -> ExtensionLocation:
    """The location of an extension's function. Nothing is run."""
    where, _, function = extension.spec.rpartition(":")
    where = where.strip()
    if not where or not all(word.isidentifier() for word in function.split(".")):
        raise ConfigError(f"{extension.spec!r} does not name a function; write {EXAMPLE_SPECS}")
    if where.endswith(".py") or "/" in where:
        path = os.path.normpath(expand_path(where, extension.folder, home))
        if not _is_file(world, path):
            raise ConfigError(f"no such file: {path!r}; use the path of a .py file")
        return ExtensionLocation(world.real(path), "", function)
    if not all(word.isidentifier() for word in where.split(".")):
        raise ConfigError(f"{where!r} is not a module name; write {EXAMPLE_SPECS}")
    top, _, rest = where.partition(".")
    beside = f"{extension.folder.rstrip('/')}/{where.replace('.', '/')}"
    if extension.beside and any(_is_file(world, f"{beside}{end}") for end in (".py", "/__init__.py")):
        return _locate_beside(world, extension.folder.rstrip("/"), top, rest, function)
    return ExtensionLocation(None, where, function)


def _locate_beside(world: World, folder: str, top: str, rest: str, function: str) -> ExtensionLocation:
    """A module in a folder; one in a package is imported through the package, so that it finds its neighbours."""
    package = f"{folder}/{top}"
    if not rest and not _is_file(world, f"{package}/__init__.py"):
        return ExtensionLocation(world.real(f"{package}.py"), "", function)
    return ExtensionLocation(world.real(package), rest, function)


def load_function(world: World, located: ExtensionLocation, *, again: bool) -> Callable[..., Any]:
    """Import the module and take the function out of it. `again`: afresh, though Python knows it already."""
    module = _import_extension_module(world, located, again)
    try:
        function = attrgetter(located.function)(module)
    except AttributeError:
        known = ", ".join(name for name, value in vars(module).items() if callable(value) and name[0] != "_")
        raise ConfigError(f"the module has no {located.function!r}; it has: {known or 'no function'}") from None
    if not callable(function):
        raise ConfigError(f"{located.function!r} is {function!r:.60}, which is not callable; name a function")
    loaded: Callable[..., Any] = function
    return loaded


def _import_extension_module(world: World, located: ExtensionLocation, again: bool) -> ModuleType:
    """The module of an extension, imported from its folder, or found by Python."""
    folder = located.place
    if folder is not None:
        top = f"overture_extension_{zlib.crc32(folder.encode('utf-8', 'surrogatepass')):08x}"
        name = f"{top}.{located.module}" if located.module else top
        return import_fresh(name, top, FolderFinder(top, folder, world.read, lambda path: _is_file(world, path)))
    if again:
        return import_fresh(located.module, located.module, InstalledFinder(located.module, RealWorld().read))
    importlib.invalidate_caches()
    return importlib.import_module(located.module)


def _is_file(world: World, path: str) -> bool:
    entry = find_entry(world, path, follow=True)
    return entry is not None and entry.kind == "file"


def list_packaged_extensions() -> tuple[Extension, ...]:
    """Those of installed packages, by the name of their entry point."""
    return _read_entry_points(tuple((folder, _read_folder_stamp(folder)) for folder in sys.path))


@lru_cache(maxsize=4)
def _read_entry_points(_folders: tuple[tuple[str, int], ...]) -> tuple[Extension, ...]:
    # Reading what every package offers takes longer than starting a session, so it is done when a folder changed.
    from importlib.metadata import entry_points

    points = sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda point: (point.name, point.value))
    return tuple(
        Extension(f"{point.module}:{point.attr}", f"package {point.dist.name if point.dist else point.name}", ".")
        for point in points
    )


def _read_folder_stamp(folder: str) -> int:
    try:
        return os.stat(folder or ".").st_mtime_ns
    except OSError:
        return 0
