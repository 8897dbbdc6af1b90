"""Finds phrases that ask a model to drop its instructions, in several languages."""

import re
from collections.abc import Iterable, Iterator, Set
from functools import lru_cache
from itertools import chain, islice
from typing import NamedTuple

from ...text.escape import unescape_entities
from ...text.keyword_patterns import fold_case
from ...text.lookalikes import fold_letters
from ...text.markdown import LINK
from ...text.words import shorten_text
from ..findings_and_input import CheckedFile, CheckInput, Finding
from ..read_markdown import MarkdownLine, read_markdown_lines
from ..rules_by_code import CheckRule
from .override_forms import PHRASES, STEMS
from .phrase_families import ASKS, OTHER_LETTERS, find_family_phrases
from .phrase_families import STEMS as FAMILY_STEMS

DISGUISED = re.compile(
    r"[a-z][\u00ad\u0250-\u02af\u0370-\u03ff\u0400-\u052f\u1d00-\u1d7f\u200b-\u200f\u2060-\u2064]"
    r"|[\u0250-\u02af\u0370-\u03ff\u0400-\u052f\u1d00-\u1d7f\u200b-\u200f][a-z]"
    r"|[\uff21-\uff5a]{3}|[\U0001d400-\U0001d7ff]{3}|\\u\{",
    re.IGNORECASE,
)
"""Words of mixed scripts, or of letters that only look like letters."""
DISGUISES = re.compile(
    r"[\u00ad\u0250-\u02af\u0370-\u03ff\u0400-\u052f\u1d00-\u1d7f\u200b-\u200f\u2060-\u2064"
    r"\uff21-\uff5a\U0001d400-\U0001d7ff]",
    re.IGNORECASE,
)
"""Every such word has one of these, unless it has an escape."""
ABOUT = re.compile(
    r"prompt[- ]?injection|\binject(?:ion|ed|s|ing)\b|jail ?break|adversarial|\battack|malicious|hostile"
    r"|untrusted|red[- ]team|"
    r"\bexploit|suspicious|\bphish|guardrail|sanitiz|\bsuch as\b|\bfor example\b|\be\.g\.|\bphrases? like\b"
    r"|\bpatterns? like\b|"
    r"\btries to\b|\btrying to\b|\battempts? to\b|\basks? (?:you|the (?:agent|model|assistant)) to\b"
    r"|\btells? you to\b|\bclaims? to\b"
    r"|\bsecurity\b|\bthreat",
    re.IGNORECASE,
)
"""Text about such phrases: a warning has to quote them."""
ADDRESS = re.compile(r"https?://\S++|[\w.+-]++@[\w.-]++")
"""Words that are no sign of such a text: any server may be called `security`."""
NEGATED = re.compile(
    r"(?:\bnot|n't|\bnever|\bcannot|\bwithout|\brather than|\binstead of|\bnicht|\bnie|\bne|\bno|\bnunca|\bне"
    r"|不要|不得|勿|绝不)\s*+(?:[\w']++\s*+){0,3}$",
    re.IGNORECASE,
)
QUOTED = re.compile(
    r"\"[^\"\n]{3,200}\"|“[^”\n]{3,200}”|‘[^’\n]{3,200}’|«[^»\n]{3,200}»|„[^“”\n]{3,200}[“”]|「[^」\n]{2,200}」"
    r"|(?<!\w)'[^'\n]{3,200}'(?!\w)"
)


CODE = "override-phrase"
AUTHOR_FIELDS = ("agent.", "overrides.")
"""Fields that the agent's own author gives."""
ANY_STEM = "\0"
"""Represents all stems, among the stems."""
OTHER_SCRIPT = "\1"
"""Represents a text with letters of another script, among the stems."""
MAX_PHRASES = 50
"""Phrases of one paragraph that are judged."""
MAX_CONTEXT_CHARS = 400
"""Characters before and after a phrase in which its subject is looked for."""


class Paragraph(NamedTuple):
    """Consecutive lines as one text, and the offset of each line in it."""

    text: str
    starts: tuple[tuple[int, MarkdownLine], ...]
    hidden: bool
    """Whether it is a comment, which a person who reads the page does not see."""


