"""SessionPrompt keeps state and prompt up to date, within the budget. Cuts stay until a reload."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ..assemble.build import build
from ..assemble.change_prompt import Change
from ..discovery.discover import ResolvedProject, reuse_equal_fields
from ..discovery.git import GIT_FAILED, OUTSIDE
from ..fit.fit import fit, record_cuts, replay_cuts
from ..model.diagnostic import Diagnostic
from ..model.prompt.block import CutRecord
from ..model.prompt.prompt import Prompt
from ..model.recipe.recipe import Recipe
from ..model.state.discovery import Discovery
from ..model.state.state import State
from ..model.struct import is_given_whole
from ..model.wants import FIELDS_BY_WANT, Wants
from ..recipes.unread_fields import find_unread
from ..tokens.load_tokenizer import find_counter
from .hooks import apply_changes
from .session_files import (
    Memories,
    Resources,
    SessionFiles,
    list_differing_files,
    merge_discovered_state,
    overlay_fields,
    read_session_files,
)
from .session_setup import USE_SKILL, SessionSettings, SessionSetup, add_skill_loader

GIT, MACHINE = FIELDS_BY_WANT["git"], FIELDS_BY_WANT["runtime"]
FACTS = tuple(path.partition(".")[2] for path in MACHINE)
ANY_PACE = frozenset(("user", "runtime.timezone", *MACHINE))
"""The user and the machine: re-read at any pace, because the recipes' documents read them for each request."""


def list_followed_paths(recipe: Recipe, memories: Memories) -> tuple[str, ...]:
    """The discovered paths of State that a section of pace `turn` reads; live memories at any pace."""
    fast = {field for section in recipe.sections if section.pace == "turn" for field in section.reads}
    read = {field for section in recipe.sections for field in section.reads}
    kinds = [paths for kind, paths in FIELDS_BY_WANT.items() if getattr(recipe.wants, kind)]
    followed = []
    for path in dict.fromkeys(path for paths in kinds for path in paths):
        live = memories == "live" if path == "memories" else path in ANY_PACE
        field = path.partition(".")[0]
        if field in read if live else field in fast and path != "memories":
            followed.append(path)
    return tuple(followed)


def drop_caller_paths(paths: Sequence[str], fields: Mapping[str, Any]) -> tuple[str, ...]:
    """The paths that the caller does not set, neither as a whole field nor as a part."""
    return tuple([path for path in paths if not _is_caller_set(fields, *path.partition(".")[::2])])


def _is_caller_set(fields: Mapping[str, Any], field: str, part: str) -> bool:
    value = fields.get(field)
    if part:
        return getattr(value, part, None) not in (None, ())
    # A caller's struct overrides the file field by field. One with a required field overrides it as a whole.
    return field in fields and (not isinstance(value, Struct) or is_given_whole(value))


def reread_files(files: SessionFiles, paths: tuple[str, ...]) -> tuple[SessionFiles, str, frozenset[str]]:
    """The files with these paths of the State read again, what changed in words, and the files that were looked at.

    Only the kinds of files that these paths need are searched.
    """
    project, added = files.project, files.resources
    kinds = [kind for kind, fields in FIELDS_BY_WANT.items() if not set(fields).isdisjoint(paths)]
    wants = Wants(project.recipe.wants.walk, **{kind: getattr(project.recipe.wants, kind) for kind in kinds})
    narrow = project._replace(recipe=replace(project.recipe, wants=wants, files=()), notes=())
    resources = Resources(added.skills if "skills" in paths else (), added.context if "context_files" in paths else ())
    now = read_session_files(narrow, resources, files)
    discovery = _renew_discovery(files.discovery, now.discovery, paths)
    extra = _renew_discovery(files.extra, now.extra, paths)
    changes = [_describe_changes(files.discovery, discovery), _describe_changes(files.extra, extra)]
    looked_at = frozenset(look.path for look in now.discovery.looked_at)
    return replace(files, discovery=discovery, extra=extra), ", ".join(filter(None, changes)), looked_at


