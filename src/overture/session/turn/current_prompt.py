"""SessionPrompt keeps state and prompt up to date, within the budget; what was cut stays cut until a reload."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from secrets import token_hex
from typing import Any

from msgspec.structs import replace

from ...assemble.build import build
from ...assemble.hook_edits import Change
from ...discover.discover import ResolvedProject, reuse_equal_fields
from ...discover.load_tokenizer import find_counter
from ...fit.fit import fit, record_cuts, replay_cuts
from ...model.diagnostic import Diagnostic
from ...model.message import Held
from ...model.prompt.block import CutRecord
from ...model.prompt.prompt import Prompt
from ...model.recipe.recipe import Recipe
from ...model.state.state import CLOCK_FIELDS, State
from ...model.tool import Tool
from ...recipes.unread_fields import find_unread
from ..files.reread_files import FollowedPaths, TurnFiles, adopt_paths, follow_ungiven_paths, list_followed_paths
from ..files.session_files import (
    Memories,
    Resources,
    SessionFiles,
    merge_found_state,
    overlay_fields,
    read_session_files,
)
from ..hook_answers import apply_changes
from ..options_and_setup import SessionSettings, SessionSetup
from ..toolbox import USE_SKILL, add_skill_loader
from .changed_sections import Delta, SectionMode, choose_modes

Changes = Iterable[tuple[str, Change]]
"""What hooks want changed, each with the hook's name."""


class BudgetedPrompt:
    """What is shown of a prompt: all of it, counted with the session's counter, or what the budget has room for."""

    def __init__(self) -> None:
        self.full: Prompt | None = None
        self.shown: Prompt | None = None

    def show(self, full: Prompt, settings: SessionSettings) -> Prompt:
        """The prompt as it is sent. The cuts of the turn before are kept in all but what may change every turn."""
        if self.shown is None or self.full is not full:
            self.full, self.shown = full, _cut(full, settings, self.shown)
        return self.shown

    def edit(self, base: Prompt, changes: Changes, settings: SessionSettings) -> Prompt:
        """The prompt with the changes of hooks, for one turn; they count towards the budget like everything else."""
        if settings.budget is None:
            return apply_changes(base, changes)
        prompt = apply_changes(base.fitted.whole if base.fitted else base, changes)
        return _cut(prompt, settings, base) if prompt.edits != base.edits else base

    def forget(self) -> None:
        """Cut anew with the next turn."""
        self.full = self.shown = None

    @property
    def cuts(self) -> tuple[CutRecord, ...]:
        """How far each block is cut, for a save."""
        return record_cuts(self.shown) if self.shown is not None else ()

    def restore(self, full: Prompt, settings: SessionSettings, cuts: Sequence[CutRecord]) -> None:
        """Show a prompt as it was cut when it was saved."""
        if settings.budget is None or not cuts:
            return
        counted = full.counted(settings.counter) if settings.counter else full
        self.shown = replay_cuts(counted, settings.budget, cuts)
        self.full = full
        if settings.budget.limit is not None and self.shown.tokens > settings.budget.limit:
            # It was saved over its budget, or another counts now: then the next turn cuts, or says that it can't.
            self.forget()


def _cut(full: Prompt, settings: SessionSettings, since: Prompt | None) -> Prompt:
    if settings.budget is not None:
        # There is always a turn before: what it has to cut, it cuts with room for the turns to come.
        return fit(full, settings.budget, settings.counter, since=since or full)
    return full.counted(settings.counter) if settings.counter else full


def list_recut_sections(last: Prompt, prompt: Prompt) -> frozenset[str]:
    """The sections that say the same in both prompts, and of which the budget left more or less in the second."""
    trims = [each.fitted.trims if each.fitted else None for each in (last, prompt)]
    if trims[0] is trims[1]:
        return frozenset()
    before, now = ({r.name: r for r in (p.fitted.whole if p.fitted else p).results} for p in (last, prompt))
    was = {result.name: result for result in last.results}
    return frozenset(r.name for r in prompt.results if before.get(r.name) is now[r.name] and was[r.name] is not r)


