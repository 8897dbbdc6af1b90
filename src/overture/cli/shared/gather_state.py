"""Options -> recipe and State: what was discovered, with what the command line gives on top, field by field."""

import os
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from ...api import discover, load_models
from ...assemble.build import build
from ...assemble.subagent_state import derive
from ...discover.configuration.files_and_environment import load_config
from ...discover.configuration.values import Config
from ...discover.disk.opened_file import open_named
from ...discover.disk.walk import absolute, working_directory
from ...discover.folders_above import list_folders_above
from ...discover.load_tokenizer import find_counter
from ...errors import ConfigError, RecipeError
from ...fit.fit import fit
from ...known_models.model_facts import TableForm
from ...known_models.models_table import window_of
from ...model.diagnostic import Diagnostic
from ...model.prompt.budget import Budget
from ...model.prompt.prompt import Prompt
from ...model.recipe.recipe import Recipe
from ...model.state.discovery import Found, Look
from ...model.state.state import FIELDS, State
from ...model.state_path import merged
from ...project.find_recipe import choose, known_names
from ...recipes import BUILTIN
from ...recipes.unread_fields import find_unread
from ...tokens.counter import Counter
from ..layout.progress import doing
from .options import Ask, budget_of, command_line, withholding
from .showing import show_secrets
from .state_options import checked, clock, given_state, gives, sets
from .terminal import report_once

if TYPE_CHECKING:
    from .gather_saved import Sent


class Gathered(NamedTuple):
    """A recipe, the State to say, and how it was found."""

    recipe: Recipe
    state: State
    found: Found
    ask: Ask = Ask()
    sent: "Sent | None" = None
    """The prompt as it was sent, where it is a saved one."""

    def build(self) -> Prompt:
        """The prompt, within the budget; counted with the tokenizer that was asked for, once somebody counts."""
        if self.sent is not None and self.sent.prompt.state is self.state:
            return self._sent(self.sent.prompt)
        counter, budget = counter_for(self.ask), budget_for(self.ask)
        found = self.found.diagnostics
        prompt = build(self.recipe, self.state, found=found, counting=counter or find_counter)
        if budget is None:
            return prompt
        doing("cutting to the budget")
        return fit(prompt, budget)

    def _sent(self, prompt: Prompt) -> Prompt:
        """A saved prompt. What a budget cut was counted by whoever cut it."""
        counting = counter_for(self.ask) or (find_counter if prompt.fitted is None else prompt.counting)
        return replace(prompt, found=(*self.found.diagnostics, *prompt.found), counting=counting)


def gather(ask: Ask) -> Gathered:
    """What to say, in which recipe, and to whom; a line tells that extensions are not run."""
    gathered = gather_silently(ask)
    if not ask.no_discover and gathered.sent is None:
        tell_extensions(settled(gathered.ask), gathered.recipe)
    return gathered


def gather_silently(ask: Ask) -> Gathered:
    """The same without a word about extensions: whether they are trusted is known in the user's own world alone."""
    gathered = _told(at_one_moment(ask))
    if changes := {name: value for name, value in withholding(ask).items() if getattr(gathered.state, name) != value}:
        gathered = gathered._replace(state=gathered.state.replace(**changes))
    if gathered.state.secrets == "show":
        show_secrets()
    return gathered


def tell_extensions(config: Config, recipe: Recipe) -> None:
    """Say in one line that extensions are configured and that no command runs them, or why they are not used at all."""
    if not config.features(recipe.name).extensions_enabled:
        return
    report_once(*map(str, config.untrusted))
    if specs := ", ".join(dict.fromkeys(each.spec for each in config.extending(recipe.name))):
        report_once(f"note: extensions are not run here, a session runs them: {specs}")


def _told(ask: Ask) -> Gathered:
    """Find out what to say, and in which recipe; as the main agent, or as a sub-agent.

    In the place of a recipe may stand a file: a saved session or prompt, as it was sent, or a state.
    """
    named = names_file(ask)
    if named or ask.state_file:
        from .gather_saved import opened

        was, ask = opened(ask, named)
        if was is not None:
            return Gathered(was.prompt.recipe, was.prompt.state, was.found, ask, was)
    gathered = _gathered(ask)
    return gathered._replace(state=derive(gathered.state)) if ask.subagent else gathered


def names_file(ask: Ask) -> bool:
    """Whether what stands in a recipe's place is a file: it ends in .json, or holds JSON and no recipe is called so."""
    name = ask.recipe
    if not name or name in BUILTIN or name.endswith(".toml"):
        return False
    return name.endswith(".json") or (_holds_json(name) and name not in known_names(settled(ask._replace(recipe=None))))


def _holds_json(path: str) -> bool:
    """Whether a file begins as JSON does."""
    if not os.path.isfile(path):
        return False
    try:
        # Opened as all files are: what took its place since must not hang us.
        with os.fdopen(open_named(path), "rb") as file:
            return file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")
    except OSError:
        return True  # what is wrong with it is said where it is read


