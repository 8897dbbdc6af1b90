"""Translates options that recipes in TOML had before: of a step, of its skills, of its menu."""

from typing import Any

from ...errors import RecipeError

OLD_SWITCHES: dict[str, tuple[Any, str]] = {
    "sorted": (True, "gemini-cli"),
    "whole": (True, "crush"),
    "empty_stops": (True, "roo"),
    "hyphens": (True, "copilot-cli"),
    "conditions.matched": ("never", "continue-cli"),
    "conditions.lists": (False, "copilot-vscode"),
    "conditions.enough": ("one", "copilot-vscode"),
    "conditions.links": ("inside", "claude-code"),
    "conditions.real": (True, "claude-code"),
    "imports.twice": (True, "goose"),
    "imports.gitignored": (False, "goose"),
    "imports.utf_8": (True, "copilot-cli"),
}
"""An option that served one agent -> the value that switched it on, and the agent whose quirk it is."""
OLD_PLACES = {"in_code": "code", "in_comments": "comments", "in_tildes": "tildes", "indented": "indented"}
"""Where imports count, as options of their own."""


def translate_old_options(wants: dict[str, Any]) -> dict[str, Any]:
    """The wants of a recipe as they are written today."""
    wants = _copy_tables(wants)
    steps, skills = wants.get("files"), wants.get("skills")
    for table in (*(steps if isinstance(steps, list) else ()), skills):
        if isinstance(table, dict):
            _translate_switches(table)
            _translate_imports(table.get("imports"))
            _translate_skills(table)
    return wants


def _copy_tables(value: Any) -> Any:
    """Tables and lists anew, and what they hold: `deepcopy` takes ten times as long for it."""
    if isinstance(value, dict):
        return {key: _copy_tables(each) for key, each in value.items()}
    return [_copy_tables(each) for each in value] if isinstance(value, list) else value


def _translate_switches(table: dict[str, Any]) -> None:
    for option, (on, agent) in OLD_SWITCHES.items():
        parent, _, key = option.rpartition(".")
        holder = table.get(parent) if parent else table
        if not isinstance(holder, dict) or key not in holder:
            continue
        if holder.pop(key) == on and table.setdefault("quirks", agent) != agent:
            raise RecipeError(
                f"`{option}` is a quirk of {agent}, but the step has those of {table['quirks']!r}: a step can have one."
            )


def _translate_imports(imports: Any) -> None:
    if not isinstance(imports, dict):
        return
    old_values = {region: imports.pop(key) for key, region in OLD_PLACES.items() if key in imports}
    if old_values:
        regions = {"indented": True, **old_values}
        imports["counts_in"] = [region for region, counts in regions.items() if counts is True]
    if any([imports.pop(key, False) for key in ("spaces", "part")]):
        imports["begins"] = "text"


def _translate_skills(skills: dict[str, Any]) -> None:
    for key, unordered in (("winner_fixed", "winners"), ("order_fixed", "menu")):
        if skills.pop(key, True) is False:
            skills["unordered"] = unordered
    menu = skills.get("menu")
    if isinstance(menu, dict) and menu.pop("names_count", False):
        menu["counts"] = "names"
