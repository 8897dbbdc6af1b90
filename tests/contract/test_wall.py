"""The tests of this folder use what users use: the public modules, the command line, HTTP and sockets."""

import ast
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PUBLIC = ("overture", "overture.errors", "overture.testing", "overture.recipes")
INTEGRATIONS = "overture.integrations."


@pytest.mark.parametrize("path", sorted(HERE.rglob("*.py")), ids=lambda path: path.relative_to(HERE).as_posix())
def test_nothing_else_is_imported(path: Path) -> None:
    """No module of the package but the public ones, and no test from outside this folder."""
    wrong = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = (
                [f"overture.{each.name}" for each in node.names] if node.module == "overture" else [node.module or ""]
            )
            inside = len(path.relative_to(HERE).parts)
            assert node.level <= inside, f"line {node.lineno} imports from outside this folder"
        wrong += [name for name in names if not is_allowed(name)]
    assert wrong == []


def is_allowed(name: str) -> bool:
    """Whether it is a public module or name, or none of ours."""
    first = name.split(".")[0]
    if first == "tests":
        return name.startswith("tests.contract")
    if first != "overture" or name in PUBLIC or name.startswith(INTEGRATIONS):
        return True
    return name.count(".") == 1 and is_public_name(name.partition(".")[2])


def is_public_name(name: str) -> bool:
    """Whether `from overture import NAME` gives a user something."""
    import overture

    return name in dir(overture) or name == "__version__"
