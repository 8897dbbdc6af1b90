"""Phrases that want a model to drop its instructions, where nobody quotes them and nobody writes about them."""

from collections.abc import Iterator
from html import unescape
from itertools import chain, islice
from typing import NamedTuple

from ...text.lookalikes import as_letters
from ..finding import Finding
from ..ground import Ground, Page
from ..markdown_lines import Line, lines_of, without_code
from ..rule import Rule
from .phrases import ABOUT, DISGUISED, NEGATED, PHRASES, QUOTED, STEMS

CODE = "override-phrase"
SENT = ("instructions", "skill", "rule", "import")
AUTHORED = ("agent.", "overrides.")
"""Fields that the agent's own author gives."""
ANY = "\0"
"""Stands among the stems for all of them."""
MOST = 50
"""Phrases of one paragraph that are judged."""
NEAR = 400
"""Characters before and after a phrase in which its subject is looked for."""


class Paragraph(NamedTuple):
    """Lines that belong together, as one text, and where each of them begins in it."""

    text: str
    starts: tuple[tuple[int, Line], ...]
    hidden: bool
    """Whether it is a comment, which a person who reads the page does not see."""


def look(ground: Ground) -> Iterator[Finding]:
    """In the files behind the prompt, and in what the state gives besides."""
    seen = set()
    for page in ground.pages:
        if page.kind in SENT:
            seen.add(page.path)
            yield from _in_page(page)
    for block in ground.prompt.blocks:
        for span in block.spans:
            source = ground.prompt.resolved(span.source)
            own = source.kind not in ("state", "file") or (source.name or "").startswith(AUTHORED)
            if not own and source.path not in seen:
                where = f"{source.name}: " if source.name else ""
                said = unescape(block.text[span.start : span.end])  # a menu may hold its texts as XML
                for phrase in _phrases(said, _stems(said)):
                    yield Finding(CODE, "warning", f"{where}{_said(phrase[1])}", source.path, source.line)


def _in_page(page: Page) -> Iterator[Finding]:
    stems = _stems(page.text)
    if not stems or ABOUT.search(page.path.rpartition("/")[2].replace("-", " ")):
        return
    subject = ""
    for paragraph in paragraphs(page):
        if paragraph.text.startswith("#"):
            subject = paragraph.text
        for at, phrase in _phrases(paragraph.text, stems):
            if ABOUT.search(subject):
                continue
            start, line = max((row for row in paragraph.starts if row[0] <= at), key=lambda row: row[0])
            where = " in a comment, which readers do not see" if paragraph.hidden else ""
            yield Finding(CODE, "warning", _said(phrase) + where, page.path, line.number, at - start + 1)


def _said(phrase: str) -> str:
    cut = phrase if len(phrase) <= 60 else phrase[:59] + "…"
    return f'"{cut}" asks the model to drop its instructions'


def paragraphs(page: Page) -> Iterator[Paragraph]:
    """The prose and the comments of a page; code and quotes are somebody's examples."""
    rows: list[Line] = []
    for line in lines_of(page):
        apart = not line.text.strip() or line.text.lstrip()[:2] in ("- ", "* ", "+ ") or line.text.startswith("#")
        if rows and (apart or line.sort != rows[0].sort or rows[0].text.startswith("#")):
            yield _paragraph(rows)
            rows = []
        if line.sort in ("prose", "comment", "matter") and line.text.strip():
            rows.append(line)
    if rows:
        yield _paragraph(rows)


def _paragraph(rows: list[Line]) -> Paragraph:
    texts, starts, at = [], [], 0
    for row in rows:
        starts.append((at, row))
        texts.append(without_code(row.text))
        at += len(row.text) + 1
    return Paragraph(" ".join(texts), tuple(starts), rows[0].sort == "comment")


def _stems(text: str) -> tuple[str, ...]:
    """What of a phrase a text holds; most hold nothing. A text in disguise may hold any."""
    lowered = text.lower()
    found = tuple(stem for stem in STEMS if stem in lowered)
    return (*found, ANY) if not text.isascii() and DISGUISED.search(text) else found


def _phrases(text: str, stems: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Where a phrase stands, and its words; also where its letters are look-alikes of others."""
    lowered = text.lower()
    found = list(islice(_plain(text), 1)) if any(stem in lowered for stem in stems if stem is not ANY) else []
    if not found and ANY in stems and not text.isascii() and DISGUISED.search(text):
        found = [(0, phrase) for _, phrase in islice(_plain(as_letters(text)), 1)]
    yield from found


def _plain(text: str) -> Iterator[tuple[int, str]]:
    candidates = chain.from_iterable(phrase.finditer(text) for phrase in PHRASES)
    quoted: list[tuple[int, int]] | None = None
    for found in islice(candidates, MOST):
        quoted = [m.span() for m in QUOTED.finditer(text)] if quoted is None else quoted
        before = text[max(0, found.start() - NEAR) : found.start()]
        near = before + text[found.end() : found.end() + NEAR]
        in_quotes = any(start < found.start() and found.end() <= end for start, end in quoted)
        if not (in_quotes or NEGATED.search(before) or ABOUT.search(near)):
            yield found.start(), found[0]


RULES = (Rule(CODE, "warning", "a phrase that asks the model to drop its instructions", look),)
