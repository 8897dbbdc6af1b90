"""Every text enters a prompt, a message or a request's tools through one of these functions, as SafeText.

They take the text of a section, a hook or a program, and return it with a record of the changes. Blocks accept only
SafeText, and no other module makes it.

First secrets: each becomes `[secret: kind]`, unless the guard shows secrets. Then characters: control characters and
needless invisible ones become their code points, a carriage return becomes a line end. Then frames: `<` becomes
`&lt;` where it would open or close a tag of the prompt, or begin a control token; a line that equals a heading of the
prompt gets a backslash. Line breaks stay, so that every line keeps its number. Contained text does not change when
it is contained again.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from ...model.diagnostic import Diagnostic, warning
from ...model.recipe.section import Frame
from ...model.safe_text import SafeText, SafeTool
from ...model.source import Origin, Source
from ...model.tool import Tool
from ...text.escape import TOKEN_ENTITIES
from ...text.fences_and_headings import first_line, plain_heading
from ...text.invisible import decode_hidden_words, escape_char, find_invisible
from ...text.normalize import BREAKS, CONTROL, find_controls, position_at, replace_spans
from ...text.scan_for_marks import Marks, scan
from ...text.secrets.find_and_hide import find_secrets, hide_secrets
from ...text.secrets.quick_check import Secret
from ...text.words import choose_article
from .forbidden_frames import Guard

MESSAGES = {
    "contained-tag": "text that looks like a tag of this prompt: its `<` is written as `&lt;`",
    "contained-token": "a model's control token: its first character is written as an entity",
    "contained-heading": r"a line that equals a heading of this prompt: it is escaped with `\`",
    "hidden-character": r"an invisible character: it is written as `\u{…}`",
    "control-character": r"a control character: it is written as `\u{…}`",
    "contained-fence": r"text that would end a code block of this prompt: its fences are escaped with `\`",
    "open-fence": "a code block that is never closed: it is closed where the text ends",
    "unclosed-fence": "a code block that is never closed: it includes the rest of the prompt; close it",
}


class Containment(NamedTuple):
    """One kind of edit in a text: how often, and the position of the first."""

    code: str
    times: int
    line: int
    column: int | None = None
    words: str = ""
    """What hidden characters spell, or the kind of a secret."""
    shows: bool = False
    """Whether a secret is not changed."""

    @property
    def message(self) -> str:
        """A sentence: what was changed, how often, and what was hidden; of a secret, only its kind."""
        if self.code == "secret":
            rest = f", and {self.times - 1} more" if self.times > 1 else ""
            done = "it is not changed" if self.shows else f"it is written `[secret: {self.words}]`"
            advice = "remove it, and rotate it if others could see it"
            return f"{choose_article(self.words)} {self.words}{rest}: {done}; {advice}"
        spelling = f'; they spell "{hide_secrets(self.words)}"' if self.words else ""
        return MESSAGES[self.code] + (f" ({self.times} times)" if self.times > 1 else "") + spelling


def report_containments(
    containments: tuple[Containment, ...], source: Source | None, name: str, origins: Mapping[str, Origin]
) -> Iterator[Diagnostic]:
    """One diagnostic for each kind of edit in a part, at the file that a field was read from."""
    origin = origins.get(source.name or "") if source is not None else None
    for each in containments:
        code, line = each.code, each.line
        if source is not None and origin is not None:
            # A field without a line is one line of its file, even if it has more, as a string in JSON.
            further = source.line + line - 2 if source.line is not None else 0
            yield warning(code, each.message, origin.path, origin.line + further)
        elif source is not None and source.kind == "file":
            at, column = (0, None) if source.pinned else (line - 1, each.column)
            yield warning(code, each.message, source.path, (source.line or 1) + at, column)
        else:
            where = f"{source.name}: " if source is not None else f"{name}: " if name else ""
            yield warning(code, where + each.message)


SECRET = "secret"
MAX_REPORTED_SECRETS = 50
"""Secrets of one text that are reported one by one."""


class Replacement(NamedTuple):
    """A range of characters, the text that replaces it, and why."""

    at: int
    end: int
    text: str
    code: str


def contain(text: str, guard: Guard, single: bool = False) -> tuple[str, tuple[Containment, ...]]:
    """Neutralise in `text` what `guard` forbids; the result is the same object if nothing changes.

    A `single` text has to stay on one line: a line break is shown like a hidden character.
    """
    marks = scan(text)
    if marks.plain and not single:
        return text, ()
    edits = find_edits(text, guard, single, marks)
    if not edits and not marks.secrets:
        return text, ()
    return apply_edits(text, edits), (*_record_secrets(text, marks.secrets, guard.shows), *_record_edits(text, edits))


def find_edits(text: str, guard: Guard, single: bool = False, marks: Marks | None = None) -> list[Replacement]:
    """The replacements that a text needs, in order."""
    marks = scan(text) if marks is None else marks
    if not marks.secrets or guard.shows:
        return _find_character_edits(text, marks, guard, single)
    first = [_hide_secret(text, secret, single) for secret in marks.secrets]
    hidden = apply_edits(text, first)
    return sorted([*first, *_move_edits(first, _find_character_edits(hidden, scan(hidden), guard, single))])


def _find_character_edits(text: str, marks: Marks, guard: Guard, single: bool) -> list[Replacement]:
    """The edits that neutralise control and hidden characters, and then frames."""
    breaks = [m.start() for m in BREAKS.finditer(text)] if single else marks.controls
    if not (breaks or marks.hidden):
        if _is_harmless(marks, guard):
            return []
        return sorted(_find_frames(text, marks, guard))
    first = sorted(
        [
            *(_show_control(text, at, single) for at in breaks),
            *(Replacement(at, at + 1, escape_char(text[at]), "hidden-character") for at in marks.hidden),
        ]
    )
    cleaned = apply_edits(text, first)
    marks = scan(cleaned)
    if _is_harmless(marks, guard):
        return first
    return sorted([*first, *_move_edits(first, sorted(_find_frames(cleaned, marks, guard)))])


def apply_edits(text: str, edits: list[Replacement]) -> str:
    """`text` with its edits."""
    return replace_spans(text, (edit[:3] for edit in edits))


def _move_edits(first: list[Replacement], then: list[Replacement]) -> Iterator[Replacement]:
    """Edits of a text that is already edited, as edits of the original text."""
    gained = [0, *accumulate(len(edit.text) - edit.end + edit.at for edit in first)]
    done = 0
    for edit in then:
        while done < len(first) and first[done].at + gained[done] < edit.at:
            done += 1
        yield edit._replace(at=edit.at - gained[done], end=edit.end - gained[done])


def contain_author(text: str, shows: bool = False) -> tuple[str, tuple[Containment, ...]]:
    """The text of the agent's author: only control characters and secrets are changed."""
    edits, secrets = find_author_edits(text, shows)
    if not edits and not secrets:
        return text, ()
    return apply_edits(text, edits), (*_record_secrets(text, secrets, shows), *_record_edits(text, edits))


