"""An entry of a live session's record as a person reads it: which lines changed, and what that does to a cache."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from ...model.admitted import sent_before
from ...model.prompt.block import Block
from ...model.prompt.block_tokens import block_tokens
from ...model.prompt.prompt import Prompt
from ...report.changed_lines import ChangedLine, changed_lines
from ...session.record import BlockEntry, Entry
from ...terminal.terminal import counted, dim, style, tell, visible

COLOURS = {"rewritten": "yellow", "added": "green", "removed": "red", "told": "cyan"}
SIGNS = {"removed": ("-", "red"), "added": ("+", "green")}
FEW = 8
"""So many changed lines of a block are shown; the others are counted."""


class Seen(NamedTuple):
    """An entry, and the prompts before and after it."""

    entry: Entry
    before: Prompt | None
    after: Prompt

    def lines(self, block: BlockEntry) -> list[ChangedLine]:
        """The lines of a block that changed. None at the start, where all are new."""
        if self.before is None:
            return []
        if block.how == "told":
            return list(self._told(block.name))
        old, new = _block(self.before, block.name), _block(self.after, block.name)
        return list(changed_lines(old, new, self.before.resolved, self.after.resolved))

    def _told(self, name: str) -> Iterator[ChangedLine]:
        """What a message says, beside what stands in the prompt."""
        sent = _block(self.after, name)
        for held in self.entry.told:
            if held.name == name and sent is not None:
                now = Block(sent.section, (sent_before(held.text or ""),), (sent.sources[0],))
                yield from changed_lines(sent, now, self.after.resolved, self.after.resolved)

    @property
    def tokens_before(self) -> int:
        """The tokens of the system prompt before."""
        return sum(block_tokens(list(self.before.blocks), self.entry.counter)) if self.before else 0

    @property
    def kept(self) -> int:
        """The tokens before the first difference: what a provider's cache can still give back."""
        return self.entry.counter(self.after.text[: self.entry.first or 0])


def _block(prompt: Prompt, name: str) -> Block | None:
    return next((block for block in prompt.blocks if block.name == name), None)


def show(seen: Seen) -> None:
    """An entry for a person."""
    entry = seen.entry
    for trigger in entry.triggers:
        tell(style(trigger.name, bold=True) + dim(f"  {visible(trigger.reason)}"))
    if entry.old is None:
        names = ", ".join(block.name for block in entry.changed)
        tell(f"{counted(len(entry.changed), 'section')}: {names}", "  ")
        tell(f"{entry.chars:,} characters, {entry.counter.shown(entry.tokens)} tokens", "  ")
        return
    for block in entry.changed:
        because = f"  because {', '.join(block.because)} changed" if block.because else ""
        tell(f"{style(block.how, fg=COLOURS[block.how])} {block.name}{dim(because)}", "  ")
        show_lines(seen.lines(block))
    for path in entry.nested:
        tell(f"{style('arrived', fg='green')} {visible(path)}", "  ")
    tell("; ".join(_sums(seen)), "  ")


def show_lines(lines: Sequence[ChangedLine]) -> None:
    """A few changed lines, each file and place once, and how many more there are."""
    for path, found in groupby(lines[:FEW], key=lambda line: line.path):
        some = list(found)
        if path:
            tell(dim(f"{visible(path)}:{some[0].line}"), "    ")
        for line in some:
            sign, colour = SIGNS[line.how]
            tell(style(f"{sign} {visible(line.text)}", fg=colour), "      ")
    if len(lines) > FEW:
        tell(dim(f"and {counted(len(lines) - FEW, 'more line')}"), "      ")


def _sums(seen: Seen) -> Iterator[str]:
    """`812 → 840 tokens (+28); cached prefix: 231 tokens stay, 609 are sent anew`."""
    entry, before = seen.entry, seen.tokens_before
    shown = entry.counter.shown
    yield f"{shown(before)} → {shown(entry.tokens)} tokens ({entry.tokens - before:+,})"
    if entry.first is None:
        yield "cached prefix: all of it stays"
    else:
        kept = min(seen.kept, entry.tokens)
        yield f"cached prefix: {shown(kept)} tokens stay, {shown(entry.tokens - kept)} are sent anew"
