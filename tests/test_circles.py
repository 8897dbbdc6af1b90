"""No modules import each other in a circle, not even inside a function or for types alone."""

import ast
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter

from .sources import nodes, source_nodes, source_paths


def list_imports(module: str, tree: Iterable[ast.AST], modules: Mapping[str, str]) -> set[str]:
    """The modules of the package that a module imports, wherever the statement is."""
    folder = module.split(".") if modules[module].endswith("__init__.py") else module.split(".")[:-1]
    imported: set[str] = set()
    for node in tree:
        if isinstance(node, ast.ImportFrom) and node.level:
            above = folder[: len(folder) - node.level + 1]
            base = ".".join((*above, *(node.module.split(".") if node.module else ())))
            imported |= {name if (name := f"{base}.{each.name}") in modules else base for each in node.names}
    return {name for name in imported if name in modules and name != module}


def find_circle(graph: Mapping[str, set[str]]) -> list[str]:
    """The modules of one circle; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as found:
        circle: list[str] = found.args[1]
        return circle
    return []


def test_no_modules_import_each_other() -> None:
    """Imports inside functions and for types count as well: a reader meets both modules at once."""
    modules = {
        ".".join(("overture", *path.removesuffix(".py").removesuffix("/__init__").split("/"))): path
        for path in source_paths()
        if path != "__init__.py"
    }
    graph = {name: list_imports(name, source_nodes(path), modules) for name, path in modules.items()}
    assert sum(map(len, graph.values())) > 1000
    assert find_circle(graph) == []


def test_a_circle_is_found() -> None:
    """A circle of an import inside a function and one for types."""
    modules = {"overture.a": "a.py", "overture.b.c": "b/c.py"}
    texts = {
        "overture.a": "def f():\n    from .b.c import g",
        "overture.b.c": "if TYPE_CHECKING:\n    from ..a import f",
    }
    graph = {name: list_imports(name, nodes(text), modules) for name, text in texts.items()}
    assert set(find_circle(graph)) == set(modules)
