"""SessionPrompt keeps state and prompt up to date, within the budget; what was cut stays cut until a reload."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from secrets import token_hex
from typing import Any

from ...assemble.build import build
from ...assemble.hook_edits import Change
from ...discover.discover import ResolvedProject, default_tools, reuse_equal_fields
from ...discover.load_tokenizer import find_counter
from ...fit.fit import fit, record_cuts, replay_cuts
from ...model.diagnostic import Diagnostic
from ...model.message import Held
from ...model.prompt.block import CutRecord
from ...model.prompt.prompt import Prompt
from ...model.recipe.recipe import Recipe
from ...model.state.agent_and_task import SessionInfo
from ...model.state.state import State
from ...model.tool.tool import Tool
from ...recipes.unread_fields import find_unread
from ..files.session_files import (
    SessionFiles,
    choose_memories_mode,
    keep_first_memories,
    merge_found_state,
    overlay_fields,
    read_session_files,
)
from ..files.turn_files import TurnFiles, adopt_paths, list_followed_paths, list_ungiven_paths
from ..hook_answers import apply_changes
from ..messages.skill_text import USE_SKILL, add_skill_loader
from ..options import SessionOptions
from ..toolbox import Toolbox, select_given_tools
from ..triggers import Resources
from .on_change import Delta, SectionMode, choose_modes

Changes = Iterable[tuple[str, Change]]
"""What hooks want changed, each with the hook's name."""


class BudgetedPrompt:
    """What is shown of a prompt: all of it, counted with the session's counter, or what the budget has room for."""

    def __init__(self) -> None:
        self.whole: Prompt | None = None
        self.shown: Prompt | None = None

    def show(self, whole: Prompt, options: SessionOptions) -> Prompt:
        """The prompt as it is sent. The cuts of the turn before are kept in all but what may change every turn."""
        if self.shown is None or self.whole is not whole:
            self.whole, self.shown = whole, _cut(whole, options, self.shown)
        return self.shown

    def edited(self, base: Prompt, changes: Changes, options: SessionOptions) -> Prompt:
        """The prompt with the changes of hooks, for one turn; they count towards the budget like everything else."""
        if options.budget is None:
            return apply_changes(base, changes)
        prompt = apply_changes(base.fitted.whole if base.fitted else base, changes)
        return _cut(prompt, options, base) if prompt.edits != base.edits else base

    def forget(self) -> None:
        """Cut anew with the next turn."""
        self.whole = self.shown = None

    @property
    def cuts(self) -> tuple[CutRecord, ...]:
        """How far each block is cut, for a save."""
        return record_cuts(self.shown) if self.shown is not None else ()

    def restore(self, whole: Prompt, options: SessionOptions, cuts: Sequence[CutRecord]) -> None:
        """Show a prompt as it was cut when it was saved."""
        if options.budget is None or not cuts:
            return
        counted = whole.counted(options.counter) if options.counter else whole
        self.shown = replay_cuts(counted, options.budget, cuts)
        self.whole = whole
        if options.budget.limit is not None and self.shown.tokens > options.budget.limit:
            # It was saved over its budget, or another counts now: then the next turn cuts, or says that it can't.
            self.forget()


def _cut(whole: Prompt, options: SessionOptions, since: Prompt | None) -> Prompt:
    if options.budget is not None:
        # There is always a turn before: what it has to cut, it cuts with room for the turns to come.
        return fit(whole, options.budget, options.counter, since=since or whole)
    return whole.counted(options.counter) if options.counter else whole


def list_recut_sections(last: Prompt, prompt: Prompt) -> frozenset[str]:
    """The sections that say the same in both prompts, and of which the budget left more or less in the second."""
    trims = [each.fitted.trims if each.fitted else None for each in (last, prompt)]
    if trims[0] is trims[1]:
        return frozenset()
    before, now = ({r.name: r for r in (p.fitted.whole if p.fitted else p).results} for p in (last, prompt))
    was = {result.name: result for result in last.results}
    return frozenset(r.name for r in prompt.results if before.get(r.name) is now[r.name] and was[r.name] is not r)


# The state and the prompt as they are now, brought up to date when something was triggered.