def _gathered(ask: Ask) -> Gathered:
    given = given_state(ask)
    if ask.no_discover:
        recipe = choose(ask.world, ask.recipe, Config({}), absolute(ask.world, "."))
        # A prompt that is built now says so, whatever else is not read.
        state = checked(merged({"now": clock().isoformat()}, given), ask)
        return Gathered(recipe, state, Found(State(), _unread(recipe, state, given, ask)), ask)
    check_home(ask)
    config = command_line(ask)
    recipe = chosen(ask)
    doing("reading the files of the project")
    found = discover(recipe, cwd=ask.cwd, home=ask.home, root=ask.root, config=config, world=ask.world)
    doing("building")
    state = found.state.replace(now=clock())
    if not given and not ask.sets:
        return Gathered(recipe, state, found, ask)
    kept = {path: origin for path, origin in state.origins.items() if not gives(given, path) and not sets(ask, path)}
    state = checked(merged(state.replace(origins=kept).to_dict(), given), ask)
    found = Found(found.state, (*found.diagnostics, *_unread(recipe, state, given, ask)), found.looked_at, found.kept)
    return Gathered(recipe, state, _replaced(found, state), ask)


def _unread(recipe: Recipe, state: State, given: Iterable[str], ask: Ask) -> tuple[Diagnostic, ...]:
    """What --state and --set give, and the recipe does not read."""
    named = [re.split(r"[.\[=]", text, maxsplit=1)[0] for text in ask.sets]
    return find_unread(
        recipe, {name: getattr(state, name) for name in dict.fromkeys((*given, *named)) if name in FIELDS}
    )


def chosen(ask: Ask) -> Recipe:
    """The recipe that these options and the configuration lead to."""
    try:
        return choose(ask.world, ask.recipe, settled(ask), _folder(ask))
    except RecipeError:
        _check_path(ask.recipe or "")
        raise


def _check_path(recipe: str) -> None:
    """Whoever names a file or a directory in place of a recipe is told which option takes it."""
    if recipe.endswith(".toml") or not os.path.exists(recipe):
        return
    if os.path.isdir(recipe):
        raise ConfigError(f"{recipe!r} is a directory, and no recipe. To look from there, give it with --cwd {recipe}")
    why = f"To ask what became of it: overture explain --why {recipe}"
    raise ConfigError(f"{recipe!r} is a file, and no recipe. {why}")


def _folder(ask: Ask) -> str:
    """Where the path of a recipe starts from: a name needs no folder, so a directory that is gone may be."""
    return absolute(ask.world, ".") if (ask.recipe or "").endswith(".toml") else "/"


def settled(ask: Ask) -> Config:
    """The configuration that counts for these options."""
    cwd = working_directory(ask.world, ask.cwd)
    home = absolute(ask.world, ask.home or ask.world.home())
    return load_config(ask.world, cwd, home, command_line(ask))


def at_one_moment(ask: Ask) -> Ask:
    """The same for a command that looks once, and lists each folder above once."""
    try:
        return ask._replace(world=list_folders_above(ask.world, absolute(ask.world, ask.cwd or ".")))
    except ConfigError:  # a working directory that is gone is said where it is needed
        return ask


def check_home(ask: Ask) -> None:
    """A home that somebody names and that is not there is a slip; one that the system names may be missing."""
    if ask.home is not None and not os.path.isdir(ask.home):
        raise ConfigError(f"The home directory {ask.home!r} is not a directory. Give another with --home.")


def budget_for(ask: Ask) -> Budget | None:
    """The budget that --budget and --window give."""
    return budget_of(ask, window_for(ask))


def counter_for(ask: Ask) -> Counter | None:
    """What counts, where somebody wants to know: loading a tokenizer takes longer than all the rest."""
    return find_counter(ask.tokenizer) if ask.budgets or ask.tokenizer is not None else None


def window_for(ask: Ask) -> int | None:
    """`200000`, or what the table says of a model."""
    given = (ask.window or "").replace(",", "").replace("_", "")
    if not given.lstrip("-").isdecimal():
        return window_of(models_for(ask), ask.window) if ask.window else None
    if int(given) < 1:
        raise ConfigError(f"--window {ask.window!r} is no window. Give the tokens that the model takes in: 200000.")
    return int(given)


def models_for(ask: Ask) -> TableForm:
    """Limits and prices of models: the package's own, with the configured file over them."""
    if ask.no_discover:
        return load_models(None, world=ask.world)
    given = settled(ask).get("models", ask.recipe)
    return load_models(given.value, world=ask.world, within=given.within)


def _replaced(found: Found, state: State) -> Found:
    """Files that gave something and are not in the state any more were replaced by what the caller gave."""
    gone = _paths(found.state) - _paths(state)
    looked: Sequence[Look] = [
        Look(look.path, look.what, "shadowed", "by the state that was given")
        if look.outcome == "loaded" and look.path in gone
        else look
        for look in found.looked_at
    ]
    return Found(found.state, found.diagnostics, tuple(looked), found.kept)


def _paths(state: State) -> set[str]:
    """The files that a state is made of."""
    files = {file.path for file in (*state.context_files, *state.workspace_files)}
    return files | {skill.location for skill in state.skills} | {origin.path for origin in state.origins.values()}
