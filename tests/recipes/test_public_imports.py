"""The built-in recipes use only what users can use."""

import ast
from pathlib import Path

import overture

RECIPES = Path(overture.__file__).parent / "recipes"
ALLOWED = ("model", "sections", "recipes", "text", "errors", "lazy")


def test_recipes_import_nothing_that_a_users_recipe_could_not() -> None:
    """A recipe imports nouns, errors, sections, other recipes and what is known of text, and no private name of any."""
    strange = []
    for path in sorted(RECIPES.rglob("*.py")):
        depth = len(path.relative_to(RECIPES).parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom) or not node.level:
                continue
            if any(alias.name.startswith("_") for alias in node.names):
                strange.append(f"{path.name}: a private name from {node.module}")
            if node.level > depth and (node.module or "").split(".")[0] not in ALLOWED:
                strange.append(f"{path.name}: {node.module}")
    assert strange == []
