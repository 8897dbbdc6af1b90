"""The one-line functions: discover, build, counter, load_recipe, load_models. Each is a few calls downwards.

Building from a given State imports nothing that reads the world: that is imported where it is used.
"""

from collections.abc import Mapping
from os import fspath
from typing import TYPE_CHECKING, Any

from .assemble.build import build as assemble_build
from .discovery.world import Path, World
from .model.prompt.budget import Budget, BudgetLimit
from .model.prompt.prompt import Prompt
from .model.recipe.recipe import Recipe
from .model.state.audience_and_subagents import derive
from .model.state.state import Audience, Secrets, State, audience_fields
from .recipes import BUILTIN, builtin
from .recipes.unread_fields import find_unread_in_state
from .tokens.counter import Counter, CountFunction, as_counter

if TYPE_CHECKING:
    from .known_models.model_facts import TableForm
    from .model.state.discovery import Discovery


def load_recipe(name: Path | Recipe, *, cwd: Path | None = None, world: World | None = None) -> Recipe:
    """Load a recipe by name, or from a .toml file: `load_recipe("opal")`, `load_recipe("reviewer.toml")`.

    A name is built in, defined in the configuration, or from an installed package. Built-in recipes read no files.
    A Recipe is returned unchanged.
    """
    if isinstance(name, Recipe):
        return name
    if name in BUILTIN:
        return builtin(fspath(name))
    from .discovery.configuration.config import load_config
    from .discovery.place import Location
    from .discovery.world import World, make_absolute
    from .project.find_recipe import pick_recipe

    world = world or World()
    here = make_absolute(world, fspath(cwd) if cwd is not None else ".")
    return pick_recipe(world, name or "", load_config(Location(world, here, world.machine.home())), here)


def load_models(path: Path | None = None, *, world: World | None = None, within: str | None = None) -> "TableForm":
    """Load the limits and prices of models, for `render` and `window`.

    Values of the .toml file at `path` override the built-in ones. With `within`, the file must be in that folder,
    also after following symlinks.
    """
    from .known_models.model_table import overlay_table, packaged_table, parse_table

    if path is None:
        return packaged_table()
    from .discovery.parse_json_and_toml import read_toml_file
    from .discovery.world import World

    name = fspath(path)
    return overlay_table(packaged_table(), parse_table(read_toml_file(world or World(), name, within), name), name)


def window(model: str, models: "TableForm | None" = None) -> int:
    """Return the context window of a model in tokens: `Budget("10%", window=overture.window("gpt-5.4"))`."""
    from .known_models.model_table import find_window, packaged_table

    return find_window(models or packaged_table(), model)


def discover(
    recipe: Path | Recipe | None = None,
    *,
    cwd: Path | None = None,
    home: Path | None = None,
    root: Path | None = None,
    config: Mapping[str, Any] | None = None,
    subagent: bool = False,
    world: World | None = None,
    since: "Discovery | None" = None,
) -> "Discovery":
    """Read the files that the recipe needs, from `cwd` upward and from `home`.

    `config` overrides settings: `config={"features.skills.enabled": False}`. `subagent` returns the state of a
    sub-agent, without a session. With `since`, an earlier result, only changed files are read again.

    ```python
    import overture

    found = overture.discover("opal", cwd=".")
    prompt = overture.build("opal", found.state.replace(memories=("Ada prefers tabs",)))
    ```
    """
    from .discovery.place import locate
    from .project.resolve import resolve

    return resolve(recipe, locate(cwd, home, root, config, world), subagent=subagent).find(since)


def counter(name: str | None = None) -> Counter:
    """Return a token counter: `counter("o200k")("some text")` is a number of tokens.

    Default: `o200k`, which is exact. `cl100k` and others need a tokenizer: `pip install 'overture[tokens]'`.
    `claude` and `estimate` are approximations.
    """
    from .tokens.load_tokenizer import find_counter

    return find_counter(name)


def build(
    recipe: Path | Recipe,
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
    """Build a prompt: `build("opal", cwd=".")` reads files and environment; `build("opal", state)` reads nothing.

    - `subagent`: build for a sub-agent, without a session and the tools that only a main agent has.
    - `since`: an earlier prompt; unchanged blocks are reused.
    - `budget`: the maximum number of tokens, as for `fit`.
    - `count`: counts tokens. Default: the best installed tokenizer.
    - `audience`: `"public"` skips memories, user, soul, facts about the machine and workspace files.
    - `secrets`: `"show"` does not replace keys and tokens.
    - `read_outside`: also read files outside the project that its settings, symlinks or imports point to.

    The defaults of `audience` and `secrets` come from the state or the configuration.
    """
    overrides = audience_fields(audience, secrets)
    caller_counter = None if count is None else as_counter(count)
    counting = caller_counter or counter
    if state is not None:
        source = state if isinstance(state, State) else State.from_dict(state)
        source = source.replace(**overrides) if overrides else source
        shown = derive(source) if subagent else source
        loaded = load_recipe(recipe, cwd=cwd)
        prompt = assemble_build(
            loaded, shown, since=since, found=find_unread_in_state(loaded, shown), counting=counting
        )
    else:
        from .discovery.configuration.keys import OUTSIDE_READ
        from .discovery.place import locate
        from .project.resolve import resolve

        config = overrides | (OUTSIDE_READ if read_outside else {})
        project = resolve(recipe, locate(cwd, home, root, config), subagent=subagent)
        discovery = project.find()
        prompt = assemble_build(
            project.recipe, discovery.state, since=since, found=discovery.diagnostics, counting=counting
        )
    return size_prompt(prompt, budget, caller_counter, since if since and since.fitted else None)


def size_prompt(
    prompt: Prompt, budget: BudgetLimit | Budget | None, count: CountFunction | None, since: Prompt | None = None
) -> Prompt:  # fmt: skip
    """The last step of `build`: count the prompt, and fit it into the budget; what `since` had cut stays cut."""
    if budget is None:
        return prompt if count is None else prompt.counted(count)
    from .fit.fit import fit

    return fit(prompt, budget, count, since=since)
