"""`overture lock` writes the lock of prompts, checks them against it, and removes prompts from it."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal, NamedTuple

from ..discover.disk.real_world import RealWorld
from ..discover.load_tokenizer import find_counter
from ..errors import ConfigError, OvertureError
from ..model.struct import Frozen, note
from ..terminal.gather_state import gather_silently
from ..text.path_printer import is_inside, make_root_printer
from .compare_with_lock import LockChange, compare_prompts
from .lock_file import BrokenLockError, Lock, LockedPrompt, format_label, read_lock, write_lock
from .locked_prompts import SETTINGS_KINDS, LockResult, PromptKey, PromptLocker, list_given_options

LockStatus = Literal["same", "changed", "new", "gone", "unlocked"]


class LockOutcome(Frozen, frozen=True, omit_defaults=False):
    """One prompt, compared with the lock."""

    recipe: str
    cwd: str
    status: Annotated[LockStatus, note("gone: it can no longer be built; unlocked: not in the lock")]
    tokens: Annotated[tuple[int | None, int | None], note("as locked, and now")] = (None, None)
    tokenizer: str | None = None
    exact: Annotated[bool, note("false: the tokens are an estimate")] = False
    fingerprint: Annotated[tuple[str | None, str | None], note("as locked, and now")] = (None, None)
    changes: tuple[LockChange, ...] = ()
    why: str = ""

    @property
    def label(self) -> str:
        """How the checked prompt is called."""
        return format_label(self.recipe, self.cwd)


class LockWriteResult(NamedTuple):
    """What was locked, and what became of each prompt."""

    lock: Lock
    outcomes: tuple[LockOutcome, ...]
    changed: bool
    """Whether the file was."""

    @property
    def made(self) -> list[LockedPrompt]:
        """The prompts of the lock that were made for it now."""
        keys = {(outcome.recipe, outcome.cwd) for outcome in self.outcomes}
        return [prompt for prompt in self.lock.prompts if prompt.key in keys]


def write_locks(locking: PromptLocker, names: Sequence[str]) -> LockWriteResult:
    """Lock the named prompts, or else all that are locked; others stay as they are."""
    named: Mapping[PromptKey, str] = {}
    try:
        known = read_lock(locking.place.top) or Lock()
    except BrokenLockError as broken:
        # It is ours and of no use: a user who locks wants it fixed.
        known, named = Lock(), broken.tokenizers
    before = known.by_key
    again = (*before, *named)
    requested = tuple(dict.fromkeys(map(locking.key, names)))
    keys = tuple(dict.fromkeys((*requested, *named))) or again or (locking.find_default_key(),)
    prompts = {key: prompt for key, prompt in before.items() if key not in keys}
    outcomes = []
    for key in keys:
        absence = locking.explain_absence(key) if key in again and key not in requested else None
        if absence is not None:
            outcomes.append(LockOutcome(*key, "gone", why=absence))
            continue
        given, was = locking.options.tokenizer, before.get(key)
        tokenizer = given or (was.tokenizer if was else named.get(key)) or find_counter().name
        check_tokenizer(tokenizer, None if given else key)
        result = locking.make(key, tokenizer)
        prompts[key] = result.prompt
        outcomes.append(_compare_prompt(was, result))
    lock = Lock(tuple(prompts[key] for key in sorted(prompts)))
    return LockWriteResult(lock, tuple(outcomes), write_lock(locking.place.top, lock))


def check_locks(locking: PromptLocker, names: Sequence[str]) -> tuple[LockOutcome, ...]:
    """Compare the named prompts, or else all that are locked, with what they would be now."""
    lock = read_lock(locking.place.top)
    if lock is None or not lock.prompts:
        empty = "locks nothing" if lock else "does not exist"
        raise ConfigError(
            f"overture.lock {empty} in {locking.place.top!r}.", hint="`overture lock` writes it.",
            message="`overture.lock` locks nothing" if lock else "No `overture.lock` here",
        )  # fmt: skip
    wanted = dict.fromkeys(locking.key(name)[0] for name in names)
    outcomes = [_check_prompt(locking, prompt) for prompt in lock.prompts if not names or prompt.recipe in wanted]
    for name in wanted:
        if name not in {prompt.recipe for prompt in lock.prompts}:
            locking.make((name, locking.place.folder))  # a slip is an error
            outcomes.append(LockOutcome(name, locking.place.folder, "unlocked"))
    return tuple(outcomes)


def _check_prompt(locking: PromptLocker, prompt: LockedPrompt) -> LockOutcome:
    """Build a locked prompt again with the same options, and compare it with the lock."""
    options = list_given_options(locking.options)
    if options != prompt.options:
        was, now = (", ".join(names) or "no option" for names in (prompt.options, options))
        raise ConfigError(
            f"{prompt.label} is locked with {was}, and now with {now}.",
            hint="Pass the same options, or run `overture lock` again.",
        )
    if locking.options.tokenizer not in (None, prompt.tokenizer):
        raise ConfigError(f"{prompt.label} is locked with --tokenizer {prompt.tokenizer}.", hint="Omit the option.")
    if "--budget" in options:
        check_tokenizer(prompt.tokenizer, prompt.key)
    absence = locking.explain_absence(prompt.key)
    if absence is not None:
        return LockOutcome(prompt.recipe, prompt.cwd, "gone", why=absence)
    return _compare_prompt(prompt, locking.make(prompt.key, prompt.tokenizer))


def _compare_prompt(before: LockedPrompt | None, result: LockResult) -> LockOutcome:
    """The outcome of a prompt that was built for the lock: new, changed or the same."""
    now = result.prompt
    moved = compare_prompts(before, now, result.why, result.settings) if before else ()
    return LockOutcome(
        *now.key,
        "new" if before is None else "changed" if moved else "same",
        (before.tokens if before else None, now.tokens),
        now.tokenizer,
        find_counter(now.tokenizer).exact,
        (before.fingerprint if before else None, now.fingerprint),
        moved,
    )


def remove_locks(locking: PromptLocker, names: Sequence[str]) -> LockWriteResult:
    """Take prompts out of the lock: those of a recipe, in whichever folder."""
    lock = read_lock(locking.place.top) or Lock()
    names = [locking.key(name)[0] if name.endswith(".toml") else name for name in names]
    for name in names:
        if name not in {prompt.recipe for prompt in lock.prompts}:
            known = ", ".join(sorted({prompt.recipe for prompt in lock.prompts})) or "nothing"
            raise ConfigError(f"{name!r} is not locked.", hint=f"Locked: {known}.")
    out = [prompt for prompt in lock.prompts if prompt.recipe in names]
    remaining = Lock(tuple(prompt for prompt in lock.prompts if prompt.recipe not in names))
    outcomes = tuple(LockOutcome(*prompt.key, "gone", why="no longer locked") for prompt in out)
    return LockWriteResult(remaining, outcomes, write_lock(locking.place.top, remaining))


def _build_here(locking: PromptLocker, key: PromptKey) -> set[str]:
    """The files that the prompt is made of for the current user."""
    try:
        looks = gather_silently(locking.make_local_options(key)).found.looked_at
    except OvertureError:  # settings of one's own: the lock does not have them
        return set()
    return {look.path for look in looks if look.outcome == "loaded" and look.what not in SETTINGS_KINDS}


def find_not_locked(locking: PromptLocker, prompts: Iterable[LockedPrompt]) -> dict[str, str]:
    """Files that are read here and belong to one user or one machine, and why they are omitted from these prompts."""
    if locking.options.no_discover or locking.options.state_file:
        return {}
    reasons: dict[str, str] = {}
    top, home = locking.place.top, os.path.realpath(locking.options.home or RealWorld().home())
    for prompt in prompts:
        known = {os.path.join(top, file.path) for file in prompt.files}
        for path in _build_here(locking, prompt.key):
            if path not in known:
                at_home = is_inside(home, top) and is_inside(path, home)
                name = make_root_printer("" if at_home else top, home).relative(path)
                reasons[name] = _explain_not_locked(locking, path, home)
    return dict(sorted(reasons.items()))


def _explain_not_locked(locking: PromptLocker, path: str, home: str) -> str:
    top = locking.place.top
    if os.path.realpath(path) in locking.world.hidden:
        return "git ignores it"
    if is_inside(path, top) and not is_inside(home, top):
        return "read because of your own settings"
    return "under home" if is_inside(path, home) else "outside the project"


def check_tokenizer(name: str, key: PromptKey | None = None) -> None:
    """Check that the lock's tokenizer is installed: an estimate instead would differ from machine to machine."""
    counter = find_counter(name)
    if counter.name != name.removesuffix("_base"):
        whose = f"{format_label(*key)} is locked with the tokenizer {name!r}" if key else f"The tokenizer is {name!r}"
        raise ConfigError(f"{whose}, which is not installed: {counter.about}.", hint="Or pass --tokenizer estimate.")
