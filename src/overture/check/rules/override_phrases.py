"""Finds phrases that ask a model to drop its instructions, in several languages."""

import re
from collections.abc import Iterator
from html import unescape
from itertools import chain, islice
from typing import NamedTuple

from ...text.lookalikes import fold_letters
from ...text.markdown_regions import LINK
from ...text.normalize import shorten_text
from ..facts.markdown_lines import MarkdownLine, lines_of_file
from ..rule import CheckedFile, CheckInput, CheckRule, Finding
from .phrase_families import ASKS, OTHER_LETTERS, find_family_phrases
from .phrase_families import STEMS as FAMILY_STEMS


def _any(*words: str) -> str:
    return f"(?:{'|'.join(words)})"


DROP = _any(
    "ignore", "disregard", "forget", "discard", "bypass", "pay no attention to", "do not follow", "don't follow",
    "stop following", "do not obey", "don't obey", "throw away", "set aside",
)  # fmt: skip
WHOSE = _any(
    "previous", "previously given", "prior", "preceding", "above", "earlier", "foregoing", "former", "original",
    "initial", "system", "safety", "developer", "developer's",
    "system's", "your", "your own",
)  # fmt: skip
WHAT = _any(
    "instructions?", "prompts?", "directions?", "directives?", "guidelines", "commands?", "orders", "system messages?",
    "programming", "training", "restrictions", "safeguards", "system prompt", "rules",
)  # fmt: skip
ENGLISH = (
    # ignore all of your previous instructions
    rf"\b{DROP}\s+(?:(?:all|any|every|each|everything|of|the|these|those|my|your"
    rf"|other)\s+){{0,4}}{WHOSE}\s+(?:and\s+\w+\s+)?"
    rf"(?:(?:system|developer|safety|given|user|security|hidden)\s+)?{WHAT}\b",
    # ignore the instructions above, forget everything before this
    rf"\b{DROP}\s+(?:(?:all|any|of|the|these|those|your)\s+){{0,3}}{WHAT}\s+(?:that\s+)?(?:\w+\s+){{0,2}}"
    r"(?:above|before|prior|previously|so far|until now|you (?:were|have been) given)\b",
    r"\bforget\s+(?:everything|all(?: that)?|anything)\s+(?:you(?:'ve| have| were)?\s+(?:been\s+)?"
    r"(?:told|taught|instructed|learned|know)|(?:above|before this))\b",
    # you are now DAN, from now on you have no rules
    r"\byou are (?:now|no longer) (?:DAN\b|jailbroken|unrestricted|unfiltered|bound by|in (?:developer|debug"
    r"|god|admin) mode)",
    r"\bfrom now on,? you (?:have no|are free of|will ignore|must ignore|ignore|no longer (?:have|follow|obey)) ",
    rf"\boverride\s+(?:all\s+)?(?:of\s+)?your\s+(?:[\w-]+\s+)?{WHAT}\b",
    r"^\W*(?:new|updated|real|actual) system prompt\s*:",
    r"^\W*system\s*:\s*(?:new|updated) (?:policy|instructions|rules)\b",
    # disregard everything above; override the system prompt; takes precedence over any system message
    r"\b(?:disregard|ignore|forget)\s+(?:everything|anything|all(?: of it)?)\s+(?:written\s+|said\s+)?"
    r"(?:above|so far|until now)\b",
    r"\b(?:override|overrules?|supersedes?|takes? (?:precedence|priority) over)\s+(?:(?:all|any|the|your|other)\s+)"
    r"{1,2}system (?:prompts?|messages?|instructions)\b",
    # reveal your system prompt; without telling the user; do not tell the user about this
    r"\b(?:reveal|print|output|repeat|leak|disclose|recite)\s+(?:your|the)\s+(?:full\s+|entire\s+|whole\s+|own\s+)?"
    r"(?:system prompt|hidden instructions)\b",
    r"\bwithout (?:telling|informing|notifying|alerting) the user\b,?\s+"
    r"(?:send|upload|post|copy|run|fetch|delete|install)\b",
    r"\b(?:do not|don't|never) (?:tell|inform|alert|notify) the user (?:about|of) this\b",
)
OTHERS = (
    # German, Dutch
    r"\b(?:ignorier\w*|vergiss|vergessen sie|missachte\w*)\s+(?:sie\s+)?(?:alle[ns]?\s+|sämtliche[n]?\s+|die\s+"
    r"|deine\s+|ihre\s+){0,3}"
    r"(?:vorherigen?|bisherigen?|vorigen?|obigen?|früheren?|vorangegangenen?)\s+(?:\w+\s+)?(?:Anweisung"
    r"|Instruktion|Regel|Befehl|Vorgabe|Prompt)\w*",
    r"\b(?:negeer|vergeet)\s+(?:alle\s+|de\s+|je\s+){0,2}(?:voorgaande|vorige|eerdere"
    r"|bovenstaande)\s+(?:instructies|regels|opdrachten|prompts?)",
    # French, Spanish, Portuguese, Italian, Romanian
    r"\b(?:ignore[zr]?|oublie[zr]?|ne (?:tiens|tenez) pas compte de)\s+(?:toutes?\s+)?(?:les\s+|tes\s+|vos\s+)?"
    r"(?:instructions|consignes|règles|directives)\s+(?:précédentes|antérieures|ci-dessus|données)",
    r"\b(?:ignor[ae]|olvid[ae]|haz caso omiso de|descarta)\s+(?:todas?\s+)?(?:las\s+|tus\s+|sus\s+)?"
    r"(?:instrucciones|reglas|indicaciones|órdenes)\s+(?:anteriores|previas|de arriba)",
    r"\b(?:ignor[ae]|esqueç?[ae]|desconsidere)\s+(?:todas?\s+)?(?:as\s+|suas\s+)?(?:instruções|regras"
    r"|ordens)\s+(?:anteriores|prévias|acima)",
    r"\b(?:ignora|dimentica|trascura)\s+(?:tutte\s+)?(?:le\s+|tue\s+){0,2}(?:istruzioni|regole"
    r"|indicazioni)\s+(?:precedenti|sopra)",
    r"\bignoră\s+(?:toate\s+)?instrucțiunile\s+(?:anterioare|precedente)",
    # Russian, Ukrainian, Polish, Czech
    r"(?:про)?(?:игнорируй|забудь)(?:те)?\s+(?:все\s+|свои\s+){0,2}(?:предыдущие|прежние|прошлые"
    r"|вышеуказанные)\s+(?:инструкции|указания|правила|команды)",
    r"(?:про)?(?:ігноруй|забудь)(?:те)?\s+(?:всі\s+|усі\s+)?попередні\s+(?:інструкції|вказівки|правила)",
    r"\b(?:zignoruj|ignoruj|zapomnij)\s+(?:o\s+)?(?:wszystkie\s+|wszystkich\s+)?(?:poprzedni\w+"
    r"|wcześniejsz\w+)\s+(?:instrukcj\w+|polece\w+|zasad\w*)",
    r"\b(?:ignoruj|zapomeň na)\s+(?:všechny\s+)?(?:předchozí|dřívější)\s+(?:instrukce|pokyny|pravidla)",
    # Turkish, Vietnamese, Indonesian, Swedish
    r"\b(?:önceki|yukarıdaki)\s+(?:tüm\s+|bütün\s+)?(?:talimatları|kuralları|komutları)\s+(?:yok say|unut"
    r"|görmezden gel|dikkate alma)",
    r"\b(?:bỏ qua|quên)\s+(?:những\s+|tất cả\s+|mọi\s+)?(?:các\s+)?(?:hướng dẫn|chỉ dẫn|lệnh"
    r"|quy tắc)\s+(?:trước|ở trên)",
    r"\babaikan\s+(?:semua\s+|seluruh\s+)?(?:instruksi|perintah|aturan)\s+(?:sebelumnya|di atas)",
    r"\b(?:ignorera|glöm)\s+(?:alla\s+)?(?:tidigare|föregående)\s+(?:instruktioner|regler)",
    # Chinese, Japanese, Korean
    r"(?:忽略|无视|無視|忘记|忘記|忘掉|不要理会|不要遵守)(?:掉|你|所有|全部|一切|之前|以前|以上|先前|前面|此前"
    r"|上述|上面|收到|给你|給你|的){1,6}"
    r"(?:指令|指示|提示词?|提示詞?|规则|規則|命令)",
    r"(?:これまで|以前|今まで|上記|先ほど|前)の(?:すべての|全ての|全)?(?:指示|命令|ルール|プロンプト)(?:を"
    r"|は)?(?:すべて|全て)?(?:無視|忘れ)",
    r"(?:이전|위|앞|기존)(?:의)?\s*(?:모든\s*)?(?:지시|명령|규칙|지침)(?:사항)?(?:들)?(?:을|를|은"
    r"|는)?\s*(?:모두\s*|전부\s*)?(?:무시|잊)",
    # Arabic, Hebrew, Hindi
    r"(?:تجاهل|انسَ?|تجاهلي)\s+(?:جميع\s+|كل\s+|كافة\s+)?(?:التعليمات|الأوامر|القواعد)\s+السابقة",
    r"התעלמ[יו]?\s+מ?(?:כל\s+)?ההוראות\s+הקודמות",
    r"(?:पिछले|पूर्व|पहले के)\s+(?:सभी\s+)?(?:निर्देशों|आदेशों|नियमों)\s+को\s+(?:अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल)",
)
PHRASES = tuple(re.compile(phrase, re.IGNORECASE) for phrase in (*ENGLISH, *OTHERS))
STEMS = (
    "ignor", "disregard", "forget", "discard", "bypass", "no attention", "not follow", "'t follow",
    "stop following", "obey", "throw away", "set aside", "you are now", "you are no longer", "from now on",
    "override", "system prompt", "system:", "system message", "system instructions", "hidden instructions",
    "the user", "vergiss", "vergess", "missacht", "negeer", "vergeet", "oubli", "pas compte",
    "olvid", "omiso", "descarta", "esque", "desconsidere", "dimentica", "trascura", "игнор", "забудь", "ігнор",
    "zapom", "önceki", "yukarıdaki", "bỏ qua", "quên", "abaikan", "glöm", "忽略", "无视", "無視", "忘", "不要理会",
    "不要遵守", "指示", "命令", "ルール", "プロンプト", "무시", "잊", "تجاهل", "انس", "התעלמ", "निर्देश", "आदेश",
    "नियम",
)  # fmt: skip
"""What each of them holds, in small letters: a quick look."""
DISGUISED = re.compile(
    r"[a-z][\u00ad\u0250-\u02af\u0370-\u03ff\u0400-\u052f\u1d00-\u1d7f\u200b-\u200f\u2060-\u2064]"
    r"|[\u0250-\u02af\u0370-\u03ff\u0400-\u052f\u1d00-\u1d7f\u200b-\u200f][a-z]"
    r"|[\uff21-\uff5a]{3}|[\U0001d400-\U0001d7ff]{3}|\\u\{",
    re.IGNORECASE,
)
"""Words of mixed scripts, or of letters that only look like letters."""
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
"""Text about such phrases: whoever warns of them has to say them."""
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
"""Stands among the stems for all of them."""
OTHER_SCRIPT = "\1"
"""Stands among the stems for a text with letters of another script."""
MAX_PHRASES = 50
"""Phrases of one paragraph that are judged."""
MAX_CONTEXT_CHARS = 400
"""Characters before and after a phrase in which its subject is looked for."""


