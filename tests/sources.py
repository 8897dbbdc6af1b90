"""The package's modules as syntax trees: each is parsed once for all tests of a process."""

import ast
import gc
from functools import cache
from pathlib import Path

import overture

SOURCE = Path(overture.__file__).parent


@cache
def source_nodes(path: str) -> tuple[ast.AST, ...]:
    """All nodes of a module, by its path below the package."""
    # Half a million nodes that stay: the garbage collector would walk through them again and again.
    gc.disable()
    try:
        return nodes((SOURCE / path).read_text("utf-8"))
    finally:
        gc.freeze()
        gc.enable()


def source_paths(folder: str = "") -> list[str]:
    """The modules below a folder of the package, by their paths below the package."""
    return [path for path in _paths() if path.startswith(folder)]


@cache
def _paths() -> list[str]:
    return sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))


def nodes(text: str) -> tuple[ast.AST, ...]:
    """All nodes of a module's text."""
    return tuple(ast.walk(ast.parse(text)))