def find_author_edits(text: str, shows: bool = False) -> tuple[list[Replacement], tuple[Secret, ...]]:
    """The replacements that a text of the author needs, in order, and the secrets in it."""
    controls = find_controls(text)
    secrets = find_secrets(text, sorted([*controls, *find_invisible(text)]))
    first = [] if shows else [_hide_secret(text, secret, False) for secret in secrets]
    if not first:
        return [_show_control(text, at, False) for at in controls], secrets
    hidden = apply_edits(text, first)
    return sorted(
        [*first, *_move_edits(first, [_show_control(hidden, at, False) for at in find_controls(hidden)])]
    ), secrets


def _is_harmless(marks: Marks, guard: Guard) -> bool:
    return not marks.tokens and guard.names.isdisjoint(marks.names) and not (marks.tail and guard.guards_headings)


def _show_control(text: str, at: int, single: bool) -> Replacement:
    """Make a control character or line break visible; unless `single`, a carriage return becomes a line end."""
    char = text[at]
    if char == "\r" and not single:
        return Replacement(at, at + 1, "" if text.startswith("\n", at + 1) else "\n", "")
    return Replacement(
        at, at + 1, escape_char(char), "control-character" if CONTROL.match(char) else "hidden-character"
    )


def _hide_secret(text: str, secret: Secret, single: bool) -> Replacement:
    """Replace a secret with its kind. The number of lines stays, so that every line keeps its number."""
    lines = "" if single else "\n" * text.count("\n", secret.start, secret.end)
    return Replacement(secret.start, secret.end, secret.written + lines, SECRET)


def _find_frames(text: str, marks: Marks, guard: Guard) -> Iterator[Replacement]:
    """The edits that neutralise tags, control tokens and headings."""
    tokens = set(marks.tokens)
    for at in sorted({tag.at for tag in marks.tags if tag.at not in tokens and guard.is_frame(tag, text)}):
        yield Replacement(at, at + 1, TOKEN_ENTITIES.get(text[at]) or f"&#x{ord(text[at]):X};", "contained-tag")
    for at in tokens:
        yield Replacement(at, at + 1, TOKEN_ENTITIES[text[at]], "contained-token")
    for at, line in marks.headings:
        is_begun = guard.unfinished and marks.tail == (at, line)
        if guard.is_heading(line) or (is_begun and guard.may_become_heading(line)):
            yield Replacement(at, at + 1, "\\" + text[at], "contained-heading")


