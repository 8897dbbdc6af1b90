"""A change, tried in a world of its own: what each agent gains by it, and what it would lose."""

import posixpath
from collections.abc import Sequence
from typing import NamedTuple

from ..instruction_files import Lying
from .advice import Change
from .changed_world import ChangedWorld
from .shared_texts import Shared
from .standing import Standing, Told, working_below


class Tried(NamedTuple):
    """Where things stand before a change."""

    world: ChangedWorld
    standings: Sequence[Standing]
    told: dict[str, Told]
    shared: Sequence[Shared]
    lying: Sequence[Lying]
    later: dict[str, Told]
    """What they are told in this world when they work in the folders below, as far as it was asked for."""

    def gain(self, standing: Standing, after: Told) -> int:
        """How many lines more of the shared texts an agent is told."""
        before = self.told[standing.name].lines
        return len(
            {line.key for each in self.shared for line in each.lines if line.key not in before} & after.lines.keys()
        )

    def harms(self, standing: Standing, after: Told) -> bool:
        """Whether the agent is told less than before, or a text twice."""
        before = self.told[standing.name]
        if not before.lines.keys() <= after.lines.keys():
            return True
        return any(_twice(each, after) and not _twice(each, before) for each in self.shared)

    def loses_nothing_later(self, world: ChangedWorld, paths: Sequence[str]) -> bool:
        """Whether every agent is still told what it is told when it works in the folders below."""
        for standing in self.standings:
            below = working_below(standing, self.told[standing.name], self.lying)
            if below is None:
                continue
            if standing.name not in self.later:
                self.later[standing.name] = below.told(self.world)
            before = self.later[standing.name]
            if before.depends_on(paths) and not before.lines.keys() <= below.told(world).lines.keys():
                return False
        return True


def _twice(shared: Shared, told: Told) -> bool:
    return all(told.lines[line.key] > 1 for line in shared.lines)


def made(world: ChangedWorld, change: Change) -> ChangedWorld:
    """The world with one more change."""
    path = real_place(world, change.path)
    if change.link is not None:
        return ChangedWorld(world.base, world.files, {**world.links, path: change.link})
    return ChangedWorld(world.base, {**world.files, path: (change.after or "").encode()}, world.links)


def real_place(world: ChangedWorld, path: str) -> str:
    """The path, with the links on its way followed as far as it is there."""
    folder, rest = posixpath.split(path)
    while True:
        try:
            return posixpath.join(world.real(folder), rest)
        except OSError:
            folder, name = posixpath.split(folder)
            rest = posixpath.join(name, rest)


def touched(world: ChangedWorld, change: Change) -> list[str]:
    """The paths at which something else lies after a change: its own, and those of folders that are made for it."""
    paths = [real_place(world, change.path)]
    while world.look(folder := posixpath.dirname(paths[-1])) is None:
        paths.append(folder)
    return paths


def has_room(world: ChangedWorld, paths: Sequence[str]) -> bool:
    """Whether the last of these paths would lie in a folder."""
    found = world.look(posixpath.dirname(paths[-1]))
    return found is not None and found.kind == "dir"


def merged(changes: Sequence[Change]) -> tuple[Change, ...]:
    """The changes of one path as one, from what is there now to what is written last."""
    found: dict[str, Change] = {}
    for each in changes:
        first = found.get(each.path)
        if first is None:
            found[each.path] = each
            continue
        said = {part.partition(" = ")[0]: part for part in (*first.said.split("; "), each.said)}
        helps = tuple(dict.fromkeys((*first.helps, *each.helps)))
        kind = first.kind if first.before is None else each.kind
        found[each.path] = Change(each.path, kind, "; ".join(said.values()), first.before, each.after, each.link, helps)
    return tuple(found.values())
