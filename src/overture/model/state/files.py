"""Texts that came from files: project context, workspace files, skills, overrides."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct
from msgspec.structs import force_setattr

from ...text.normalize import tidy
from ..source import Source, from_file
from ..struct import Frozen, note

MAX_WORDLESS_CHARS = 3
"""Characters of a line that may be a fence, a rule or a bracket: two files that share it share nothing."""


class Document(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A whole file. Its content is tidied on entry: no BOM, LF line ends, no blank lines around it."""

    path: str
    content: str

    def __post_init__(self) -> None:
        text, skipped = tidy(self.content)
        if text is not self.content:
            force_setattr(self, "content", text)
            force_setattr(self, "line", self._get_start_line() + skipped)

    def _get_start_line(self) -> int:
        raise NotImplementedError

    @property
    def where(self) -> Source:
        """The source of a file's text, from the line at which its content begins."""
        return from_file(self.path, self._get_start_line())


class Piece(Frozen, frozen=True):
    """A part of a text that came from several files, or that was stripped."""

    text: str
    path: Annotated[str | None, note("its file; none: text that the agent adds")] = None
    line: Annotated[int, note("its first line in that file")] = 1


class TextFile(Document, frozen=True):
    """A project file such as AGENTS.md."""

    kind: Annotated[str | None, note("the kind of file, if the recipe distinguishes them")] = None
    line: Annotated[int, note("the line of the file at which content begins")] = 1
    outside: Annotated[bool, note("it is outside the repository")] = False
    pieces: Annotated[tuple[Piece, ...], note("the parts of content, if it is not one part of one file")] = ()
    called: Annotated[str, note("the agent's name for it, if not its file name")] = ""
    shown: Annotated[str, note("the path that the agent writes, if not its own")] = ""
    said: Annotated[str | None, note("the description that the agent loads, if it loads only that")] = None
    said_line: Annotated[int, note("the line of the description")] = 1

    @property
    def all_pieces(self) -> tuple[Piece, ...]:
        """The pieces of content; a content of one part is one piece."""
        return self.pieces or (Piece(self.content, self.path, self.line),)

    def _get_start_line(self) -> int:
        return self.line


class WorkspaceFile(Document, frozen=True):
    """AGENTS.md or TOOLS.md of the data directory."""

    name: str
    line: Annotated[int, note("the line of the file at which content begins")] = 1

    def _get_start_line(self) -> int:
        return self.line


MAX_DESCRIPTION_CHARS = 1024
"""Characters of a description that a menu shows."""


class Skill(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A skill: its name and description are listed; the rest of its SKILL.md is loaded on demand."""

    name: str
    description: str
    location: Annotated[str, note("path of its SKILL.md")]
    source: Annotated[str | None, note("where it came from; Moltis prints it")] = None
    body: Annotated[str | None, note("its full instructions")] = None
    disable_model_invocation: Annotated[bool, note("not listed for the model")] = False
    license: str | None = None
    compatibility: str | None = None
    allowed_tools: tuple[str, ...] | None = None
    metadata: dict[str, str] | None = None
    line: Annotated[int, note("the line of its description")] = 1
    called: Annotated[str, note("its name in the agent's list, if not its own name")] = ""

    @property
    def where(self) -> Source:
        """The source of a skill: its SKILL.md, from the line of its description."""
        return self.where_values()

    def where_values(self, values: str | None = None) -> Source:
        """The same for an entry in which the skill's own words are the groups of a pattern."""
        return Source("file", self.location, self.line, None, values, True)


class Overrides(Frozen, frozen=True):
    """SYSTEM.md and APPEND_SYSTEM.md. An empty text clears that part of the prompt; an absent one does not."""

    system: Annotated[str | None, note("the text of SYSTEM.md, which replaces the base")] = None
    append: Annotated[str | None, note("the text of APPEND_SYSTEM.md")] = None
