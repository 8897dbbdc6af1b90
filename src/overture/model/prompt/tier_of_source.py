"""Source -> tier: who gave a text, by the kind of its source and where its file lies."""

import re

from msgspec.structs import replace

from ..recipe.recipe import Recipe
from ..source import Source
from ..state.state import State
from ..tier import Tier, project_beside, tier_of_path

GIVEN = ("agent", "user", "overrides")
"""Fields that whoever runs the agent gives; where a file gives them, it is that file's tier."""
FILES = re.compile(r"(context_files|workspace_files|skills|tools)\[(\d+)\]")
DATA = ("memories", "task", "mission", "extra", "git")
"""Fields that hold data whatever file they are kept in."""


class Tiers:
    """The tiers of one prompt's sources."""

    def __init__(self, recipe: Recipe, state: State) -> None:
        self.recipe, self.state = recipe, state
        runtime = state.runtime
        self.home = runtime.home if runtime else None
        self.project = project_beside(runtime.project, runtime.cwd, self.home) if runtime else None

    def of(self, source: Source) -> Tier:
        """Who gave the text."""
        if source.tier is not None:
            return source.tier
        match source.kind:
            case "file":
                return tier_of_path(source.path or "", self.project, self.home)
            case "state":
                return self._of_field(source.name or "")
        name = (source.name or "").rpartition(".")[2]
        return self.recipe.tiers.get(name, "built in")

    def _of_field(self, name: str) -> Tier:
        root = re.split(r"[.\[]", name, maxsplit=1)[0]
        origin = self.state.origins.get(name)
        if origin is not None and root not in DATA:
            return tier_of_path(origin.path, self.project, self.home)
        if found := FILES.match(name):
            return self._of_item(found[1], int(found[2]))
        return "user" if root in GIVEN else "data"

    def _of_item(self, field: str, index: int) -> Tier:
        """An item of a list: a tool, or something that lies in a file."""
        items = getattr(self.state, field)
        if index >= len(items):
            return "data"
        item = items[index]
        if field == "tools":
            own = any(tool.name == item.name for tool in self.recipe.tools)
            remote = bool(item.foreign) or item.name.startswith("mcp__")
            return "built in" if own else "remote" if remote else "user"
        return tier_of_path(item.location if field == "skills" else item.path, self.project, self.home)

    def marked(self, source: Source) -> Source:
        """The same source, with its tier written on it."""
        return source if source.tier is not None else replace(source, tier=self.of(source))
