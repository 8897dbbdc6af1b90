"""Every character has a source: a file and line, a field of the state, a rule, the recipe, or a hook."""

from __future__ import annotations

from typing import Annotated, Literal

from .struct import Frozen, note

Tier = Literal["built in", "user", "project", "dependency", "remote", "data"]
"""built in: the recipe, its rules, the program · user: home, the user's settings, the caller · project: its files ·
dependency: files of others in the project · remote: fetched from elsewhere · data: values"""


DEPENDENCY_FOLDERS = frozenset(
    ("node_modules", "bower_components", "site-packages", "dist-packages", "vendor", "third_party")
)
"""Folders of installed or copied code that others wrote."""


class Origin(Frozen, frozen=True):
    """The file and line from which a field of the state was read."""

    path: str
    line: int = 1


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
