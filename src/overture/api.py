"""The one-line functions: discover, build, counter, load_recipe, load_models. Each is a few calls downwards."""

from collections.abc import Mapping
from os import fspath
from typing import TYPE_CHECKING, Any

from .assemble.build import build as assemble_build
from .discover.configuration.load_config import load_config
from .discover.disk.location import Location, Path, locate
from .discover.disk.paths import make_absolute
from .discover.disk.real_world import RealWorld
from .discover.disk.world import World
from .discover.formats.json_and_toml import read_toml_file
from .model.prompt.budget import Budget, BudgetLimit
from .model.prompt.prompt import Prompt
from .model.recipe.recipe import Recipe
from .model.state.discovery import Discovery
from .model.state.state import FIELDS, Audience, Secrets, State, audience_fields, derive
from .project.find_recipe import RecipeSource, check_recipe_source, find_recipe
from .project.resolve import make_outside_setting, resolve
from .recipes import BUILTIN, builtin
from .recipes.unread_fields import find_unread
from .tokens.counter import Counter, CountFunction, as_counter

if TYPE_CHECKING:
    from .known_models.model_facts import TableForm


def load_recipe(name: RecipeSource, *, cwd: Path | None = None, world: World | None = None) -> Recipe:
    """The recipe of that name: built in, defined in the configuration, packaged, or the path of a .toml file.

    A Recipe is taken as it is. For a built-in one nothing is read.
    """
    source = check_recipe_source(name) or ""
    if isinstance(source, Recipe):
        return source
    if source in BUILTIN:
        return builtin(source)
    world = world or RealWorld()
    here = make_absolute(world, fspath(cwd) if cwd is not None else ".")
    return find_recipe(world, source, load_config(Location(world, here, world.home())), here)


def load_models(path: Path | None = None, *, world: World | None = None, within: str | None = None) -> "TableForm":
    """The limits and prices of models for `render`: the package's own, with those of a .toml file over them.

    `within` is a folder that the file has to lie in, wherever links lead.
    """
    from .known_models.models_table import overlay_table, packaged_table, parse_table

    if path is None:
        return packaged_table()
    name = fspath(path)
    return overlay_table(packaged_table(), parse_table(read_toml_file(world or RealWorld(), name, within), name), name)


def window(model: str, models: "TableForm | None" = None) -> int:
    """How many tokens a model takes in, by the table of models: `Budget("10%", window=overture.window("gpt-5.4"))`."""
    from .known_models.models_table import find_window, packaged_table

    return find_window(models or packaged_table(), model)


def discover(
    recipe: RecipeSource | None = None,
    *,
    cwd: Path | None = None,
    home: Path | None = None,
    root: Path | None = None,
    config: Mapping[str, Any] | None = None,
    subagent: bool = False,
    world: World | None = None,
    since: Discovery | None = None,
) -> Discovery:
    """Read what the recipe wants, from `cwd` upward and from `home`.

    `config` holds configuration keys that win over files and environment. The state is the main agent's, with a
    session; `subagent` makes it a sub-agent's. With `since`, an earlier result, only files that changed are read again.
    """
    return resolve(recipe, locate(cwd, home, root, config, world), subagent=subagent).find(since)


def counter(name: str | None = None) -> Counter:
    """What counts tokens: `o200k`, `cl100k` or another model family, exactly, where a tokenizer is installed.

    `claude` and `estimate` are approximations, and say so. Without a name it is the best that there is here.
    """
    from .discover.load_tokenizer import find_counter

    return find_counter(name)


def build(
    recipe: RecipeSource,
    state: State | Mapping[str, Any] | None = None,
    *,
    cwd: Path | None = None,
    home: Path | None = None,
    root: Path | None = None,
    subagent: bool = False,
    since: Prompt | None = None,
    budget: BudgetLimit | Budget | None = None,
    count: CountFunction | None = None,
    audience: Audience | None = None,
    secrets: Secrets | None = None,
    read_outside: bool = False,
) -> Prompt:
    """Build a prompt. Given a state, this is pure; without one, the world is discovered first.

    What is discovered is the main agent's; `subagent` takes from it, or from the state that is given, the session and
    the tools that only a main agent has. `budget` is the most tokens that the prompt may have, as `fit` takes it.
    `count` counts them; without it, the best that there is here: a tokenizer is loaded when somebody first counts.
    `audience="public"` leaves out memories, user, soul, facts of the machine and workspace files; `secrets="show"`
    leaves keys and tokens as they are. Without them, the state or the configuration says it. `read_outside` also reads
    files outside the project that its settings, links and imports reach.
    """
    overrides = audience_fields(audience, secrets)
    given = None if count is None else as_counter(count)
    counting = given or counter
    if state is not None:
        source = state if isinstance(state, State) else State.from_dict(state)
        source = source.replace(**overrides) if overrides else source
        shown = derive(source) if subagent else source
        loaded_recipe = load_recipe(recipe, cwd=cwd)
        unread = find_unread(loaded_recipe, {name: getattr(shown, name) for name in FIELDS})
        prompt = assemble_build(loaded_recipe, shown, since=since, found=unread, counting=counting)
    else:
        config = overrides | make_outside_setting(read_outside)
        project = resolve(recipe, locate(cwd, home, root, config), subagent=subagent)
        found = project.find()
        prompt = assemble_build(project.recipe, found.state, since=since, found=found.diagnostics, counting=counting)
    return size_prompt(prompt, budget, given, since if since and since.fitted else None)


def size_prompt(
    prompt: Prompt, budget: BudgetLimit | Budget | None, count: CountFunction | None, since: Prompt | None = None
) -> Prompt:  # fmt: skip
    """The prompt as `count` counts it, within the budget; what `since` had cut stays cut where that is possible."""
    if budget is None:
        return prompt if count is None else prompt.counted(count)
    from .fit.fit import fit

    return fit(prompt, budget, count, since=since)
