"""Records each turn: which event triggered a rebuild, which blocks changed and why, and how long the prompt is."""

from typing import Annotated, Any, Literal

from msgspec import Struct

from ..lazy import lazy
from ..model.diagnostic import Diagnostic
from ..model.message import Usage
from ..model.prompt.block import JOIN, Block, Omission, block_tokens
from ..model.struct import Frozen, as_json, note
from ..text.normalize import first_difference
from ..tokens.counter import ESTIMATE, Counter, CounterSource, resolve_counter

TriggerName = Literal[
    "start",
    "resume",
    "tools",
    "reload",
    "resources",
    "registry",
    "file",
    "model",
    "state",
    "budget",
    "extensions",
]
"""start · resume: from a save · tools: the active ones were set · reload · resources: more skills, context or templates
· registry: tools were added or removed · file: one changed on disk · model · state: a field was set · budget: it was
set · extensions: one added or removed something"""

READING_TRIGGERS = frozenset(("start", "reload", "resources", "file"))
"""Triggers after which the session reads the disk again."""

RESOLVING_TRIGGERS = frozenset(("start", "reload"))
"""Triggers after which the session reads the configuration again."""


CLOCK_TRIGGERS = frozenset(("start", "tools", "reload", "resources", "registry"))
"""Triggers that update the time of a recipe whose clock is `rebuild`. After the others the time stays."""


class Trigger(Frozen, frozen=True):
    """One event."""

    name: TriggerName
    reason: str


ChangeKind = Literal["rewritten", "added", "removed"]
Results = tuple[Block | Omission, ...]


class BlockEntry(Frozen, frozen=True, omit_defaults=False):
    """One block that changed: how, because of which input, and why."""

    name: str
    how: ChangeKind
    because: Annotated[
        tuple[str, ...], note("the fields of State that it reads and that changed, or the hook, or the budget")
    ]
    why: str = ""


class SavedEntry(Frozen, frozen=True, omit_defaults=False):
    """An entry as JSON has it."""

    turn: int
    triggers: tuple[Trigger, ...]
    changed: tuple[BlockEntry, ...]
    stayed: tuple[str, ...]
    chars: int
    tokens: int
    first: int | None
    messages: int
    edits: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    usage: Annotated[Usage | None, note("the provider's token counts for the replies of this turn")] = None
    nested: Annotated[tuple[str, ...], note("project files below cwd that were added to the conversation")] = ()


class Entry(Struct, frozen=True, dict=True, eq=False):
    """The record of one turn. Its figures are computed on first use.

    It keeps blocks, which neighbouring turns share, and no joined text: a long record stays small.
    """

    turn: int
    triggers: tuple[Trigger, ...]
    new: Results
    old: Results | None
    inputs: frozenset[str]
    """The fields of State that changed since the previous turn."""
    edits: tuple[str, ...] = ()
    messages: int = 0
    diagnostics: tuple[Diagnostic, ...] = ()
    counting: CounterSource = ESTIMATE
    """The counter of its tokens, or a function that finds it."""
    recut: frozenset[str] = frozenset()
    """The sections whose text is unchanged, but that the budget cuts differently than in the previous turn."""
    usages: list[Usage] = []
    """The provider's token counts, added when a reply arrives."""
    nested: tuple[str, ...] = ()
    """The nested project files that were added to the conversation since the previous turn, by path."""

    def __repr__(self) -> str:
        """`<Entry of turn 2: skills changed>`."""
        changes = ", ".join(f"{each.name} {each.how}" for each in self.changed) or "nothing changed"
        more = f" and {len(self.nested) - 1} more" if len(self.nested) > 1 else ""
        arrived = f", {self.nested[0]}{more} arrived" if self.nested else ""
        return f"<Entry of turn {self.turn}: {changes}{arrived}>"

    @lazy
    def changed(self) -> tuple[BlockEntry, ...]:
        """The record of the blocks that changed since the previous turn."""
        if self.old is self.new:
            return ()
        old, new = _index_system_blocks(self.old or ()), _index_system_blocks(self.new)
        names = dict.fromkeys([*new, *old])
        return tuple(entry for name in names if (entry := self._compare(old.get(name), new.get(name))))

    def _compare(self, was: Block | None, now: Block | None) -> BlockEntry | None:
        """The entry of one block; None if it did not change."""
        block = now or was
        if block is None or was is now or (was is not None and now is not None and was.text == now.text):
            return None
        how: ChangeKind = "added" if was is None else "removed" if now is None else "rewritten"
        hooks = sorted({s.name or "" for b in (was, now) if b for s in b.sources if s.kind == "hook"})
        if hooks:
            return BlockEntry(block.name, how, tuple(f"hook {name}" for name in hooks))
        causes = ["budget"] if block.name in self.recut else sorted(self.inputs.intersection(block.reads))
        return BlockEntry(block.name, how, tuple(causes), ", ".join(trigger.name for trigger in self.triggers))

    @property
    def stayed(self) -> tuple[str, ...]:
        """The record of the blocks that did not change."""
        changed = {entry.name for entry in self.changed}
        return tuple(name for name in _index_system_blocks(self.new) if name not in changed)

    @lazy
    def chars(self) -> int:
        """Characters of the system prompt."""
        sizes = [len(block.text) for block in _index_system_blocks(self.new).values()]
        return sum(sizes) + len(JOIN) * max(0, len(sizes) - 1)

    @lazy
    def counter(self) -> Counter:
        """The counter of its tokens."""
        return resolve_counter(self.counting)

    @lazy
    def tokens(self) -> int:
        """Tokens of the system prompt, by its counter."""
        return sum(block_tokens(list(_index_system_blocks(self.new).values()), self.counter))

    @lazy
    def first(self) -> int | None:
        """In the record: the first character of the system prompt that differs from the turn before, or None."""
        if self.old is None or self.old is self.new:
            return None
        old, new = list(_index_system_blocks(self.old).values()), list(_index_system_blocks(self.new).values())
        at = same = 0
        for a, b in zip(old, new, strict=False):
            if a is not b and a.text != b.text:
                break
            at, same = at + len(a.text) + len(JOIN), same + 1
        offset = first_difference(_join_texts(old[same:]), _join_texts(new[same:]))
        if offset is None:
            return None
        # If one text ends here, the other continues with the blank line between blocks.
        ended = same and (same == len(old) or same == len(new))
        return at - len(JOIN) if ended else at + offset

    @property
    def usage(self) -> Usage | None:
        """The provider's token counts for the replies of this turn; None until a reply has some."""
        return sum(self.usages[1:], self.usages[0]) if self.usages else None

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return as_json(SavedEntry(*(getattr(self, name) for name in SavedEntry.__struct_fields__)))


def _index_system_blocks(results: Results) -> dict[str, Block]:
    return {r.name: r for r in results if isinstance(r, Block) and r.section.place == "system"}


def _join_texts(blocks: list[Block]) -> str:
    return JOIN.join([block.text for block in blocks])
