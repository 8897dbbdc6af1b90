"""Finds recipes by name: built in, configured, in a .toml file, or in an installed package."""

from collections.abc import Iterable
from os import PathLike, fspath
from posixpath import join, normpath
from shlex import quote
from typing import Annotated, Any

from msgspec.structs import replace

from ..discovery.configuration.config import Config, RecipeTable
from ..discovery.configuration.keys import leads_out_of_folder
from ..discovery.files import OutsideError
from ..discovery.parse_json_and_toml import read_toml_file
from ..discovery.paths import contains_path
from ..discovery.world import World, read_limited
from ..errors import ConfigError, RecipeError, explain_unknown, suggest
from ..known_agents import AGENTS, agent
from ..model.diagnostic import Diagnostic, warning
from ..model.recipe.recipe import Recipe
from ..model.source import Tier
from ..model.struct import Frozen, note
from ..model.wants import fill_settings
from ..recipes import BUILTIN, builtin

RECIPE_ENTRY_POINTS = "overture.recipes"
DEFAULT_RECIPE = "house"  # the recipe when neither the caller nor a configuration names one
RecipeSource = str | PathLike[str] | Recipe
"""A recipe from a caller: by its name, by the path of its .toml file, or itself."""


class RecipeRow(Frozen, frozen=True, omit_defaults=False):
    """One recipe, by its name."""

    name: str
    about: str
    sections: Annotated[int, note("how many it has")]
    agent: Annotated[bool, note("it describes what another agent loads")]


def list_recipes(recipes: Iterable[Recipe]) -> tuple[RecipeRow, ...]:
    """A row for each, in their order."""
    return tuple(RecipeRow(each.name, each.about, len(each.sections), bool(each.agent)) for each in recipes)


# Which recipe is meant.


def pick_recipe(world: World, recipe: RecipeSource | None, config: Config, folder: str) -> Recipe:
    """The requested recipe, or else the configuration's, or else the default."""
    source = check_recipe_source(recipe)
    if isinstance(source, Recipe):
        return source
    if source:
        return find_recipe(world, source, config, folder)
    setting = config.get("recipe")
    try:
        return find_recipe(world, setting.value or DEFAULT_RECIPE, config, folder, (), setting.within)
    except RecipeError as problem:
        raise _locate_error(problem, setting.origin) from None


def check_recipe_source(recipe: RecipeSource | None) -> str | Recipe | None:
    """A requested recipe, with its path as text; an invalid value is an error."""
    if recipe is None or isinstance(recipe, str | Recipe | PathLike):
        return fspath(recipe) if isinstance(recipe, PathLike) else recipe
    raise RecipeError(f"{recipe!r:.80} is not a recipe.", hint="Use a name, the path of a .toml file, or a Recipe.")


def list_recipe_names(config: Config) -> list[str]:
    """All recipes that can be named here: built in, configured, packaged."""
    return list(dict.fromkeys([*BUILTIN, *config.recipes, *_list_packaged_names(), *AGENTS]))


def _list_packaged_names() -> list[str]:
    from importlib.metadata import entry_points

    return sorted({point.name for point in entry_points(group=RECIPE_ENTRY_POINTS)})


def _is_taken(recipe: RecipeTable) -> bool:
    """Whether a recipe of an untrusted project has the name of an existing one."""
    return recipe.within is not None and recipe.name in (*BUILTIN, *AGENTS, *_list_packaged_names())


def report_unused_tables(config: Config) -> list[Diagnostic]:
    """`[recipes.NAME]` tables that no recipe answers to, and those of an untrusted project whose names are taken."""
    named = {key.split(".")[1]: value.origin for key, value in config.values.items() if key.startswith("recipes.")}
    unknown = [name for name in named if name not in BUILTIN and name not in config.recipes]
    known = list_recipe_names(config) if unknown else []
    about = {name: f"[recipes.{name}] is for an unknown recipe." for name in unknown if name not in known}
    notes = [warning("config-unknown", text + suggest(name, known), named[name]) for name, text in about.items()]
    return notes + report_taken_names(config)


def report_taken_names(config: Config) -> list[Diagnostic]:
    """`[recipes.NAME]` tables of an untrusted project whose names are taken by existing recipes."""
    taken, notes = "has no effect: another recipe has that name. Rename it, or approve it: overture trust", []
    for each in filter(_is_taken, config.recipes.values()):
        message = f"[recipes.{each.name}] {taken} {quote(each.folder)}"
        notes.append(warning("config-untrusted", message, each.origin, each.line))
    return notes


# How it is made.


def find_recipe(
    world: World, name: str, config: Config, folder: str, opened: tuple[str, ...] = (), within: str | None = None
) -> Recipe:
    """The recipe of that name or path. `opened` are the recipes that extend it, which ends a circle.

    `within` is the folder that must contain a file which a project names.
    """
    own, is_file = config.recipes.get(name), name.endswith(".toml")
    key = normpath(join(folder, name)) if is_file else name
    if is_file and key not in opened:
        return _make_recipe(world, key, read_recipe_file(world, key, within), config, opened)
    if own is not None and name not in opened and not _is_taken(own):
        return _make_recipe(world, name, _read_section_texts(world, own), config, opened)
    if name in BUILTIN:
        return builtin(name)
    if key in opened:
        raise RecipeError(f"Recipe {key!r} extends itself: {' extends '.join([*opened, key])}.")
    if name in AGENTS:
        return agent(name)
    from importlib.metadata import entry_points

    for point in entry_points(group=RECIPE_ENTRY_POINTS, name=name):
        try:
            recipe = point.load()
        except Exception as problem:
            raise RecipeError(f"Can't load recipe {name!r} from {point.value!r}: {problem}.") from None
        if not isinstance(recipe, Recipe):
            raise RecipeError(f"{point.value!r} is not a Recipe.", hint=f"Set the entry point {name!r} to one.")
        return recipe
    listed = [each for each in list_recipe_names(config) if each not in AGENTS]
    raise RecipeError(explain_unknown("Recipe", name, listed, AGENTS))


