"""Every character has a source, and every source a tier of trust; fences around low tiers need a mark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal, get_args

from ..text.lazy_pattern import compile_on_use
from .diagnostic import Diagnostic, warning
from .struct import Frozen, note

if TYPE_CHECKING:
    from .recipe.recipe import Recipe
    from .state.state import State

Tier = Literal["built in", "user", "project", "dependency", "remote", "data"]
"""built in: the recipe, its rules, the program · user: home, the user's settings, the caller · project: its files ·
dependency: files of others in the project · remote: fetched from elsewhere · data: values"""
TIERS: tuple[Tier, ...] = get_args(Tier)


DEPENDENCY_FOLDERS = frozenset(
    ("node_modules", "bower_components", "site-packages", "dist-packages", "vendor", "third_party")
)
"""Folders of installed or copied code that others wrote."""


class Origin(Frozen, frozen=True):
    """The file and line from which a field of the state was read."""

    path: str
    line: int = 1


def is_less_trusted(tier: Tier, other: Tier) -> bool:
    """Whether a tier is trusted less than another."""
    return TIERS.index(tier) > TIERS.index(other)


def narrow_project(project: str | None, cwd: str | None, home: str | None) -> str | None:
    """The folder of a project: where home is one, as with dotfiles in git, only the folder that is worked in."""
    if project is None or home is None or not _is_in_folder(home, project):
        return project or cwd
    return None if cwd is None or cwd == home else cwd


def _is_in_folder(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


SourceKind = Literal["file", "state", "rule", "recipe", "hook"]


class Source(Frozen, frozen=True, gc=False, forbid_unknown_fields=False):
    """A file and line, a field of the state, a rule, the recipe itself, or a hook."""

    kind: SourceKind
    path: Annotated[str | None, note("path of the file")] = None
    line: Annotated[int | None, note("the line of the file at which the text begins")] = None
    name: Annotated[str | None, note("name of the field, rule, section or hook")] = None
    values: Annotated[
        str | None, note("a pattern whose groups come from here; the words around them come from the recipe")
    ] = None
    pinned: Annotated[bool, note("the whole text comes from that one line, even if it has several lines")] = False
    tier: Annotated[Tier | None, note("who supplied it, if known")] = None

    def __str__(self) -> str:
        """`/p/AGENTS.md:3`, `state runtime.cwd`, `rule read_vs_shell`."""
        if self.kind == "file":
            return f"{self.path}:{self.line or 1}"
        return f"{self.kind} {self.name}"


def from_file(path: str, line: int = 1, *, pinned: bool = False) -> Source:
    """Text in a file, from `line` on; `pinned`, made of the text on that one line."""
    return Source("file", path, line, pinned=pinned)


def from_state(field: str) -> Source:
    """Text that a field of the state gives, e.g. `runtime.cwd` or `tools[2].snippet`."""
    return Source("state", name=field)


def from_rule(name: str) -> Source:
    """Text of a guideline rule."""
    return Source("rule", name=name)


def tier_of_path(path: str, project: str | None, home: str | None) -> Tier:
    """Who wrote a file, by its location. A file neither in the project nor under home counts as the project's."""
    if "://" in path:
        return "remote"
    inside = [folder for folder in (project, home) if folder is not None and _is_in_folder(path, folder)]
    # Folders above the project do not count: a project may be in a folder that is named vendor.
    below = path[len(inside[0]) :] if inside else path
    if not DEPENDENCY_FOLDERS.isdisjoint(below.split("/")[:-1]):
        return "dependency"
    return "user" if inside and inside[0] != project else "project"


CALLER_FIELDS = ("agent", "user", "overrides")
"""Fields that the caller sets; if a file sets them, they have that file's tier."""
FILE_FIELDS = compile_on_use(r"(context_files|workspace_files|skills|tools)\[(\d+)\]")
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


FENCE_MARK = compile_on_use(r"[A-Za-z0-9]{8,64}")
"""The characters of a mark: it is part of a tag."""


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
