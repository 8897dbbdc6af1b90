"""What was done to a text -> diagnostics: what, how often, in which file and on which line."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...model.diagnostic import Diagnostic, warning
from ...model.source import Source
from ...model.state.files import Origin
from ...text.secrets.find import hide_secrets

MESSAGES = {
    "contained-tag": "text that looks like a tag of this prompt: its `<` is written `&lt;`",
    "contained-token": "a model's control token: its first character is written as an entity",
    "contained-heading": r"a line that equals a heading of this prompt: it is written with `\`",
    "hidden-character": r"an invisible character: it is shown as `\u{…}`",
    "control-character": r"a control character: it is shown as `\u{…}`",
    "contained-fence": r"text that would end a code block of this prompt: its fences are written with `\`",
    "open-fence": "a code block that is never closed: it is closed where the text ends",
    "unclosed-fence": "a code block that is never closed: it takes in what follows in the prompt; close it",
}


class Contained(NamedTuple):
    """What was done to a text: how often each kind of edit, and the place of its first."""

    code: str
    times: int
    line: int
    column: int | None = None
    words: str = ""
    """What hidden characters spell, or of which kind a secret is."""
    shows: bool = False
    """Whether a secret is left as it is."""

    @property
    def message(self) -> str:
        """In words: what it was, how often, and what was hidden; of a secret its kind, and nothing of itself."""
        if self.code == "secret":
            rest = f", and {self.times - 1} more" if self.times > 1 else ""
            done = "it is left as it is" if self.shows else f"it is written `[secret: {self.words}]`"
            advice = "take it out of here, and replace it if others saw it"
            return f"{_article(self.words)} {self.words}{rest}: {done}; {advice}"
        spelt = f'; they spell "{hide_secrets(self.words)}"' if self.words else ""
        return MESSAGES[self.code] + (f" ({self.times} times)" if self.times > 1 else "") + spelt


def _article(kind: str) -> str:
    return "an" if kind[0] in "AaOo" and kind != "OAuth" else "a"


def reports(
    found: tuple[Contained, ...], source: Source | None, name: str, origins: Mapping[str, Origin]
) -> Iterator[Diagnostic]:
    """One diagnostic for each kind of edit in a part; a field that was read from a file counts as that file."""
    origin = origins.get(source.name or "") if source is not None else None
    for each in found:
        code, line = each.code, each.line
        if source is not None and origin is not None:
            # A field without a line is one line of its file, however many it holds: so a text in JSON.
            further = source.line + line - 2 if source.line is not None else 0
            yield warning(code, each.message, origin.path, origin.line + further)
        elif source is not None and source.kind == "file":
            at, column = (0, None) if source.pinned else (line - 1, each.column)
            yield warning(code, each.message, source.path, (source.line or 1) + at, column)
        else:
            where = f"{source.name}: " if source is not None else f"{name}: " if name else ""
            yield warning(code, where + each.message)