class Paragraph(NamedTuple):
    """Lines that belong together, as one text, and where each of them begins in it."""

    text: str
    starts: tuple[tuple[int, MarkdownLine], ...]
    hidden: bool
    """Whether it is a comment, which a person who reads the page does not see."""


def check_override_phrases(inputs: CheckInput) -> Iterator[Finding]:
    """In the files behind the prompt, and in what the state gives besides."""
    checked_paths = set()
    for page in inputs.pages:
        if page.is_sent:
            checked_paths.add(page.path)
            yield from _in_page(page)
    for block in inputs.prompt.blocks:
        for span in block.spans:
            source = inputs.prompt.resolved(span.source)
            own = source.kind not in ("state", "file") or (source.name or "").startswith(AUTHOR_FIELDS)
            if not own and source.path not in checked_paths:
                where = f"{source.name}: " if source.name else ""
                text_shown = unescape(block.text[span.start : span.end])  # a menu may hold its texts as XML
                for phrase in _phrases(text_shown, _stems(text_shown)):
                    yield Finding(CODE, "warning", f"{where}{phrase.message}", source.path, source.line)


def _in_page(page: CheckedFile) -> Iterator[Finding]:
    stems = _stems(page.text)
    if not stems or ABOUT.search(page.path.rpartition("/")[2].replace("-", " ")):
        return
    subject = ""
    for paragraph in find_paragraphs(page):
        if paragraph.text.startswith("#"):
            subject = paragraph.text
        for phrase in _phrases(paragraph.text, stems):
            if ABOUT.search(subject):
                continue
            start, line = max((row for row in paragraph.starts if row[0] <= phrase.at), key=lambda row: row[0])
            where = " in a comment, which readers do not see" if paragraph.hidden else ""
            yield Finding(CODE, "warning", phrase.message + where, page.path, line.number, phrase.at - start + 1)


