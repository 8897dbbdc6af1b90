"""PTC-Lisp text -> the first place where it can't be read, if there is one.

Lists, vectors, maps, sets and `#()`, strings with escapes, characters, keywords, numbers, symbols, comments,
quotes. Nesting has no limit: what is open is kept in a list, not on the stack.
"""

import re
from typing import NamedTuple

CLOSING = {"(": ")", "[": "]", "{": "}", "#(": ")", "#{": "}"}
TOKEN = re.compile(
    r"(?P<blank>[\s,]+|;[^\n]*)"
    r'|(?P<string>#?"[^"\\]*+(?:\\.[^"\\]*+)*")'
    r'|(?P<unclosed>#?")'
    r"|(?P<open>#?\(|\[|#?\{)"
    r"|(?P<close>[)\]}])"
    r"|(?P<prefix>#_|#'|~@|['`~@^])"
    r"|(?P<char>\\(?:[^\s\w]|\w[^\s()\[\]{}\";,'`@^~\\]*|$))"
    r"|(?P<atom>[^\s()\[\]{}\";,'`@^~\\#][^\s()\[\]{}\";,`@^~\\]*)",
    re.DOTALL,
)
ESCAPE = re.compile(r"\\(?:[\"\\nrtbf0]|u[0-9A-Fa-f]{4})|(\\.)", re.DOTALL)
CHARACTER = re.compile(
    r"\\(?:.|newline|space|tab|return|backspace|formfeed|u[0-9A-Fa-f]{4}|o[0-3]?[0-7]{1,2})", re.DOTALL
)
NUMBER = re.compile(r"[+-]?(?:0[xX][0-9A-Fa-f]+|\d+/\d+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?[NM]?)")
KEYWORD = re.compile(r"::?[^:/\s][^\s]*")


class Fault(NamedTuple):
    """Where a program can't be read, and why."""

    line: int
    column: int
    message: str


class Open(NamedTuple):
    """A bracket that is not closed yet."""

    mark: str
    at: int


class Reader:
    """Reads one program. What it counts is forms: a map has an even number of them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.open: list[Open] = []
        self.counts = [0]
        self.waiting: list[list[Open]] = [[]]
        """Quotes and the like that wait for their form, for each open bracket."""

    def read(self) -> Fault | None:
        """The first fault."""
        at = 0
        while at < len(self.text):
            match = TOKEN.match(self.text, at)
            if match is None:
                return self.fault(at, f"unexpected {self.text[at]!r}")
            fault = self.take(match.lastgroup or "", match[0], at)
            if fault:
                return fault
            at = match.end()
        return self.finish()

    def take(self, kind: str, text: str, at: int) -> Fault | None:
        """One token."""
        match kind:
            case "blank":
                return None
            case "open":
                self.open.append(Open(text, at))
                self.counts.append(0)
                self.waiting.append([])
                return None
            case "close":
                return self.close(text, at)
            case "prefix":
                self.waiting[-1].append(Open(text, at))
                return None
            case "unclosed":
                return self.fault(at, "a string that begins here never ends: a closing '\"' is missing")
        self.form()
        return self.atom(kind, text, at)

    def close(self, text: str, at: int) -> Fault | None:
        """A closing bracket: the one that is waited for, after whole forms."""
        if not self.open:
            return self.fault(at, f"unexpected {text!r}: nothing is open")
        mark, start = self.open[-1]
        if text != CLOSING[mark]:
            return self.fault(at, f"expected {CLOSING[mark]!r} for the {mark!r} of {self.place(start)}, got {text!r}")
        if self.waiting[-1]:
            return self.fault(self.waiting[-1][-1].at, f"{self.waiting[-1][-1].mark!r} stands before no form")
        if mark == "{" and self.counts[-1] % 2:
            return self.fault(start, f"a map needs a value for every key; this one has {self.counts[-1]} forms")
        self.open.pop(), self.counts.pop(), self.waiting.pop()
        self.form()
        return None

    def form(self) -> None:
        """A form is complete. `#_` drops it, and `^` takes it as a note on the next; quotes belong to it."""
        waiting = self.waiting[-1]
        while waiting:
            if waiting.pop().mark in ("#_", "^"):
                return
        self.counts[-1] += 1

    def atom(self, kind: str, text: str, at: int) -> Fault | None:
        """What is wrong with a string, a character, a number or a keyword in itself."""
        if kind == "string":
            bad = None if text[0] == "#" else next((m for m in ESCAPE.finditer(text) if m[1]), None)
            return self.fault(at + bad.start(), f"a string has no escape {bad[1]!r}") if bad else None
        if kind == "char":
            return None if CHARACTER.fullmatch(text) else self.fault(at, f"{text!r} is no character")
        if text[0].isdigit() or (text[0] in "+-" and text[1:2].isdigit()):
            return None if NUMBER.fullmatch(text) else self.fault(at, f"{text!r} is no number")
        if text[0] == ":":
            return None if KEYWORD.fullmatch(text) else self.fault(at, f"{text!r} is no keyword: it needs a name")
        return None

    def finish(self) -> Fault | None:
        """What is missing at the end."""
        if self.open:
            mark, start = self.open[-1]
            return self.fault(start, f"{mark!r} is never closed: {CLOSING[mark]!r} is missing")
        if self.waiting[0]:
            return self.fault(self.waiting[0][-1].at, f"{self.waiting[0][-1].mark!r} stands before no form")
        return None if self.counts[0] else self.fault(0, "there is no program: nothing but blanks and comments")

    def fault(self, at: int, message: str) -> Fault:
        """The fault at one position."""
        return Fault(self.text.count("\n", 0, at) + 1, at - self.text.rfind("\n", 0, at), message)

    def place(self, at: int) -> str:
        """`line 2, column 5`."""
        line, column, _ = self.fault(at, "")
        return f"line {line}, column {column}"


def first_fault(program: str) -> Fault | None:
    """The first place where a program can't be read; None where it can."""
    return Reader(program).read()