def _record_secrets(text: str, secrets: tuple[Secret, ...], shows: bool) -> Iterator[Containment]:
    """One record for each secret; of very many, the last counts the rest."""
    for number, secret in enumerate(secrets[:MAX_REPORTED_SECRETS], 1):
        times = len(secrets) - MAX_REPORTED_SECRETS + 1 if number == MAX_REPORTED_SECRETS else 1
        yield Containment("secret", times, *position_at(text, secret.start), secret.kind, shows)


def _record_edits(text: str, edits: list[Replacement]) -> Iterator[Containment]:
    for code in MESSAGES:
        positions = [edit.at for edit in edits if edit.code == code]
        if positions:
            words = decode_hidden_words("".join(text[at] for at in positions)) if code == "hidden-character" else ""
            yield Containment(code, len(positions), *position_at(text, positions[0]), words)


SafeResult: TypeAlias = tuple[SafeText, tuple[Containment, ...]]
"""A sanitized text, and what was changed in it."""
MAX_TAG_CHARS = 200
"""Characters of a tag that are checked."""
CUT_OFF = re.compile(r"\\(?:u(?:\{[0-9A-F]*)?)?\Z")
"""A truncated escape at the end of the checked text: it would pass for letters of the tag's name."""


def sanitize(text: str, guard: Guard, *, single: bool = False) -> SafeResult:
    """Sanitize untrusted text: it can't write a frame of the prompt or a control token, nor hide anything."""
    clean, containments = contain(text, guard, single)
    return SafeText(clean), containments


def sanitize_with_edits(text: str, guard: Guard, *, single: bool) -> tuple[SafeText, list[Replacement]]:
    """Sanitize untrusted text, and list each edit: for the source map of a prompt that is already built."""
    edits = find_edits(text, guard, single)
    return SafeText(apply_edits(text, edits)), edits


def sanitize_author(text: str, *, shows: bool) -> SafeResult:
    """Sanitize text of the agent's author: only control characters and secrets are changed."""
    clean, containments = contain_author(text, shows)
    return SafeText(clean), containments


def mark_safe(text: str) -> SafeText:
    """Text that is sanitized already."""
    return SafeText(text)


def ends_in_tag(text: str) -> bool:
    """Whether words end within a tag, which the following text continues."""
    at = text.rfind("<")
    return at >= 0 and text.find(">", at) < 0


def sanitize_in_heading(above: SafeText, text: SafeText, after: str, guard: Guard) -> tuple[SafeResult, bool]:
    """Sanitize text that continues a heading begun above it: it can't become a heading of the prompt.

    Also return whether the text after it may still make it one.
    """
    line_start = above[above.rfind("\n") + 1 :]
    framed, goes_on = _is_heading(line_start, text[:MAX_TAG_CHARS], after, guard)
    if not framed or not text:
        return (text, ()), goes_on
    return (SafeText(f"\\{text}"), (Containment("contained-heading", 1, 1, 1),)), False


def _is_heading(line_start: str, text: str, after: str, guard: Guard) -> tuple[bool, bool]:
    """Whether a line is a guarded heading, with or without the words after it; and whether it may become one."""
    first, ended = first_line(line_start + text)
    line = plain_heading(first)
    lines = [line, plain_heading(first + first_line(after)[0])]
    return any(map(guard.is_heading, lines)), not ended and guard.may_become_heading(line)


def sanitize_in_tag(above: SafeText, text: SafeText, guard: Guard) -> SafeResult:
    """Sanitize text that continues a tag begun above it: it can't become a tag of the prompt."""
    tag_start = above[above.rfind("<") :]
    tag = CUT_OFF.sub("", (tag_start + text)[:MAX_TAG_CHARS])
    if not text or not _is_frame(tag, guard) or _is_frame(tag_start[:MAX_TAG_CHARS], guard._replace(unfinished=False)):
        return text, ()
    return SafeText(f"&#x{ord(text[0]):X};{text[1:]}"), (Containment("contained-tag", 1, 1, 1),)


def _is_frame(text: str, guard: Guard) -> bool:
    """Whether a text begins with a tag that is read as a frame."""
    return any(mark.at == 0 and guard.is_frame(mark, text) for mark in scan(text).tags)


def sanitize_frame(frame: Frame) -> tuple[SafeText, SafeText]:
    """The frame above and below a section, which no other text may write."""
    return SafeText(frame.before), SafeText(frame.after)


def sanitize_tool(tool: Tool) -> SafeTool:
    """The SafeTool of a tool whose texts are all sanitized."""
    about = None if tool.description is None else SafeText(tool.description)
    return SafeTool(SafeText(tool.name), about, tool.parameters, tool.signature, tool.strict)
