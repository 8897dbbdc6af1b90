"""Records what a discovery asks the machine, and returns its result again if all answers are the same.

It is in memory, and a file is compared by its stamp, as by every discovery that follows another. The record of a
command, which is on disk, compares content.
"""

import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from msgspec import structs

from ..discover.disk.cached_world import CachedWorld
from ..discover.disk.real_world import RealWorld, make_file_entry
from ..discover.disk.working_directory import locate
from ..discover.disk.world import FileEntry, Path, World
from ..discover.stored.recorded_questions import (
    Question,
    QuestionRecord,
    T,
    current_recording,
    list_entries,
    record_into,
    stamp_folder,
    summarize_answer,
)
from ..model.recipe.recipe import Recipe
from ..model.state.discovery import Discovery
from ..recipes import BUILTIN
from ..traces import describe_discovery, traced
from .resolve import resolve

READS = ("read_most", "read_real", "begin_real")
"""Questions for the content of a file."""
UNCOMPARED = ("now", "sudo")
"""The clock is read anew; facts about sudo stay, as in every discovery that follows another."""
REPEATED_QUESTIONS = ("real", "target", "timezone", "cwd", "home", "host", "platform")
"""Questions that are repeated to the machine unchanged."""
MACHINE = RealWorld()


class AnswerRecord(QuestionRecord):
    """The questions of a discovery, and the relevant part of each answer.

    `looks` and `listings` come from the world of one moment, which has them already.
    """

    known_otherwise = ("look", *UNCOMPARED)

    def __init__(self) -> None:
        super().__init__()
        self.looks: Mapping[str, FileEntry | None] = {}
        self.listings: Mapping[str, object] = {}
        self.stamps: dict[str, tuple[int, ...] | None] = {}
        """The stamp of each listed folder, if it can be trusted; else None."""

    def add(self, question: Question, answer: object) -> None:
        """Record the discovery's first answer; a question that can't be repeated makes the record worthless."""
        if question[0] not in ASK and question[0] not in REPEATED_QUESTIONS:
            self.repeatable = False
        super().add(question, answer)

    def ask(self, question: Question, answer: Callable[[], T]) -> T:
        """Record a question of the discovery; of a file that is read, its stamp is the answer, taken before."""
        if question[0] not in READS:
            return super().ask(question, answer)
        path = question[1]
        known = self.looks.get(path)
        if known is None or known.kind != "file":
            followed = _look_followed(path)
            self.repeatable = self.repeatable and followed is not None and followed.stable
            self.add(("followed", path), followed)
        try:
            return answer()
        except OSError:
            self.repeatable = False  # it may be readable the next time, and look the same
            raise

    def ask_folder(self, path: str) -> None:
        """Its stamp, which is read before it is listed."""
        if path not in self.stamps:
            stamp = stamp_folder(path)
            self.stamps[path] = stamp if stamp is not None and self.is_old(stamp) else None

    def can_be_compared(self) -> bool:
        """Whether it is of use; a file written this very moment may change again without its stamp changing."""
        is_complete = self.repeatable and self.stamps.keys() <= self.listings.keys()
        return is_complete and all(
            entry is None or entry.stable or entry.kind != "file" for entry in self.looks.values()
        )

    def still_holds(self) -> bool:
        """Whether every answer of the machine is the same again."""
        with record_into(None):
            return (
                _look_the_same(self.looks)
                and all(map(self._holds_the_same, self.stamps))
                and all(_ask(*question) == answer for question, answer in self.questions.items())
            )

    def _holds_the_same(self, folder: str) -> bool:
        if (stamp := self.stamps[folder]) is not None and stamp == stamp_folder(folder):
            return True
        known = self.listings[folder]
        return list_entries(folder) == (known.errno if isinstance(known, OSError) else known)


def _look_the_same(looks: Mapping[str, FileEntry | None]) -> bool:
    """Whether each path of a discovery is unchanged. An equal stamp shows that at once: there are hundreds of paths."""
    lstat = os.lstat
    for path, known in looks.items():
        try:
            status = lstat(path)
        except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: a NUL in the path
            if known is not None:
                return False
            continue
        except OSError:
            return False
        stamp = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_dev)
        if known is None:
            return False
        if known.stamp != stamp and summarize_answer(known) != summarize_answer(make_file_entry(status)):
            return False
    return True


def _ask(name: str, *about: Any) -> object:
    """Ask the machine the discovery's question again; an error is an answer, too."""
    try:
        return summarize_answer(ASK[name](*about)) if name in ASK else getattr(MACHINE, name)(*about)
    except OSError as problem:
        return type(problem).__name__, problem.errno, str(problem)


def _look_followed(path: str) -> FileEntry | None:
    """The target of a path, with all links followed."""
    try:
        return make_file_entry(os.stat(path))
    except (OSError, ValueError):
        return None


ASK: dict[str, Callable[..., object]] = {
    "followed": _look_followed,
    "variable": os.environ.get,
    "variables": lambda: sorted(os.environ),
}


class DiscoveryCall(NamedTuple):
    """The arguments of a call: the same call has the same result if nothing changed on the machine."""

    recipe: Path | Recipe | None
    cwd: Path | None
    home: Path | None
    root: Path | None
    subagent: bool

    def equals(self, other: "DiscoveryCall") -> bool:
        """Whether the calls are equal; a Recipe has to be the same object."""
        return (self.recipe is other.recipe or isinstance(self.recipe, str)) and self == other


class RecordedDiscovery(Discovery, frozen=True, eq=False, kw_only=True):
    """A discovery with a record of what it asked the machine."""

    call: DiscoveryCall
    answers: AnswerRecord


def discover_or_repeat(
    call: DiscoveryCall, config: Mapping[str, Any] | None, world: World | None, since: Discovery | None
) -> Discovery:
    """The discovery of a project; the earlier one, with the current time, if nothing changed."""
    if not _is_recordable(call, config, world):
        location = locate(call.cwd, call.home, call.root, config, world)
        return resolve(call.recipe, location, subagent=call.subagent).find(since)
    if isinstance(since, RecordedDiscovery) and call.equals(since.call) and since.answers.still_holds():
        return _repeat(since)
    return _record_discovery(call, since)


def _is_recordable(call: DiscoveryCall, config: Mapping[str, Any] | None, world: World | None) -> bool:
    """Whether the result depends only on the call and on answers of the machine.

    A recipe of an installed package does not, nor do settings that a caller may change. A command records by itself.
    """
    known = isinstance(call.recipe, Recipe) or call.recipe in BUILTIN
    return known and not config and world is None and current_recording() is None


def _record_discovery(call: DiscoveryCall, since: Discovery | None) -> Discovery:
    """A discovery with a record of its answers, if it can be repeated."""
    answers = AnswerRecord()
    with record_into(answers):
        location = locate(call.cwd, call.home, call.root).at_one_moment()
        moment = location.world if isinstance(location.world, CachedWorld) else None
        if moment is not None:
            answers.looks, answers.listings = moment.looks, moment.listings
        discovery = resolve(call.recipe, location, subagent=call.subagent).find(since)
    if moment is None or moment.refused or not answers.can_be_compared():
        return discovery
    return RecordedDiscovery(**structs.asdict(discovery), call=call, answers=answers)


@traced("overture.discover", describe_discovery)
def _repeat(since: RecordedDiscovery) -> Discovery:
    """The recorded discovery, with the present time."""
    now = MACHINE.now()
    return since if since.state.now == now else structs.replace(since, state=since.state.replace(now=now))
