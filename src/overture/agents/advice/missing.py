"""What agents are not told, a change that brings it, and the same change in many folders at once."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import structs

from .advice import Change
from .changed_world import ChangedWorld
from .possible_changes import possible_changes
from .possible_settings import Place, Refused
from .shared_texts import Shared
from .standing import Standing, Told, said_by
from .tried import Tried, made, touched

IN_PLACE = ("import", "setting")
"""Kinds of changes that are taken before any other."""


class Missing(NamedTuple):
    """A text that an agent is not told, or not whole."""

    standing: Standing
    shared: Shared

    @property
    def key(self) -> tuple[str, str]:
        """Which agent, and which file."""
        return self.standing.name, self.shared.path


def missing(standings: Sequence[Standing], told: dict[str, Told], shared: Sequence[Shared]) -> Iterator[Missing]:
    """All that some agent is not told."""
    for standing in standings:
        for each in shared:
            if not said_by(told[standing.name], each.lines):
                yield Missing(standing, each)


class Better(NamedTuple):
    """A change that helps, and what comes of it."""

    wanted: Missing
    change: Change
    world: ChangedWorld
    told: dict[str, Told]
    gain: int

    def brings(self, missing: Missing) -> bool:
        """Whether a text that was missing is told now."""
        return said_by(self.told[missing.standing.name], missing.shared.lines)


class Several(NamedTuple):
    """Changes that are alike, and what comes of all of them."""

    changes: Mapping[str, Change]
    """By the text that each brings."""
    world: ChangedWorld
    told: dict[str, Told]


def alike(tried: Tried, place: Place, better: Better, before: Sequence[Missing]) -> Several | None:
    """A change, and the same in every other folder where its agent misses a text; None where that does not do.

    To try them one by one would be to look through all folders once for each.
    """
    own = [each for each in before if each.standing is better.wanted.standing]
    changes = {each.shared.path: change for each in own if (change := _like(tried, place, each, better.change))}
    world, paths = tried.world, []
    for change in changes.values():
        paths += touched(world, change)
        world = made(world, change)
    told = {
        each.name: each.told(world) if tried.told[each.name].depends_on(paths) else tried.told[each.name]
        for each in tried.standings
    }
    several = Several(_helping(changes, told, before), world, told)
    return several if len(changes) > 1 and _does(tried, several, own) else None


def _like(tried: Tried, place: Place, missing: Missing, change: Change) -> Change | None:
    """The change of that kind for another text, unless one that is better could be made there."""
    for each in possible_changes(place, tried.told[missing.standing.name], missing.shared):
        if isinstance(each, Refused):
            continue
        if each.kind == change.kind and posixpath.basename(each.path) == posixpath.basename(change.path):
            return each
        if each.kind in IN_PLACE:
            return None
    return None


def _helping(changes: Mapping[str, Change], told: dict[str, Told], before: Sequence[Missing]) -> dict[str, Change]:
    """The changes, each with the agents that it helps."""
    helped: dict[str, list[str]] = {}
    for each in before:
        if said_by(told[each.standing.name], each.shared.lines):
            helped.setdefault(each.shared.path, []).append(each.standing.name)
    return {path: structs.replace(change, helps=tuple(helped.get(path, ()))) for path, change in changes.items()}


def _does(tried: Tried, several: Several, own: Sequence[Missing]) -> bool:
    """Whether all that was wanted is told, and nobody is told less or a text twice."""
    told = several.told
    if any(
        not said_by(told[each.standing.name], each.shared.lines) for each in own if each.shared.path in several.changes
    ):
        return False
    links = [change.path for change in several.changes.values() if change.link is not None]
    if any(each.refuses(path) for each in told.values() for path in links):
        return False
    return not any(tried.harms(each, told[each.name]) for each in tried.standings)
