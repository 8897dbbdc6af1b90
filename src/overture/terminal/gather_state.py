"""Options -> recipe and State: what was discovered, with what the command line gives on top, field by field."""

import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from ..api import counter
from ..assemble.build import build
from ..discovery.configuration.config import Config, load_config
from ..discovery.discover import ResolvedProject
from ..discovery.files import read_file
from ..discovery.world import make_absolute
from ..errors import ConfigError, RecipeError
from ..model.diagnostic import Diagnostic
from ..model.prompt.prompt import Prompt
from ..model.recipe.recipe import Recipe
from ..model.state.audience_and_subagents import derive
from ..model.state.discovery import Discovery, Look
from ..model.state.field_paths import merge_fields
from ..model.state.reasons import because
from ..model.state.state import FIELDS, State
from ..project.find_recipe import list_recipe_names, pick_recipe
from ..project.resolve import configure_recipe
from ..recipes import BUILTIN
from ..recipes.unread_fields import find_unread
from .option_values import budget_for, check_state, counter_for, is_given, is_set, read_clock, read_given_state
from .options import CommandOptions, at_one_moment, check_home, collect_withheld, load_settings
from .output import print_once, show_secrets
from .progress_line import report_step

if TYPE_CHECKING:
    from .saved_files import SentPrompt


class GatheredState(NamedTuple):
    """A recipe, the State to render, and how it was found."""

    recipe: Recipe
    state: State
    found: Discovery
    options: CommandOptions = CommandOptions()
    sent: "SentPrompt | None" = None
    """The prompt as it was sent, where it is a saved one."""
    project: ResolvedProject | None = None
    """The options of the discovery; None without one."""

    def build(self) -> Prompt:
        """The prompt, within the budget; counted with the chosen tokenizer, once a count is needed."""
        if self.sent is not None and self.sent.prompt.state is self.state:
            prompt = self.sent.prompt
            # The budget of a saved prompt was counted by the program that cut it.
            by = counter_for(self.options) or (counter if prompt.fitted is None else prompt.counting)
            return replace(prompt, found=(*self.found.diagnostics, *prompt.found), counting=by)
        counting, budget = counter_for(self.options), budget_for(self.options)
        notes = self.found.diagnostics
        prompt = build(self.recipe, self.state, found=notes, counting=counting or counter)
        if budget is None:
            return prompt
        from ..fit.fit import fit, refuse_empty

        report_step("cutting to the budget")
        return refuse_empty(prompt, fit(prompt, budget))


def gather_state(options: CommandOptions) -> GatheredState:
    """The state, the recipe and the audience; a line reports that extensions are not run."""
    gathered = gather_silently(options)
    if gathered.project is not None:
        report_extensions(gathered.project.config, gathered.recipe)
    return gathered


def gather_silently(options: CommandOptions) -> GatheredState:
    """The same without a word about extensions: whether they are trusted is known in the user's own world alone."""
    gathered = _gather_named(at_one_moment(options))
    if changes := {
        name: value for name, value in collect_withheld(options).items() if getattr(gathered.state, name) != value
    }:
        gathered = gathered._replace(state=gathered.state.replace(**changes))
    if gathered.state.secrets == "show":
        show_secrets()
    return gathered


def report_extensions(config: Config, recipe: Recipe) -> None:
    """Reports in one line that extensions are configured and no command runs them, or why they are not used."""
    if not config.features(recipe.name).extensions_enabled:
        return
    print_once(*map(str, config.untrusted))
    if specs := ", ".join(dict.fromkeys(each.spec for each in config.extending(recipe.name))):
        print_once(f"note: extensions only run in a session, not here: {specs}")


def _gather_named(options: CommandOptions) -> GatheredState:
    """Finds the state to render and its recipe; as the main agent, or as a sub-agent.

    A file may take the place of a recipe: a saved session or prompt, as it was sent, or a state.
    """
    named = is_saved_file(options)
    if named or options.state_file:
        from .saved_files import open_saved

        was, options = open_saved(options, named)
        if was is not None:
            return GatheredState(was.prompt.recipe, was.prompt.state, was.found, options, was)
    gathered = _gather_discovered(options)
    return gathered._replace(state=derive(gathered.state)) if options.subagent else gathered