class SessionPrompt:
    """A part of Session: state and prompt as they are now. What a trigger need not touch keeps its objects."""

    def __init__(self, setup: SessionSetup) -> None:
        self.setup = setup
        self.files: SessionFiles | None = None
        self.saved_state: State | None = None
        """What a session that was resumed or derived is built from until it is reloaded."""
        self.disk_files: SessionFiles | None = None
        """The files on disk beside such a state: read for templates, skills and nested context alone."""
        self.recipe: Recipe | None = None
        self.first_state: State | None = None
        self.state: State | None = None
        self.delta: Delta | None = None
        self.modes: Mapping[str, SectionMode] = {}
        self.told_tools: tuple[Tool, ...] | None = None
        """The tools that the latest request had; none before the first."""
        self.has_turn_clock = False
        """Whether the time follows each prompt of the user's."""
        self.budgeted = BudgetedPrompt()
        self.turn_files = TurnFiles()
        self.unread: tuple[Diagnostic, ...] | None = None
        """Which given fields the recipe does not read; None until somebody asks."""
        self.recipe_paths: tuple[str, ...] = ()
        """The paths of State that the recipe has looked at again with each prompt."""
        self.followed = FollowedPaths()
        """Those of them that the caller does not give."""

    def copy_fields(self) -> list[dict[str, Any]]:
        """All of it as it is now, for `restore_fields`."""
        return [dict(vars(part)) for part in (self, self.budgeted, self.turn_files)]

    def restore_fields(self, before: list[dict[str, Any]]) -> None:
        """Be what it was when its fields were copied."""
        for part, fields in zip((self, self.budgeted, self.turn_files), before, strict=True):
            vars(part).update(fields)

    def follow_files(self, files: SessionFiles) -> str:
        """Look at what is followed, among these files; what changed anything."""
        now, changed = self.turn_files.look(files, self.followed)
        if self.files is not None:
            self.files = now
            return changed
        # A session that was resumed keeps its saved state in all else, until it reads the disk.
        assert self.saved_state is not None
        before, self.disk_files = self.saved_state, now
        self.saved_state = adopt_paths(before, merge_found_state(now), self.followed.all)
        return "" if self.saved_state is before else changed or "differs from the saved session"

    def read_files(self, resources: Resources, project: ResolvedProject) -> None:
        """Read the disk, for the recipe and with the switches of the project."""
        files = read_session_files(project, resources, self.files)
        self.use_recipe(project.recipe)
        self.files, self.saved_state = files, None

    def restart(self) -> None:
        """Forget what was built: nobody has seen it."""
        self.delta = self.state = self.first_state = None
        self.budgeted.forget()

    def use_recipe(self, recipe: Recipe) -> None:
        """Build the state with this recipe from now on."""
        if recipe is self.recipe:
            return
        options, fields = self.setup.settings.options, self.setup.given
        self.recipe, self.delta = recipe, None
        if recipe.fence_below is not None and fields.get("mark") is None:
            fields["mark"] = token_hex(8)
        self.budgeted.forget()
        self.modes = choose_modes(options.on_change, recipe)
        self.recipe_paths = list_followed_paths(recipe, choose_memories_mode(recipe, options.memories))
        self.followed = follow_ungiven_paths(self.recipe_paths, fields)
        self.has_turn_clock = recipe.clock == "turn" and any("now" in section.reads for section in recipe.sections)

    def update_state(self, *, rebuilt: bool = False) -> tuple[Held, ...]:
        """Make the state of what was found and given, and build; the updates for a message come back.

        `rebuilt` moves a clock that follows rebuilds.
        """
        setup = self.setup
        assert self.recipe is not None and setup.toolbox is not None
        self.unread, self.followed = None, follow_ungiven_paths(self.recipe_paths, setup.given)
        state = overlay_fields(self._merge_found(), setup.given)
        if setup.remote_files:  # first: what lies nearer counts for more
            state = state.replace(context_files=(*setup.remote_files, *state.context_files), origins=state.origins)
        state = state.replace(
            tools=add_skill_loader(setup.toolbox.tools, state.skills, self.recipe, USE_SKILL in setup.requested_names),
            session=setup.given.get("session", setup.info) if setup.info else None,
            now=setup.given.get("now") or self._find_time(rebuilt),
        )
        if self.first_state is None:
            self.first_state = state
        mode = choose_memories_mode(self.recipe, setup.settings.options.memories)
        if mode == "frozen" and "memories" not in setup.given:
            state = keep_first_memories(state, self.first_state)
        return self.build_state(reuse_equal_fields(state, self.state))

    def _find_time(self, rebuilt: bool) -> datetime | None:
        assert self.recipe is not None
        if self.state is None or (rebuilt and self.recipe.clock == "rebuild"):
            return self.setup.settings.world.now()
        return self.state.now

    def _merge_found(self) -> State:
        if self.files is None:
            assert self.saved_state is not None
            return self.saved_state
        return merge_found_state(self.files)

    def build_state(self, state: State, changed: frozenset[str] | None = None) -> tuple[Held, ...]:
        """Build the prompt of a state; the updates for a message come back. `changed` fields are compared otherwise."""
        assert self.recipe is not None
        since = self.delta.built if self.delta else None
        found = self.diagnostics
        prompt = build(self.recipe, state, since=since, found=found, counting=find_counter, changed=changed)
        self.state = state
        if self.delta is None:
            self.delta = Delta(prompt, prompt)
            return ()
        self.delta, updates = self.delta.step(prompt, self.modes)
        return updates

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong in the files that were read, and which given fields the recipe does not read."""
        assert self.recipe is not None
        unread = self.unread = find_unread(self.recipe, self.setup.given) if self.unread is None else self.unread
        if self.files is None:
            return (*self.turn_files.notes_on(self.disk_files), *unread)
        return (*self.files.found.diagnostics, *self.files.extra.diagnostics, *unread)

    def move_clock(self) -> tuple[Held, ...]:
        """Set the clock to now, where the recipe shows the time of each prompt."""
        state = self.state
        if not self.has_turn_clock or state is None or "now" in self.setup.given:
            return ()
        now = self.setup.settings.world.now()
        return () if now == state.now else self.build_state(replace(state, now=now), CLOCK_FIELDS)

    def fold_updates(self) -> bool:
        """Put into the prompt what messages told of it; whether there was anything."""
        if self.delta is None or not self.delta.updates:
            return False
        self.delta = Delta(self.delta.built, self.delta.built)
        return True

    @property
    def prompt(self) -> Prompt:
        """The prompt that is sent when no hook changes it."""
        assert self.delta is not None
        return self.budgeted.show(self.delta.sent, self.setup.settings)

    @property
    def built_prompt(self) -> Prompt | None:
        """The prompt as it was last built; none before the first."""
        return self.delta.built if self.delta is not None else None

    def edit(self, base: Prompt, changes: Changes) -> Prompt:
        """The prompt with the changes of hooks, for one turn."""
        return self.budgeted.edit(base, changes, self.setup.settings)


def keep_first_memories(state: State, first: State) -> State:
    """The state with the memories of the session's start."""
    origins = {path: origin for path, origin in state.origins.items() if not path.startswith("memories")}
    origins |= {path: origin for path, origin in first.origins.items() if path.startswith("memories")}
    return state.replace(memories=first.memories, origins=origins)


def choose_memories_mode(recipe: Recipe, mode: Memories | None) -> Memories:
    """Live or frozen, as the caller says, or else the recipe: a section of pace `turn` follows them."""
    if mode is not None:
        return mode
    live = any("memories" in section.reads and section.pace == "turn" for section in recipe.sections)
    return "live" if live else "frozen"
