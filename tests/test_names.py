"""One word for one thing: no class or function name twice, no class named by a participle or a preposition."""

import ast
import re
from collections import Counter

import overture

from .sources import source_nodes, source_paths

NO_NOUN = re.compile(
    r"_?(?:Told|Said|Asked|Kept|Found|Given|Seen|Shown|Sent|Laid|Known|Taken|Drawn|Written|Spoken|Made|Left|Held"
    r"|Around|Within|Behind|Beside|Before|After|Beyond|[A-Z][a-z]+ed)"
)
"""A whole class name that says what was done, or where, and not what a thing is."""
NO_LIMIT = re.compile(r"_?(?:MOST|LONGEST|LARGEST|FEW|FEWEST|SHORTEST|LEAST|WIDEST)(?:_\w+)?")
"""Names of limits that don't say what they limit."""
FAMILIES = ("providers/", "integrations/", "tap/log_formats/", "recipes/", "known_agents/")
"""Folders whose modules have functions of one name: each does the same for its provider, framework, log or agent."""
NO_LOCAL = {"told", "said", "settled", "ground", "lying", "brought", "laid", "mended", "fates", "standings"}
"""Words of ours that name no value: what a local, a parameter or a method holds has a word of its own."""


def classes() -> list[str]:
    """The name of every class of the package."""
    return [node.name for path in source_paths("") for node in source_nodes(path) if isinstance(node, ast.ClassDef)]


def constants() -> list[str]:
    """Every name in capitals that some module assigns."""
    return [
        node.id
        for path in source_paths("")
        for node in source_nodes(path)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id.isupper()
    ]


def locals_and_methods(path: str) -> set[str]:
    """The names of a module's functions, of their parameters and of what they bind."""
    found = [node for node in source_nodes(path) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    inner = [each for function in found for each in ast.walk(function)]
    return {
        *(function.name for function in found),
        *(each.arg for each in inner if isinstance(each, ast.arg)),
        *(each.id for each in inner if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)),
        *(each.name for each in inner if isinstance(each, ast.MatchAs | ast.MatchStar) and each.name),
    }


def test_no_class_name_is_used_twice() -> None:
    """Whoever searches for a name finds one thing."""
    assert [name for name, count in Counter(classes()).items() if count > 1 and not name.startswith("_")] == []


def test_classes_are_nouns() -> None:
    """No past participle stands for a thing, and no preposition."""
    assert sorted({name for name in classes() if NO_NOUN.fullmatch(name)}) == []


def test_limits_say_what_they_limit() -> None:
    """`MAX_BODY_BYTES`, never `MOST`."""
    assert sorted({name for name in constants() if NO_LIMIT.fullmatch(name)}) == []


def test_locals_say_what_they_hold() -> None:
    """`message`, `scope` and `project`, never `said`, `ground` and `settled`: as a local, a parameter or a method."""
    found = {(path, name) for path in source_paths("") for name in locals_and_methods(path) & NO_LOCAL}
    assert sorted(found) == []


def public_functions() -> dict[str, list[str]]:
    """The modules of each function that other modules may call, by its name."""
    modules: dict[str, list[str]] = {}
    for path in source_paths(""):
        module = source_nodes(path)[0]
        assert isinstance(module, ast.Module)
        for node in module.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
                modules.setdefault(node.name, []).append(path)
    return {name: sorted({*paths}) for name, paths in modules.items()}


def test_no_function_name_is_used_twice() -> None:
    """Unless it is the same operation of another provider, framework, log format, recipe, agent or command."""
    shared = {
        name: paths
        for name, paths in public_functions().items()
        if len(paths) > 1
        and name not in (*overture.__all__, "command", "main")
        and not all(path.startswith(FAMILIES) for path in paths)
    }
    assert shared == {}
