"""Finds text that turns a model against its instructions or its user: the patterns are in `suspicious.toml`."""

import pkgutil
import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

from ..text.escape import unescape_entities
from ..text.invisible import decode_hidden_words, find_invisible
from ..text.lookalikes import fold_letters
from ..text.markdown import LINK
from ..text.words import shorten_text
from .findings import Finding
from .input import CheckedFile, CheckInput
from .markdown import MarkdownLine

CODE = "suspicious"
AUTHOR_FIELDS = ("agent.", "overrides.")
"""Fields that the agent's own author gives."""
DISGUISES = "\u00ad\u0250-\u02af\u0370-\u03ff\u0400-\u052f\u1d00-\u1d7f\u200b-\u200f\u2060-\u2064"
DISGUISE = re.compile(rf"[{DISGUISES}\uff21-\uff5a\U0001d400-\U0001d7ff]|\\u\{{")
DISGUISED = re.compile(
    rf"[a-z][{DISGUISES}]|[{DISGUISES}][a-z]|[\uff21-\uff5a]{{3}}|[\U0001d400-\U0001d7ff]{{3}}|\\u\{{"
)
"""Words of mixed scripts, or of letters that only look like letters."""
ADDRESS = re.compile(r"https?://\S++|[\w.+-]++@[\w.-]++")
QUOTED = re.compile(
    r"\"[^\"\n]{3,200}\"|“[^”\n]{3,200}”|‘[^’\n]{3,200}’|«[^»\n]{3,200}»|„[^“”\n]{3,200}[“”]|「[^」\n]{2,200}」"
    r"|(?<!\w)'[^'\n]{3,200}'(?!\w)"
)
SENTENCE = re.compile(r"\S[^.!?;。！？；]*(?:[.!?;](?!\s)[^.!?;。！？；]*)*[.!?;。！？；]?")
PATTERN = re.compile(r"[\\(){}\[\]*+?^$]")
"""What a list of words does not contain."""
MAX_CONTEXT_CHARS = 400
"""Characters before and after a place in which its subject is looked for."""


class Row(NamedTuple):
    """A row of the data: each entry has to match."""

    asks: str
    entries: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]
    """Its entries that are lists of words: most texts hold none, and patterns take long to compile."""

    def may_match(self, small: str) -> bool:
        for group in self.words:
            for word in group:
                if word in small:
                    break
            else:
                return False
        return True


@cache
def _read_data() -> dict[str, Any]:
    data = tomllib.loads((pkgutil.get_data(__package__, "suspicious.toml") or b"").decode())

    def fill_in(entry: str) -> str:
        entry = re.sub(r"\n\s*", "", entry)
        return re.sub(r"\{([a-z]\w*)\}", lambda match: fill_in(data["pieces"][match[1]]), entry)

    data["context"] = {name: fill_in(pattern) for name, pattern in data["context"].items()}
    for section in ("sentences", "descriptions", "structures"):
        listed = [(asks, tuple(map(fill_in, row))) for asks, rows in data[section].items() for row in rows]
        data[section] = [
            Row(asks, row, tuple(tuple(each.split("|")) for each in row if not PATTERN.search(each)))
            for asks, row in listed
        ]
    return data


def _find_rows(section: str, small: str) -> list[Row]:
    """The rows that a text in small letters may match."""
    return [row for row in _read_data()[section] if row.may_match(small)]


def _fold(text: str) -> str:
    """A text in small letters; one with letters that only look like others, also as it is read."""
    return f"{text}\n{fold_letters(text)}".lower() if _is_disguised(text) else text.lower()


def _is_disguised(text: str) -> bool:
    # Most texts that are not ASCII have no such character at all, which is seen sooner.
    return not text.isascii() and DISGUISE.search(text) is not None and DISGUISED.search(text) is not None


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern if PATTERN.search(pattern) else pattern.replace(".", r"\."), re.IGNORECASE)


def _search(pattern: str, text: str) -> re.Match[str] | None:
    return _compile(pattern).search(text)


def _match_row(row: Row, text: str) -> re.Match[str] | None:
    """Where a text asks for it; None if not all of the row is there."""
    first = _search(row.entries[0], text)
    return first if first and all(_search(each, text) for each in row.entries[1:] if PATTERN.search(each)) else None


def _is_about_attacks(text: str) -> bool:
    """Whether a text is about such phrases, and so has to quote them; the name of a server says nothing of that."""
    return _search(_read_data()["context"]["about"], ADDRESS.sub(" ", text)) is not None


