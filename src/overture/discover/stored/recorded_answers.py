"""Records what a discovery asks the machine, with the answers, and says whether they still hold.

It is in memory, and a file is compared by its stamp, as by every discovery that follows another. The record of a
command, which is on disk, compares content.
"""

import os
from collections.abc import Callable, Mapping
from typing import Any

from ..disk.real_world import RealWorld, make_file_entry
from ..disk.world import FileEntry
from .recorded_questions import (
    Question,
    QuestionRecord,
    T,
    list_entries,
    record_into,
    stamp_folder,
    summarize_answer,
)

READS = ("read_most", "read_real", "begin_real")
"""Questions for the content of a file."""
UNCOMPARED = ("now", "sudo")
"""The clock is read anew; what is known of sudo stands, as in every discovery that follows another."""
ASKED_AGAIN = ("real", "target", "timezone", "cwd", "home", "host", "platform")
"""Questions that the machine is asked again as they are."""


class AnswerRecord(QuestionRecord):
    """The questions of a discovery, and what counts of each answer.

    `looks` and `listings` are what it saw: the world of one moment has them already.
    """

    known_otherwise = ("look", *UNCOMPARED)

    def __init__(self) -> None:
        super().__init__()
        self.looks: Mapping[str, FileEntry | None] = {}
        self.listings: Mapping[str, object] = {}
        self.stamps: dict[str, tuple[int, ...] | None] = {}
        """Of each folder that was listed, where it can be believed; else None."""

    def add(self, question: Question, answer: object) -> None:
        """Keep the first answer; a question that this record can't ask again makes it worthless."""
        if question[0] not in ASK and question[0] not in ASKED_AGAIN:
            self.repeatable = False
        self.questions.setdefault(question, summarize_answer(answer))

    def ask(self, question: Question, answer: Callable[[], T]) -> T:
        """As others do; of a file that is read, its stamp is the answer, taken before."""
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
        """Its stamp, which is taken before it is listed."""
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
        """Whether the machine gives every answer again."""
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
    """Whether the same lies at each path. An equal stamp says so at once: hundreds of paths are looked at each time."""
    lstat = os.lstat
    for path, known in looks.items():
        try:
            found = lstat(path)
        except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: a NUL in the path
            if known is not None:
                return False
            continue
        except OSError:
            return False
        stamp = (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, found.st_dev)
        if known is None:
            return False
        if known.stamp != stamp and summarize_answer(known) != summarize_answer(make_file_entry(found)):
            return False
    return True


def _ask(name: str, *about: Any) -> object:
    try:
        return summarize_answer(ASK[name](*about)) if name in ASK else getattr(MACHINE, name)(*about)
    except OSError as problem:
        return type(problem).__name__, problem.errno, str(problem)


def _look_followed(path: str) -> FileEntry | None:
    """What a path leads to, with all links followed."""
    try:
        return make_file_entry(os.stat(path))
    except (OSError, ValueError):
        return None


MACHINE = RealWorld()
ASK: dict[str, Callable[..., object]] = {
    "followed": _look_followed,
    "variable": os.environ.get,
    "variables": lambda: sorted(os.environ),
}