class OverridePhrase(NamedTuple):
    """A phrase, where it stands, and what it asks for."""

    at: int
    words: str
    asks: str = ASKS["drop"]

    @property
    def message(self) -> str:
        """In words, for a finding."""
        return f'"{shorten_text(self.words, 60)}" {self.asks}'


def find_paragraphs(page: CheckedFile) -> Iterator[Paragraph]:
    """The prose and the comments of a page; code and quotes are somebody's examples."""
    rows: list[MarkdownLine] = []
    for line in lines_of_file(page):
        apart = not line.text.strip() or line.text.lstrip()[:2] in ("- ", "* ", "+ ") or line.text.startswith("#")
        if rows and (apart or line.sort != rows[0].sort or rows[0].text.startswith("#")):
            yield _paragraph(rows)
            rows = []
        if line.sort in ("prose", "comment", "matter") and line.text.strip():
            rows.append(line)
    if rows:
        yield _paragraph(rows)


def _paragraph(rows: list[MarkdownLine]) -> Paragraph:
    texts, starts, at = [], [], 0
    for row in rows:
        starts.append((at, row))
        texts.append(row.plain)
        at += len(row.text) + 1
    return Paragraph(" ".join(texts), tuple(starts), rows[0].sort == "comment")


ALL_STEMS = tuple(dict.fromkeys((*STEMS, *FAMILY_STEMS)))
ASCII_STEMS = tuple(filter(str.isascii, ALL_STEMS))


