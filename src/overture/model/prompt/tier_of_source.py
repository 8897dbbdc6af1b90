"""A source gets its tier from its kind and from where its file is; fences around low tiers need a mark."""

import re
from collections.abc import Iterator

from msgspec.structs import replace

from ...text.lazy_pattern import compile_on_use
from ..diagnostic import Diagnostic, warning
from ..recipe.recipe import Recipe
from ..source import Source, Tier, narrow_project, tier_of_path
from ..state.state import State

CALLER_FIELDS = ("agent", "user", "overrides")
"""Fields that whoever runs the agent gives; where a file gives them, it is that file's tier."""
FILE_FIELDS = compile_on_use(r"(context_files|workspace_files|skills|tools)\[(\d+)\]")
DATA_FIELDS = ("memories", "task", "mission", "extra", "git")
"""Fields that hold data whatever file they are kept in."""


class SourceTiers:
    """The tiers of one prompt's sources."""

    def __init__(self, recipe: Recipe, state: State) -> None:
        self.recipe, self.state = recipe, state
        runtime = state.runtime
        self.home = runtime.home if runtime else None
        self.project = narrow_project(runtime.project, runtime.cwd, self.home) if runtime else None

    def of(self, source: Source) -> Tier:
        """Who gave the text."""
        if source.tier is not None:
            return source.tier
        match source.kind:
            case "file":
                return tier_of_path(source.path or "", self.project, self.home)
            case "state":
                return self._find_field_tier(source.name or "")
        name = (source.name or "").rpartition(".")[2]
        return self.recipe.tiers.get(name, "built in")

    def _find_field_tier(self, name: str) -> Tier:
        root = re.split(r"[.\[]", name, maxsplit=1)[0]
        origin = self.state.origins.get(name)
        if origin is not None and root not in DATA_FIELDS:
            return tier_of_path(origin.path, self.project, self.home)
        if found := FILE_FIELDS.match(name):
            return self._find_item_tier(found[1], int(found[2]))
        return "user" if root in CALLER_FIELDS else "remote" if root == "servers" else "data"

    def _find_item_tier(self, field: str, index: int) -> Tier:
        """An item of a list: a tool, or something that lies in a file."""
        items = getattr(self.state, field)
        if index >= len(items):
            return "data"
        item = items[index]
        if field == "tools":
            own = any(tool.name == item.name for tool in self.recipe.tools)
            remote = item.server is not None or bool(item.foreign) or item.name.startswith("mcp__")
            return "built in" if own else "remote" if remote else "user"
        return tier_of_path(item.location if field == "skills" else item.path, self.project, self.home)

    def marked(self, source: Source) -> Source:
        """The same source, with its tier written on it."""
        return source if source.tier is not None else replace(source, tier=self.of(source))


# A recipe that fences, and a state without a mark: that is said, since nothing is fenced then.


FENCE_MARK = compile_on_use(r"[A-Za-z0-9]{8,64}")
"""What a mark is made of: it is part of a tag."""


def report_fences(recipe: Recipe, state: State) -> Iterator[Diagnostic]:
    """What is missing for the fences that a recipe wants."""
    if recipe.fence_below is None or FENCE_MARK.fullmatch(state.mark or ""):
        return
    wants = f"recipe {recipe.name!r} fences text below {recipe.fence_below!r}, but nothing is fenced"
    if state.mark is None:
        fault = "the state has no mark; a session sets one, and so does --set mark=WORD"
    else:
        fault = f"the mark {state.mark!r:.80} is not 8 to 64 letters and digits"
    yield warning("fence-missing", f"{wants}: {fault}")