def is_saved_file(options: CommandOptions) -> bool:
    """Whether a recipe argument is a file: it ends in .json, or holds JSON and no recipe has that name."""
    name = options.recipe
    if not name or name in BUILTIN or name.endswith(".toml"):
        return False
    return name.endswith(".json") or (
        _holds_json(name) and name not in list_recipe_names(load_settings(options._replace(recipe=None)))
    )


def _holds_json(path: str) -> bool:
    """Whether a file begins as JSON does."""
    if not os.path.isfile(path):
        return False
    try:
        return read_file(path).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")
    except OSError:
        return True  # its problems are reported where it is read


def _gather_discovered(options: CommandOptions) -> GatheredState:
    """The state that is discovered, with values of the command line on top."""
    fields = read_given_state(options)
    if options.no_discover:
        recipe, state = find_command_recipe(options), check_state(fields, options)
        unread = _find_unread_fields(recipe, state, fields, options)
        return GatheredState(recipe, state, Discovery(State(), unread), options)
    check_home(options)
    project = resolve_command(options)
    recipe = project.recipe
    report_step("reading the files of the project")
    discovery = project.find()
    report_step("building")
    state = discovery.state.replace(now=read_clock())
    if not fields and not options.sets:
        return GatheredState(recipe, state, discovery, options, project=project)
    origins = {
        path: origin
        for path, origin in state.origins.items()
        if not is_given(fields, path) and not is_set(options, path)
    }
    state = check_state(merge_fields(state.replace(origins=origins).to_dict(), fields), options)
    unread = _find_unread_fields(recipe, state, fields, options)
    looks = _mark_replaced(discovery, state)
    discovery = replace(discovery, diagnostics=(*discovery.diagnostics, *unread), looked_at=looks)
    return GatheredState(recipe, state, discovery, options, project=project)


def _find_unread_fields(
    recipe: Recipe, state: State, fields: Iterable[str], options: CommandOptions
) -> tuple[Diagnostic, ...]:
    """What --state and --set give, and the recipe does not read."""
    named = [re.split(r"[.\[=]", text, maxsplit=1)[0] for text in options.sets]
    values = {name: getattr(state, name) for name in dict.fromkeys((*fields, *named)) if name in FIELDS}
    return find_unread(recipe, {**values, "origins": state.origins})


def resolve_command(options: CommandOptions) -> ResolvedProject:
    """The project that these options lead to."""
    location = options.locate()
    config = load_config(location)
    return configure_recipe(choose_recipe(options, config), location, config)


def find_command_recipe(options: CommandOptions) -> Recipe:
    """The recipe that these options lead to, with what the project configures unless nothing is discovered."""
    return choose_recipe(options, Config({})) if options.no_discover else resolve_command(options).recipe


def choose_recipe(options: CommandOptions, config: Config | None = None) -> Recipe:
    """The recipe that these options and the configuration lead to."""
    try:
        # A name needs no folder: the working directory may be gone.
        folder = make_absolute(options.world, ".") if (options.recipe or "").endswith(".toml") else "/"
        return pick_recipe(options.world, options.recipe, load_settings(options) if config is None else config, folder)
    except RecipeError:
        _check_path(options.recipe or "")
        raise


def _check_path(recipe: str) -> None:
    """If a recipe argument is a file or a directory, the error names the option that takes it."""
    if recipe.endswith(".toml") or not os.path.exists(recipe):
        return
    if os.path.isdir(recipe):
        raise ConfigError(
            f"{recipe!r} is a directory, not a recipe.", hint=f"Pass it as `--cwd {recipe}` to start there."
        )
    why = f"`overture explain --why {recipe}` shows whether it is read."
    raise ConfigError(f"{recipe!r} is a file, not a recipe.", cause=why)


def _mark_replaced(discovery: Discovery, state: State) -> tuple[Look, ...]:
    """Files that were loaded and are no longer in the state were replaced by values from the caller."""
    replaced = _list_state_files(discovery.state) - _list_state_files(state)
    return tuple(
        Look(look.path, look.what, "hidden", because("hidden", "the state that was given"))
        if look.outcome == "loaded" and look.path in replaced
        else look
        for look in discovery.looked_at
    )


def _list_state_files(state: State) -> set[str]:
    """The files that a state is made of."""
    files = {file.path for file in (*state.context_files, *state.workspace_files)}
    return files | {skill.location for skill in state.skills} | {origin.path for origin in state.origins.values()}
