"""Writes the lock of prompts, compares prompts with it, and removes prompts from it."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Literal, NamedTuple

from msgspec.structs import replace

from ..discovery.world import World
from ..errors import ConfigError, OvertureError
from ..model.struct import Frozen, note
from ..terminal.gather_state import gather_silently
from ..text.path_printer import is_inside, make_root_printer
from ..tokens.load_tokenizer import find_counter
from .lock_file import BrokenLockError, Lock, LockedFile, LockedPrompt, format_label, read_lock, write_lock
from .locked_prompts import SETTINGS_KINDS, LockResult, PromptKey, PromptLocker, list_given_options

LockChangeSubject = Literal["file", "skill", "section", "order", "record"]


LockChangeKind = Literal["added", "removed", "changed", "cut", "whole"]


class LockChange(Frozen, frozen=True, omit_defaults=False):
    """One thing that is not as it was locked."""

    what: LockChangeSubject
    how: LockChangeKind
    name: Annotated[str, note("a section, a skill, or the file's path")]
    path: Annotated[str | None, note("of a file or a skill, from the project's root")] = None
    tokens: Annotated[int | None, note("how many more or fewer; none: counted with another tokenizer")] = None
    why: str = ""


SkipReason = Callable[[str], str]
"""Explains why a file is no longer read."""


def compare_prompts(
    old: LockedPrompt, new: LockedPrompt, why: SkipReason = lambda _: "", settings: tuple[str, ...] = ()
) -> tuple[LockChange, ...]:
    """What changed: files first, then the sections that no file explains. None: the prompt is as it was locked."""
    files = tuple(_compare_files(old, new, why))
    moved = (*files, *_compare_locked_sections(old, new, settings))
    if moved or _drop_token_counts(old) == _drop_token_counts(new):
        return moved
    was, now = ([(each.place, each.name, each.sha256) for each in prompt.sections] for prompt in (old, new))
    if was != now and sorted(was) == sorted(now):
        return (LockChange("order", "changed", "sections", why="the order of the sections changed"),)
    return (LockChange("record", "changed", "overture.lock", why="the recorded values were changed by hand"),)


def _compare_files(old: LockedPrompt, new: LockedPrompt, why: SkipReason) -> Iterator[LockChange]:
    """A change for each file that differs from the lock, with its tokens."""
    was, now = ({file.path: file for file in prompt.files} for prompt in (old, new))
    sections = _find_sections_of_changed(old, new)
    files = Counter(name for names in sections.values() for name in names)
    for path, names in sections.items():
        before, after = was.get(path), now.get(path)
        more = (after.tokens if after else 0) - (before.tokens if before else 0)
        if names and all(files[name] == 1 for name in names):  # then the words around it are its own, too
            more += _count_section_tokens(new, names) - _count_section_tokens(old, names)
        yield replace(_compare_file(before, after, why), tokens=more if old.tokenizer == new.tokenizer else None)


def _count_section_tokens(prompt: LockedPrompt, names: frozenset[str]) -> int:
    return sum(each.tokens for each in prompt.sections if each.name in names)


def _compare_file(before: LockedFile | None, after: LockedFile | None, why: SkipReason) -> LockChange:
    file = after or before
    assert file is not None
    what: LockChangeSubject = "skill" if file.skill else "file"
    name = file.skill or file.path
    if before is None:
        return LockChange(what, "added", name, file.path)
    if after is None:
        return LockChange(what, "removed", name, file.path, why=why(file.path))
    turned = before.said != after.said
    if before.sha256 != after.sha256:
        on_demand = ON_DEMAND_WORDS if after.skill and before.tokens == after.tokens else ""
        return LockChange(what, "changed", name, file.path, why=EXTENT_WORDS[after.said] if turned else on_demand)
    if not turned:
        return LockChange(what, "changed", name, file.path, why="the file is the same, its text in the prompt differs")
    how: LockChangeKind = "whole" if after.said == "whole" else "cut"
    return LockChange(what, how, name, file.path, why=EXTENT_WORDS[after.said])


EXTENT_WORDS = {
    "cut": "it is truncated now",
    "nothing": "it is dropped now",
    "whole": "it is no longer truncated",
}


ON_DEMAND_WORDS = "only the part loaded on demand"


def _compare_locked_sections(old: LockedPrompt, new: LockedPrompt, settings: tuple[str, ...]) -> Iterator[LockChange]:
    """The sections that differ from the lock while no file that they contain does."""
    was, now = ({(each.place, each.name): each for each in prompt.sections} for prompt in (old, new))
    named = f" ({', '.join(settings)})" if settings else ""
    cause = f"no file changed: the recipe's own text or a setting did{named}"
    explained = {name for names in _find_sections_of_changed(old, new).values() for name in names}
    for key in dict.fromkeys((*now, *was)):
        before, after = was.get(key), now.get(key)
        if (before and after and before.sha256 == after.sha256) or key[1] in explained:
            continue
        how: LockChangeKind = "added" if before is None else "removed" if after is None else "changed"
        more = (after.tokens if after else 0) - (before.tokens if before else 0)
        yield LockChange("section", how, key[1], None, more if old.tokenizer == new.tokenizer else None, cause)


def _find_sections_of_changed(old: LockedPrompt, new: LockedPrompt) -> dict[str, frozenset[str]]:
    """The files that changed, sorted, each with the sections that contain it, or that did."""
    was, now = ({file.path: file for file in prompt.files} for prompt in (old, new))
    return {
        path: frozenset(name for side in (was, now) if path in side for name in side[path].sections)
        for path in sorted({*was, *now})
        if _identify_locked_file(was.get(path)) != _identify_locked_file(now.get(path))
    }


def _identify_locked_file(file: LockedFile | None) -> tuple[str, ...]:
    """What of a locked file counts in the comparison; its tokens do not."""
    return (file.sha256, file.said, file.text) if file else ()


def _drop_token_counts(prompt: LockedPrompt) -> LockedPrompt:
    """Without its numbers: another version of a tokenizer counts differently, and no prompt changes by that."""
    sections = tuple(replace(each, tokens=0) for each in prompt.sections)
    files = tuple(replace(each, tokens=0) for each in prompt.files)
    return replace(prompt, tokenizer="", sections=sections, files=files)


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
    top, home = locking.place.top, os.path.realpath(locking.options.home or World().machine.home())
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
    if os.path.realpath(path) in locking.files.hidden:
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
