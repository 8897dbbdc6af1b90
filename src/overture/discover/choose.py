"""A directory -> the recipe that fits it, from the files that lie there."""

from .world import World

SIGNS = (
    ("pi", (".sf",)),
    ("opal", ("OPAL.md", ".opal")),
    ("nova", ("agent.json", "memories.json")),
    ("moltis", (".moltis", "CLAUDE.md", "CLAUDE.local.md", ".claude")),
)
"""Recipes by the files that only they read, the surest sign first."""


def fitting_recipe(world: World, folder: str, fallback: str) -> tuple[str, str]:
    """The recipe, and the file that spoke for it."""
    for recipe, names in SIGNS:
        for name in names:
            try:
                if world.look(f"{folder.rstrip('/')}/{name}") is not None:
                    return recipe, f"{name} lies here"
            except OSError:
                continue
    return fallback, "nothing here speaks for another"
