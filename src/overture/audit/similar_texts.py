"""Finds copies that have drifted apart: texts that share most lines, and not all."""

import zlib
from functools import lru_cache
from typing import NamedTuple

SKETCH_SIZE = 32
"""Hashes that are stored for a text. Two sketches show how many lines their texts share to within some 10%."""
MIN_LINES = 6
"""Minimum number of different lines in a text: an import of another file is no copy of it."""
MIN_SIMILARITY = 0.6
"""The part of all different lines of two texts that both have: from here on, one is a copy of the other."""
MAX_GROUPS_OF_LINE = 8
"""Groups that a line leads to: a line of many texts shows no similarity."""

Sketch = tuple[int, ...]


class TextCopy(NamedTuple):
    """A text somewhere: in which repository, at which path, and a digest of it."""

    repository: str
    path: str
    digest: str


class CopyGroup(NamedTuple):
    """Texts that are nearly the same."""

    sketch: Sketch
    """Of the first of them."""
    copies: list[TextCopy]
    similar: dict[str, float]
    """The digests, each with the part of its lines that it shares with the first."""


@lru_cache(maxsize=4096)
def make_sketch(text: str) -> Sketch:
    """The smallest hashes of the text's lines, ignoring their order and white space; empty for a short text."""
    lines = {" ".join(line.split()) for line in text.splitlines()} - {""}
    if len(lines) < MIN_LINES:
        return ()
    return tuple(sorted(zlib.crc32(line.encode("utf-8", "replace")) for line in lines)[:SKETCH_SIZE])


def compare_sketches(one: Sketch, other: Sketch) -> float:
    """The share of lines that two texts have in common, estimated from the smallest hashes of both."""
    smallest = sorted({*one, *other})[:SKETCH_SIZE]
    return len({*one} & {*other} & {*smallest}) / max(len(smallest), 1)


class CopyFinder:
    """Takes texts one by one, and groups similar ones; each group stores one sketch."""

    def __init__(self) -> None:
        """No text is known yet: each that is added joins similar ones, or begins a group."""
        self.groups: list[CopyGroup] = []
        self.of_digest: dict[str, CopyGroup] = {}
        self.of_line: dict[int, list[CopyGroup]] = {}

    def add(self, copy: TextCopy, sketch: Sketch) -> None:
        """Put a text into the group of the most similar first text, or into one of its own, to find drifted copies."""
        if not sketch:
            return
        group = self.of_digest.get(copy.digest) or self._find_group(copy.digest, sketch)
        self.of_digest[copy.digest] = group
        group.copies.append(copy)

    def _find_group(self, digest: str, sketch: Sketch) -> CopyGroup:
        """The group of the most similar text; a new one if none is similar enough."""
        candidates = {id(group): group for line in sketch for group in self.of_line.get(line, ())}
        compared = [(compare_sketches(sketch, group.sketch), group) for group in candidates.values()]
        similarity, nearest = max(compared, key=lambda each: each[0], default=(0.0, None))
        if nearest is None or similarity < MIN_SIMILARITY:
            nearest, similarity = CopyGroup(sketch, [], {}), 1.0
            self.groups.append(nearest)
            for line in sketch:
                if len(known := self.of_line.setdefault(line, [])) < MAX_GROUPS_OF_LINE:
                    known.append(nearest)
        nearest.similar[digest] = similarity
        return nearest

    def list_drifted(self) -> list[CopyGroup]:
        """The groups with more than one version, the largest first."""
        drifted = [group for group in self.groups if len(group.similar) > 1]
        return sorted(drifted, key=lambda group: (-len(group.copies), group.copies[0]))
