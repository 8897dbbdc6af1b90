"""Finds what sanitizing changes: forged frames, control tokens, hidden characters; and secrets."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import partial

from ...assemble.sanitize.forbidden_frames import EMPTY_GUARD, message_guard, prompt_guard
from ...assemble.sanitize.sanitize import Replacement as Neutralised
from ...assemble.sanitize.sanitize import contain, find_edits
from ...lazy import cached
from ...text.invisible import decode_hidden_words
from ...text.scan_for_marks import Marks, scan
from ...text.words import count_noun, join_words
from ..findings_and_input import CheckedFile, CheckInput, Finding, Severity, TextEdit
from ..read_markdown import MarkdownLine
from ..rules_by_code import CheckRule

FRAMES = frozenset(("contained-tag", "contained-heading", "contained-fence", "contained-separator", "contained-break"))
TURNS = ("<|", "<\uff5c", "<<SYS", "<</SYS", "[INST", "[/INST", "<start_of_turn", "<end_of_turn")
"""Prefixes of tokens that are never accidental; `<s>` strikes words out, too."""
CLOSING = re.compile(r"<\s*+/\s*+([\w-]{1,80})")
TAG_NAME = re.compile(r"<[\s/]*+([\w-]{1,80})")
OPENING = re.compile(r"<([\w-]{1,80})")
WORDS = {
    "contained-tag": "`{text}` looks like a tag of the prompt: its `<` is sent as `&lt;`",
    "contained-heading": "this line looks like a heading of the prompt: it is sent with a `\\` before it",
    "contained-token": "`{text}` is a control token of some models: it is sent as text",
    "hidden-character": "{count} that readers do not see: {they} sent as {text}{spelt}",
    "control-character": "a control character: it is sent as `{text}`",
}
MAX_FORMS = 3
"""Of hidden characters that are named in a message."""


def find_neutralised(inputs: CheckInput, codes: frozenset[str], code: str, severity: Severity) -> Iterator[Finding]:
    """Each location of these kinds in a file, and each report without a known file."""
    notes = [note for note in inputs.prompt.diagnostics if note.code in codes]
    reported = {note.path for note in notes}
    placed = {page.path for page in inputs.pages if page.is_unreadable}
    for page, edits in list_neutralised(inputs):
        # For a file that is whole in the prompt, the record is complete.
        there = [edit for edit in edits if edit.code in codes]
        if there and (page.path in reported or page.path not in find_whole_files(inputs)):
            placed.add(page.path)
            yield from _make_line_findings(page, there, code, severity)
    for note in notes:
        if note.path not in placed:
            # A short report has no details, so that its severity is unknown.
            lower: Severity = "warning" if severity == "error" else severity
            yield Finding(code, lower, note.message, note.path, note.line, note.column)


@cached
def find_page_marks(page: CheckedFile) -> Marks:
    """The marks in a page, for any recipe: searched once."""
    return scan(page.text)


@cached
def list_neutralised(inputs: CheckInput) -> tuple[tuple[CheckedFile, list[Neutralised]], ...]:
    """What sanitizing changes in each page, or would change when the page is sent."""
    pages = [page for page in inputs.pages if not page.is_unreadable]
    return tuple((page, list(_find_sanitizing_edits(inputs, page))) for page in pages)


def _find_sanitizing_edits(inputs: CheckInput, page: CheckedFile) -> Iterator[Neutralised]:
    """What sanitizing would change in a page: by the frames of this recipe, or the characters alone."""
    if page.path in find_whole_files(inputs):
        guard = prompt_guard(inputs.prompt)
    else:
        # What this recipe does not read, another agent may: its frames are not known, the characters are the same.
        guard = message_guard(inputs.prompt) if page.read else EMPTY_GUARD
    for edit in find_edits(page.text, guard):
        # A mark of the byte order at the very beginning is no character of the text.
        if not (edit.at == 0 and page.text[0] == "\ufeff"):
            yield edit


@cached
def find_whole_files(inputs: CheckInput) -> frozenset[str | None]:
    """The files that are whole in the prompt."""
    state = inputs.prompt.state
    return frozenset(file.path for file in (*state.context_files, *state.workspace_files))


def _make_line_findings(
    page: CheckedFile, edits: list[Neutralised], code: str, severity: Severity
) -> Iterator[Finding]:
    """One finding for each line with unsafe text, at its first location."""
    rows = page.lines
    starts = [row.start for row in rows]
    by_line: dict[tuple[int, str], list[Neutralised]] = {}
    for edit in edits:
        by_line.setdefault((bisect_right(starts, edit.at), edit.code), []).append(edit)
    for (line, kind), there in by_line.items():
        row = rows[line - 1]
        # Of a file that is not UTF-8 the text is not what its bytes say: `--fix` can't write it back.
        hidden = there if kind == "hidden-character" and page.wrong_encoding is None else ()
        fix = tuple(TextEdit(edit.at, edit.at + 1, "") for edit in hidden)
        bad = _choose_edit_severity(severity, kind, page, there, row)
        yield Finding(
            code, bad, _describe_edits(page.text, kind, there), page.path, line, there[0].at - row.start + 1, fix
        )


def _choose_edit_severity(
    severity: Severity, kind: str, page: CheckedFile, edits: list[Neutralised], row: MarkdownLine
) -> Severity:
    """An error can hardly be an accident: invisible words, a turn of a chat, the end of a frame."""
    if severity != "error":
        return severity
    if kind == "hidden-character":
        return "error" if decode_hidden_words(_join_edited_characters(page.text, edits)) else "warning"
    if kind == "contained-heading" or (kind == "contained-tag" and all(_is_own_tag(page, edit.at) for edit in edits)):
        return "info"
    shown = row.sort in ("code", "fence") or any(span.start <= edits[0].at - row.start < span.end for span in row.spans)
    return "error" if not shown and any(_is_meant(kind, page, edit.at) for edit in edits) else "warning"


def _is_meant(kind: str, page: CheckedFile, at: int) -> bool:
    """A token of a chat's turns; a closing tag of what the text has not opened."""
    if kind == "contained-token":
        return page.text.startswith(TURNS, at)
    closing = CLOSING.match(page.text, at) if kind == "contained-tag" else None
    return closing is not None and _find_opening_tags(page).get(closing[1].lower(), at) >= at


