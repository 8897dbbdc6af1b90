"""Quirks that only Copilot in VS Code has. Read in its source."""

from collections.abc import Mapping
from typing import Any

ADDED_FOLDER_PATTERNS = {"path": "**/*.instructions.md", "agents": "*.agent.md"}
"""A step -> the pattern of files in a folder that a setting adds to it."""


def read_pattern_list(_: bool, key: str) -> bool:
    """A list in `applyTo` has no effect: it has to be one string, with commas."""
    return key != "applyTo"


def hold_for_all_files(_: bool, every: list[bool]) -> bool:
    """With a pattern for all files among others, a rule is always loaded."""
    return any(every)


def set_folders(_: bool, target: dict[str, Any], folders: Mapping[str, bool]) -> bool:
    """A setting of Copilot in VS Code is a table of folders: true adds one to the search, false removes it."""
    added = [path for path, on in folders.items() if on]
    if "names" in target:
        inside = ADDED_FOLDER_PATTERNS.get(target["step"])
        names = [*target["names"], *(f"{path}/{inside}" for path in added if inside)]
        disabled = tuple(f"{path}/" for path, on in folders.items() if not on)
        target["names"] = [name for name in dict.fromkeys(names) if not name.startswith(disabled)]
        return True
    own = [f"~/{folder}" for folder in target.get("home", [])]
    project = dict.fromkeys([*target.get("project", []), *(path for path in added if path not in own)])
    target["project"] = [folder for folder in project if folders.get(folder, True)]
    target["home"] = [folder[2:] for folder in own if folders.get(folder, True)]
    return True
