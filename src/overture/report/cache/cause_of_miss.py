"""The cause of a cache miss: the first byte that differs, its section, its inputs, and the kind of cause."""

import re
from typing import Annotated, Literal, NamedTuple

import msgspec

from ...model.prompt.saved_prompt import SavedPrompt
from ...model.struct import Frozen, note
from ...text.normalize import first_difference
from ..diff import BlockDiff, diff

MissKind = Literal["clock", "order", "content", "environment", "tool set"]
MISS_KINDS: dict[str, MissKind] = {
    "now": "clock",
    "tools": "tool set",
    "native_tools": "tool set",
    "runtime": "environment",
    "user": "environment",
    "session": "environment",
    "channel": "environment",
    "background": "environment",
}
"""The kind of cause of each field of State; the others are content."""


WORDS = re.compile(r"[^\s\"'`<>]+")


class CacheTurn(NamedTuple):
    """One request as far as a cache sees it: the tools, then the system prompt."""

    prompt: SavedPrompt
    tools: str = ""

    @property
    def head(self) -> str:
        """All that a turn sends as one text, in which the first byte that differs is the cause of a miss."""
        return self.tools + self.prompt.text


class MissCause(Frozen, frozen=True, omit_defaults=False):
    """The cause of a cache miss: the first difference, and its section, inputs and source."""

    byte: Annotated[int, note("the first byte that differs, in UTF-8, tools included")]
    section: Annotated[str | None, note("the section at that byte; `tools` for the tools themselves")]
    inputs: Annotated[tuple[str, ...], note("the fields of State that it reads and that changed")]
    kind: MissKind
    source: Annotated[str | None, note("where the text at that byte came from")] = None


def find_miss_cause(before: CacheTurn, after: CacheTurn) -> MissCause | None:
    """Why two requests differ, or None if they are the same."""
    first = first_difference(before.head, after.head)
    if first is None:
        return None
    byte = len(after.head[:first].encode("utf-8", "surrogatepass"))
    if before.tools != after.tools:
        return MissCause(byte, "tools", ("tools",), _find_tools_kind(before.tools, after.tools))
    patch = diff(before.prompt, after.prompt)
    if not patch.changed:
        return MissCause(byte, None, patch.inputs, "order")
    block = patch.changed[0]
    source = _find_source_at(after.prompt, first - len(after.tools))
    return MissCause(byte, block.name, block.because, _find_miss_kind(block, source), source)


def _find_tools_kind(before: str, after: str) -> MissKind:
    """The kind of cause of a miss in the tools."""
    old, new = (msgspec.json.decode(text or "[]") for text in (before, after))
    if {tool["name"] for tool in old} != {tool["name"] for tool in new}:
        return "tool set"
    return "order" if all(tool in new for tool in old) else "content"


def _find_miss_kind(block: BlockDiff, source: str | None) -> MissKind:
    old, new = (block.before or "").splitlines(), (block.after or "").splitlines()
    if len(old) > 1 and sorted(old) == sorted(new):
        return "order"
    if _differs_by_folder(block.before or "", block.after or ""):
        return "environment"
    # If several inputs changed, the source of the text at that byte decides.
    named = (source or "").removeprefix("state ").replace("[", ".").partition(".")[0]
    if named in block.because:
        return MISS_KINDS.get(named, "content")
    kinds = list(dict.fromkeys(MISS_KINDS.get(field, "content") for field in block.because))
    return kinds[0] if len(kinds) == 1 else "content"


def _differs_by_folder(before: str, after: str) -> bool:
    """Whether a miss is caused by paths alone: two texts differ only in the folders of paths."""
    old, new = WORDS.findall(before), WORDS.findall(after)
    differing = [(a, b) for a, b in zip(old, new, strict=False) if a != b]
    same = all("/" in a and "/" in b and a.rpartition("/")[2] == b.rpartition("/")[2] for a, b in differing)
    return len(old) == len(new) and bool(differing) and same


def _find_source_at(prompt: SavedPrompt, index: int) -> str | None:
    """The source of the text at which a prefix ends."""
    block = next((block for block in prompt.blocks if block.start <= index < block.end), None)
    part = next((p for p in block.parts if p.start <= index < p.end), None) if block else None
    return str(part.source) if part else None
