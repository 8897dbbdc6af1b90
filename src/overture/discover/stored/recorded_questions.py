"""Records what a command asks the machine: if all answers are the same again, so is the command's output.

Files are compared by their content. A folder is compared by its time stamps if they are old enough to be trusted,
else by its names.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from ..disk.world import EntryKind, FileEntry
from .signed_result_store import blake2b

Question = tuple[Any, ...]
"""The name of a question, and its arguments: plain values."""
STABLE_NS = 2_000_000_000
"""A folder that changed later than this may change again without another time stamp."""

P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S")


class QuestionRecord:
    """The questions in their order, a digest of the answers, and the printed output."""

    known_otherwise: tuple[str, ...] = ()
    """Questions that need not be recorded."""

    def __init__(self) -> None:
        """An empty record."""
        self.questions: dict[Question, object] = {}
        """Each with the relevant part of its answer."""
        self.printed: list[tuple[int, bytes]] = []
        """Bytes, and the number of the stream that they went to."""
        self.repeatable = True
        """False: a question was asked, or something happened, that can't be repeated."""

    @property
    def digest(self) -> bytes:
        """The digest of all recorded answers: equal if every question has the same answer."""
        answers = repr([*self.questions.items()])
        return blake2b(answers.encode("utf-8", "surrogatepass"), digest_size=16).digest()

    def add(self, question: Question, answer: object) -> None:
        """Record the first answer to a question: a later one is of the same moment."""
        if question not in self.questions:
            self.questions[question] = summarize_answer(answer)

    def ask(self, question: Question, answer: Callable[[], T]) -> T:
        """The machine's answer, which is recorded; an error is an answer, too."""
        try:
            result = answer()
        except OSError as problem:
            self.add(question, (type(problem).__name__, problem.errno, str(problem)))
            raise
        self.add(question, result)
        return result

    def ask_folder(self, path: str) -> None:
        """Record the entries of a folder. Its stamp is read first: the next command finds a change in between."""
        if ("folder", path) in self.questions or ("listing", path) in self.questions:
            return
        stamp = stamp_folder(path)
        if stamp is None or self.is_old(stamp):
            self.add(("folder", path), stamp)
        else:
            self.ask_listing(path)

    def is_old(self, stamp: tuple[int, ...]) -> bool:
        """Whether the stamp of a folder can be believed: a further change would change it."""
        return os.name != "nt" and time.time_ns() - max(stamp[:2]) > STABLE_NS

    def ask_stamp(self, path: str) -> None:
        """The time stamps of a folder, however old they are."""
        self.add(("folder", path), stamp_folder(path))

    def ask_listing(self, path: str) -> None:
        """The names in a folder, and what each of them is."""
        self.add(("listing", path), list_entries(path))


def list_entries(path: str) -> list[tuple[str, EntryKind]] | int | None:
    """The names in a folder, and the kind of each; the number of the error if it can't be listed."""
    try:
        with os.scandir(path) as entries:
            return sorted((entry.name, entry_kind(entry)) for entry in entries)
    except OSError as problem:
        return problem.errno


def stamp_folder(path: str) -> tuple[int, ...] | None:
    """The answer to a recorded question about a folder: changes with the names in it; None if there is no folder."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev


def entry_kind(entry: "os.DirEntry[str]") -> EntryKind:
    """The kind of a folder's entry, not following links."""
    if entry.is_file(follow_symlinks=False):  # as most are
        return "file"
    if entry.is_dir(follow_symlinks=False):
        return "dir"
    return "link" if entry.is_symlink() else "other"


def summarize_answer(answer: object) -> object:
    """What counts of an answer: of a folder not its time, of the clock the day."""
    if isinstance(answer, FileEntry):
        return (answer.kind, answer.id) if answer.kind == "dir" else (answer.kind, answer.id, answer.stamp, answer.size)
    if isinstance(answer, bytes):
        return blake2b(answer).digest()
    return (answer.date(), answer.utcoffset()) if isinstance(answer, datetime) else answer


class RecordedVariables(Mapping[str, str]):
    """The environment variables, each of which is recorded when it is read."""

    def __init__(self, recording: QuestionRecord) -> None:
        """Variables that are questions of this record."""
        self.recording = recording

    def __getitem__(self, name: str) -> str:
        value = os.environ.get(name)
        self.recording.add(("variable", name), value)
        if value is None:
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        self.recording.add(("variables",), sorted(os.environ))
        return iter(os.environ)

    def __len__(self) -> int:
        return len(os.environ)


_recording: ContextVar[QuestionRecord | None] = ContextVar("recording", default=None)
"""None: nothing is recorded. Of several threads each has its own."""


def current_recording() -> QuestionRecord | None:
    """The recording of the command or discovery that runs; None if none is made."""
    return _recording.get()


@contextmanager
def record_into(recording: QuestionRecord | None) -> Iterator[None]:
    """Record the questions of this block; None: they do not go to the machine itself, or are known otherwise."""
    before = _recording.set(recording)
    try:
        yield
    finally:
        _recording.reset(before)


def refuse_recording() -> None:
    """Mark the current recording as not repeatable."""
    if (recording := current_recording()) is not None:
        recording.repeatable = False


def recorded(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """A method that asks the machine for something, recorded by its name."""
    name = method.__name__

    @wraps(method)
    def ask(self: S, /, *words: P.args, **more: P.kwargs) -> T:
        """Ask the machine, and record question and answer where a record is kept."""
        recording = _recording.get()
        if recording is None or name in recording.known_otherwise:
            return method(self, *words, **more)
        return recording.ask((name, *words), partial(method, self, *words, **more))

    return ask


def record_folder(path: str) -> None:
    """The folder is listed next."""
    if (recording := _recording.get()) is not None:
        recording.ask_folder(path)
