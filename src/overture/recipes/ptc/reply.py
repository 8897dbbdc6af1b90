"""A model's reply -> the one program in it, or the error that the next turn is told."""

import re
from typing import Annotated

from ...model.state.tasks import Failure
from ...model.struct import Frozen, note
from .lisp_reader import first_fault

OPENING = re.compile(r"^ {0,3}(`{3,}+)[ \t]*+([^\s`]*+)[^\n`]*+$", re.MULTILINE)


class Checked(Frozen, frozen=True):
    """What a reply holds: a program that can be read, or an error."""

    program: Annotated[str | None, note("what stands in the one code block")] = None
    error: Annotated[Failure | None, note("as `mission.error` of the next turn takes it")] = None
    line: Annotated[int | None, note("of the fault, in the program")] = None
    column: int | None = None
    outside: Annotated[str, note("what the reply says outside the code block, against rule 2")] = ""

    @property
    def ok(self) -> bool:
        """Whether there is a program and nothing is wrong with it."""
        return self.error is None


class Fence(Frozen, frozen=True):
    """A code block of a reply."""

    language: str
    text: str
    start: int
    end: int
    closed: bool


def check(reply: str) -> Checked:
    """Whether the reply holds exactly one ```clojure block with a program that can be read."""
    reply = reply.replace("\r\n", "\n").replace("\r", "\n")
    found = fences(reply)
    blocks = [block for block in found if block.language == "clojure"]
    if len(blocks) != 1:
        return Checked(error=_wrong_count(len(blocks), len(found)), outside="" if blocks else reply.strip())
    return _checked(blocks[0], reply)


def _wrong_count(blocks: int, others: int) -> Failure:
    rule = "The reply must hold exactly one ```clojure code block"
    if blocks:
        return Failure("multiple_code_blocks", f"{rule}; it holds {blocks}", {"blocks": blocks})
    instead = ", and its code blocks are marked otherwise" if others else ""
    return Failure("no_code_block", f"{rule}; it holds none{instead}", {"blocks": 0})


def _checked(block: Fence, reply: str) -> Checked:
    outside = (reply[: block.start] + reply[block.end :]).strip()
    if not block.closed:
        message = "The ```clojure code block is never closed: a line of ``` is missing"
        return Checked(block.text, Failure("unclosed_code_block", message, {"program": block.text}), outside=outside)
    fault = first_fault(block.text)
    if fault is None:
        return Checked(block.text, outside=outside)
    line, column, message = fault
    details = {"line": line, "column": column, "message": message, "program": block.text}
    error = Failure("parse_error", f"Line {line}, column {column}: {message}", details)
    return Checked(block.text, error, line, column, outside)


def fences(text: str) -> list[Fence]:
    """The code blocks of a text, in order."""
    found = []
    at = 0
    while opening := OPENING.search(text, at):
        closing = re.compile(rf"^ {{0,3}}`{{{len(opening[1])},}}[ \t]*$", re.MULTILINE).search(text, opening.end() + 1)
        start = min(opening.end() + 1, len(text))
        stop = closing.start() if closing else len(text)
        at = closing.end() if closing else len(text)
        body = text[start:stop].removesuffix("\n")
        found.append(Fence(opening[2].lower(), body, opening.start(), at, closing is not None))
    return found
