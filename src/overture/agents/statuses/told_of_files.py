"""A prompt -> how much of it each file gave, and which words of the agent's stand right before that."""

from ...model.prompt.block import Block
from ...model.prompt.prompt import Prompt

Told = dict[str, tuple[int, str | None]]
"""By path, in the order of the prompt: the tokens, and the frame."""


def told_of_files(prompt: Prompt) -> Told:
    """The files of a prompt, in the order in which they are told."""
    told: Told = {}
    counts = [*prompt.block_tokens, *(block.tokens(prompt.counter) for block in prompt.messages)]
    for block, tokens in zip((*prompt.blocks, *prompt.messages), counts, strict=True):
        _add(told, prompt, block, tokens)
    return told


def _add(told: Told, prompt: Prompt, block: Block, tokens: int) -> None:
    before = ""
    for span, count in zip(block.spans, block.span_tokens(prompt.counter, tokens), strict=True):
        source = prompt.resolved(span.source)
        if source.kind != "file" or not source.path:
            before += block.text[span.start : span.end]
            continue
        had, frame = told.get(source.path, (0, before.strip() or None))
        told[source.path] = had + count, frame
        before = ""