def _renew_discovery(old: Discovery, new: Discovery, paths: Iterable[str]) -> Discovery:
    """`old`, updated from `new`: these paths of the State, and the diagnostics of their files."""
    whats = {look.what for look in new.looked_at}
    own = {look.path for look in old.looked_at if look.what in whats}
    is_git = not set(GIT).isdisjoint(paths)
    before = [note for note in old.diagnostics if note.path in own or (is_git and note.code in (GIT_FAILED, OUTSIDE))]
    others = tuple(note for note in old.diagnostics if note not in before)
    return Discovery(
        adopt_paths(old.state, new.state, paths),
        old.diagnostics if before == list(new.diagnostics) else (*others, *new.diagnostics),
        (*(look for look in old.looked_at if look.what not in whats), *new.looked_at),
        {**{key: cached for key, cached in old.cached_files.items() if key[0] not in whats}, **new.cached_files},
    )


def adopt_paths(old: State, new: State, paths: Iterable[str]) -> State:
    """The old state with these paths of the new one; the old state itself if they are equal."""
    changes: dict[str, Any] = {}
    for path in paths:
        field, _, part = path.partition(".")
        before, now = getattr(old, field), getattr(new, field)
        if part and before and now and getattr(before, part) != getattr(now, part):
            changes[field] = replace(changes.get(field, before), **{part: getattr(now, part)})
        elif not part and now is not before and now != before:
            changes[field] = now
    if not changes:
        return old
    own = tuple(paths)
    origins = {path: origin for path, origin in old.origins.items() if not _is_below(path, own)}
    origins |= {path: origin for path, origin in new.origins.items() if _is_below(path, own)}
    return old.replace(**changes, origins=origins)


def _is_below(path: str, tops: tuple[str, ...]) -> bool:
    return any(path == top or path.startswith((f"{top}.", f"{top}[")) for top in tops)


def _describe_changes(old: Discovery, new: Discovery) -> str:
    """What changed the state or the diagnostics: files, git, the machine; an empty text if both are equal."""
    if new.state is old.state and new.diagnostics == old.diagnostics:
        return ""
    names = list_differing_files(old, new)
    if new.state.git != old.state.git:
        names.append("git")
    before, now = old.state.runtime, new.state.runtime
    if before != now and any(getattr(before, name, None) != getattr(now, name, None) for name in FACTS):
        names.append("the machine")
    return ", ".join(names) or "a file"


Changes = Iterable[tuple[str, Change]]
"""The changes that hooks request, each with the hook's name."""


