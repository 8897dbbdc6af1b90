"""The state and the prompt as they are now, brought up to date when something was triggered."""

from collections.abc import Mapping
from datetime import datetime
from secrets import token_hex
from typing import Any

from ...assemble.build import build
from ...discover.discover import as_before, default_tools
from ...discover.load_tokenizer import find_counter
from ...model.diagnostic import Diagnostic
from ...model.message import Held
from ...model.prompt.prompt import Prompt
from ...model.recipe.recipe import Recipe
from ...model.state.state import State
from ...model.state.tasks import SessionInfo
from ...model.state.tool import Tool
from ...project.project import Settled
from ...recipes.unread_fields import find_unread
from ..changes.files_of_each_turn import Fresh, adopted, followed, not_given
from ..changes.given_fields import overlaid
from ..changes.project_files import Ground, found_on, look, memories_mode, with_memories
from ..changes.toolbox import Toolbox, given_tools
from ..changes.triggers import Resources
from ..messages.skill_text import USE_SKILL, with_loader
from ..options import Options
from .on_change import Choice, Delta, choices
from .within_budget import Changes, Within


class Current:
    """A part of Session. What a trigger need not touch keeps its objects, and so its blocks."""

    def __init__(self, options: Options, given: Mapping[str, Any], tools: Any, info: SessionInfo | None) -> None:
        self.options = options
        self.given = dict(given)
        self.info = info
        """None for a sub-agent."""
        self.asked = tools
        self.asked_names: set[str] = set()
        self.found: tuple[Tool, ...] = ()
        """The tools that the configuration or the recipe activates."""
        self.toolbox: Toolbox | None = None
        self.ground: Ground | None = None
        self.saved: State | None = None
        """What a session that was resumed or derived stands on until it is reloaded."""
        self.spare: Ground | None = None
        """What lies on disk beside such a session: read for templates, skills and nested context alone."""
        self.recipe: Recipe | None = None
        self.first: State | None = None
        self.state: State | None = None
        self.delta: Delta | None = None
        self.how: Mapping[str, Choice] = {}
        self.ticks = False
        """Whether the time follows each prompt of the user's."""
        self.within = Within()
        self.fresh = Fresh()
        self.follows: tuple[str, ...] = ()

    @property
    def followed(self) -> tuple[str, ...]:
        """The paths of State that are looked at again with each prompt; the recipe's, less what is given."""
        return not_given(self.follows, self.given) if self.follows else ()

    def equip(self, settled: Settled) -> tuple[Diagnostic, ...]:
        """Have the tools that the configuration or the recipe activates; those that were registered stay."""
        found = default_tools(settled.recipe) if settled.tools is None else settled.tools
        notes: tuple[Diagnostic, ...] = ()
        if self.toolbox is None:
            notes = self._first_tools(settled.recipe, found)
        elif not self.asked_names:
            self.toolbox.swap(self.found, found)
        self.found = found
        return notes

    def drop_default_tools(self) -> None:
        """Take away the tools that nobody named: a program that brings its own has exactly these."""
        assert self.recipe is not None and self.toolbox is not None
        if not self.asked_names and (self.ground is None or self.ground.settled.tools is None):
            default = [tool for tool in default_tools(self.recipe) if self.toolbox.known.get(tool.name) == tool]
            self.toolbox.active.difference_update(tool.name for tool in default)
            self.asked_names = {""}

    def follow(self, ground: Ground) -> str:
        """Look at what is followed, on this ground; what changed anything."""
        now, changed = self.fresh.look(ground, self.followed)
        if self.ground is not None:
            self.ground = now
            return changed
        # A session that was resumed stands on its save in all else, until it looks at the disk.
        assert self.saved is not None
        before, self.spare = self.saved, now
        self.saved = adopted(before, found_on(now), self.followed)
        return "" if self.saved is before else changed or "other than in the save"

    def look(self, resources: Resources, settled: Settled) -> None:
        """Look at the disk, for the recipe and with the switches that were settled."""
        ground = look(settled, resources, self.ground)
        self.use(settled.recipe)
        self.ground, self.saved = ground, None

    def restart(self) -> None:
        """Forget what was built: nobody has seen it."""
        self.delta = self.state = self.first = None
        self.within.forget()

    def use(self, recipe: Recipe) -> None:
        """Say the state in this recipe from now on."""
        if recipe is not self.recipe:
            self.recipe, self.delta = recipe, None
            if recipe.fence_below is not None and self.given.get("mark") is None:
                self.given["mark"] = token_hex(8)
            self.within.forget()
            self.how = choices(self.options.on_change, recipe)
            self.follows = followed(recipe, memories_mode(recipe, self.options.memories))
            self.ticks = recipe.clock == "turn" and any("now" in section.reads for section in recipe.sections)

    def _first_tools(self, recipe: Recipe, found: tuple[Tool, ...]) -> tuple[Diagnostic, ...]:
        tools, notes = (found, ()) if self.asked is None else given_tools(recipe, self.asked)
        if self.asked is not None:
            self.asked_names = {tool.name for tool in tools} | {""}
        self.toolbox = Toolbox((*recipe.tools, *tools), [tool.name for tool in tools])
        return notes

    def restate(self, *, rebuilt: bool = False) -> tuple[Held, ...]:
        """Make the state anew of what was found and given, and build; what is to be told comes back.

        `rebuilt` moves a clock that follows rebuilds.
        """
        assert self.recipe is not None and self.toolbox is not None
        state = overlaid(self._found(), self.given)
        state = state.replace(
            tools=with_loader(self.toolbox.tools, state.skills, self.recipe, USE_SKILL in self.asked_names),
            session=self.given.get("session", self.info) if self.info else None,
            now=self.given.get("now") or self._time(rebuilt),
        )
        if self.first is None:
            self.first = state
        if memories_mode(self.recipe, self.options.memories) == "frozen" and "memories" not in self.given:
            state = with_memories(state, self.first)
        return self.set(as_before(state, self.state))

    def _time(self, rebuilt: bool) -> datetime | None:
        assert self.recipe is not None
        if self.state is None or (rebuilt and self.recipe.clock == "rebuild"):
            return self.options.world.now()
        return self.state.now

    def _found(self) -> State:
        if self.ground is None:
            assert self.saved is not None
            return self.saved
        return found_on(self.ground)

    def set(self, state: State) -> tuple[Held, ...]:
        """Build the prompt of a state; what is to be told instead of rewritten comes back."""
        assert self.recipe is not None
        since = self.delta.built if self.delta else None
        fresh = build(self.recipe, state, since=since, found=self.diagnostics, counting=find_counter)
        self.state = state
        if self.delta is None:
            self.delta = Delta(fresh, fresh)
            return ()
        self.delta, news = self.delta.step(fresh, self.how)
        return news

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong in the files that were read, and which given fields the recipe does not read."""
        assert self.recipe is not None
        unread = find_unread(self.recipe, self.given)
        if self.ground is None:
            return (*self.fresh.notes_on(self.spare), *unread)
        return (*self.ground.found.diagnostics, *self.ground.extra.diagnostics, *unread)

    def tick(self) -> tuple[Held, ...]:
        """Let the clock move on, where the recipe says the time of each prompt."""
        state = self.state
        if not self.ticks or state is None or "now" in self.given:
            return ()
        now = self.options.world.now()
        return () if now == state.now else self.set(state.replace(now=now))

    def fold(self) -> bool:
        """Put into the prompt what messages told of it; whether there was anything."""
        if self.delta is None or not self.delta.told:
            return False
        self.delta = Delta(self.delta.built, self.delta.built)
        return True

    @property
    def prompt(self) -> Prompt:
        """The prompt that is sent when no hook changes it."""
        assert self.delta is not None
        return self.within.show(self.delta.sent, self.options)

    @property
    def known(self) -> Prompt | None:
        """The prompt as it was last built; none before the first."""
        return self.delta.built if self.delta is not None else None

    def edited(self, base: Prompt, changes: Changes) -> Prompt:
        """The prompt with the changes of hooks, for one turn."""
        return self.within.edited(base, changes, self.options)
