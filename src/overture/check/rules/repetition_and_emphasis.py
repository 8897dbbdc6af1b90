"""Finds instructions that several files or the README repeat, and files that emphasize too much."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...text.frontmatter import is_generated
from ..findings_and_input import CheckedFile, CheckInput, Finding
from ..read_markdown import Instruction, MarkdownLine, find_instructions, lines_of_file
from ..rules_by_code import CheckRule
from .instruction_scopes import TITLE, find_level

REPEATED_CODE = "repeated-instruction"
MIN_WORDS = 8
"""Minimum number of words of an instruction: `run the tests` may be in any file."""
SHINGLE = 2
MIN_SIMILARITY = 0.75
"""The part of all their pairs of words that two have in common."""
MAX_INSTRUCTIONS = 20_000
"""Instructions that are compared, of all files together."""
NEGATIONS = frozenset(("no", "not", "never", "don", "avoid", "without", "cannot"))
MAX_SHARED_BY = 20
"""Instructions that share a pair of words, beyond which the pair is no sign."""


class LocatedInstruction(NamedTuple):
    """An instruction, and the file that contains it."""

    page: CheckedFile
    unit: Instruction
    words: tuple[str, ...]


def check_repetition(inputs: CheckInput) -> Iterator[Finding]:
    """One finding for two files that share instructions, at the first of them."""
    pairs: defaultdict[tuple[str, str], list[tuple[LocatedInstruction, LocatedInstruction, bool]]] = defaultdict(list)
    for later, first, same in _find_repeated_pairs(_locate_instructions(inputs.pages)):
        if _may_meet(later.page.path, first.page.path):
            pairs[later.page.path, first.page.path].append((later, first, same))
    for shared in pairs.values():
        yield _make_repetition_finding(shared)


def _may_meet(one: str, other: str) -> bool:
    """Whether an agent may load both: of two sibling folders, it works in one."""
    folders = [f"{path.partition('/.')[0] if '/.' in path else path.rpartition('/')[0]}/" for path in (one, other)]
    return folders[0].startswith(folders[1]) or folders[1].startswith(folders[0])


def _locate_instructions(pages: Iterable[CheckedFile]) -> list[LocatedInstruction]:
    """Every instruction that is long enough, of files that agents read as instructions; a copy of a file is skipped.

    A single file has none: there is no other to repeat. A generated file repeats its source on purpose, and does not
    fall behind it.
    """
    by_text: dict[str, CheckedFile] = {}
    for page in pages:
        if page.kind in ("instructions", "rule", "import") and (page.read or not is_generated(page.text)):
            by_text.setdefault(page.text, page)
    instructions: list[LocatedInstruction] = []
    for page in by_text.values() if len(by_text) > 1 else ():
        instructions += (
            LocatedInstruction(page, unit, words)
            for unit in find_instructions(page.text)
            if len(words := unit.words) >= MIN_WORDS
        )
    return instructions[:MAX_INSTRUCTIONS]


def _find_repeated_pairs(
    instructions: list[LocatedInstruction],
) -> Iterator[tuple[LocatedInstruction, LocatedInstruction, bool]]:
    """A later instruction, an earlier one of another file with the same meaning, and whether it is repeated in full."""
    by_words: dict[tuple[str, ...], LocatedInstruction] = {}
    parts: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    shingles: list[int] = []
    for index, each in enumerate(instructions):
        rows = {each.words[at : at + SHINGLE] for at in range(len(each.words) - SHINGLE + 1)}
        shingles.append(len(rows))
        first = by_words.setdefault(each.words, each)
        may_be_similar = first is each and each.page is not instructions[0].page  # before those there is no other file
        similar = _find_similar_instruction(each, rows, instructions, parts, shingles) if may_be_similar else None
        if first.page is not each.page:
            yield each, first, True
        elif similar is not None:
            yield each, similar, False
        for row in rows:
            if len(parts[row]) < MAX_SHARED_BY:
                parts[row].append(index)


def _find_similar_instruction(
    each: LocatedInstruction,
    rows: set[tuple[str, ...]],
    instructions: list[LocatedInstruction],
    parts: dict[tuple[str, ...], list[int]],
    shingles: list[int],
) -> LocatedInstruction | None:
    """An earlier instruction of another file that repeats most words of this one."""
    shared = Counter(index for row in rows for index in parts.get(row, ()))
    for index, count in shared.most_common(3):
        other = instructions[index]
        alike = count >= MIN_SIMILARITY * (len(rows) + shingles[index] - count)
        if alike and other.page is not each.page and _count_negations(other) == _count_negations(each):
            return other
    return None


def _count_negations(instruction: LocatedInstruction) -> int:
    """The number of negations: `always` and `never` separate instructions with otherwise the same words."""
    return sum(word in NEGATIONS for word in instruction.words)


def _make_repetition_finding(shared: list[tuple[LocatedInstruction, LocatedInstruction, bool]]) -> Finding:
    later, first, same = shared[0]
    count = len(shared)
    how = "the same as" if same else "nearly the same as"
    more = f"; {count - 1} more of its instructions {'is' if count == 2 else 'are'} there too" if count > 1 else ""
    message = (
        f"{how} line {first.unit.line} of {first.page.path}{more}: keep one of them, and link to it from the other file"
    )
    both = later.page.read and first.page.read
    return Finding(REPEATED_CODE, "warning" if both else "info", message, later.page.path, later.unit.line)


README_CODE = "readme-repeated"
MIN_SHARED = 4
"""Instructions that are in both, at the least."""
MIN_README_WORDS = 6
MIN_README_SHARE = 0.4


def check_readme_repetition(inputs: CheckInput) -> Iterator[Finding]:
    """One finding for a file that repeats much of the README."""
    readmes = [page for page in inputs.pages if page.kind == "readme"]
    for readme in readmes:
        known = {words for _, words in _list_long_instructions(readme)}
        for page in inputs.pages if len(known) >= MIN_SHARED else ():
            if page.kind == "instructions":
                own = _list_long_instructions(page)
                shared = [unit for unit, words in own if words in known]
                if len(shared) >= MIN_SHARED and len(shared) >= MIN_README_SHARE * len(own):
                    yield _make_readme_finding(page, readme, shared, len(own))


def _list_long_instructions(page: CheckedFile) -> list[tuple[Instruction, tuple[str, ...]]]:
    return [(unit, words) for unit in find_instructions(page.text) if len(words := unit.words) >= MIN_README_WORDS]


def _make_readme_finding(page: CheckedFile, readme: CheckedFile, shared: list[Instruction], count: int) -> Finding:
    name = readme.path.rpartition("/")[2]
    message = (
        f"{len(shared)} of its {count} instructions are also in {name}: keep what only agents need, and "
        f"write `See [{name}]({name})` for the rest"
    )
    return Finding(README_CODE, "warning", message, page.path, shared[0].line)


EMPHASIS_CODE = "emphasis-inflation"
LOUD_WORDS = (
    *("IMPORTANT", "MUST", "NEVER", "ALWAYS", "CRITICAL", "CRITICALLY", "MANDATORY", "REQUIRED", "ABSOLUTELY"),
    *("STRICTLY", "FORBIDDEN", "PROHIBITED", "DO NOT", "DON'T", "WARNING", "ATTENTION", "URGENT", "NON-NEGOTIABLE"),
    "EXTREMELY",
)
"""The page of the rule names them all, so that a reader can count again."""
LOUD = re.compile(rf"\b(?:{'|'.join(LOUD_WORDS)})\b|!{{2,}}|⚠|🚨|❗|‼")
BOLD = re.compile(r"(?:\*\*(?=\w)|(?<!\w)\*\*(?=[^\w\s*]))([^*\n]{1,300})(?<=\S)\*\*")
LABEL_END = re.compile(r"\s*(?:\([^()\n]{0,200}\)\s*)?[:—–→-]")
"""What follows a bold label of a list."""
MIN_BOLD_CHARS = 12
SUMMARY = re.compile(r"\A\*\*[^*\n]{1,300}\.\*\*(?=\s)")
"""The first sentence of an item, in bold as a title of what follows: it is layout, as a label is."""
CAPITALS = re.compile(r"[A-Z]{2}")
QUIET = re.compile(r"`[^`\n]{0,300}`|\*\*\[[^\]\n]{1,300}\]\([^)\n]{0,300}\)\*\*")
"""Code, and a link that is bold as a whole."""
MIN_EMPHASIZED = 12
MIN_SHARE = 0.3
"""The part of its instructions that shout."""


def check_emphasis(inputs: CheckInput) -> Iterator[Finding]:
    """One finding for a file that emphasizes too many of its instructions, at the first of them."""
    for page in (page for page in inputs.pages if page.is_sent):
        units = find_instructions(page.text)
        loud = [unit for unit in units if _is_loud(unit, lines_of_file(page))]
        if len(loud) >= MIN_EMPHASIZED and len(loud) >= MIN_SHARE * len(units):
            message = (
                f"{len(loud)} of its {len(units)} instructions are emphasised (MUST, NEVER, IMPORTANT, bold, "
                "`!!`): emphasise only the few that matter most, and give reasons for the others"
            )
            yield Finding(EMPHASIS_CODE, "info", message, page.path, loud[0].line)


def _is_loud(unit: Instruction, lines: tuple[MarkdownLine, ...]) -> bool:
    if not _may_be_loud(unit.text):
        return False
    text = QUIET.sub(" ", unit.text.removeprefix(_find_title(unit, lines)))
    return bool(LOUD.search(text)) or _is_partly_bold(SUMMARY.sub("", text))


def _is_partly_bold(text: str) -> bool:
    """Whether words are bold that are no single term, no label of a list, nor a question that a list answers."""
    for bold in BOLD.finditer(text):
        words = bold[1]
        is_term = words.isascii() and " " not in words
        is_label = words.endswith((":", "?")) or LABEL_END.match(text, bold.end())
        if len(words) >= MIN_BOLD_CHARS and not (is_term or is_label):
            return True
    return False


def _find_title(unit: Instruction, lines: tuple[MarkdownLine, ...]) -> str:
    """Its first line where that is a bold title of what is below: layout, as a heading is."""
    line = lines[unit.line - 1]
    words = _words_of_line(line)
    if not TITLE.match(words):
        return ""
    if unit.last > unit.line:
        return words
    below = next((each for each in lines[unit.last :] if each.text.strip()), None)
    if below is None or below.heading is not None:
        return ""
    if line.begins == "item":
        return words if find_level(below) > find_level(line) else ""
    return words if below.begins == "item" or not TITLE.match(_words_of_line(below)) else ""


def _words_of_line(line: MarkdownLine) -> str:
    return line.text[line.content :].strip()


def _may_be_loud(text: str) -> bool:
    """Whether it has what all that is loud has: two capitals, stars or exclamation marks in a row, or a sign."""
    return "**" in text or "!!" in text or not text.isascii() or CAPITALS.search(text) is not None


RULES = (
    CheckRule(REPEATED_CODE, "warning", "the same or nearly the same instruction in several files", check_repetition),
    CheckRule(README_CODE, "warning", "an instruction file that repeats the README", check_readme_repetition),
    CheckRule(EMPHASIS_CODE, "info", "a file in which nearly everything is emphasised", check_emphasis),
)
