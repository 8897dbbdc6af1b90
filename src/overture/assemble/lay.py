"""Body -> pieces of text, each with its source; text from files is contained on the way."""

from msgspec import structs

from ..model.body import Body, Group, Part, Skip
from ..model.diagnostic import Diagnostic
from ..model.recipe import Recipe
from ..model.scan import PLAIN
from ..model.section import Section
from ..model.source import Source
from .contain import Guard, contain, guard_of, reports

Piece = tuple[str, Source]


class Layer:
    """Lays the pieces of one block side by side. Lives for one call of `say`."""

    def __init__(self, recipe: Recipe, section: Section) -> None:
        self.guard: Guard = guard_of(recipe.tags, recipe.headings)
        self.section = section
        self.own = recipe.sources[section.name]
        self.pieces: list[Piece] = []
        self.notes: list[Diagnostic] = []
        self.reason = "it has nothing to say"

    def lay_framed(self, body: Body) -> None:
        """Lay the body and, if it says anything, the section's frame around it."""
        if isinstance(body, Skip):
            self.reason = body.reason
            self.notes += body.notes
            return
        if body is None:
            return
        frame = self.section.frame
        if frame is None:
            self.lay(body)
        else:
            self.lay(Group((body,), before=frame.before, after=frame.after))

    def lay(self, body: str | Part | Group) -> bool:
        """Lay one node; whether it said anything."""
        if isinstance(body, Part):
            return self._lay_part(body)
        if isinstance(body, Group):
            return self._lay_group(body)
        if body:
            self.pieces.append((body, self.own))
        return bool(body)

    def _lay_part(self, part: Part) -> bool:
        text = part.text
        if not text:
            return False
        if part.marks is not PLAIN and not part.trusted:
            text = self._contained(part)
        if part.before:
            self.pieces.append((part.before, self.own))
        self.pieces.append((text, part.source or self.own))
        if part.after:
            self.pieces.append((part.after, self.own))
        return True

    def _contained(self, part: Part) -> str:
        text, found = contain(part.text, part.marks, self.guard.extended(part.guard))
        if found:
            self.notes += reports(found, part)
        return text

    def _lay_group(self, group: Group) -> bool:
        pieces = self.pieces
        start = len(pieces)
        if group.before:
            pieces.append((group.before, self.own))
        sep = (group.sep, self.own)
        empty = True
        for node in group.parts:
            if not empty:
                pieces.append(sep)
            if self._lay_part(node) if type(node) is Part else self.lay(node):
                empty = False
            elif not empty:
                pieces.pop()
        self.notes += group.notes
        if empty:
            del pieces[start:]
            return False
        if group.after:
            pieces.append((group.after, self.own))
        return True

    def trim(self) -> None:
        """A block begins and ends with a character that is not blank, whatever it was made from."""
        pieces = self.pieces
        while pieces and not pieces[0][0].strip():
            pieces.pop(0)
        while pieces and not pieces[-1][0].strip():
            pieces.pop()
        if pieces:
            text, source = pieces[0]
            if text[0].isspace():
                pieces[0] = _from_first_word(text, source)
            text, source = pieces[-1]
            if text[-1].isspace():
                pieces[-1] = text.rstrip(), source


def _from_first_word(text: str, source: Source) -> Piece:
    kept = text.lstrip()
    lines = text.count("\n", 0, len(text) - len(kept))
    if lines and source.line is not None:
        source = structs.replace(source, line=source.line + lines)
    return kept, source