def check_override_phrases(inputs: CheckInput) -> Iterator[Finding]:
    """In the source files of the prompt, and in other values of the state."""
    checked_paths = set()
    for page in inputs.pages:
        if page.is_sent:
            checked_paths.add(page.path)
            yield from _find_override_phrases(page)
    for block in inputs.prompt.blocks:
        for span in block.spans:
            source = inputs.prompt.resolved(span.source)
            own = source.kind not in ("state", "file") or (source.name or "").startswith(AUTHOR_FIELDS)
            if not own and source.path not in checked_paths:
                where = f"{source.name}: " if source.name else ""
                text_shown = unescape_entities(block.text[span.start : span.end])  # a menu may hold its texts as XML
                for phrase in _find_first_phrase(text_shown, _find_stems(text_shown)):
                    yield Finding(CODE, "warning", f"{where}{phrase.message}", source.path, source.line)


def _find_override_phrases(page: CheckedFile) -> Iterator[Finding]:
    """The findings of override phrases in a file, unless its name says that it is about them."""
    if not ABOUT.search(page.path.rpartition("/")[2].replace("-", " ")):
        for line, column, message in _find_phrases_of_text(page.text):
            yield Finding(CODE, "warning", message, page.path, line, column)


@lru_cache(maxsize=256)
def _find_phrases_of_text(text: str) -> tuple[tuple[int, int, str], ...]:
    """Line, column and message of each."""
    return tuple(_list_phrases(text, stems)) if (stems := _find_stems(text)) else ()


def _list_phrases(text: str, stems: tuple[str, ...]) -> Iterator[tuple[int, int, str]]:
    """The override phrases of a page, by paragraph; a heading may say that they are its subject."""
    subject = ""
    for paragraph in find_paragraphs(read_markdown_lines(text)):
        if paragraph.text.startswith("#"):
            subject = paragraph.text
        for phrase in _find_first_phrase(paragraph.text, stems):
            if ABOUT.search(subject):
                continue
            start, line = max((row for row in paragraph.starts if row[0] <= phrase.at), key=lambda row: row[0])
            where = " in a comment, which readers do not see" if paragraph.hidden else ""
            yield line.number, phrase.at - start + 1, phrase.message + where


class OverridePhrase(NamedTuple):
    """A phrase, its location, and what it demands."""

    at: int
    words: str
    asks: str = ASKS["drop"]

    @property
    def message(self) -> str:
        """In words, for a finding."""
        return f'"{shorten_text(self.words, 60)}" {self.asks}'


def find_paragraphs(lines: Iterable[MarkdownLine]) -> Iterator[Paragraph]:
    """The prose and the comments of a page; code and quotes are examples."""
    rows: list[MarkdownLine] = []
    for line in lines:
        begun = line.text.lstrip()
        apart = not begun or begun[:2] in ("- ", "* ", "+ ") or line.text.startswith("#")
        if rows and (apart or line.sort != rows[0].sort or rows[0].text.startswith("#")):
            yield _make_paragraph(rows)
            rows = []
        if begun and line.sort in ("prose", "comment", "matter"):
            rows.append(line)
    if rows:
        yield _make_paragraph(rows)


def _make_paragraph(rows: list[MarkdownLine]) -> Paragraph:
    texts, starts, at = [], [], 0
    for row in rows:
        starts.append((at, row))
        texts.append(row.plain)
        at += len(row.text) + 1
    return Paragraph(" ".join(texts), tuple(starts), rows[0].sort == "comment")


ALL_STEMS = tuple(dict.fromkeys((*STEMS, *FAMILY_STEMS)))
NO_LETTERS = bytes(code if chr(code).isalpha() else 32 for code in range(128)) + b" " * 128
PREFIX_LENGTHS = (3, 4, 5)


def begins_word(stem: str) -> bool:
    """Whether a stem is looked for at the beginning of words alone: in other scripts words have no beginning."""
    return stem.isascii() and stem[: PREFIX_LENGTHS[0]].isalpha()


def _find_phrase_prefix(stem: str) -> bytes:
    """The first letters of a word in every phrase with this stem: its first word, or one after a blank or sign."""
    first, *others = stem.encode("ascii", "replace").translate(NO_LETTERS).split(b" ")
    words = [first] if begins_word(stem) else others if stem.isascii() else []
    return next((word[: PREFIX_LENGTHS[-1]] for word in words if len(word) >= PREFIX_LENGTHS[0]), b"")


def _index_stems() -> dict[bytes, list[str]]:
    """The stems by such beginnings; those under none are searched in every text."""
    by_prefix: dict[bytes, list[str]] = {}
    for stem in ALL_STEMS:
        by_prefix.setdefault(_find_phrase_prefix(stem), []).append(stem)
    return by_prefix


