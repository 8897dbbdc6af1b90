"""Agents in a place -> the fewest changes by which they are told the same. Each is tried before it is taken."""

from collections.abc import Sequence
from typing import NamedTuple

from ...project.project import Settled
from ..instruction_files import Lying
from .advice import Change
from .changed_world import ChangedWorld, Remembered
from .missing import Better, Missing, alike, missing
from .possible_changes import possible_changes
from .possible_settings import Place, Refused
from .shared_texts import Shared, shared_texts, texts_below
from .standing import Standing, Told, working_below
from .tried import Tried, has_room, made, merged, touched

ORDER = {"import": 0, "setting": 1, "file": 2, "link": 3}
"""What is taken first of two that bring as much."""
MOST = 60
"""Changes of one plan."""


class Memory(NamedTuple):
    """What was learnt while changes were tried."""

    refused: dict[tuple[str, str], list[str]]
    """By agent and file: what can't be changed safely."""
    useless: dict[tuple[str, str, str | None, str | None], Told]
    """By agent and change: what the agent was told when that brought it nothing."""


class Mended(NamedTuple):
    """What one change brings."""

    change: Change
    brings: tuple[Missing, ...]


class Plan(NamedTuple):
    """What would be changed, what for, and what can't be helped."""

    place: Place
    before: dict[str, Told]
    """By agent, as the files are now."""
    later: dict[str, Told]
    """The same of those that read more when they work in the folders below."""
    shared: tuple[Shared, ...]
    """The texts that all should be told at the start."""
    below: tuple[Shared, ...]
    """Those that all in `later` should be told there."""
    mended: tuple[Mended, ...]
    left: tuple[tuple[Missing, tuple[str, ...]], ...]
    """Each with what somebody could do by hand."""

    def told(self, missing: Missing) -> Told:
        """What an agent is told now, there where it misses something."""
        return (self.later if missing.standing.settled.touching else self.before)[missing.standing.name]

    @property
    def changes(self) -> tuple[Change, ...]:
        """One for each path."""
        return merged([each.change for each in self.mended])


def plan_changes(base: Settled, standings: Sequence[Standing], lying: Sequence[Lying], walk: Sequence[str]) -> Plan:
    """The plan for these agents. `walk` are the folders from the project's root down to the working directory."""
    remembered = Remembered(base.world, base.reader())
    now = ChangedWorld(remembered, {}, {})
    before = {each.name: each.told(now) for each in standings}
    shared = tuple(shared_texts(now, lying, walk, list(before.values())))
    here = _carried(Tried(now, standings, before, shared, lying, {}), walk)

    below = [found for each in standings if (found := working_below(each, before[each.name], lying))]
    later = {each.name: each.told(now) for each in below}
    told = {each.name: each.told(here.world) for each in below}
    # By now some may read there what they did not before.
    inner = tuple(texts_below(here.world, lying, base.cwd, list(told.values())))
    there = _carried(Tried(here.world, below, told, inner, lying, {}), walk, first=True)
    mended, left = (*here.mended, *there.mended), (*here.left, *there.left)
    return Plan(Place(now, walk), before, later, shared, inner, mended, left)


class Carried(NamedTuple):
    """How far one came."""

    world: ChangedWorld
    mended: tuple[Mended, ...]
    left: tuple[tuple[Missing, tuple[str, ...]], ...]


def _carried(tried: Tried, walk: Sequence[str], *, first: bool = False) -> Carried:
    """One change after the other, as long as one helps; `first`: the first that does, where there are many texts."""
    mended: list[Mended] = []
    memory = Memory({}, {})
    while len(mended) < MOST and (found := _best(tried, walk, memory, first=first)):
        before = list(missing(tried.standings, tried.told, tried.shared))
        several = alike(tried, Place(tried.world, walk), found, before) if first else None
        if several is None:
            mended.append(Mended(found.change, tuple(each for each in before if found.brings(each))))
            tried = tried._replace(world=found.world, told=found.told, later={})
            continue
        for path, change in several.changes.items():
            brings = (each for each in before if each.shared.path == path and each.standing.name in change.helps)
            mended.append(Mended(change, tuple(brings)))
        tried = tried._replace(world=several.world, told=several.told, later={})
    left = missing(tried.standings, tried.told, tried.shared)
    said = [(each, tuple(dict.fromkeys(memory.refused.get(each.key, ())))) for each in left]
    return Carried(tried.world, tuple(mended), tuple(said))


def _best(tried: Tried, walk: Sequence[str], memory: Memory, *, first: bool = False) -> Better | None:
    """The change that brings the most to all agents together and takes nothing from any."""
    place = Place(tried.world, walk)
    found: dict[tuple[str, str | None, str | None], Better] = {}
    for each in missing(tried.standings, tried.told, tried.shared):
        for change in possible_changes(place, tried.told[each.standing.name], each.shared):
            if isinstance(change, Refused):
                memory.refused.setdefault(each.key, []).append(change.said)
                continue
            key = (change.path, change.after, change.link)
            if key not in found and (better := _tried(tried, each, change, memory)) is not None:
                found[key] = better
                if first:
                    return better
    in_order = sorted(found.values(), key=lambda each: (-each.gain, ORDER[each.change.kind]))
    return next(
        (each for each in in_order if tried.loses_nothing_later(each.world, touched(tried.world, each.change))), None
    )


def _tried(tried: Tried, missing: Missing, change: Change, memory: Memory) -> Better | None:
    """What a change does, where it helps the agent for which it is meant and harms no other."""
    world = made(tried.world, change)
    paths = touched(tried.world, change)
    before = tried.told[missing.standing.name]
    key = (missing.standing.name, change.path, change.after, change.link)
    if not before.depends_on(paths) or memory.useless.get(key) is before or not has_room(tried.world, paths):
        return None
    own = missing.standing.told(world)
    if not tried.gain(missing.standing, own):
        memory.useless[key] = before
        return None
    told = {**tried.told, missing.standing.name: own}
    for each in tried.standings:
        if each is not missing.standing and told[each.name].depends_on(paths):
            told[each.name] = each.told(world)
    if any(tried.harms(each, told[each.name]) for each in tried.standings):
        return None
    if change.link is not None and any(each.refuses(change.path) for each in told.values()):
        return None
    helped = tuple(each.name for each in tried.standings if tried.gain(each, told[each.name]))
    gain = sum(tried.gain(each, told[each.name]) for each in tried.standings)
    return Better(
        missing,
        Change(change.path, change.kind, change.said, change.before, change.after, change.link, helped),
        world,
        told,
        gain,
    )