def _is_own_tag(page: CheckedFile, at: int) -> bool:
    """Whether a tag is the author's own, and needs no new name.

    The page opens and closes it; or it is a placeholder, amid other words and never closed.
    """
    name = TAG_NAME.match(page.text, at)
    if name is None:
        return False
    word = name[1].lower()
    is_closed = f"</{word}" in page.text.lower()
    alone = page.text[page.text.rfind("\n", 0, at) + 1 : at].strip() == ""
    return word in _find_balanced_tags(page) or not (is_closed or alone or "/" in name[0])


@cached
def _find_balanced_tags(page: CheckedFile) -> frozenset[str]:
    """The tags that a page closes as often as it opens them, and never before."""
    depths: dict[str, int] = {}
    broken: set[str] = set()
    for match in TAG_NAME.finditer(page.text):
        name = match[1].lower()
        depths[name] = depths.get(name, 0) + (-1 if "/" in match[0] else 1)
        if depths[name] < 0:
            broken.add(name)
    return frozenset([name for name, depth in depths.items() if not depth]) - broken


@cached
def _find_opening_tags(page: CheckedFile) -> dict[str, int]:
    positions: dict[str, int] = {}
    for match in OPENING.finditer(page.text):
        positions.setdefault(match[1].lower(), match.start())
    return positions


def _describe_edits(text: str, kind: str, edits: list[Neutralised]) -> str:
    first = edits[0]
    if kind == "hidden-character":
        words = decode_hidden_words(_join_edited_characters(text, edits))
        count = count_noun(len(edits), "character")
        they = "it is" if len(edits) == 1 else "they are"
        spelling = f'; they spell "{words}"' if words else ""
        forms = [f"`{form}`" for form in dict.fromkeys(edit.text for edit in edits)]
        shown = join_words([*forms[:MAX_FORMS], *(["others"] if forms[MAX_FORMS:] else [])])
        return WORDS[kind].format(count=count, they=they, text=shown, spelt=spelling)
    shown = first.text if kind == "control-character" else _extract_excerpt(text, first.at)
    more = f" ({len(edits)} times on this line)" if len(edits) > 1 else ""
    return WORDS[kind].format(text=shown) + more


def _join_edited_characters(text: str, edits: list[Neutralised]) -> str:
    return "".join(text[edit.at] for edit in edits)


def _extract_excerpt(text: str, at: int) -> str:
    cut = text[at : at + 40].partition("\n")[0]
    ends = [cut.find(end) + len(end) for end in (">", "]") if end in cut]
    return cut[: min(ends)] if ends else cut


SECRET_CODE = "secret"


def check_secrets(inputs: CheckInput) -> Iterator[Finding]:
    """Each by its location and its kind; the message contains nothing of the secret itself."""
    reported = set()
    for note in inputs.prompt.diagnostics:
        if note.code == SECRET_CODE:
            reported.add((note.path, note.line))
            yield Finding(SECRET_CODE, "error", note.message, note.path, note.line, note.column)
    for page in inputs.pages:
        if page.path not in find_whole_files(inputs):
            for each in contain(page.text, EMPTY_GUARD)[1]:
                if each.code == SECRET_CODE and (page.path, each.line) not in reported:
                    yield Finding(SECRET_CODE, "error", each.message, page.path, each.line, each.column)


def _make_sanitizing_rule(code: str, severity: Severity, title: str, *takes: str) -> CheckRule:
    codes = frozenset(takes)
    return CheckRule(code, severity, title, partial(find_neutralised, codes=codes, code=code, severity=severity), codes)


RULES = (
    _make_sanitizing_rule("forged-frame", "error", "text that looks like a tag or heading of the prompt", *FRAMES),
    _make_sanitizing_rule("control-token", "error", "a model's control token in a file", "contained-token"),
    _make_sanitizing_rule("hidden-character", "error", "invisible characters", "hidden-character"),
    _make_sanitizing_rule("control-character", "warning", "control characters in a file", "control-character"),
    _make_sanitizing_rule("open-fence", "warning", "a code block that is never closed", "open-fence", "unclosed-fence"),
    CheckRule(SECRET_CODE, "error", "a key or a token", check_secrets, frozenset((SECRET_CODE,))),
)
