"""Importing a module afresh from its source, whatever was imported or compiled before."""

import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from types import ModuleType

Read = Callable[[str], bytes]


class Source(Loader):
    """Runs a file as it is now: a .pyc may be as old as the second in which the file was last changed."""

    def __init__(self, file: str, read: Read) -> None:
        self.file, self.read = file, read

    def exec_module(self, module: ModuleType) -> None:
        """Compile and run."""
        exec(compile(self.read(self.file), self.file, "exec", dont_inherit=True), module.__dict__)


class Installed(MetaPathFinder):
    """Modules that Python itself finds."""

    def __init__(self, name: str, read: Read) -> None:
        self.name, self.read = name, read

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """What Python's own finder says, run from its source where it has one."""
        if not within(name, self.name):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader and spec.origin:
            spec.loader = Source(spec.origin, self.read)
        return spec


class Placed(MetaPathFinder):
    """Modules below a file or folder, under a name that nobody else has."""

    def __init__(self, name: str, place: str, read: Read, is_file: Callable[[str], bool]) -> None:
        self.name, self.place, self.read, self.is_file = name, place, read, is_file

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The file that lies there: `a.py`, or a package with or without its `__init__.py`."""
        if not within(name, self.name):
            return None
        if self.place.endswith(".py") and name == self.name:
            return self._spec(name, self.place)
        where = self.place + name.removeprefix(self.name).replace(".", "/")
        if self.is_file(f"{where}/__init__.py"):
            return self._spec(name, f"{where}/__init__.py", [where])
        if self.is_file(f"{where}.py"):
            return self._spec(name, f"{where}.py")
        if name != self.name:
            return None
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [where]
        return spec

    def _spec(self, name: str, file: str, places: list[str] | None = None) -> ModuleSpec | None:
        return spec_from_file_location(
            name, file, loader=Source(file, self.read), submodule_search_locations=places
        )  # fmt: skip


def within(name: str, top: str) -> bool:
    """Whether a module is the one of that name, or lies below it."""
    return name == top or name.startswith(f"{top}.")


def afresh(name: str, top: str, finder: MetaPathFinder) -> ModuleType:
    """Import a module, and all at and below `top`, anew. If that fails, those that were there are there again."""
    importlib.invalidate_caches()
    kept = {each: module for each, module in list(sys.modules.items()) if within(each, top)}
    with _first(finder):
        try:
            for each in kept:
                del sys.modules[each]
            return importlib.import_module(name)
        except BaseException:
            for each in [each for each in list(sys.modules) if within(each, top)]:
                del sys.modules[each]
            sys.modules.update(kept)
            raise


@contextmanager
def _first(finder: MetaPathFinder) -> Iterator[None]:
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