def _is_harmless(text: str, start: int, end: int) -> bool:
    """Whether the text around a place is about attacks."""
    end += len(text[end : end + MAX_CONTEXT_CHARS].split(maxsplit=1)[0]) if text[end : end + 1].strip() else 0
    return _is_about_attacks(f"{text[max(0, start - MAX_CONTEXT_CHARS) : start]} {text[end : end + MAX_CONTEXT_CHARS]}")


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _find_sentence(text: str, rows: list[Row]) -> tuple[int, str] | None:
    """The offset of the first request in a paragraph, and what it demands; also if it is written in look-alikes."""
    small = text.lower()
    near = [row for row in rows if row.may_match(small)]
    # A quote has another author, and a link is for readers.
    own = LINK.sub(_blank, QUOTED.sub(_blank, text)) if near else ""
    for sentence in SENTENCE.finditer(own):
        if sentence[0][-1] == "?":  # a question asks for nothing
            continue
        small = sentence[0].lower()
        for row in near:
            first = _match_row(row, sentence[0]) if row.may_match(small) else None
            if first and not _is_refused(row, sentence[0], first):
                start, end = sentence.start() + first.start(), sentence.start() + first.end()
                if not _is_harmless(text, start, end):
                    shown = text[start:end] if not row.entries[2:] else sentence[0]
                    return start, _describe(shown, row)
    if _is_disguised(text) and (folded := fold_letters(text)) != text and (found := _find_sentence(folded, rows)):
        return 0, found[1]
    return None


def _is_refused(row: Row, sentence: str, first: re.Match[str]) -> bool:
    """Whether a sentence forbids it, as `never run it without asking`, or lets an agent run tests."""
    context, before = _read_data()["context"], sentence[: first.start()]
    if row.asks == "hide":  # which is a prohibition itself
        return False
    if row.asks in ("drop", "limits"):
        return _search(context["negated"], before) is not None
    if row.asks == "unasked" and _search(context["routine"], sentence):
        return True
    return _search(context["refused"], f"{before} {sentence[first.end() :]}") is not None


def _find_structures(text: str, rows: list[Row]) -> Iterator[tuple[int, str]]:
    """What is suspicious wherever it is, also in code, unless the text around it is about attacks."""
    for row in rows:  # of which the text holds the words
        match = _match_row(row, text)
        if match and not _is_harmless(text, *match.span()):
            yield match.start(), _describe(match[0], row)


def _describe(words: str, row: Row) -> str:
    return f'"{shorten_text(" ".join(words.split()), 60)}" {_read_data()["asks"][row.asks]}'


def _group_paragraphs(lines: Iterable[MarkdownLine]) -> Iterator[list[MarkdownLine]]:
    """The prose, comments and frontmatter of a page; code and quotes are examples."""
    rows: list[MarkdownLine] = []
    for line in lines:
        begun = line.text.lstrip()
        apart = not begun or begun[:2] in ("- ", "* ", "+ ") or line.text.startswith("#")
        if rows and (apart or line.sort != rows[0].sort or rows[0].text.startswith("#")):
            yield rows
            rows = []
        if begun and line.sort in ("prose", "comment", "matter"):
            rows.append(line)
    if rows:
        yield rows


def _find_in_page(page: CheckedFile) -> Iterator[tuple[int, int, str]]:
    """Line, column and message of each; a heading may say that such phrases are its subject."""
    small, subject = _fold(page.text), ""
    rows = _find_rows("sentences", small)
    for lines in _group_paragraphs(page.lines) if rows else ():
        paragraph = " ".join(line.plain for line in lines)
        subject = paragraph if paragraph.startswith("#") else subject
        if (found := _find_sentence(paragraph, rows)) and not _is_about_attacks(subject):
            at, message = found
            index = 0
            while at > len(lines[index].text):
                at -= len(lines[index].text) + 1
                index += 1
            where = " in a comment, which readers do not see" if lines[0].sort == "comment" else ""
            yield lines[index].number, at + 1, message + where
    matter = "\n".join(line.text for line in page.lines if line.sort == "matter")
    places = [*_find_structures(page.text, _find_rows("structures", small))]
    places += _find_structures(matter, _find_rows("descriptions", matter.lower())) if page.kind != "rule" else ()
    places += _find_in_hidden_text(page.text)
    for at, message in places:
        yield page.text.count("\n", 0, at) + 1, at - page.text.rfind("\n", 0, at), message


def _find_in_hidden_text(text: str) -> Iterator[tuple[int, str]]:
    """What invisible characters ask for."""
    hidden = find_invisible(text)
    words = decode_hidden_words("".join(text[at] for at in hidden)) if hidden else ""
    if words and (found := _find_sentence(words, _find_rows("sentences", words.lower()))):
        yield hidden[0], f"{found[1]} in invisible characters"


def check_suspicious(inputs: CheckInput) -> Iterator[Finding]:
    """In the files that agents load, and in other values of a prompt's state."""
    for page in inputs.pages:
        if not _is_about_attacks(page.path.rpartition("/")[2].replace("-", " ")):
            for line, column, message in _find_in_page(page):
                yield Finding(CODE, "warning", message, page.path, line, column)
    if inputs.prompt is None:
        return
    checked_paths = {page.path for page in inputs.pages}
    for block in inputs.prompt.blocks:
        for span in block.spans:
            source = inputs.prompt.resolved(span.source)
            own = source.kind not in ("state", "file") or (source.name or "").startswith(AUTHOR_FIELDS)
            if not own and source.path not in checked_paths:
                text = unescape_entities(block.text[span.start : span.end])  # a menu may hold its texts as XML
                small = _fold(text)
                found = _find_sentence(text, _find_rows("sentences", small))
                for _, message in filter(None, (found, *_find_structures(text, _find_rows("structures", small)))):
                    where = f"{source.name}: " if source.name else ""
                    yield Finding(CODE, "warning", f"{where}{message}", source.path, source.line)
