"""Finds text that turns a model against its instructions or its user: the patterns are in `suspicious.toml`."""

import pkgutil
import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

from ..text.escape import unescape_entities
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
MAX_CONTEXT_CHARS = 400
"""Characters before and after a phrase in which its subject is looked for."""


class PhraseRow(NamedTuple):
    """A row of the data: patterns that have to match all, and words of which each such text holds one."""

    section: str
    asks: str
    words: tuple[str, ...]
    patterns: tuple[str, ...]


@cache
def _read_data() -> dict[str, Any]:
    data = tomllib.loads((pkgutil.get_data(__package__, "suspicious.toml") or b"").decode())

    def fill_in(pattern: str) -> str:
        for name, piece in data["pieces"].items():
            pattern = pattern.replace(f"{{{name}}}", piece)
        return re.sub(r"\n\s*", "", pattern)

    data["context"] = {name: fill_in(pattern) for name, pattern in data["context"].items()}
    data["rows"] = [
        PhraseRow(section, asks, tuple(words.split("|")), tuple(map(fill_in, patterns)))
        for section in ("phrases", "sentences", "structures")
        for asks, listed in data[section].items()
        for words, *patterns in listed
    ]
    return data


def _find_rows(text: str) -> list[PhraseRow]:
    """The rows that a text may match: most texts hold none of the words, and a pattern takes long to compile."""
    small = f"{text}\n{fold_letters(text)}".lower() if _is_disguised(text) else text.lower()
    return _select_rows(_read_data()["rows"], small)


def _select_rows(rows: Iterable[PhraseRow], small: str) -> list[PhraseRow]:
    selected = []
    for row in rows:  # a hundred rows for each of thousands of sentences: a plain loop takes a third of the time
        for word in row.words:
            if word in small:
                selected.append(row)
                break
    return selected


def _is_disguised(text: str) -> bool:
    return not text.isascii() and DISGUISED.search(text) is not None


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _search(pattern: str, text: str) -> re.Match[str] | None:
    return _compile(pattern).search(text)


def _is_about_phrases(text: str) -> bool:
    """Whether a text is about such phrases; the name of a server says nothing of that."""
    return _search(_read_data()["context"]["about"], ADDRESS.sub(" ", text)) is not None


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _find_phrase(text: str, rows: list[PhraseRow]) -> tuple[int, str] | None:
    """The offset of the first phrase in a paragraph, and what it demands; also if it is written in look-alikes."""
    # A quote has another author, and a link is for readers.
    own = LINK.sub(_blank, QUOTED.sub(_blank, text))
    asking = [row for row in _select_rows(rows, own.lower()) if row.section != "structures"]
    for sentence in SENTENCE.finditer(own) if asking else ():
        if sentence[0][-1] == "?":  # a question asks for nothing
            continue
        for row in _select_rows(asking, sentence[0].lower()):
            first = _search(row.patterns[0], sentence[0])
            if first and all(_search(pattern, sentence[0]) for pattern in row.patterns[1:]):
                start, end = first.span() if row.section == "phrases" else (0, len(sentence[0]))
                start, end = sentence.start() + start, sentence.start() + end
                inner = text[start:end] if row.section == "sentences" else ""
                around = text[max(0, start - MAX_CONTEXT_CHARS) : start] + inner + text[end : end + MAX_CONTEXT_CHARS]
                if not (_is_harmless(row, sentence[0], first) or _is_about_phrases(around)):
                    return start, _describe(text[start:end], row)
    if _is_disguised(text) and (folded := fold_letters(text)) != text and (phrase := _find_phrase(folded, rows)):
        return 0, phrase[1]
    return None


def _is_harmless(row: PhraseRow, sentence: str, first: re.Match[str]) -> bool:
    """Whether a sentence forbids it, as `never run it without asking`, or lets an agent run tests."""
    context, before = _read_data()["context"], sentence[: first.start()]
    if row.section == "phrases":
        return _search(context["negated"], before) is not None
    if row.asks == "unasked" and _search(context["routine"], sentence):
        return True
    # To hide something is a prohibition itself.
    return row.asks != "hide" and _search(context["refused"], f"{before} {sentence[first.end() :]}") is not None


def _find_structures(text: str, rows: list[PhraseRow]) -> Iterator[tuple[int, str]]:
    """What is suspicious wherever it is, also in code, unless the text around it is about attacks."""
    for row in rows:
        match = _search(row.patterns[0], text) if row.section == "structures" else None
        around = match and text[max(0, match.start() - MAX_CONTEXT_CHARS) : match.end() + MAX_CONTEXT_CHARS]
        if match and around and not _is_about_phrases(around):
            yield match.start(), _describe(match[0], row)


def _describe(words: str, row: PhraseRow) -> str:
    return f'"{shorten_text(" ".join(words.split()), 60)}" {_read_data()["asks"][row.asks]}'


def _group_paragraphs(lines: Iterable[MarkdownLine]) -> Iterator[list[MarkdownLine]]:
    """The prose and the comments of a page; code and quotes are examples."""
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
    text, rows, subject = page.text, _find_rows(page.text), ""
    for lines in _group_paragraphs(page.lines) if rows else ():
        paragraph = " ".join(line.plain for line in lines)
        subject = paragraph if paragraph.startswith("#") else subject
        if (phrase := _find_phrase(paragraph, rows)) and not _is_about_phrases(subject):
            at, message = phrase
            index = 0
            while at > len(lines[index].text):
                at -= len(lines[index].text) + 1
                index += 1
            where = " in a comment, which readers do not see" if lines[0].sort == "comment" else ""
            yield lines[index].number, at + 1, message + where
    for at, message in _find_structures(text, rows):
        yield text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at), message


def check_suspicious(inputs: CheckInput) -> Iterator[Finding]:
    """In the files that agents load, and in other values of the state."""
    for page in inputs.pages:
        if not _is_about_phrases(page.path.rpartition("/")[2].replace("-", " ")):
            for line, column, message in _find_in_page(page):
                yield Finding(CODE, "warning", message, page.path, line, column)
    checked_paths = {page.path for page in inputs.pages}
    for block in inputs.prompt.blocks if inputs.prompt else ():
        for span in block.spans:
            source = inputs.prompt.resolved(span.source)
            own = source.kind not in ("state", "file") or (source.name or "").startswith(AUTHOR_FIELDS)
            if not own and source.path not in checked_paths:
                text = unescape_entities(block.text[span.start : span.end])  # a menu may hold its texts as XML
                rows = _find_rows(text)
                for _, message in filter(None, (_find_phrase(text, rows), *_find_structures(text, rows))):
                    where = f"{source.name}: " if source.name else ""
                    yield Finding(CODE, "warning", f"{where}{message}", source.path, source.line)
