"""Gives an earlier discovery again where the machine answers all that it asked as it did then."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from msgspec import structs

from ..discover.disk.location import locate
from ..discover.disk.world import Path, World
from ..discover.disk.world_at_moment import RealMoment
from ..discover.stored.recorded_answers import MACHINE, AnswerRecord
from ..discover.stored.recorded_questions import current_recording, record_into
from ..model.recipe.recipe import Recipe
from ..model.state.discovery import Discovery
from ..recipes import BUILTIN
from ..traces import describe_discovery, traced
from .resolve import resolve


class DiscoveryCall(NamedTuple):
    """What a caller asks for: the same call has the same result where nothing changed on the machine."""

    recipe: Path | Recipe | None
    cwd: Path | None
    home: Path | None
    root: Path | None
    subagent: bool

    def equals(self, other: "DiscoveryCall") -> bool:
        """Whether it asks for the same; of recipes, the very same one."""
        return (self.recipe is other.recipe or isinstance(self.recipe, str)) and self == other


class RecordedDiscovery(Discovery, frozen=True, eq=False):
    """A discovery that knows what it asked the machine."""

    call: DiscoveryCall | None = None
    answers: AnswerRecord | None = None


def discover_or_repeat(
    call: DiscoveryCall, config: Mapping[str, Any] | None, world: World | None, since: Discovery | None
) -> Discovery:
    """The discovery of a project; the one of before, with the time of now, where nothing changed."""
    if not _is_recordable(call, config, world):
        location = locate(call.cwd, call.home, call.root, config, world)
        return resolve(call.recipe, location, subagent=call.subagent).find(since)
    if isinstance(since, RecordedDiscovery) and _is_unchanged(since, call):
        return _repeat(since)
    return _record_discovery(call, since)


def _is_recordable(call: DiscoveryCall, config: Mapping[str, Any] | None, world: World | None) -> bool:
    """Whether all that the result follows from is in the call, or is asked of the machine.

    A recipe of an installed package is not, nor are settings that a caller may change. A command records by itself.
    """
    known = isinstance(call.recipe, Recipe) or call.recipe in BUILTIN
    return known and not config and world is None and current_recording() is None


def _is_unchanged(since: RecordedDiscovery, call: DiscoveryCall) -> bool:
    same = since.call is not None and call.equals(since.call)
    return same and since.answers is not None and since.answers.still_holds()


def _record_discovery(call: DiscoveryCall, since: Discovery | None) -> Discovery:
    answers = AnswerRecord()
    with record_into(answers):
        location = locate(call.cwd, call.home, call.root).at_one_moment()
        moment = location.world if isinstance(location.world, RealMoment) else None
        if moment is not None:
            answers.looks, answers.listings = moment.looks, moment.listings
        found = resolve(call.recipe, location, subagent=call.subagent).find(since)
    if moment is None or moment.refused or not answers.can_be_compared():
        return found
    return RecordedDiscovery(
        found.state, found.diagnostics, found.looked_at, found.kept, found.wants, call, answers
    )  # fmt: skip


@traced("overture.discover", describe_discovery)
def _repeat(since: RecordedDiscovery) -> Discovery:
    now = MACHINE.now()
    return since if since.state.now == now else structs.replace(since, state=since.state.replace(now=now))
