"""`overture config`: every setting with its value and where that came from; `--template`: a commented overture.toml."""

from collections.abc import Iterator

import click
import msgspec

from ...discovery.configuration.config import Config, ConfigValue, find_missing_paths
from ...discovery.configuration.keys import KEYS
from ...discovery.parse_json_and_toml import format_toml_value
from ...discovery.world import World
from ...model.recipe.recipe import Recipe
from ...project.find_recipe import DEFAULT_RECIPE, report_unused_tables
from ...recipes import builtin
from ...terminal.gather_state import choose_recipe
from ...terminal.options import AS_JSON, CommandOptions, load_settings, make_path_printer, refuse_combinations
from ...terminal.output import dim, print_diagnostics, print_table, write, write_json


@click.command("config")
@click.argument("recipe", required=False)
@click.option("--cwd", metavar="DIR", help="The folder to start from. Default: the current folder.")
@click.option("--home", metavar="DIR", help="The home directory to read. Default: yours.")
@click.option("-c", "--config", "config", multiple=True, metavar="KEY=VALUE", help="Override one setting.")
@click.option("--template", is_flag=True, help="Print an overture.toml with every setting as a comment.")
@AS_JSON
def command(
    recipe: str | None, cwd: str | None, home: str | None, config: tuple[str, ...], template: bool, as_json: bool
) -> None:
    """Print every setting with its value and where that came from.

    The first of these wins: command line, environment (OVERTURE_…), project file (overture.toml or [tool.overture] in
    pyproject.toml, the nearest upward), user file (~/.config/overture/overture.toml), default.

    With --template, the recipe is RECIPE, or the one that reads a folder such as .opal, .sf or .moltis, if it exists
    here, or house.

    \b
    overture config                              all settings that apply here
    overture config house                        as they apply to a recipe
    overture config --template > overture.toml   a file to start from
    """
    refuse_combinations(("--template", "--json", "--config"))
    options = CommandOptions(recipe=recipe, cwd=cwd, home=home, config=config)
    if template:
        write("\n".join(_list_template_lines(options)))
        return
    values, chosen = load_settings(options), choose_recipe(options)
    rows = _collect_values(values, chosen, recipe)
    missing = list(find_missing_paths(World(), values, chosen.name))
    print_diagnostics((*values.notes, *values.untrusted, *report_unused_tables(values)))
    print_diagnostics(note for _, note in missing)
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


def _collect_values(values: Config, recipe: Recipe, named: str | None) -> dict[str, ConfigValue]:
    """Every setting as it applies to a recipe, which the command line may have named."""
    setting = ConfigValue(named, "command line") if named else values.get("recipe")
    rows = {"recipe": setting if setting.value else ConfigValue(DEFAULT_RECIPE, "default")}
    rows |= {key: values.get(key, recipe.name) for key in KEYS if key != "recipe"}
    for key, default in _list_own_defaults(recipe).items():
        if rows[key].value is None:
            rows[key] = ConfigValue(default, f"default of {recipe.name}")
    if extensions := values.extending(recipe.name):
        origins = dict.fromkeys(each.origin for each in extensions)
        rows["extensions"] = ConfigValue(tuple(each.spec for each in extensions), ", ".join(origins))
    return rows | {f"recipes.{recipe.name}.{name}": value for name, value in values.settings(recipe).items()}


def _list_own_defaults(recipe: Recipe) -> dict[str, object]:
    """The defaults that each recipe has for itself."""
    context = recipe.wants.context
    files = {"features.context.filenames": context.names, "features.context.nested": context.nested} if context else {}
    return {"tools": recipe.active, **files}


def _list_template_lines(options: CommandOptions) -> Iterator[str]:
    """An overture.toml whose commented lines are the defaults."""
    name = options.recipe or DEFAULT_RECIPE
    recipe = builtin(name)
    own = {"features.context.filenames": (), "features.context.nested": False, **_list_own_defaults(recipe)}
    yield "# Overture's settings for this directory and those below it. `overture config` shows what applies and why."
    yield "# Commented lines show the defaults."
    yield from ("", f"# {recipe.about}", f'recipe = "{name}"')
    yield from ("", f"# {KEYS['tools'].about}", f"# tools = {format_toml_value(list(recipe.active))}")
    yield from ("", "[features]")
    for key, kind in KEYS.items():
        if key.startswith("features.") and kind.project != "never":
            default = own.get(key, kind.default)
            yield from (f"# {kind.about}", f"# {key.removeprefix('features.')} = {format_toml_value(default)}")
    yield from ("", "[runtime.docs]")
    for key, kind in KEYS.items():
        if key.startswith("runtime.docs."):
            example = format_toml_value(f"https://example.org/{key.removeprefix('runtime.docs.')}")
            yield from (f"# {kind.about}; no default", f"# {key.removeprefix('runtime.docs.')} = {example}")
    if recipe.settings:
        yield from ("", f"[recipes.{name}]")
        yield from (f"# {key} = {format_toml_value(value)}" for key, value in recipe.settings.items())
