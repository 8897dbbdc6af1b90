r"""The gate: text from files and data -> text that can't write the prompt's frames, nor hide characters.

Keys and tokens first: each is written `[secret: kind]`, unless somebody wants them shown. Then characters: control
characters and needless invisible ones become `\u{200B}`, a carriage return is a line end. Then what is read in the
result: `<` becomes `&lt;` where it would open or close a tag that frames something here, or begin a control token; a
line that equals a heading here begins with `\#`. Nothing else is touched, line breaks least of all, so that every line
keeps its number. What came through comes through again as it is.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from ...text.control_tokens import ENTITIES
from ...text.hidden_words import hidden_words
from ...text.invisible import CONTROL, controls, hidden_places, show
from ...text.normalize import BREAKS, place_at
from ...text.scan import Marks, scan
from ...text.secrets.find import Secret, secrets_in
from .guard import Guard
from .report_foreign_text import MESSAGES, Contained

SHORT = 400
"""Paths, names and descriptions up to this come back build after build: what was done to them is remembered."""
SECRET = "secret"
MOST = 50
"""Secrets of one text that are reported one by one."""


class Edit(NamedTuple):
    """Characters that are written otherwise, and why."""

    at: int
    end: int
    text: str
    code: str


def contain(text: str, marks: Marks | None, guard: Guard, single: bool = False) -> tuple[str, tuple[Contained, ...]]:
    """Neutralise in `text` what `guard` forbids; the same text object where there is nothing to do.

    A `single` text has to stay on one line: what would break it is shown like a hidden character.
    """
    if marks is None:
        marks = scan(text)
    edits = edits_for(text, marks, guard, single)
    if not edits and not marks.secrets:
        return text, ()
    return edited(text, edits), (*_told(text, marks.secrets, guard.shows), *_summed(text, edits))


contain_once = lru_cache(maxsize=4096)(contain)


def edits_for(text: str, marks: Marks | None, guard: Guard, single: bool = False) -> list[Edit]:
    """What has to be written otherwise, in order."""
    if marks is None:
        marks = scan(text)
    if not marks.secrets or guard.shows:
        return _edits(text, marks, guard, single)
    first = [_hiding(text, secret, single) for secret in marks.secrets]
    hidden = edited(text, first)
    return sorted([*first, *_moved(first, _edits(hidden, scan(hidden), guard, single))])


def _edits(text: str, marks: Marks, guard: Guard, single: bool) -> list[Edit]:
    breaks = [m.start() for m in BREAKS.finditer(text)] if single else marks.controls
    if not (breaks or marks.hidden):
        return [] if _harmless(marks, guard) else sorted(_frames(text, marks, guard))
    first = sorted([*(_break(text, at, single) for at in breaks), *(_hidden(text, at) for at in marks.hidden)])
    cleaned = edited(text, first)
    marks = scan(cleaned)
    if _harmless(marks, guard):
        return first
    return sorted([*first, *_moved(first, sorted(_frames(cleaned, marks, guard)))])


def edited(text: str, edits: list[Edit]) -> str:
    """`text` with its edits."""
    pieces: list[str] = []
    at = 0
    for edit in edits:
        pieces += text[at : edit.at], edit.text
        at = edit.end
    pieces.append(text[at:])
    return "".join(pieces)


def _moved(first: list[Edit], then: list[Edit]) -> Iterator[Edit]:
    """Edits of a text that has edits already, as edits of the text before those."""
    gained = [0, *accumulate(len(edit.text) - edit.end + edit.at for edit in first)]
    done = 0
    for edit in then:
        while done < len(first) and first[done].at + gained[done] < edit.at:
            done += 1
        yield edit._replace(at=edit.at - gained[done], end=edit.end - gained[done])


def authored(text: str, shows: bool = False) -> tuple[str, tuple[Contained, ...]]:
    """What the agent's own author wrote, as it stands but for control characters and secrets."""
    edits, secrets = edits_of_author(text, shows)
    if not edits and not secrets:
        return text, ()
    return edited(text, edits), (*_told(text, secrets, shows), *_summed(text, edits))


def edits_of_author(text: str, shows: bool = False) -> tuple[list[Edit], tuple[Secret, ...]]:
    """What has to be written otherwise in what the author wrote, in order; and the secrets in it."""
    found = controls(text)
    secrets = secrets_in(text, sorted([*found, *hidden_places(text)]))
    first = [] if shows else [_hiding(text, secret, False) for secret in secrets]
    if not first:
        return [_break(text, at, False) for at in found], secrets
    hidden = edited(text, first)
    return sorted([*first, *_moved(first, [_break(hidden, at, False) for at in controls(hidden)])]), secrets


authored_once = lru_cache(maxsize=1024)(authored)


def _harmless(marks: Marks, guard: Guard) -> bool:
    return not marks.tokens and guard.names.isdisjoint(marks.names) and not (marks.tail and guard.guards_headings)


def _break(text: str, at: int, single: bool) -> Edit:
    """A control character or a line break, shown; where lines may end, a carriage return ends one."""
    char = text[at]
    if char == "\r" and not single:
        return Edit(at, at + 1, "" if text.startswith("\n", at + 1) else "\n", "")
    return Edit(at, at + 1, show(char), "control-character" if CONTROL.match(char) else "hidden-character")


def _hiding(text: str, secret: Secret, single: bool) -> Edit:
    """A key or token by its kind alone. It takes up as many lines as before, so that every line keeps its number."""
    lines = "" if single else "\n" * text.count("\n", secret.start, secret.end)
    return Edit(secret.start, secret.end, secret.written + lines, SECRET)


def _hidden(text: str, at: int) -> Edit:
    return Edit(at, at + 1, show(text[at]), "hidden-character")


def _frames(text: str, marks: Marks, guard: Guard) -> Iterator[Edit]:
    tokens = set(marks.tokens)
    for at in sorted({tag.at for tag in marks.tags if tag.at not in tokens and guard.frames(tag, text)}):
        yield Edit(at, at + 1, ENTITIES.get(text[at]) or f"&#x{ord(text[at]):X};", "contained-tag")
    for at in tokens:
        yield Edit(at, at + 1, ENTITIES[text[at]], "contained-token")
    for at, line in marks.headings:
        begun = guard.unfinished and marks.tail == (at, line)
        if guard.heads(line) or (begun and guard.may_head(line)):
            yield Edit(at, at + 1, "\\" + text[at], "contained-heading")


def _told(text: str, secrets: tuple[Secret, ...], shows: bool) -> Iterator[Contained]:
    """One for each secret; of very many, the last stands for the rest."""
    for number, secret in enumerate(secrets[:MOST], 1):
        times = len(secrets) - MOST + 1 if number == MOST else 1
        yield Contained("secret", times, *place_at(text, secret.start), secret.kind, shows)


def _summed(text: str, edits: list[Edit]) -> Iterator[Contained]:
    for code in MESSAGES:
        found = [edit.at for edit in edits if edit.code == code]
        if found:
            words = hidden_words("".join(text[at] for at in found)) if code == "hidden-character" else ""
            yield Contained(code, len(found), *place_at(text, found[0]), words)
