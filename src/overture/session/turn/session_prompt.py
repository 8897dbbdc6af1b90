"""SessionPrompt keeps state and prompt up to date, within the budget. Cuts stay until a reload."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from ...assemble.build import build
from ...assemble.change_prompt import Change
from ...discover.discover import ResolvedProject, reuse_equal_fields
from ...discover.load_tokenizer import find_counter
from ...fit.fit import fit, record_cuts, replay_cuts
from ...model.diagnostic import Diagnostic
from ...model.message import SectionUpdate
from ...model.prompt.block import CutRecord
from ...model.prompt.prompt import Prompt
from ...model.recipe.recipe import Recipe
from ...model.state.state import State
from ...model.tool import Tool
from ...recipes.unread_fields import find_unread
from ..apply_hook_answers import apply_changes
from ..files.reread_files import FollowedPaths, TurnFiles, adopt_paths, list_followed_paths, select_followed_paths
from ..files.session_files import (
    Memories,
    Resources,
    SessionFiles,
    merge_discovered_state,
    overlay_fields,
    read_session_files,
)
from ..options_and_setup import SessionSettings, SessionSetup
from ..toolbox import USE_SKILL, add_skill_loader
from .changed_sections import Delta, SectionMode, choose_modes

Changes = Iterable[tuple[str, Change]]
"""The changes that hooks request, each with the hook's name."""


class BudgetedPrompt:
    """A prompt within the budget, counted with the session's counter; without a budget, all of it."""

    def __init__(self) -> None:
        """Begin without a prompt."""
        self.full: Prompt | None = None
        self.shown: Prompt | None = None

    def show(self, full: Prompt, settings: SessionSettings) -> Prompt:
        """The prompt as it is sent. Cuts of the previous turn stay, except in sections that may change every turn."""
        if self.shown is None or self.full is not full:
            self.full, self.shown = full, _cut(full, settings, self.shown)
        return self.shown

    def forget(self) -> None:
        """Forget the cuts: the next turn cuts again."""
        self.full = self.shown = None

    @property
    def cuts(self) -> tuple[CutRecord, ...]:
        """The cut of each block, for a save."""
        return record_cuts(self.shown) if self.shown is not None else ()

    def restore(self, full: Prompt, settings: SessionSettings, cuts: Sequence[CutRecord]) -> None:
        """Repeat the cuts of a saved prompt."""
        if settings.budget is None or not cuts:
            return
        counted = full.counted(settings.counter) if settings.counter else full
        self.shown = replay_cuts(counted, settings.budget, cuts)
        self.full = full
        if settings.budget.limit is not None and self.shown.tokens > settings.budget.limit:
            # It was saved over its budget, or with another counter: the next turn cuts it, or raises.
            self.forget()


def _cut(full: Prompt, settings: SessionSettings, since: Prompt | None) -> Prompt:
    """The prompt within the session's budget."""
    if settings.budget is not None:
        # `since` is always set: then a cut leaves room for the following turns.
        return fit(full, settings.budget, settings.counter, since=since or full)
    return full.counted(settings.counter) if settings.counter else full


def list_recut_sections(last: Prompt, prompt: Prompt) -> frozenset[str]:
    """The sections with the same full text in both prompts that the budget cuts differently."""
    trims = [each.fitted.trims if each.fitted else None for each in (last, prompt)]
    if trims[0] is trims[1]:
        return frozenset()
    before, now = ({r.name: r for r in (p.fitted.whole if p.fitted else p).results} for p in (last, prompt))
    was = {result.name: result for result in last.results}
    return frozenset(r.name for r in prompt.results if before.get(r.name) is now[r.name] and was[r.name] is not r)


