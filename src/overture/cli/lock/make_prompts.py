"""Recipes by name -> what is locked of the prompts that everybody gets of them."""

import os
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from ...discover.disk.walk import at_or_above
from ...discover.load_tokenizer import find_counter
from ...errors import ConfigError, OvertureError
from ...model.state.discovery import Look
from ...project.find_recipe import DEFAULT, known_names
from ...project.lock.find_place import Place, digests_of, find_ignored
from ...project.lock.project_world import CLOCK, TOP, ProjectWorld
from ...recipes import BUILTIN
from ...recipes.agents import AGENTS
from ...render.render import sent_tools
from ...render.tools import tools_text
from ...report.lock.lock import LockedPrompt, label
from ...report.lock.lock_prompt import Read, locked_prompt, paths_read, settings_read
from ..shared.gather_state import Gathered, gather_silently, names_file, settled, tell_extensions
from ..shared.options import Ask

Key = tuple[str, str]
"""A recipe, and the folder in which the agent works, from the project's root."""
EVERYWHERE = frozenset((*BUILTIN, *AGENTS))
"""Recipes that everybody has."""
ESTIMATE = "estimate"
"""What counts where nobody says otherwise: a tokenizer is not on every machine."""


class Made(NamedTuple):
    """What is locked of a prompt, and what explains a change of it."""

    prompt: LockedPrompt
    why: Callable[[str], str]
    """Says why a file is not read."""
    settings: tuple[str, ...]


class Locking(NamedTuple):
    """A project, the project as everybody has it, and what the command line says."""

    place: Place
    world: ProjectWorld
    ask: Ask

    def ask_for(self, key: Key, tokenizer: str | None = None) -> Ask:
        """What is asked of the project as everybody has it."""
        recipe, cwd = key
        return self.ask._replace(
            recipe=f"{TOP}/{recipe}" if recipe.endswith(".toml") else recipe,
            cwd=TOP if cwd == "." else f"{TOP}/{cwd}",
            home=None,
            root=None,
            now=self.ask.now or CLOCK,
            tokenizer=tokenizer or self.ask.tokenizer or ESTIMATE,
            world=self.world,
        )

    def ask_here(self, key: Key) -> Ask:
        """What is asked of the project as it is here, for the user who asks."""
        recipe, cwd = key
        top = self.place.top
        name = os.path.join(top, recipe) if recipe.endswith(".toml") else recipe
        return self.ask._replace(recipe=name, cwd=os.path.normpath(os.path.join(top, cwd)))

    def key(self, name: str) -> Key:
        """Which prompt a name stands for here; a recipe that others do not have is an error."""
        if name.endswith(".toml"):
            path = os.path.realpath(name)
            if not at_or_above(self.place.top, path):
                raise ConfigError(f"The recipe {name!r} lies outside the project {self.place.top!r}: others lack it.")
            return os.path.relpath(path, self.place.top), self.place.folder
        if name in EVERYWHERE:
            return name, self.place.folder
        if names_file(self.ask._replace(recipe=name)):
            raise ConfigError(f"{name!r} is a file that was saved, and no recipe. Give the recipe's name.")
        here = self.ask_for((DEFAULT, self.place.folder))
        if name not in known_names(settled(here)) and name in known_names(settled(self.ask)):
            raise ConfigError(
                f"Recipe {name!r} is one of your own settings: others lack it. Put it into overture.toml."
            )
        return name, self.place.folder

    def usual(self) -> Key:
        """The prompt that the project's settings name, else the default."""
        given = settled(self.ask_for((DEFAULT, self.place.folder))).get("recipe").value or DEFAULT
        return str(given).removeprefix(f"{TOP}/"), self.place.folder

    def gone(self, key: Key) -> str | None:
        """Why there can be no such prompt any more; None where there can."""
        recipe, cwd = key
        if not os.path.isdir(os.path.join(self.place.top, cwd)):
            return f"the folder {cwd} is gone"
        if recipe.endswith(".toml"):
            return None if self.world.look(f"{TOP}/{recipe}") else "its file is gone"
        if recipe in EVERYWHERE or recipe in known_names(settled(self.ask_for(key))):
            return None
        return "no recipe has that name any more"

    def make(self, key: Key, tokenizer: str | None = None) -> Made:
        """Build a prompt from what everybody has, and take down what it is made of."""
        ask = self.ask_for(key, tokenizer)
        gathered = self._gathered(ask)
        if not ask.no_discover:
            with suppress(OvertureError):  # settings of the user's own: the lock does not have them
                tell_extensions(settled(self.ask_here(key)), gathered.recipe)
        prompt = gathered.build().counted(find_counter(ask.tokenizer))
        looks = gathered.found.looked_at
        read = Read(prompt, looks, tools_text(sent_tools(prompt)))
        digests = digests_of(self.world, paths_read(read))
        locked = locked_prompt(read, *key, digests, TOP, options_given(self.ask))
        config = () if ask.no_discover else (settled(ask).file,)
        return Made(locked, lambda path: self._why_not(looks, path), settings_read(looks, TOP, config))

    def _gathered(self, ask: Ask) -> Gathered:
        """What is found without what git ignores: that is looked at first, and then again as if it were not there."""
        while True:
            gathered = gather_silently(ask)
            looked = [look.path for look in gathered.found.looked_at if look.outcome != "absent"]
            config = [] if ask.no_discover else [settled(ask).file]
            ignored = find_ignored(self.world, [path for path in (*looked, *config) if path])
            if self.world.hidden.issuperset(ignored):
                return gathered
            self.world.hide(ignored)

    def _why_not(self, looks: tuple[Look, ...], path: str) -> str:
        """Why a file, by its path from the project's root, is not read."""
        here = f"{TOP}/{path}"
        if self.world.on_disk(here) in self.world.hidden:
            return "git ignores it"
        if self.world.look(here) is None:
            return "it is gone"
        look = next((look for look in looks if look.path == here and look.outcome != "loaded"), None)
        if look is None:
            return "it is not looked for any more"
        said = f"{look.outcome}{'' if look.detail.startswith('by ') else ':'} {look.detail}" if look.detail else ""
        return (said or look.outcome).replace(f"{TOP}/", "")


def options_given(ask: Ask) -> tuple[str, ...]:
    """The names of the options that change the prompt."""
    given = {
        "--state": ask.state_file, "--no-discover": ask.no_discover, "--subagent": ask.subagent, "--set": ask.sets,
        "--tools": ask.tools_file, "--now": ask.now, "--config": ask.config, "--audience": ask.audience,
        "--no-redact": ask.no_redact, "--budget": ask.budgets, "--window": ask.window,
    }  # fmt: skip
    return tuple(sorted(name for name, value in given.items() if value))


def check_tokenizer(name: str, key: Key | None = None) -> None:
    """What is locked is counted with what was named: an estimate in its place would differ from machine to machine."""
    counter = find_counter(name)
    if counter.name != name.removesuffix("_base"):
        whose = f"{label(*key)} is locked with the tokenizer {name!r}" if key else f"The tokenizer is {name!r}"
        raise ConfigError(f"{whose}, which is not here: {counter.about}. Or give --tokenizer estimate.")
