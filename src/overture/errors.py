"""What can go wrong, as exceptions. Users' files never raise: they become a Diagnostic.

OvertureError
├── StateError     a State that does not fit: the path of the bad value, what was expected
├── RecipeError    a recipe that is not known, or that can't be made
├── ConfigError    a configuration file, variable or option that can't be used
├── SignatureError a signature that can't be read: line, column, what was expected
├── SealedError    an edit of a prompt whose recipe refuses edits
├── CountError     a counter that fails, or whose answer is no count
├── BudgetError    a budget that can't be met: what is missing, by how much, what would help
├── StoreError     a store of calls that can't be opened, read or written: where, why, what to do
└── SessionError   something that a session can't do now, or a saved one that can't be read

OvertureWarning    what `render` has to say about a request that it gives nevertheless
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Self, TypedDict, Unpack

MAX_COMPARED_CHARS = 200
"""Characters of a name that is compared with others."""
MAX_COMPARED_NAMES = 500
"""Names that one is compared with, at the most."""
MAX_LISTED_NAMES = 50
"""Names that a message lists, at the most."""


UNSEEN = (
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
"""Terminal controls, invisible characters, and half characters, which can't be printed."""


NOT_UTF8 = r"[\udc80-\udcff]|(?<!\\)((?:\\\\)*)\\udc[89a-f][0-9a-f]"
"""A byte of a name that is not UTF-8, as Python holds it, or as `repr` writes that."""


def printable(text: str) -> str:
    """The text of an error: visible characters alone, without keys and tokens of a value."""
    from .text.secrets.find_and_hide import hide_secrets

    if "udc" in text or not text.isascii():
        text = re.sub(NOT_UTF8, lambda m: f"{m[1] or ''}\ufffd", text)
    return re.sub(UNSEEN, lambda m: f"\\u{{{ord(m[0]):04X}}}", hide_secrets(text))


class ErrorParts(TypedDict, total=False):
    """The parts of an error besides its message, in the order of its line."""

    cause: str
    hint: str
    """What to do: an order, or a command to paste."""
    tip: str
    """The known name that is nearest to a wrong one."""


class ErrorPlace(TypedDict, total=False):
    """Where in a file something is wrong, and what."""

    message: str
    place: str
    source: str


PARTS = ("cause", "hint", "tip")


class UnknownName(str):
    """`Recipe 'oppal' is not known. Known: opal, pi. Did you mean 'opal'?`, with its parts."""

    __slots__ = ("known", "message", "noun", "tip")
    message: str
    noun: str
    known: tuple[str, ...]
    tip: str

    @classmethod
    def of(cls, text: str, message: str, noun: str, known: Iterable[str], tip: str) -> "UnknownName":
        """The line as a program reads it, and what a terminal shows of it."""
        unknown = cls(text)
        unknown.message, unknown.noun, unknown.known, unknown.tip = message, noun, tuple(known), tip
        return unknown


class OvertureError(Exception):
    """The base class. Its text says what happened, with the value, and what to do.

    Fields: `message` is what happened, `cause` and `hint` follow it. `place` is the file with line and column,
    `source` that line. For an unknown name, `known` are the valid names, and `noun` is what they name.
    """

    known: tuple[str, ...] = ()

    def __init__(
        self, text: str = "", *, message: str = "", place: str = "", source: str = "", noun: str = "name",
        **parts: Unpack[ErrorParts],
    ) -> None:  # fmt: skip
        """An error of ours: its text for programs, and its parts for a terminal."""
        sentences = {**parts, "tip": f"Did you mean {parts['tip']!r}?"} if parts.get("tip") else parts
        super().__init__(printable(" ".join([text, *(str(each) for each in sentences.values() if each)])))
        self.message, self.place, self.noun = printable(message or text), place, noun
        self.source = printable(source)  # a line of a file may hold a key
        self.cause, self.hint, self.tip = (printable(str(parts.get(key) or "")) for key in PARTS)
        if isinstance(text, UnknownName):
            self.message, self.noun, self.known, self.tip = text.message, text.noun, text.known, text.tip

    def within(self, where: str) -> Self:
        """The same error, with its file or option in front."""
        from copy import copy

        error = copy(self)
        error.args = (f"{where}: {self}",)
        error.message = f"{where}: {self.message}"
        return error

    def in_file(self, path: str) -> Self:
        """The same error, with its file: before its line for a program, and as its place."""
        error = self.within(path)
        error.message, error.place = self.message, self.place or path
        return error


class StateError(OvertureError, ValueError):
    """A State is invalid."""


class OvertureWarning(UserWarning):
    """A problem in a request that `render` returns anyway. Python shows it once per calling line."""


class RecipeError(OvertureError):
    """A recipe is unknown or can't be loaded."""


class ConfigError(OvertureError):
    """A configuration value can't be used."""


