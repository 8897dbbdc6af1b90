"""Finds what people do not see in a text and models read, keys and tokens, and files that are not UTF-8."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from ..text.escape import find_control_tokens
from ..text.fences_and_headings import find_open_fence
from ..text.invisible import decode_hidden_words, escape_char, find_invisible
from ..text.normalize import find_controls, position_at
from ..text.secrets.find_and_hide import find_secrets
from ..text.words import choose_article, count_noun, join_words
from .findings import Finding, Severity, TextEdit
from .input import CheckedFile, CheckInput
from .markdown import MarkdownLine

TURNS = ("<|", "<\uff5c", "<<SYS", "<</SYS", "[INST", "[/INST", "<start_of_turn", "<end_of_turn")
"""Prefixes of tokens that are never accidental; `<s>` strikes words out, too."""
MAX_FORMS = 3
"""Of hidden characters that are named in a message."""
MAX_NAMED_AGENTS = 3
OPEN_FENCE = "this code block is never closed: what an agent loads after this file becomes part of it; close it"
HIDDEN = "hidden-text"


def explain_sending(page: CheckedFile, them: str = "it") -> str:
    """`: Codex sends it as it is`: what the agents do that get a file; nothing where none is known."""
    named = [*page.agents[:MAX_NAMED_AGENTS], *["others"] * (len(page.agents) > MAX_NAMED_AGENTS)]
    send = "sends" if len(named) == 1 else "send"
    return f": {join_words(named)} {send} {them} as {'they are' if them == 'them' else 'it is'}" if named else ""


class HiddenPlace(NamedTuple):
    """Where something is that readers do not see."""

    at: int
    kind: str


def check_hidden_text(inputs: CheckInput) -> Iterator[Finding]:
    """Invisible and control characters, control tokens of models, a code block without an end: one for each line."""
    for page in (*inputs.pages, *inputs.settings):
        if page.is_unreadable:
            continue
        places = sorted(_list_hidden(page.text))
        yield from _group_by_line(page, places) if places else ()
        if page.kind != "settings" and (fence := find_open_fence(page.text)):
            yield Finding(HIDDEN, "note", OPEN_FENCE, page.path, fence.line or None)


def _list_hidden(text: str) -> Iterator[HiddenPlace]:
    # A mark of the byte order at the very beginning is no character of the text.
    yield from (HiddenPlace(at, "character") for at in find_invisible(text) if at or text[0] != "\ufeff")
    yield from (HiddenPlace(at, "token") for at in find_control_tokens(text))
    yield from (HiddenPlace(at, "control") for at in find_controls(text) if text[at] != "\r")


def _group_by_line(page: CheckedFile, places: list[HiddenPlace]) -> Iterator[Finding]:
    rows, by_line = page.lines, dict[tuple[int, str], list[int]]()
    starts = [row.start for row in rows]
    for at, kind in places:
        by_line.setdefault((bisect_right(starts, at), kind), []).append(at)
    for (line, kind), there in by_line.items():
        row, text = rows[line - 1], page.text
        make = partial(Finding, HIDDEN, path=page.path, line=line, column=there[0] - row.start + 1)
        if kind == "character":
            # Of a file that is not UTF-8 the text is not what its bytes say: `--fix` can't write it back.
            edits = () if page.wrong_encoding else tuple(TextEdit(at, at + 1, "") for at in there)
            yield _report_characters(page, there, make, edits)
        elif kind == "control":
            message = f"a control character (`{escape_char(text[there[0]])}`){explain_sending(page)}"
            yield make(severity="warning", message=message)
        else:
            more = f" ({len(there)} times on this line)" if len(there) > 1 else ""
            excerpt = _extract_excerpt(text, there[0])
            message = f"`{excerpt}` is a control token of some models{more}{explain_sending(page)}"
            yield make(severity=_judge_token(page, there, row), message=message)


def _report_characters(
    page: CheckedFile, there: list[int], make: "partial[Finding]", edits: tuple[TextEdit, ...]
) -> Finding:
    """An error if they spell words: that is no accident."""
    hidden = "".join(page.text[at] for at in there)
    words = decode_hidden_words(hidden)
    forms = [f"`{form}`" for form in dict.fromkeys(map(escape_char, hidden))]
    shown = join_words([*forms[:MAX_FORMS], *["others"] * (len(forms) > MAX_FORMS)])
    sending = explain_sending(page, "them" if len(there) > 1 else "it")
    spelling = f'; they spell "{words}"' if words else ""
    message = f"{count_noun(len(there), 'character')} that readers do not see ({shown}){sending}{spelling}"
    return make(severity="error" if words else "warning", message=message, edits=edits)


def _judge_token(page: CheckedFile, there: list[int], row: MarkdownLine) -> Severity:
    """A token of a chat's turns is hardly an accident; one that is shown as code is an example."""
    at = there[0] - row.start
    if row.sort in ("code", "fence") or any(span.start <= at < span.end for span in row.spans):
        return "note"
    return "error" if any(page.text.startswith(TURNS, each) for each in there) else "warning"


def _extract_excerpt(text: str, at: int) -> str:
    cut = text[at : at + 40].partition("\n")[0]
    ends = [cut.find(end) + len(end) for end in (">", "]") if end in cut]
    return cut[: min(ends)] if ends else re.sub(r"\s.*", "", cut)


def check_secrets(inputs: CheckInput) -> Iterator[Finding]:
    """Each by its place and kind; the message contains nothing of the secret itself."""
    for page in (*inputs.pages, *inputs.settings):
        parted = sorted([*find_invisible(page.text), *find_controls(page.text)])
        for secret in find_secrets(page.text, parted):
            advice = "remove it, and rotate it if others could see it"
            message = f"{choose_article(secret.kind)} {secret.kind}{explain_sending(page)}; {advice}"
            yield Finding("secret", "error", message, page.path, *position_at(page.text, secret.start))


def check_encoding(inputs: CheckInput) -> Iterator[Finding]:
    """Files that agents read with damaged characters, or skip."""
    for page in (*inputs.pages, *inputs.settings):
        if page.wrong_encoding is not None:
            what = "it is UTF-16" if page.is_unreadable else "it is not UTF-8 from this line on"
            message = f"{what}: agents read damaged characters, or skip the file; save it as UTF-8"
            yield Finding("not-utf-8", "warning", message, page.path, page.wrong_encoding.line)
