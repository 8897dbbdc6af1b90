"""Checks a model's reply: it holds one readable PTC-Lisp program, or there is an error for the next turn."""

import re
from typing import Annotated, NamedTuple

from ...model.state.agent_and_runtime import Failure
from ...model.struct import Frozen, note
from ...text.markdown import CodeBlock, find_code_blocks
from ...text.words import count_noun

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


class SyntaxFault(NamedTuple):
    """The position of a syntax error in a program, and the reason."""

    line: int
    column: int
    message: str


class OpenBracket(NamedTuple):
    """A bracket that is not closed yet."""

    mark: str
    at: int


class LispReader:
    """Reads one program and counts forms: a map needs an even number of them."""

    def __init__(self, text: str) -> None:
        """Read the program of a reply."""
        self.text = text
        self.open: list[OpenBracket] = []
        self.counts = [0]
        self.waiting: list[list[OpenBracket]] = [[]]
        """The prefixes, such as quotes, that wait for their form, for each open bracket."""

    def read(self) -> SyntaxFault | None:
        """Read the program of the reply; returns the first fault."""
        at = 0
        while at < len(self.text):
            match = TOKEN.match(self.text, at)
            if match is None:
                return self.make_fault(at, f"unexpected {self.text[at]!r}")
            fault = self.take(match.lastgroup or "", match[0], at)
            if fault:
                return fault
            at = match.end()
        return self.finish()

    def take(self, kind: str, text: str, at: int) -> SyntaxFault | None:
        """Process one token of the PTC-Lisp program."""
        match kind:
            case "blank":
                return None
            case "open":
                self.open.append(OpenBracket(text, at))
                self.counts.append(0)
                self.waiting.append([])
                return None
            case "close":
                return self.close(text, at)
            case "prefix":
                self.waiting[-1].append(OpenBracket(text, at))
                return None
            case "unclosed":
                return self.make_fault(at, "a string is not closed: a closing '\"' is missing")
        self.complete_form()
        return self.check_atom(kind, text, at)

    def close(self, text: str, at: int) -> SyntaxFault | None:
        """Process a closing bracket. It must match the open one and follow a complete form."""
        if not self.open:
            return self.make_fault(at, f"unexpected {text!r}: nothing is open")
        mark, start = self.open[-1]
        if text != CLOSING[mark]:
            return self.make_fault(
                at, f"expected {CLOSING[mark]!r} for the {mark!r} of {self.describe_position(start)}, got {text!r}"
            )
        if self.waiting[-1]:
            return self.make_fault(self.waiting[-1][-1].at, f"no form follows {self.waiting[-1][-1].mark!r}")
        if mark == "{" and self.counts[-1] % 2:
            return self.make_fault(
                start, f"a map needs a value for every key; this one has {count_noun(self.counts[-1], 'form')}"
            )
        self.open.pop(), self.counts.pop(), self.waiting.pop()
        self.complete_form()
        return None

    def complete_form(self) -> None:
        """Complete a form. `#_` drops it, `^` makes it metadata of the next form, and quotes belong to it."""
        waiting = self.waiting[-1]
        while waiting:
            if waiting.pop().mark in ("#_", "^"):
                return
        self.counts[-1] += 1

    def check_atom(self, kind: str, text: str, at: int) -> SyntaxFault | None:
        """The fault inside a string, a character, a number or a keyword."""
        if kind == "string":
            bad = None if text[0] == "#" else next((m for m in ESCAPE.finditer(text) if m[1]), None)
            return self.make_fault(at + bad.start(), f"a string has no escape {bad[1]!r}") if bad else None
        if kind == "char":
            return None if CHARACTER.fullmatch(text) else self.make_fault(at, f"{text!r} is not a character")
        if text[0].isdigit() or (text[0] in "+-" and text[1:2].isdigit()):
            return None if NUMBER.fullmatch(text) else self.make_fault(at, f"{text!r} is not a number")
        if text[0] == ":":
            return (
                None if KEYWORD.fullmatch(text) else self.make_fault(at, f"{text!r} is not a keyword: it needs a name")
            )
        return None

    def finish(self) -> SyntaxFault | None:
        """The fault at the end of the program: something is missing."""
        if self.open:
            mark, start = self.open[-1]
            return self.make_fault(start, f"{mark!r} is never closed: {CLOSING[mark]!r} is missing")
        if self.waiting[0]:
            return self.make_fault(self.waiting[0][-1].at, f"no form follows {self.waiting[0][-1].mark!r}")
        return None if self.counts[0] else self.make_fault(0, "there is no program: only spaces and comments")

    def make_fault(self, at: int, message: str) -> SyntaxFault:
        """The fault at one position."""
        return SyntaxFault(self.text.count("\n", 0, at) + 1, at - self.text.rfind("\n", 0, at), message)

    def describe_position(self, at: int) -> str:
        """`line 2, column 5`."""
        line, column, _ = self.make_fault(at, "")
        return f"line {line}, column {column}"


def find_first_fault(program: str) -> SyntaxFault | None:
    """The first syntax fault of a program; None if it is readable."""
    return LispReader(program).read()


class ReplyCheck(Frozen, frozen=True):
    """What a reply holds: a program that can be read, or an error."""

    program: Annotated[str | None, note("the program: the content of the one code block")] = None
    error: Annotated[Failure | None, note("as `mission.error` of the next turn takes it")] = None
    line: Annotated[int | None, note("of the fault, in the program")] = None
    column: int | None = None
    outside: Annotated[str, note("text outside the code block, which rule 2 forbids")] = ""

    @property
    def ok(self) -> bool:
        """Whether there is a program and nothing is wrong with it."""
        return self.error is None


def check(reply: str) -> ReplyCheck:
    """Whether the reply holds exactly one ```clojure block with a program that can be read."""
    reply = reply.replace("\r\n", "\n").replace("\r", "\n")
    all_blocks = list(find_code_blocks(reply))
    blocks = [block for block in all_blocks if block.language == "clojure"]
    if len(blocks) != 1:
        return ReplyCheck(error=_explain_count(len(blocks), len(all_blocks)), outside="" if blocks else reply.strip())
    return _check_block(blocks[0], reply)


def _explain_count(blocks: int, others: int) -> Failure:
    rule = "The reply must hold exactly one ```clojure code block"
    if blocks:
        return Failure("multiple_code_blocks", f"{rule}; it holds {blocks}", {"blocks": blocks})
    instead = ", and its code blocks are marked otherwise" if others else ""
    return Failure("no_code_block", f"{rule}; it holds none{instead}", {"blocks": 0})


def _check_block(block: CodeBlock, reply: str) -> ReplyCheck:
    outside = (reply[: block.start] + reply[block.end :]).strip()
    if not block.closed:
        message = "The ```clojure code block is never closed: a line of ``` is missing"
        return ReplyCheck(block.text, Failure("unclosed_code_block", message, {"program": block.text}), outside=outside)
    fault = find_first_fault(block.text)
    if fault is None:
        return ReplyCheck(block.text, outside=outside)
    line, column, message = fault
    details = {"line": line, "column": column, "message": message, "program": block.text}
    error = Failure("parse_error", f"Line {line}, column {column}: {message}", details)
    return ReplyCheck(block.text, error, line, column, outside)
