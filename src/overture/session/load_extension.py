"""Locates the function of an extension and imports it, afresh if it was imported before."""

import importlib
import os
import sys
import zlib
from collections.abc import Callable
from functools import lru_cache, partial
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from operator import attrgetter
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from ..discovery.configuration.config import Extension
from ..discovery.paths import expand_path
from ..discovery.world import World
from ..errors import ConfigError


class FreshLoader(SourceFileLoader):
    """Runs the current source of a file: a .pyc may be as old as the second in which the file was last changed."""

    def __init__(self, name: str, path: str, read: Callable[[str], bytes]) -> None:
        super().__init__(name, path)
        self.read = read

    def get_code(self, fullname: str) -> CodeType:
        """The code of the file as it is now."""
        return compile(self.read(self.path), self.path, "exec", dont_inherit=True)


def import_anew(top: str, load: Callable[[], ModuleType]) -> ModuleType:
    """Import a module, with no module at and below `top` known. If that fails, the earlier modules are restored."""
    modules = {name: sys.modules.pop(name) for name in list_modules(top)}
    try:
        return load()
    except BaseException:
        for name in list_modules(top):
            del sys.modules[name]
        sys.modules.update(modules)
        raise


def list_modules(top: str) -> list[str]:
    """The names of the imported modules at and below one."""
    return [name for name in sys.modules if name == top or name.startswith(f"{top}.")]


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
    importlib.invalidate_caches()
    if located.place is not None:
        top = f"overture_extension_{zlib.crc32(os.fsencode(located.place)):08x}"
        return import_anew(top, partial(_import_from_place, world, top, located.place, located.module))
    load = partial(importlib.import_module, located.module)
    return import_anew(located.module, load) if again else load()


def _import_from_place(world: World, top: str, place: str, module_name: str) -> ModuleType:
    """Import a file, or a module in a package's folder, under a name of its own."""
    file = place if place.endswith(".py") else f"{place}/__init__.py"
    folders = None if file == place else [place]
    loader = FreshLoader(top, file, world.read) if _is_file(world, file) else None
    spec = spec_from_file_location(top, file, loader=loader, submodule_search_locations=folders)
    if loader is None or spec is None:
        spec = ModuleSpec(top, None, is_package=True)
        spec.submodule_search_locations = folders
    module = sys.modules[top] = module_from_spec(spec)
    if loader is not None:
        loader.exec_module(module)
    return importlib.import_module(f"{top}.{module_name}") if module_name else module


def _is_file(world: World, path: str) -> bool:
    entry = world.find(path, follow=True)
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
