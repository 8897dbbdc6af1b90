"""What was looked at on two sides -> the files that count now or no longer, and the problems that are new or gone."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

from msgspec import structs

from ...model.diagnostic import Diagnostic
from ...model.state.discovery import HOW_TO_READ, Found, Look, Outcome
from ...model.struct import Frozen, note
from .changed_lines import from_root

Counts = Literal["now", "no longer", "not"]


class FileChange(Frozen, frozen=True, omit_defaults=False):
    """A file of which something else came."""

    path: Annotated[str, note("from the repository's root, where it lies in it")]
    what: Annotated[str, note("what it was looked at for: context, skill, system, …")]
    counts: Annotated[Counts, note("`not`: it did not before, and does not now, for another reason")]
    before: Outcome
    after: Outcome
    why: str


class Problems(Frozen, frozen=True, omit_defaults=False):
    """What is wrong on one side alone."""

    new: tuple[Diagnostic, ...] = ()
    gone: tuple[Diagnostic, ...] = ()


def changed_files(before: Found, after: Found, root: str) -> Iterator[FileChange]:
    """The files whose outcome differs, in the order in which they were looked at."""
    old, new = _outcomes(before.looked_at), _outcomes(after.looked_at)
    for path, what in dict.fromkeys((*new, *old)):
        absent = Look(path, what, "absent")
        was, now = old.get((path, what), absent), new.get((path, what), absent)
        counts = _counts(was, now)
        if counts is not None:
            why = from_root(_why(was, now), root)
            yield FileChange(from_root(path, root), what, counts, was.outcome, now.outcome, why)


def _outcomes(looks: Iterable[Look]) -> dict[tuple[str, str], Look]:
    """What came of each path. One that was looked at twice counts if it was loaded once."""
    found: dict[tuple[str, str], Look] = {}
    for look in looks:
        key = look.path, look.what
        if key not in found or found[key].outcome != "loaded":
            found[key] = look
    return found


def _counts(was: Look, now: Look) -> Counts | None:
    if (was.outcome == "loaded") != (now.outcome == "loaded"):
        return "now" if now.outcome == "loaded" else "no longer"
    is_new = now.outcome not in ("loaded", "absent") and (was.outcome, was.detail) != (now.outcome, now.detail)
    return "not" if is_new else None


def _why(was: Look, now: Look) -> str:
    if now.outcome == "loaded":
        return "it is new" if was.outcome == "absent" else f"it was {_said(was)}"
    if now.outcome == "absent":
        return "it is gone"
    if now.outcome == "outside" and was.outcome == "absent":
        return f"it is named now: {_without_hint(now.detail)}"
    return f"it is new, and {_said(now)}" if was.outcome == "absent" else _said(now)


def _without_hint(said: str) -> str:
    """Revisions are read from git alone: no option has a file outside read there."""
    return said.removesuffix(f"; {HOW_TO_READ}")


def _said(look: Look) -> str:
    if look.outcome == "cleared":
        return "empty"
    return (
        f"{look.outcome} {look.detail}"
        if look.outcome == "shadowed"
        else f"{look.outcome}: {_without_hint(look.detail)}"
    )


def changed_problems(before: Iterable[Diagnostic], after: Iterable[Diagnostic], root: str) -> Problems:
    """What is wrong on one side alone. A problem whose line moved is the same."""
    old, new = ([_from_root(each, root) for each in side] for side in (before, after))
    return Problems(tuple(_only(new, old)), tuple(_only(old, new)))


def _only(some: list[Diagnostic], others: list[Diagnostic]) -> Iterator[Diagnostic]:
    left = Counter(map(_key, others))
    for each in some:
        if left[_key(each)]:
            left[_key(each)] -= 1
        else:
            yield each


def _key(problem: Diagnostic) -> Diagnostic:
    return structs.replace(problem, line=None)


def _from_root(problem: Diagnostic, root: str) -> Diagnostic:
    path = None if problem.path is None else from_root(problem.path, root)
    return structs.replace(problem, message=from_root(_without_hint(problem.message), root), path=path)
