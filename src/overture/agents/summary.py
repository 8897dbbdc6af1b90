"""A glance: which agents are used here, and which instruction files each is told. Nothing else is looked for."""

from typing import NamedTuple

from ..known_agents import AGENTS
from ..project.project import Settled
from ..sections.told.limits import taken
from .agents_used import agents_used
from .report_agents import settled_for, walk_here
from .show.words import TEXTS

MOST = 3
"""Agents of which is said what they read: each costs a look around."""


class Told(NamedTuple):
    """A file that an agent is told."""

    path: str
    last_line: int | None
    """Where it ends, if it is cut."""


class Glimpse(NamedTuple):
    """An agent that is used here, and its files."""

    name: str
    files: tuple[Told, ...]


class Glance(NamedTuple):
    """What one sees without looking closely."""

    agents: tuple[Glimpse, ...]
    others: tuple[str, ...]
    """Names of further agents that are used here."""


def glance(settled: Settled) -> Glance:
    """The agents of which the project itself has signs; where it has none, those of home and of the PATH."""
    used = agents_used(settled.world, walk_here(settled), settled.home, AGENTS)
    names = [name for name in used if used[name] and used[name][0].startswith("/")] or [n for n in used if used[n]]
    return Glance(tuple(_glimpse(settled_for(settled, name)) for name in names[:MOST]), tuple(names[MOST:]))


def _glimpse(settled: Settled) -> Glimpse:
    found = settled.find()
    wants = found.wants or settled.recipe.wants
    steps = {step.step for step in wants.files if step.kind in TEXTS and step.tells == "text"}
    files = [file for file in found.state.context_files if file.kind in steps]
    cuts = taken(files, wants.limits, {})
    told = (
        Told(file.path, cuts[index].last_line if index in cuts else None)
        for index, file in enumerate(files)
        if index not in cuts or cuts[index].chars
    )
    return Glimpse(settled.recipe.name, tuple(told))