class SignatureError(OvertureError):
    """A signature can't be parsed: where, what was expected, and what was found."""

    def __init__(self, expected: str, got: str, line: int, column: int, field: str = "") -> None:
        super().__init__()
        self.args = (printable(expected), printable(got), line, column, field)
        self.expected, self.got, self.line, self.column, self.field = self.args

    def __str__(self) -> str:
        """`tools[2].signature: line 1, column 9: expected ',' or ')', got the end.`."""
        where = f"{self.field}: " if self.field else "Signature: "
        return f"{where}line {self.line}, column {self.column}: expected {self.expected}, got {self.got}."

    def within(self, field: str) -> "SignatureError":
        """The same, with the field of the state that contains the signature."""
        return SignatureError(self.expected, self.got, self.line, self.column, field)


class SealedError(OvertureError):
    """The prompt of a sealed recipe can't be edited."""


class SessionError(OvertureError):
    """A session can't do that now."""


class StoreError(OvertureError):
    """A store of calls can't be opened, read or written."""


class CountError(OvertureError):
    """A counter failed, or did not return a number of tokens."""


class BudgetError(OvertureError):
    """The required sections do not fit the budget."""


def describe_error(problem: Exception) -> str:
    """The error as a sentence: the text of one of ours, of another with its class."""
    text = str(problem) if isinstance(problem, OvertureError) else f"{type(problem).__name__}: {problem}"
    return text if text.endswith(".") else f"{text}."


def describe_unreadable(path: str, problem: OSError) -> str:
    """`No such file: 'a.json'`, or why a file that is there can't be read."""
    if isinstance(problem, FileNotFoundError):
        return f"No such file: {path!r}"
    if isinstance(problem, IsADirectoryError):
        return f"{path!r} is a folder, not a file"
    return f"{path!r} can't be read: {(problem.strerror or str(problem)).lower()}"


@contextmanager
def explain_write_errors(path: str, hint: str = "") -> Iterator[None]:
    """Turns the system's errors about a path, such as a full disk, into ours."""
    try:
        yield
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        raise ConfigError(f"{path!r} can't be written: {reason}.", hint=hint) from problem


def require_packages(what: str, extra: str, *names: str) -> None:
    """Fails before any work begins if a package is missing."""
    from importlib.util import find_spec

    if missing := [name for name in names if find_spec(name) is None]:
        noun = "a package that is" if len(missing) == 1 else "packages that are"
        hint = f"pip install 'overture[{extra}]'"
        raise ConfigError(f"{what} needs {noun} not installed: {' and '.join(missing)}.", hint=hint)


def suggest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """` Did you mean 'opal'?`, or nothing where no known name is near."""
    similar = find_similar(name, known, cutoff)
    return f" Did you mean {similar!r}?" if similar else ""


def find_similar(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """The known name that is nearest to one, or empty if none is near."""
    if len(name) > MAX_COMPARED_CHARS:
        return ""  # too long for a typo, and comparing takes quadratic time
    names = sorted(each for each in known if len(each) <= MAX_COMPARED_CHARS)
    if len(names) > MAX_COMPARED_NAMES:
        from heapq import nsmallest

        from .text.normalize import count_common_start

        # Those that begin alike for longest. Comparing is for a person's slip, not for a folder of a million files.
        names = nsmallest(MAX_COMPARED_NAMES, names, key=lambda each: -count_common_start(each, name))
    from difflib import get_close_matches  # only a user with a typo waits for it

    matches = get_close_matches(name, names, n=1, cutoff=cutoff)
    return matches[0] if matches else ""


def show_value(value: object, limit: int = 60) -> str:
    """A value as an error shows it: on one line, as much of it as a person reads."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number of thousands of digits, a nest of thousands of lists
        return f"a very long {type(value).__name__}"
    text = printable(text)  # before it is cut: the beginning of a key is not known for one
    return text if len(text) <= limit else f"{text[:limit]}…"


def list_some(names: Iterable[str]) -> str:
    """`a, b, c`; of very many, as many as a person reads, and how many more there are."""
    listed = list(names)
    if len(listed) <= MAX_LISTED_NAMES:
        return ", ".join(listed)
    return f"{', '.join(listed[:MAX_LISTED_NAMES])} and {len(listed) - MAX_LISTED_NAMES:,} more"


def explain_unknown(what: str, name: str, known: Iterable[str], also: Iterable[str] = ()) -> UnknownName:
    """`Recipe 'oppal' is not known. Known: opal, pi. Did you mean 'opal'?`; `also` are names that are not listed."""
    names = sorted(known)
    tip = find_similar(name, [*names, *also])
    similar = f" Did you mean {tip!r}?" if tip else ""
    noun, shown = what[:1].lower() + what[1:], show_value(name, MAX_COMPARED_CHARS)
    text = f"{what} {shown} is not known. Known: {list_some(names) or 'none'}.{similar}"
    return UnknownName.of(text, f"No {noun} named {shown}", noun.partition(" of ")[0], names, tip)
