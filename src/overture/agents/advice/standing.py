"""An agent in a place -> the lines that it is told there, as the files are or would be."""

import posixpath
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import structs

from ...discover.disk.walk import at_or_above
from ...model.recipe.wants.wanted_files import Wants
from ...model.state.discovery import Found
from ...project.project import Settled
from ..instruction_files import Lying
from ..report.told_lines import ToldLine, told_of_files
from ..report_agents import settled_for
from .changed_world import ChangedWorld


class Told(NamedTuple):
    """What an agent is told, and by which rules."""

    found: Found
    wants: Wants
    lines: Counter[str]
    """How often each line is told."""
    asked: frozenset[str] = frozenset()
    """Every path on which that depends, as a world records it."""

    def depends_on(self, paths: Sequence[str]) -> bool:
        """Whether it could be otherwise if something else lay at these paths."""
        return any(path in self.asked or f"{posixpath.dirname(path)}/" in self.asked for path in paths)

    def refuses(self, path: str) -> bool:
        """Whether the agent looks at a path and does not follow the link there."""
        return any(look.path == path and look.outcome in ("skipped", "outside") for look in self.found.looked_at)


class Standing(NamedTuple):
    """One agent that is asked about."""

    name: str
    title: str
    settled: Settled

    def told(self, world: ChangedWorld) -> Told:
        """What it is told at the start, in a world."""
        world = ChangedWorld(world.base, world.files, world.links)
        found = self.settled._replace(world=world).find()
        wants = found.wants or self.settled.recipe.wants
        lines = told_of_files(found.state.context_files, wants)
        return Told(found, wants, Counter(line.key for line in lines), frozenset(world.asked))


def standing_of(base: Settled, name: str) -> Standing:
    """The same place, for one agent."""
    settled = settled_for(base, name)
    facts = settled.recipe.agent
    # Skills and settings of ours make no difference to instruction files, and take their time.
    files = structs.replace(settled.recipe, wants=structs.replace(settled.recipe.wants, skills=None))
    return Standing(name, facts.title if facts else name, settled._replace(recipe=files))


def working_below(standing: Standing, told: Told, lying: Iterable[Lying]) -> Standing | None:
    """The agent at work in all folders below that hold instructions; None where it reads none of them then."""
    cwd = standing.settled.cwd
    inner = dict.fromkeys(f"{f.folder}/_" for f in lying if f.folder != cwd and at_or_above(cwd, f.folder))
    if not inner or not any(step.where in ("below", "project") and step.tells == "text" for step in told.wants.files):
        return None
    return standing._replace(settled=standing.settled._replace(touching=tuple(inner)))


def said_by(told: Told, lines: tuple[ToldLine, ...]) -> bool:
    """Whether all these lines are told."""
    return all(line.key in told.lines for line in lines)