STEMS_BY_PREFIX = _index_stems()
FIRST_LETTERS = frozenset(prefix[: PREFIX_LENGTHS[0]] for prefix in STEMS_BY_PREFIX)
OTHER_STEMS = tuple(STEMS_BY_PREFIX.pop(b""))


@lru_cache(maxsize=256)
def _find_stems(text: str) -> tuple[str, ...]:
    """What of a phrase a text holds; most hold nothing. A text in disguise may hold any.

    To search a text for each of 300 stems takes longer than to see how its words begin.
    """
    folded = fold_case(text)
    words = set(folded.encode("ascii", "replace").translate(NO_LETTERS).split())
    likely = [word for word in words if word[: PREFIX_LENGTHS[0]] in FIRST_LETTERS]
    prefixes = STEMS_BY_PREFIX.keys() & {word[:length] for word in likely for length in PREFIX_LENGTHS}
    possible = [stem for prefix in prefixes for stem in STEMS_BY_PREFIX[prefix]]
    possible += [stem for stem in OTHER_STEMS if stem.isascii()] if folded.isascii() else OTHER_STEMS
    stems = tuple([stem for stem in possible if stem in folded])
    if text.isascii():
        return stems
    more = (ANY_STEM,) if _is_disguised(text) else ()
    return (*stems, *more, *((OTHER_SCRIPT,) if OTHER_LETTERS.search(text) else ()))


def _is_disguised(text: str) -> bool:
    """The same as a search for DISGUISED, which takes as long as all the stems: few texts have such a letter."""
    possible = "\\u{" in text or "\\U{" in text or DISGUISES.search("".join(set(text)))
    return bool(possible) and DISGUISED.search(text) is not None


def _find_first_phrase(text: str, stems: tuple[str, ...]) -> Iterator[OverridePhrase]:
    """The first phrase of a text; also where its letters are look-alikes of others."""
    folded = fold_case(text)
    text_stems = {stem for stem in stems if stem in folded}
    likely = text_stems or (OTHER_SCRIPT in stems and OTHER_LETTERS.search(text) is not None)
    phrases = list(islice(_find_plain_phrases(text, text_stems), 1)) if likely else []
    if not phrases and ANY_STEM in stems and not text.isascii() and DISGUISED.search(text):
        undisguised = fold_letters(text)
        text_stems = {stem for stem in ALL_STEMS if stem in fold_case(undisguised)}
        phrases = [phrase._replace(at=0) for phrase in islice(_find_plain_phrases(undisguised, text_stems), 1)]
    yield from phrases


def _find_plain_phrases(text: str, stems: Set[str]) -> Iterator[OverridePhrase]:
    """The override phrases that a text uses: not quoted, not negated, and not what it is about."""
    quoted: list[tuple[int, int]] | None = None
    for start, end, asks, negatable in islice(_list_candidates(text, stems), MAX_PHRASES):
        quoted = [m.span() for m in QUOTED.finditer(text)] if quoted is None else quoted
        before = text[max(0, start - MAX_CONTEXT_CHARS) : start]
        context = before + text[end : end + MAX_CONTEXT_CHARS]
        in_quotes = any(first < start and end <= last for first, last in quoted)
        if not (in_quotes or (negatable and NEGATED.search(before)) or _is_about_phrases(context)):
            yield OverridePhrase(start, text[start:end], asks)


def _is_about_phrases(text: str) -> bool:
    """Whether the words around an override phrase say that the text is about such phrases."""
    return ABOUT.search(text) is not None and ABOUT.search(ADDRESS.sub(" ", text)) is not None


def _list_candidates(text: str, stems: Set[str]) -> Iterator[tuple[int, int, str, bool]]:
    """Where a phrase may be, what it demands, and whether words before it may negate it."""
    folded, phrases = fold_case(text), () if stems.isdisjoint(STEMS) else PHRASES
    worth = (phrase.pattern for phrase in phrases if phrase.may_match(folded))
    for match in chain.from_iterable(pattern.finditer(text) for pattern in worth):
        yield *match.span(), ASKS["drop"], True
    # A quote has another author, and a link is for readers.
    own = LINK.sub(lambda m: " " * len(m[0]), QUOTED.sub(lambda m: " " * len(m[0]), text))
    for start, end, family in find_family_phrases(own, stems):
        if not _is_about_phrases(text[start:end]):
            yield start, end, ASKS[family], False


RULES = (
    CheckRule(
        CODE,
        "warning",
        "a phrase that tells the model to drop its instructions or to act against its user",
        check_override_phrases,
    ),
)
