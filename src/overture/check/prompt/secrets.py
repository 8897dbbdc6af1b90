"""Keys and tokens: those that the gate found on their way into the prompt, and those in files that are sent later."""

from collections.abc import Iterator

from ...assemble.gate.foreign_text import contain
from ...assemble.gate.guard import NOBODY
from ..finding import Finding
from ..ground import Ground
from ..rule import Rule
from .gate import SENT, marks_of, said_whole

CODE = "secret"


def look(ground: Ground) -> Iterator[Finding]:
    """Each by its place and its kind; nothing of the secret itself is said."""
    places = set()
    for note in ground.prompt.diagnostics:
        if note.code == CODE:
            places.add((note.path, note.line))
            yield Finding(CODE, "error", note.message, note.path, note.line, note.column)
    for page in ground.pages:
        if page.kind in SENT and page.path not in said_whole(ground):
            for each in contain(page.text, marks_of(page), NOBODY)[1]:
                if each.code == CODE and (page.path, each.line) not in places:
                    yield Finding(CODE, "error", each.message, page.path, each.line, each.column)


RULES = (Rule(CODE, "error", "a key or a token", look, frozenset((CODE,))),)