def read_recipe_file(world: World, path: str, within: str | None = None) -> RecipeTable:
    """The table of a recipe in a .toml file, with the texts of its sections."""
    try:
        table = read_toml_file(world, path, within)
    except ConfigError as problem:
        outside = within is not None and not contains_path(within, world.real_or_same(path))
        raise RecipeError(
            str(problem), message=problem.message, place=problem.place, source=problem.source,
            hint="Approve it with `overture trust`." if outside else "",
        ) from None  # fmt: skip
    folder, _, name = path.rpartition("/")
    return _read_section_texts(world, RecipeTable(name.removesuffix(".toml"), table, folder, path, within))


def _read_section_texts(world: World, recipe: RecipeTable) -> RecipeTable:
    """The table with every `file` of a section replaced by the text of that file."""
    rows, filled, notes = recipe.table.get("sections"), list[Any](), list(recipe.notes)
    if not isinstance(rows, list):
        return recipe
    for row in rows:
        file = row.get("file") if isinstance(row, dict) else None
        if not isinstance(file, str):
            filled.append(row)
            continue
        path, what = join(recipe.folder, file), f"section {row.get('name')!r} of recipe {recipe.name!r}"
        why = "it has both a text and a file: keep one" if "text" in row else ""
        try:
            text = read_limited(world, path, within=recipe.within).decode("utf-8-sig")
            filled.append({**{key: each for key, each in row.items() if key != "file"}, "text": text, "origin": path})
        except OutsideError as problem:
            message = f"{what} is skipped: its file {path!r}: {problem}. Approve it: overture trust"
            notes.append(warning("config-untrusted", message, recipe.origin or None))
        except OSError as problem:
            why = f"can't read its file {path!r}: {(problem.strerror or str(problem)).lower()}"
        except UnicodeDecodeError:
            why = f"can't read its file {path!r}: it is not UTF-8"
        if why:
            raise _locate_error(RecipeError(f"Can't use {what}: {why}."), recipe.origin)
    return recipe._replace(table={**recipe.table, "sections": filled}, notes=tuple(notes))


def _make_recipe(world: World, key: str, source: RecipeTable, config: Config, opened: tuple[str, ...]) -> Recipe:
    """The recipe of a table, on the one that it extends; that of an untrusted project is limited."""
    from ..recipes.toml.make_recipe import EMPTY_RECIPE, make_recipe

    bases: list[Recipe] = []

    def find_base_recipe(name: str) -> Recipe:
        bases.append(find_recipe(world, name, config, source.folder, (*opened, key), source.within))
        return bases[-1]

    try:
        tier: Tier = "user" if source.within is None else "project"
        result = make_recipe(dict(source.table), source.name, find_base_recipe, tier)
    except RecipeError as problem:
        raise _locate_error(problem, source.origin) from None
    result = replace(result, notes=(*result.notes, *source.notes))
    if source.within is not None:
        result = _limit_recipe(result, bases[0] if bases else EMPTY_RECIPE, source.origin, source.within)
    return replace(result, files=(key, *result.files)) if key.endswith(".toml") else result


def _limit_recipe(recipe: Recipe, base: Recipe, origin: str, within: str) -> Recipe:
    """An untrusted project's recipe: of home and machine it reads what its base does, and its names stay inside."""
    wants, refused = recipe.wants, list[str]()
    # A setting may move a place, so the places that count have their settings filled in.
    filled, known = fill_settings(wants, recipe.settings), fill_settings(base.wants, base.settings)
    for kind in ("overrides", "persona", "workspace", "runtime", "sudo"):
        if own := getattr(filled, kind):
            wants = replace(wants, **{kind: getattr(known, kind)})
            refused += [kind] if own != getattr(known, kind) else []
    for kind in ("context", "skills", "templates"):
        if own := getattr(filled, kind):
            usual = getattr(known, kind)
            limits = {"home": tuple(each for each in own.home if usual and each in usual.home)}
            if kind != "context" and own.project != (usual and usual.project):
                limits["project"] = tuple(each for each in own.project if not leads_out_of_folder(each))
            wants = replace(wants, **{kind: replace(getattr(wants, kind), **limits)})
            refused += [f"{kind}.{name}" for name, places in limits.items() if places != getattr(own, name)]
    if wants.context:
        usual_names = base.wants.context.names if base.wants.context else ()
        bounds = {name: within for name in wants.context.names if name not in usual_names}
        context = replace(wants.context, bounds=bounds, inside=bool(bounds) or wants.context.inside)
        wants = replace(wants, context=context)
    if wants.memories and wants.memories != base.wants.memories:
        wants = replace(wants, memories=replace(wants.memories, within=within))
    why = "is limited to the project: its recipe may not read other files or settings"
    messages = (f"wants.{each} of recipe {recipe.name!r} {why}" for each in refused)
    notes = [warning("config-untrusted", f"{m}. Approve it: overture trust {quote(within)}", origin) for m in messages]
    return replace(recipe, wants=wants, notes=(*recipe.notes, *notes))


def _locate_error(problem: RecipeError, origin: str) -> RecipeError:
    """The error with the file, variable or option that names or holds the recipe, unless it has a place already."""
    return problem if problem.place else problem.in_file(origin)
