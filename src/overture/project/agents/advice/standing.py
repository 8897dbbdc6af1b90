"""An agent in a place -> the lines that it is told there, as the files are or would be."""

from collections import Counter
from typing import NamedTuple

from ....model.recipe.wanted_files import Wants
from ....model.state.discovery import Found
from ....report.agents.told_lines import ToldLine, told_of_files
from ...project import Settled
from ..report_agents import settled_for
from .changed_world import ChangedWorld


class Told(NamedTuple):
    """What an agent is told, and by which rules."""

    found: Found
    wants: Wants
    lines: Counter[str]
    """How often each line is told."""


class Standing(NamedTuple):
    """One agent that is asked about."""

    name: str
    title: str
    settled: Settled

    def told(self, world: ChangedWorld) -> Told:
        """What it is told at the start, in a world."""
        found = self.settled._replace(world=world).find()
        wants = found.wants or self.settled.recipe.wants
        lines = told_of_files(found.state.context_files, wants)
        return Told(found, wants, Counter(line.key for line in lines))


def standing_of(base: Settled, name: str) -> Standing:
    """The same place, for one agent."""
    settled = settled_for(base, name)
    facts = settled.recipe.agent
    return Standing(name, facts.title if facts else name, settled)


def said_by(told: Told, lines: tuple[ToldLine, ...]) -> bool:
    """Whether all these lines are told."""
    return all(line.key in told.lines for line in lines)