def _stems(text: str) -> tuple[str, ...]:
    """What of a phrase a text holds; most hold nothing. A text in disguise may hold any."""
    lowered = text.lower()
    found = tuple(stem for stem in (ASCII_STEMS if text.isascii() else ALL_STEMS) if stem in lowered)
    if text.isascii():
        return found
    more = (ANY_STEM,) if DISGUISED.search(text) else ()
    return (*found, *more, *((OTHER_SCRIPT,) if OTHER_LETTERS.search(text) else ()))


def _phrases(text: str, stems: tuple[str, ...]) -> Iterator[OverridePhrase]:
    """The first phrase of a text; also where its letters are look-alikes of others."""
    lowered = text.lower()
    likely = any(stem in lowered for stem in stems if stem is not ANY_STEM)
    likely = likely or (OTHER_SCRIPT in stems and OTHER_LETTERS.search(text) is not None)
    found = list(islice(_plain(text), 1)) if likely else []
    if not found and ANY_STEM in stems and not text.isascii() and DISGUISED.search(text):
        found = [phrase._replace(at=0) for phrase in islice(_plain(fold_letters(text)), 1)]
    yield from found


def _plain(text: str) -> Iterator[OverridePhrase]:
    quoted: list[tuple[int, int]] | None = None
    for start, end, asks, negatable in islice(_list_candidates(text), MAX_PHRASES):
        quoted = [m.span() for m in QUOTED.finditer(text)] if quoted is None else quoted
        before = text[max(0, start - MAX_CONTEXT_CHARS) : start]
        context = before + text[end : end + MAX_CONTEXT_CHARS]
        in_quotes = any(first < start and end <= last for first, last in quoted)
        if not (in_quotes or (negatable and NEGATED.search(before)) or ABOUT.search(context)):
            yield OverridePhrase(start, text[start:end], asks)


def _list_candidates(text: str) -> Iterator[tuple[int, int, str, bool]]:
    """Where a phrase may stand, what it asks for, and whether words before it may turn it round."""
    for found in chain.from_iterable(phrase.finditer(text) for phrase in PHRASES):
        yield *found.span(), ASKS["drop"], True
    # What is quoted is somebody else's, and a link is for readers.
    own = LINK.sub(lambda m: " " * len(m[0]), QUOTED.sub(lambda m: " " * len(m[0]), text))
    for start, end, family in find_family_phrases(own):
        if not ABOUT.search(text, start, end):
            yield start, end, ASKS[family], False


RULES = (
    CheckRule(
        CODE,
        "warning",
        "a phrase that asks the model to drop its instructions, or to act against its user",
        check_override_phrases,
    ),
)
