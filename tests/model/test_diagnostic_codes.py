"""Every code of a diagnostic is listed, with what it says."""

import ast
import re
from collections.abc import Iterable, Iterator

from diagnostic_codes import DIAGNOSTIC_CODES

from overture.check.engine import RULES

from ..sources import SOURCE, source_nodes, source_paths

MAKERS = ("warning", "error", "Diagnostic", "_warn", "Containment", "Replacement")
CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")


def list_codes(module: Iterable[ast.AST]) -> Iterator[str]:
    """The codes that a module gives to diagnostics."""
    for node in module:
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in MAKERS:
            given = [*node.args[:3], *(word.value for word in node.keywords if word.arg == "code")]
            for each in (inner for value in given for inner in ast.walk(value)):
                if isinstance(each, ast.Constant) and CODE.fullmatch(str(each.value)):
                    yield str(each.value)


def test_every_code_is_listed_once() -> None:
    """A code in the source that no list explains fails, and so does one in the list that nothing gives."""
    used = {code for path in source_paths() for code in list_codes(source_nodes(path))}
    assert used - DIAGNOSTIC_CODES.keys() - RULES.keys() == set()
    whole = "\n".join((SOURCE / path).read_text("utf-8") for path in source_paths())
    assert [code for code in DIAGNOSTIC_CODES if f'"{code}"' not in whole] == []
    assert DIAGNOSTIC_CODES.keys() & RULES.keys() == set()
