"""Writes the lines of overture.toml that make a recipe read more."""

import json
from collections.abc import Callable, Iterable

from ...model.wants.wants import ContextFiles
from ..disk.paths import contains_path


def make_filenames_line(wants: ContextFiles | None) -> Callable[[str], str]:
    """The line that adds a name to those of the project files."""
    names = wants.names if wants else ()
    return lambda name: f"features.context.filenames = {_dump_list((*names, name))}"


def make_skill_folders_line(named: Iterable[str], more: Iterable[str], base: str, home: str) -> str:
    """The line that adds folders of skills to those which are named already, for a file that lies in `base`."""
    return f"features.skills.extra_dirs = {_dump_list(_shorten_path(path, base, home) for path in (*named, *more))}"


def _shorten_path(path: str, base: str, home: str) -> str:
    """A path as one would write it there."""
    if path == base:
        return "."
    if contains_path(base, path):
        return path.removeprefix(base.rstrip("/") + "/")
    return "~" + path.removeprefix(home.rstrip("/")) if contains_path(home, path) else path


def _dump_list(values: Iterable[str]) -> str:
    return json.dumps(list(dict.fromkeys(values)), ensure_ascii=False)
