"""Recipes in files and packages, and the one that fits a directory by what lies there."""

import json
from typing import Any, NamedTuple

from ...errors import RecipeError
from ...model.diagnostic import Diagnostic, warning
from ...model.recipe.recipe import Recipe
from ..disk.opened_file import OutsideError
from ..disk.world import LIMIT, World, read_within
from ..formats.toml_tables import LARGEST, toml_table

GROUP = "overture.recipes"


class RecipeTable(NamedTuple):
    """A recipe as it is written, the texts of its files put in, and the folder that its paths start from."""

    name: str
    table: dict[str, Any]
    folder: str
    within: str | None = None
    """The folder in which its files have to lie, where a project gives it that nobody trusts; a real path."""
    notes: tuple[Diagnostic, ...] = ()
    """Which of them do not."""
    origin: str = ""
    """The file that it is written in."""


def read_recipe(world: World, path: str, within: str | None = None) -> RecipeTable:
    """The table in a .toml file."""
    try:
        table = toml_table(read_within(world, path, within, LARGEST))
    except OutsideError as problem:
        raise RecipeError(f"{path}: {problem}; a project's recipe may not. To allow it: overture trust.") from None
    except OSError as problem:
        raise RecipeError(f"{path}: it can't be read: {(problem.strerror or str(problem)).lower()}.") from None
    except ValueError as problem:
        raise RecipeError(f"{path}: {problem}.") from None
    folder, _, name = path.rpartition("/")
    return with_texts(world, RecipeTable(name.removesuffix(".toml"), table, folder, within, (), path))


def with_texts(world: World, recipe: RecipeTable) -> RecipeTable:
    """Every `file` of a section replaced by the text that lies there."""
    rows = recipe.table.get("sections")
    if not isinstance(rows, list):
        return recipe
    filled, notes = [], list(recipe.notes)
    for row in rows:
        try:
            filled.append(_with_text(world, row, recipe) if isinstance(row, dict) else row)
        except OutsideError as problem:
            said = f"section {row.get('name')!r} of recipe {recipe.name!r} is left out: {problem}"
            notes.append(warning("config-untrusted", f"{said}. To allow it: overture trust", recipe.origin or None))
    return recipe._replace(table={**recipe.table, "sections": filled}, notes=tuple(notes))


def _with_text(world: World, row: dict[str, Any], recipe: RecipeTable) -> dict[str, Any]:
    file = row.get("file")
    if not isinstance(file, str):
        return row
    where = f"Section {row.get('name')!r} of recipe {recipe.name!r}"
    if "text" in row:
        raise RecipeError(f"{where} has both a text and a file: keep one.")
    path = file if file.startswith("/") else f"{recipe.folder}/{file}"
    try:
        text = read_within(world, path, recipe.within, LIMIT).decode("utf-8-sig")
    except OutsideError as problem:
        raise OutsideError(f"its file {path!r}: {problem}") from None
    except OSError as problem:
        said = (problem.strerror or str(problem)).lower()
        raise RecipeError(f"{where}: its file {path!r} can't be read: {said}.") from None
    except UnicodeDecodeError:
        raise RecipeError(f"{where}: its file {path!r} is not UTF-8. Save it as UTF-8.") from None
    return {**{key: value for key, value in row.items() if key != "file"}, "text": text, "origin": path}


def packaged_names() -> list[str]:
    """The names of the recipes that installed packages bring along."""
    from importlib.metadata import entry_points

    return sorted({point.name for point in entry_points(group=GROUP)})


def packaged_recipe(name: str) -> Recipe | None:
    """The recipe of that name from an installed package. A broken package is an error that names it."""
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP, name=name):
        try:
            recipe = point.load()
        except Exception as problem:
            raise RecipeError(f"Recipe {name!r} from {point.value!r} can't be loaded: {problem}.") from None
        if not isinstance(recipe, Recipe):
            raise RecipeError(f"{point.value!r} is no Recipe. Point the entry point {name!r} at one.")
        return recipe
    return None


SIGNS = {"pi": (".sf",), "opal": (".opal", "OPAL.md"), "moltis": (".moltis",), "nova": ("agent.json",)}
"""Recipes by what only they read. CLAUDE.md and AGENTS.md are everybody's, and speak for none."""


def fitting_recipe(world: World, folder: str, home: str, fallback: str) -> tuple[str, str]:
    """The recipe, and the file that spoke for it. What lies in home is the user's, and no project's."""
    for recipe, names in SIGNS.items() if folder != home else ():
        for name in names:
            path = f"{folder.rstrip('/')}/{name}"
            if _exists(world, path) and (name != "agent.json" or _is_agent(world, path)):
                return recipe, f"{name} lies here"
    return fallback, "nothing here belongs to another"


def _is_agent(world: World, path: str) -> bool:
    """Whether an agent.json describes an agent as Nova's do: many tools have a file of that name."""
    try:
        table = json.loads(world.read(path))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(table, dict) and any(isinstance(table.get(key), str) for key in ("identity", "role"))


def _exists(world: World, path: str) -> bool:
    """Whether anything lies there."""
    try:
        return world.look(path) is not None
    except OSError:
        return False