class BudgetedPrompt:
    """A prompt within the budget, counted with the session's counter; without a budget, all of it."""

    def __init__(self) -> None:
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
        self.setup = setup
        self.files: SessionFiles | None = None
        self.saved_state: State | None = None
        """The state of a resumed or derived session, until it is reloaded."""
        self.disk_files: SessionFiles | None = None
        """The files on disk for such a state: used only for templates, skills and nested context."""
        self.recipe: Recipe | None = None
        self.first_state: State | None = None
        self.state: State | None = None
        self.built_prompt: Prompt | None = None
        """The last built prompt, without cuts and edits; None before the first."""
        self.has_turn_clock = False
        """Whether each user prompt updates the time."""
        self.budgeted = BudgetedPrompt()
        self.looked_at: frozenset[str] = frozenset()
        """The files that the last look at the followed files searched."""
        self.unread: tuple[Diagnostic, ...] | None = None
        """Diagnostics of the caller's fields that the recipe does not read; None: not computed yet."""
        self.recipe_paths: tuple[str, ...] = ()
        """The paths of State that this recipe re-reads with each prompt."""
        self.followed_paths: tuple[str, ...] = ()
        """The same paths without those that the caller sets."""

    def copy_fields(self) -> list[dict[str, Any]]:
        """A copy of all fields, for `restore_fields`."""
        return [dict(vars(part)) for part in (self, self.budgeted)]

    def restore_fields(self, before: list[dict[str, Any]]) -> None:
        """Restore the fields from `copy_fields`."""
        for part, fields in zip((self, self.budgeted), before, strict=True):
            vars(part).update(fields)

    def follow_files(self, files: SessionFiles) -> str:
        """Re-read the followed paths of these files; returns what changed, in words."""
        now, changed, self.looked_at = reread_files(files, self.followed_paths)
        if self.files is not None:
            self.files = now
            return changed
        # A resumed session keeps the rest of its saved state until a reload.
        assert self.saved_state is not None
        before, self.disk_files = self.saved_state, now
        self.saved_state = adopt_paths(before, merge_discovered_state(now), self.followed_paths)
        return "" if self.saved_state is before else changed or "differs from the saved session"

    def read_files(self, resources: Resources, project: ResolvedProject) -> None:
        """Read the disk, with the recipe and the settings of the project."""
        files = read_session_files(project, resources, self.files)
        self.use_recipe(project.recipe)
        self.files, self.saved_state = files, None

    def restart(self) -> None:
        """Drop the built prompt and state, which were never sent."""
        self.built_prompt = self.state = self.first_state = None
        self.budgeted.forget()

    def use_recipe(self, recipe: Recipe) -> None:
        """Build the state with this recipe from now on."""
        if recipe is self.recipe:
            return
        options, fields = self.setup.settings.options, self.setup.fields
        self.recipe, self.built_prompt = recipe, None
        self.budgeted.forget()
        self.recipe_paths = list_followed_paths(recipe, choose_memories_mode(recipe, options.memories))
        self.followed_paths = drop_caller_paths(self.recipe_paths, fields)
        self.has_turn_clock = recipe.clock == "turn" and any("now" in section.reads for section in recipe.sections)

    def update_state(self, *, rebuilt: bool = False) -> None:
        """Merge discovered and caller's fields into a state, and build its prompt.

        `rebuilt` updates the time of a recipe whose clock is `rebuild`.
        """
        setup = self.setup
        assert self.recipe is not None and setup.toolbox is not None
        self.unread, self.followed_paths = None, drop_caller_paths(self.recipe_paths, setup.fields)
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
        self._build(reuse_equal_fields(state, self.state))

    def _find_time(self, rebuilt: bool) -> datetime | None:
        assert self.recipe is not None
        if self.state is None or (rebuilt and self.recipe.clock == "rebuild"):
            return self.setup.settings.world.machine.now()
        return self.state.now

    def _merge_discovered(self) -> State:
        if self.files is None:
            assert self.saved_state is not None
            return self.saved_state
        return merge_discovered_state(self.files)

    def _build(self, state: State) -> None:
        """Build the prompt of a state."""
        assert self.recipe is not None
        since, notes = self.built_prompt, self.diagnostics
        self.built_prompt = build(self.recipe, state, since=since, found=notes, counting=find_counter)
        self.state = state

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The diagnostics of the read files, and of the caller's fields that the recipe does not read."""
        assert self.recipe is not None
        unread = self.unread = find_unread(self.recipe, self.setup.fields) if self.unread is None else self.unread
        if self.files is None:
            # Of a resumed session only the followed files were read again.
            notes = self.disk_files.discovery.diagnostics if self.disk_files else ()
            return (*(note for note in notes if note.path in self.looked_at), *unread)
        return (*self.files.discovery.diagnostics, *self.files.extra.diagnostics, *unread)

    def move_clock(self) -> None:
        """Set the time to now, if the recipe updates it with each user prompt."""
        state = self.state
        if self.has_turn_clock and state is not None and "now" not in self.setup.fields:
            now = self.setup.settings.world.machine.now()
            if now != state.now:
                self._build(replace(state, now=now))

    @property
    def prompt(self) -> Prompt:
        """The prompt to send, without the edits of hooks."""
        assert self.built_prompt is not None
        return self.budgeted.show(self.built_prompt, self.setup.settings)

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
