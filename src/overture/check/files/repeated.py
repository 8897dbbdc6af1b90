"""The same instruction in several files, or nearly the same: whoever changes one forgets the other."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..finding import Finding
from ..ground import Ground, Page
from ..rule import Rule
from ..said.units import Unit, units

CODE = "repeated-instruction"
FEWEST = 8
"""Words that an instruction has, at the least: `run the tests` may stand anywhere."""
SHINGLE = 2
NEAR = 0.75
"""The part of all their pairs of words that two have in common."""
MOST = 20_000
"""Instructions that are compared, of all files together."""
NO = frozenset(("no", "not", "never", "don", "avoid", "without", "cannot"))
COMMON = 20
"""Instructions that share a pair of words, beyond which it tells nothing."""


class Said(NamedTuple):
    """An instruction, and the file that says it."""

    page: Page
    unit: Unit
    words: tuple[str, ...]


def look(ground: Ground) -> Iterator[Finding]:
    """One finding for two files that share instructions, at the first of them."""
    pairs: defaultdict[tuple[str, str], list[tuple[Said, Said, bool]]] = defaultdict(list)
    for later, first, same in _pairs(_said(ground.pages)):
        pairs[later.page.path, first.page.path].append((later, first, same))
    for shared in pairs.values():
        yield _finding(shared)


def _said(pages: Iterable[Page]) -> list[Said]:
    """Every instruction that is long enough, of files that agents read as instructions; a copy of a file is no news."""
    seen: set[str] = set()
    found: list[Said] = []
    for page in pages:
        if page.kind in ("instructions", "rule", "import") and page.text not in seen:
            seen.add(page.text)
            found += (Said(page, unit, words) for unit in units(page.text) if len(words := unit.words) >= FEWEST)
    return found[:MOST]


def _pairs(said: list[Said]) -> Iterator[tuple[Said, Said, bool]]:
    """A later instruction, an earlier one of another file that says the same, and whether it does so in full."""
    whole: dict[tuple[str, ...], Said] = {}
    parts: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    shingles: list[int] = []
    for index, each in enumerate(said):
        rows = {each.words[at : at + SHINGLE] for at in range(len(each.words) - SHINGLE + 1)}
        shingles.append(len(rows))
        first = whole.setdefault(each.words, each)
        near = None if first is not each else _nearest(each, rows, said, parts, shingles)
        if first.page is not each.page:
            yield each, first, True
        elif near is not None:
            yield each, near, False
        for row in rows:
            if len(parts[row]) < COMMON:
                parts[row].append(index)


def _nearest(
    each: Said,
    rows: set[tuple[str, ...]],
    said: list[Said],
    parts: dict[tuple[str, ...], list[int]],
    shingles: list[int],
) -> Said | None:
    shared = Counter(index for row in rows for index in parts.get(row, ()))
    for index, count in shared.most_common(3):
        other = said[index]
        alike = count >= NEAR * (len(rows) + shingles[index] - count)
        if alike and other.page is not each.page and _denied(other) == _denied(each):
            return other
    return None


def _denied(said: Said) -> int:
    """How often it says no: `always` and `never` make two of otherwise the same words."""
    return sum(word in NO for word in said.words)


def _finding(shared: list[tuple[Said, Said, bool]]) -> Finding:
    later, first, same = shared[0]
    count = len(shared)
    how = "the same as" if same else "nearly the same as"
    more = f"; {count - 1} more of its instructions stand there too" if count > 1 else ""
    message = (
        f"{how} line {first.unit.line} of {first.page.path}{more}: keep one of them, and let the other file link to it"
    )
    both = later.page.read and first.page.read
    return Finding(CODE, "warning" if both else "info", message, later.page.path, later.unit.line)


RULES = (Rule(CODE, "warning", "the same instruction, or nearly, in several files", look),)
