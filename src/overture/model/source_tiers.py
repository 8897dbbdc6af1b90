"""The tier of trust of each source of a prompt."""

from __future__ import annotations

import re

from .recipe.recipe import Recipe
from .source import Source, Tier, narrow_project, tier_of_path
from .state.state import State

CALLER_FIELDS = ("agent", "user", "overrides")
"""Fields that the caller sets; if a file sets them, they have that file's tier."""
FILE_FIELDS = re.compile(r"(context_files|workspace_files|skills|tools)\[(\d+)\]")
DATA_FIELDS = ("memories", "task", "mission", "extra", "git")
"""Fields that hold data whatever file contains them."""


class SourceTiers:
    """The tiers of one prompt's sources."""

    def __init__(self, recipe: Recipe, state: State) -> None:
        """The tiers of sources follow from the recipe, and from the state's home and project."""
        self.recipe, self.state = recipe, state
        runtime = state.runtime
        self.home = runtime.home if runtime else None
        self.project = narrow_project(runtime.project, runtime.cwd, self.home) if runtime else None

    def of(self, source: Source) -> Tier:
        """The tier of a source: who gave the text."""
        if source.tier is not None:
            return source.tier
        match source.kind:
            case "file":
                return tier_of_path(source.path or "", self.project, self.home)
            case "state":
                return self._find_field_tier(source.name or "")
        return self.recipe.tiers.get((source.name or "").removeprefix(f"{self.recipe.name}."), "built in")

    def _find_field_tier(self, name: str) -> Tier:
        """The tier of a source that is a field of the state."""
        root = re.split(r"[.\[]", name, maxsplit=1)[0]
        origin = self.state.origins.get(name)
        if origin is not None and root not in DATA_FIELDS:
            return tier_of_path(origin.path, self.project, self.home)
        if match := FILE_FIELDS.match(name):
            return self._find_item_tier(match[1], int(match[2]))
        return "user" if root in CALLER_FIELDS else "remote" if root == "servers" else "data"

    def _find_item_tier(self, field: str, index: int) -> Tier:
        """The tier of the source of a list item: a tool, or something in a file."""
        items = getattr(self.state, field)
        if index >= len(items):
            return "data"
        item = items[index]
        if field == "tools":
            own = any(tool.name == item.name for tool in self.recipe.tools)
            remote = item.server is not None or bool(item.foreign) or item.name.startswith("mcp__")
            return "built in" if own else "remote" if remote else "user"
        return tier_of_path(item.location if field == "skills" else item.path, self.project, self.home)
