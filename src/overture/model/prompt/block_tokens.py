"""The tokens of blocks: each with the blank line that follows it, so that they add up to those of the prompt."""

from collections.abc import Iterator, Sequence

from ...tokens.counter import Counter, shared
from .block import Block

JOIN = "\n\n"
"""What stands between two blocks."""


def block_tokens(blocks: Sequence[Block], counter: Counter) -> list[int]:
    """One count for each block. Their sum is the count of the blocks' joined text."""
    last = len(blocks) - 1
    if not counter.additive:
        total = counter(JOIN.join([block.text for block in blocks])) if blocks else 0
        return shared(total, [block.tokens(counter, JOIN if i < last else "") for i, block in enumerate(blocks)])
    counts = [block.tokens(counter, JOIN) for block in blocks[:-1]]
    counts += [block.tokens(counter) for block in blocks[-1:]]
    for first, end in seams(blocks):
        # Here the end of one block and the beginning of the next may be one token, so they are counted as one text.
        whole = counter(JOIN.join([block.text for block in blocks[first:end]]) + (JOIN if end <= last else ""))
        counts[first:end] = shared(whole, counts[first:end])
    return counts


def seams(blocks: Sequence[Block]) -> Iterator[tuple[int, int]]:
    """The runs of blocks that do not part at their blank lines: each further block begins with `/`."""
    first = 0
    for index in range(1, len(blocks) + 1):
        if index == len(blocks) or not blocks[index].text.startswith("/"):
            if index - first > 1:
                yield first, index
            first = index
