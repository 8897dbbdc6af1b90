"""Resolves recipe, folders and settings into one ResolvedProject, which every command starts from."""

from ..discovery.configuration.config import Config, load_config
from ..discovery.configuration.trust import make_outside_approval
from ..discovery.discover import ResolvedProject
from ..discovery.parse_json_and_toml import read_tools_file
from ..discovery.paths import list_walk_folders
from ..discovery.place import Location, find_project_name, locate
from ..discovery.world import World
from ..errors import ConfigError, explain_unknown
from ..known_agents.other_tools_files import report_unread_files
from ..model.recipe.recipe import Recipe
from ..model.tool import Tool
from ..text.path_printer import PathPrinter, make_root_printer, readable_path
from .find_recipe import RecipeSource, pick_recipe, report_unused_tables


def resolve(
    recipe: RecipeSource | None = None, location: Location | None = None, *, subagent: bool = False
) -> ResolvedProject:
    """Read the configuration, and choose the recipe. Without a location, it is that of the process."""
    location = location or locate()
    config = load_config(location)
    chosen = pick_recipe(location.world, recipe, config, location.cwd)
    return configure_recipe(chosen, location, config, subagent=subagent)


def configure_recipe(recipe: Recipe, location: Location, config: Config, *, subagent: bool = False) -> ResolvedProject:
    """The project of a recipe, with its configuration."""
    features = config.features(recipe.name)
    return ResolvedProject(
        recipe, location, features, {name: value.value for name, value in config.settings(recipe).items()},
        tools=_read_tools(location.world, recipe, config),
        notes=(*config.notes, *report_unused_tables(config), *recipe.notes),
        docs=config.docs(recipe.name), subagent=subagent, config=config,
        extensions=config.extending(recipe.name) if features.extensions_enabled else (),
        approved=make_outside_approval(location, config.get("trusted").value),
        report_others=report_unread_files,
    )  # fmt: skip


def _read_tools(world: World, recipe: Recipe, config: Config) -> tuple[Tool, ...] | None:
    """The tools that the configuration activates, or None if it sets none."""
    setting, known = config.get("tools", recipe.name), {tool.name: tool for tool in recipe.tools}
    if setting.value is None:
        return None
    if isinstance(setting.value, str):
        return read_tools_file(world, setting.value, setting.within)
    for name in setting.value:
        if name not in known:
            is_for_all = setting == config.get("tools")
            hint = f"For one recipe alone, set `tools` in its table `[recipes.{recipe.name}]`." if is_for_all else ""
            error = ConfigError(explain_unknown(f"Tool of recipe {recipe.name!r}", name, known), hint=hint)
            raise error.in_file(setting.origin)
    return tuple(known[name] for name in dict.fromkeys(setting.value))


def find_top_folder(project: ResolvedProject) -> str:
    """The topmost folder on the way to the working directory that belongs to the project, by its name there."""
    reader, place, wants = project.open()
    return find_project_name(reader, list_walk_folders(project.cwd, None), place, wants)


def make_project_path_printer(project: ResolvedProject | None) -> PathPrinter:
    """How paths are written in a project: from its top, or `~/…`, or in full; without a project, in full."""
    ends = (find_top_folder(project), project.home) if project else ("", "")
    top, home = (readable_path(end.rstrip("/")) for end in ends)
    return make_root_printer(top, home)
