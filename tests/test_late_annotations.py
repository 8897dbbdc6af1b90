"""Python 3.14 reads annotations late, once a class has its fields: none may use a name that a field has."""

import ast
from collections.abc import Iterable, Iterator

import pytest

from .sources import nodes, source_nodes, source_paths


def hidden_names(module: Iterable[ast.AST]) -> Iterator[str]:
    """Names in annotations of a class that one of its own fields would hide."""
    for each in module:
        if isinstance(each, ast.ClassDef):
            fields = [row for row in each.body if isinstance(row, ast.AnnAssign)]
            names = {row.target.id for row in fields if isinstance(row.target, ast.Name)}
            used = (node for row in fields for node in ast.walk(row.annotation))
            yield from (f"{each.name}.{node.id}" for node in used if isinstance(node, ast.Name) and node.id in names)


def test_no_field_hides_what_an_annotation_needs() -> None:
    """Where a field is called `note`, no annotation beside it calls the function `note`."""
    assert [name for path in source_paths() for name in hidden_names(source_nodes(path))] == []


@pytest.mark.parametrize(
    "text", ["class A:\n    date: date", "class A:\n    at: Annotated[int, note('x')]\n    note: str"]
)
def test_such_a_field_is_found(text: str) -> None:
    """Its own annotation counts, and those of its neighbours."""
    assert list(hidden_names(nodes(text)))