class SessionPrompt:
    """A part of Session. What a trigger need not touch keeps its objects, and so its blocks."""

    def __init__(self, options: SessionOptions, given: Mapping[str, Any], tools: Any, info: SessionInfo | None) -> None:
        self.options = options
        self.given = dict(given)
        self.info = info
        """None for a sub-agent."""
        self.asked = tools
        self.asked_names: set[str] = set()
        self.found: tuple[Tool, ...] = ()
        """The tools that the configuration or the recipe activates."""
        self.toolbox: Toolbox | None = None
        self.ground: SessionFiles | None = None
        self.saved: State | None = None
        """What a session that was resumed or derived stands on until it is reloaded."""
        self.spare: SessionFiles | None = None
        """What lies on disk beside such a session: read for templates, skills and nested context alone."""
        self.recipe: Recipe | None = None
        self.first: State | None = None
        self.state: State | None = None
        self.delta: Delta | None = None
        self.how: Mapping[str, SectionMode] = {}
        self.ticks = False
        """Whether the time follows each prompt of the user's."""
        self.within = BudgetedPrompt()
        self.fresh = TurnFiles()
        self.follows: tuple[str, ...] = ()

    @property
    def followed(self) -> tuple[str, ...]:
        """The paths of State that are looked at again with each prompt; the recipe's, less what is given."""
        return list_ungiven_paths(self.follows, self.given) if self.follows else ()

    def equip(self, settled: ResolvedProject) -> tuple[Diagnostic, ...]:
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

    def follow(self, ground: SessionFiles) -> str:
        """Look at what is followed, on this ground; what changed anything."""
        now, changed = self.fresh.look(ground, self.followed)
        if self.ground is not None:
            self.ground = now
            return changed
        # A session that was resumed stands on its save in all else, until it looks at the disk.
        assert self.saved is not None
        before, self.spare = self.saved, now
        self.saved = adopt_paths(before, merge_found_state(now), self.followed)
        return "" if self.saved is before else changed or "other than in the save"

    def look(self, resources: Resources, settled: ResolvedProject) -> None:
        """Look at the disk, for the recipe and with the switches that were settled."""
        ground = read_session_files(settled, resources, self.ground)
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
            self.how = choose_modes(self.options.on_change, recipe)
            self.follows = list_followed_paths(recipe, choose_memories_mode(recipe, self.options.memories))
            self.ticks = recipe.clock == "turn" and any("now" in section.reads for section in recipe.sections)

    def _first_tools(self, recipe: Recipe, found: tuple[Tool, ...]) -> tuple[Diagnostic, ...]:
        tools, notes = (found, ()) if self.asked is None else select_given_tools(recipe, self.asked)
        if self.asked is not None:
            self.asked_names = {tool.name for tool in tools} | {""}
        self.toolbox = Toolbox((*recipe.tools, *tools), [tool.name for tool in tools])
        return notes

    def restate(self, *, rebuilt: bool = False) -> tuple[Held, ...]:
        """Make the state anew of what was found and given, and build; what is to be told comes back.

        `rebuilt` moves a clock that follows rebuilds.
        """
        assert self.recipe is not None and self.toolbox is not None
        state = overlay_fields(self._found(), self.given)
        state = state.replace(
            tools=add_skill_loader(self.toolbox.tools, state.skills, self.recipe, USE_SKILL in self.asked_names),
            session=self.given.get("session", self.info) if self.info else None,
            now=self.given.get("now") or self._time(rebuilt),
        )
        if self.first is None:
            self.first = state
        if choose_memories_mode(self.recipe, self.options.memories) == "frozen" and "memories" not in self.given:
            state = keep_first_memories(state, self.first)
        return self.set(reuse_equal_fields(state, self.state))

    def _time(self, rebuilt: bool) -> datetime | None:
        assert self.recipe is not None
        if self.state is None or (rebuilt and self.recipe.clock == "rebuild"):
            return self.options.world.now()
        return self.state.now

    def _found(self) -> State:
        if self.ground is None:
            assert self.saved is not None
            return self.saved
        return merge_found_state(self.ground)

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
