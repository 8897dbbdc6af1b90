"""`overture config`: every setting with its value and where that came from."""

import click
import msgspec

from ...discover.configuration.check_values import find_missing_config_paths, list_configured_paths
from ...discover.configuration.config import ConfigValue
from ...discover.configuration.config_keys import KEYS
from ...discover.disk.real_world import RealWorld
from ...project.find_recipe import DEFAULT_RECIPE, report_taken_names, report_unknown_tables
from ...terminal.gather_state import choose_recipe
from ...terminal.options import AS_JSON, CommandOptions, load_settings, make_path_printer
from ...terminal.output import dim, print_diagnostics, print_table, write_json


@click.command("config")
@click.argument("recipe", required=False)
@click.option("--cwd", metavar="DIR", help="The folder to start from. Default: the current folder.")
@click.option("--home", metavar="DIR", help="The home directory to read. Default: yours.")
@click.option("-c", "--config", "config", multiple=True, metavar="KEY=VALUE", help="Override one setting.")
@AS_JSON
def command(recipe: str | None, cwd: str | None, home: str | None, config: tuple[str, ...], as_json: bool) -> None:
    """Print every setting with its value and where that came from.

    The first of these wins: command line, environment (OVERTURE_…), project file (overture.toml or [tool.overture] in
    pyproject.toml, the nearest upward), user file (~/.config/overture/overture.toml), default.

    \b
    overture config                      all settings that apply here
    overture config house                as they apply to a recipe
    """
    options = CommandOptions(recipe=recipe, cwd=cwd, home=home, config=config)
    values = load_settings(options)
    named = ConfigValue(recipe, "command line") if recipe else values.get("recipe")
    named = named if named.value else ConfigValue(DEFAULT_RECIPE, "default")
    chosen_recipe = choose_recipe(options)
    rows = {"recipe": named, **{key: values.get(key, chosen_recipe.name) for key in KEYS if key != "recipe"}}
    if rows["tools"].value is None:
        rows["tools"] = ConfigValue(chosen_recipe.active, f"default of {chosen_recipe.name}")
    context = chosen_recipe.wants.context
    own = {"features.context.filenames": context.names, "features.context.nested": context.nested} if context else {}
    for key, default in own.items():
        if rows[key].value is None:
            rows[key] = ConfigValue(default, f"default of {chosen_recipe.name}")
    if extensions := values.extending(chosen_recipe.name):
        origins = dict.fromkeys(each.origin for each in extensions)
        rows["extensions"] = ConfigValue(tuple(each.spec for each in extensions), ", ".join(origins))
    for name, value in values.settings(chosen_recipe).items():
        rows[f"recipes.{chosen_recipe.name}.{name}"] = value
    world = RealWorld()
    missing = dict(find_missing_config_paths(world, list_configured_paths(world, values, chosen_recipe.name)))
    print_diagnostics((*values.notes, *values.untrusted, *report_unknown_tables(values), *report_taken_names(values)))
    print_diagnostics(missing.values())
    if as_json:
        write_json({key: {"value": value.value, "origin": value.origin} for key, value in rows.items()})
        return
    printer = make_path_printer(options)
    shown: list[tuple[str, ...]] = []
    for key, value in rows.items():
        # With a blank after each comma, a long list can go on in the next line.
        text = msgspec.json.format(msgspec.json.encode(value.value), indent=0).decode()
        shown.append((key, text, dim(printer.within(value.origin))))
    print_table(shown, indent="", heads=("setting", "value", "from"), wraps=(0, 1, 2))
