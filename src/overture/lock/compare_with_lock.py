"""Compares a prompt with its lock: which files and sections changed, and by how many tokens."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Annotated, Literal

from msgspec.structs import replace

from ..model.struct import Frozen, note
from .lock_file import LockedFile, LockedPrompt

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
    """How one file differs from what the lock has of it."""
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