class SessionPrompt:
    """A part of Session: the current state and prompt. Values that did not change keep their objects."""

    def __init__(self, setup: SessionSetup) -> None:
        """Begin without state and prompt; `setup` is what the program passes."""
        self.setup = setup
        self.files: SessionFiles | None = None
        self.saved_state: State | None = None
        """The state of a resumed or derived session, until it is reloaded."""
        self.disk_files: SessionFiles | None = None
        """The files on disk for such a state: used only for templates, skills and nested context."""
        self.recipe: Recipe | None = None
        self.first_state: State | None = None
        self.state: State | None = None
        self.delta: Delta | None = None
        self.modes: Mapping[str, SectionMode] = {}
        self.sent_tools: tuple[Tool, ...] | None = None
        """The tools of the latest request; None before the first."""
        self.has_turn_clock = False
        """Whether each user prompt updates the time."""
        self.budgeted = BudgetedPrompt()
        self.turn_files = TurnFiles()
        self.unread: tuple[Diagnostic, ...] | None = None
        """Diagnostics of the caller's fields that the recipe does not read; None: not computed yet."""
        self.recipe_paths: tuple[str, ...] = ()
        """The paths of State that this recipe re-reads with each prompt."""
        self.followed_paths = FollowedPaths()
        """The same paths without those that the caller sets."""

    def copy_fields(self) -> list[dict[str, Any]]:
        """A copy of all fields, for `restore_fields`."""
        return [dict(vars(part)) for part in (self, self.budgeted, self.turn_files)]

    def restore_fields(self, before: list[dict[str, Any]]) -> None:
        """Restore the fields from `copy_fields`."""
        for part, fields in zip((self, self.budgeted, self.turn_files), before, strict=True):
            vars(part).update(fields)

    def follow_files(self, files: SessionFiles) -> str:
        """Re-read the followed paths of these files; returns what changed, in words."""
        now, changed = self.turn_files.look(files, self.followed_paths)
        if self.files is not None:
            self.files = now
            return changed
        # A resumed session keeps the rest of its saved state until a reload.
        assert self.saved_state is not None
        before, self.disk_files = self.saved_state, now
        self.saved_state = adopt_paths(before, merge_discovered_state(now), self.followed_paths.all)
        return "" if self.saved_state is before else changed or "differs from the saved session"

    def read_files(self, resources: Resources, project: ResolvedProject) -> None:
        """Read the disk, with the recipe and the settings of the project."""
        files = read_session_files(project, resources, self.files)
        self.use_recipe(project.recipe)
        self.files, self.saved_state = files, None

    def restart(self) -> None:
        """Drop the built prompt and state, which were never sent."""
        self.delta = self.state = self.first_state = None
        self.budgeted.forget()

    def use_recipe(self, recipe: Recipe) -> None:
        """Build the state with this recipe from now on."""
        if recipe is self.recipe:
            return
        options, fields = self.setup.settings.options, self.setup.fields
        self.recipe, self.delta = recipe, None
        self.budgeted.forget()
        self.modes = choose_modes(options.on_change, recipe)
        self.recipe_paths = list_followed_paths(recipe, choose_memories_mode(recipe, options.memories))
        self.followed_paths = select_followed_paths(self.recipe_paths, fields)
        self.has_turn_clock = recipe.clock == "turn" and any("now" in section.reads for section in recipe.sections)

    def update_state(self, *, rebuilt: bool = False) -> tuple[SectionUpdate, ...]:
        """Merge discovered and caller's fields into a state, and build it; returns the updates for a message.

        `rebuilt` updates the time of a recipe whose clock is `rebuild`.
        """
        setup = self.setup
        assert self.recipe is not None and setup.toolbox is not None
        self.unread, self.followed_paths = None, select_followed_paths(self.recipe_paths, setup.fields)
        state = overlay_fields(self._merge_discovered(), setup.fields)
        if setup.remote_files:  # first, because nearer files come later
            state = state.replace(context_files=(*setup.remote_files, *state.context_files), origins=state.origins)
        state = state.replace(
            tools=add_skill_loader(setup.toolbox.tools, state.skills, self.recipe, USE_SKILL in setup.requested_names),
            session=setup.fields.get("session", setup.info) if setup.info else None,
            now=setup.fields.get("now") or self._find_time(rebuilt),
        )
        if self.first_state is None:
            self.first_state = state
        mode = choose_memories_mode(self.recipe, setup.settings.options.memories)
        if mode == "frozen" and "memories" not in setup.fields:
            state = keep_first_memories(state, self.first_state)
        return self.build_state(reuse_equal_fields(state, self.state))

    def _find_time(self, rebuilt: bool) -> datetime | None:
        """The time of the session's next state."""
        assert self.recipe is not None
        if self.state is None or (rebuilt and self.recipe.clock == "rebuild"):
            return self.setup.settings.world.now()
        return self.state.now

    def _merge_discovered(self) -> State:
        """The session's discovered state, or the one of its save."""
        if self.files is None:
            assert self.saved_state is not None
            return self.saved_state
        return merge_discovered_state(self.files)

    def build_state(self, state: State) -> tuple[SectionUpdate, ...]:
        """Build the prompt of a state; returns the updates for a message."""
        assert self.recipe is not None
        since = self.delta.built if self.delta else None
        diagnostics = self.diagnostics
        prompt = build(self.recipe, state, since=since, found=diagnostics, counting=find_counter)
        self.state = state
        if self.delta is None:
            self.delta = Delta(prompt, prompt)
            return ()
        self.delta, updates = self.delta.step(prompt, self.modes)
        return updates

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The diagnostics of the read files, and of the caller's fields that the recipe does not read."""
        assert self.recipe is not None
        unread = self.unread = find_unread(self.recipe, self.setup.fields) if self.unread is None else self.unread
        if self.files is None:
            return (*self.turn_files.list_diagnostics(self.disk_files), *unread)
        return (*self.files.discovery.diagnostics, *self.files.extra.diagnostics, *unread)

    def move_clock(self) -> tuple[SectionUpdate, ...]:
        """Set the time to now, if the recipe updates it with each user prompt."""
        state = self.state
        if not self.has_turn_clock or state is None or "now" in self.setup.fields:
            return ()
        now = self.setup.settings.world.now()
        return () if now == state.now else self.build_state(state.replace(now=now))

    def fold_updates(self) -> bool:
        """Put the announced changes into the prompt; returns whether there were any."""
        if self.delta is None or not self.delta.updates:
            return False
        self.delta = Delta(self.delta.built, self.delta.built)
        return True

    @property
    def prompt(self) -> Prompt:
        """The prompt to send, without the edits of hooks."""
        assert self.delta is not None
        return self.budgeted.show(self.delta.sent, self.setup.settings)

    @property
    def built_prompt(self) -> Prompt | None:
        """The last built prompt; None before the first."""
        return self.delta.built if self.delta is not None else None

    def edit(self, base: Prompt, changes: Changes) -> Prompt:
        """The prompt with the changes of hooks, for one turn. They count towards the budget."""
        settings = self.setup.settings
        if settings.budget is None:
            return apply_changes(base, changes)
        prompt = apply_changes(base.fitted.whole if base.fitted else base, changes)
        return _cut(prompt, settings, base) if prompt.edits != base.edits else base


def keep_first_memories(state: State, first: State) -> State:
    """The state of the session's prompt with the memories of the session's start."""
    origins = {path: origin for path, origin in state.origins.items() if not path.startswith("memories")}
    origins |= {path: origin for path, origin in first.origins.items() if path.startswith("memories")}
    return state.replace(memories=first.memories, origins=origins)


def choose_memories_mode(recipe: Recipe, mode: Memories | None) -> Memories:
    """The caller's mode, or else the recipe's: live if a section of pace `turn` reads memories."""
    if mode is not None:
        return mode
    live = any("memories" in section.reads and section.pace == "turn" for section in recipe.sections)
    return "live" if live else "frozen"
