"""The package's modules as syntax trees: each is parsed once for all tests of a process."""

import ast
import gc
from functools import cache
from pathlib import Path

import overture

SOURCE = Path(overture.__file__).parent


def source_nodes(path: str) -> tuple[ast.AST, ...]:
    """All nodes of a module, by its path below the package."""
    return _modules()[path]


def source_paths(room: str = "") -> list[str]:
    """The modules below a folder of the package, by their paths below the package."""
    return sorted(path for path in _modules() if path.startswith(room))


@cache
def _modules() -> dict[str, tuple[ast.AST, ...]]:
    # Half a million nodes that stay: the garbage collector would walk through them again and again.
    gc.disable()
    try:
        return {path.relative_to(SOURCE).as_posix(): nodes(path.read_text("utf-8")) for path in SOURCE.rglob("*.py")}
    finally:
        gc.freeze()
        gc.enable()


def nodes(text: str) -> tuple[ast.AST, ...]:
    """All nodes of a module's text."""
    return tuple(ast.walk(ast.parse(text)))
