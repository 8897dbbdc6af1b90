"""The built-in recipes use only what users can use."""

import ast

from ..sources import source_nodes, source_paths

ALLOWED = ("model", "sections", "recipes", "text", "errors", "lazy")


def test_recipes_import_nothing_that_a_users_recipe_could_not() -> None:
    """A recipe imports nouns, errors, sections, other recipes and what is known of text, and no private name of any."""
    strange = []
    for path in source_paths("recipes/"):
        depth = path.count("/")
        for node in source_nodes(path):
            if not isinstance(node, ast.ImportFrom) or not node.level:
                continue
            if any(alias.name.startswith("_") for alias in node.names):
                strange.append(f"{path}: a private name from {node.module}")
            if node.level > depth and (node.module or "").split(".")[0] not in ALLOWED:
                strange.append(f"{path}: {node.module}")
    assert strange == []
