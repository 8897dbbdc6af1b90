"""Two locked prompts, as it was and as it is -> what moved."""

from collections.abc import Callable, Iterator
from typing import Annotated, Literal

from msgspec.structs import replace

from ...model.struct import Frozen, note
from .lock import LockedFile, LockedPrompt, LockedSection

What = Literal["file", "skill", "section", "order", "record"]
How = Literal["added", "removed", "changed", "cut", "whole"]


class Moved(Frozen, frozen=True, omit_defaults=False):
    """One thing that is not as it was locked."""

    what: What
    how: How
    name: Annotated[str, note("a section, a skill, or the file's path")]
    path: Annotated[str | None, note("of a file or a skill, from the project's root")] = None
    tokens: Annotated[int | None, note("how many more or fewer; none: counted otherwise")] = None
    why: str = ""


Why = Callable[[str], str]
"""Says why a file is no longer read."""


def compare_prompts(
    old: LockedPrompt, new: LockedPrompt, why: Why = lambda _: "", settings: tuple[str, ...] = ()
) -> tuple[Moved, ...]:
    """What moved: files first, then the sections that no file explains. None: the prompt is as it was locked."""
    files = tuple(_files(old, new, why))
    moved = (*files, *_sections(old, new, settings))
    if moved or _bare(old) == _bare(new):
        return moved
    if sorted(map(_key, old.sections)) == sorted(map(_key, new.sections)) and old.files == new.files:
        return (Moved("order", "changed", "sections", why="the sections stand in another order"),)
    return (Moved("record", "changed", "overture.lock", why="what it records was changed by hand"),)


def _files(old: LockedPrompt, new: LockedPrompt, why: Why) -> Iterator[Moved]:
    was, now = ({file.path: file for file in prompt.files} for prompt in (old, new))
    same = old.tokenizer == new.tokenizer
    for path in sorted({*was, *now}):
        before, after = was.get(path), now.get(path)
        if moved := _file(before, after, why):
            more = (after.tokens if after else 0) - (before.tokens if before else 0)
            yield replace(moved, tokens=more if same else None)


def _file(before: LockedFile | None, after: LockedFile | None, why: Why) -> Moved | None:
    file = after or before
    assert file is not None
    name = (file.skill, "skill") if file.skill else (file.path, "file")
    if before is None:
        return Moved(name[1], "added", name[0], file.path)  # type: ignore[arg-type]
    if after is None:
        return Moved(name[1], "removed", name[0], file.path, why=why(file.path))  # type: ignore[arg-type]
    turned = before.said != after.said
    if before.sha256 != after.sha256:
        also = SAID[after.said] if turned else UNSAID if after.skill and before.tokens == after.tokens else ""
        return Moved(name[1], "changed", name[0], file.path, why=also)  # type: ignore[arg-type]
    if turned:
        how: How = "whole" if after.said == "whole" else "cut"
        return Moved(name[1], how, name[0], file.path, why=SAID[after.said])  # type: ignore[arg-type]
    return None


SAID = {"cut": "not all of it is said now", "nothing": "nothing of it is said now", "whole": "all of it is said now"}
UNSAID = "what is read when it is used"


def _sections(old: LockedPrompt, new: LockedPrompt, settings: tuple[str, ...]) -> Iterator[Moved]:
    """The sections that moved while no file that they say did."""
    was, now = ({(each.place, each.name): each for each in prompt.sections} for prompt in (old, new))
    explained = _explained(old, new)
    for key in dict.fromkeys((*now, *was)):
        before, after = was.get(key), now.get(key)
        if (before and after and before.sha256 == after.sha256) or key[1] in explained:
            continue
        how: How = "added" if before is None else "removed" if after is None else "changed"
        more = (after.tokens if after else 0) - (before.tokens if before else 0)
        yield Moved("section", how, key[1], None, more if old.tokenizer == new.tokenizer else None, _cause(settings))


def _explained(old: LockedPrompt, new: LockedPrompt) -> set[str]:
    """The sections that say a file that moved, or that did."""
    was, now = ({file.path: file for file in prompt.files} for prompt in (old, new))
    moved = [path for path in {*was, *now} if path not in was or path not in now or _differ(was[path], now[path])]
    return {name for path in moved for side in (was, now) if path in side for name in side[path].sections}


def _differ(before: LockedFile, after: LockedFile) -> bool:
    return (before.sha256, before.said) != (after.sha256, after.said)


def _cause(settings: tuple[str, ...]) -> str:
    named = f" ({', '.join(settings)})" if settings else ""
    return f"no file of it did: the recipe's own words, or a setting{named}"


def _bare(prompt: LockedPrompt) -> LockedPrompt:
    """Without its numbers: another version of a tokenizer counts otherwise, and no prompt moves by that."""
    sections = tuple(replace(each, tokens=0) for each in prompt.sections)
    files = tuple(replace(each, tokens=0) for each in prompt.files)
    return replace(prompt, tokens=0, tokenizer="", sections=sections, files=files)


def _key(section: LockedSection) -> tuple[str, str, str]:
    return section.place, section.name, section.sha256
