"""Finds what breaks the prompt cache: a fast block before a slow one, a time or a random id."""

import re
from collections.abc import Iterator
from datetime import datetime

from ...model.prompt.block import Block
from ..findings_and_input import CheckInput, Finding, Severity
from ..rules_by_code import CheckRule

RANK = {"static": 0, "session": 1, "turn": 2}
CHANGES = {"static": "never", "session": "once a session", "turn": "every turn"}
UUID = re.compile(r"(?<![\w-])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![\w-])", re.IGNORECASE)
HEX = re.compile(r"(?<![\w/.#-])(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{24,64}(?![\w-])", re.IGNORECASE)
TIME = re.compile(r"(?<!\d)(\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?(?!\d)")
KINDS = (("a random id", UUID), ("a random id", HEX), ("a time", TIME))


def check_block_order(inputs: CheckInput) -> Iterator[Finding]:
    """A block that changes more often than a later one, which then can't stay cached."""
    blocks = inputs.prompt.blocks
    for at, block in enumerate(blocks):
        slower = [each for each in blocks[at + 1 :] if RANK[each.pace] < RANK[block.pace]]
        severity: Severity = "warning" if block.pace == "turn" else "info"
        # Between two sessions little stays cached, and a built-in recipe has the order of its document.
        if slower and (block.pace == "turn" or inputs.prompt.recipe.files):
            files = inputs.prompt.recipe.files
            yield Finding(
                "fast-before-slow", severity, _describe_block_order(block, slower), files[0] if files else None
            )


def _describe_block_order(block: Block, slower: list[Block]) -> str:
    first = slower[0]
    more = f" and {len(slower) - 1} more" if len(slower) > 1 else ""
    return (
        f"section {block.name!r} changes {CHANGES[block.pace]} but comes before {first.name!r}{more}, "
        f"which changes {CHANGES[first.pace]}: move it to the end, or the cache misses everything after it"
    )


def check_unstable_values(inputs: CheckInput) -> Iterator[Finding]:
    """A value of the state that differs each time, in a block that is meant to stay the same."""
    for block in inputs.prompt.blocks:
        if block.pace == "turn":
            continue
        for span in block.spans:
            source = inputs.prompt.resolved(span.source)
            # The text of a file stays the same until the file is edited.
            if source.kind in ("state", "hook"):
                for kind, value in _find_volatile_values(
                    block, block.text[span.start : span.end], inputs.prompt.state.now
                ):
                    message = (
                        f"{source.name}: {value!r} is {kind}, but section {block.name!r} changes {CHANGES[block.pace]}"
                    )
                    yield Finding(
                        "unstable-value", "warning", f"{message}: remove it, or move it to a section of pace turn"
                    )


def _find_volatile_values(block: Block, text: str, now: datetime | None) -> Iterator[tuple[str, str]]:
    for kind, pattern in KINDS:
        for match in pattern.finditer(text):
            # A session has an id, and a time at which it began; its clock is what shows today.
            clock = kind == "a time" and now is not None and match[1] == now.date().isoformat()
            if clock or (block.pace == "static" and (kind != "a time" or now is None)):
                yield kind, match[0]
                break


RULES = (
    CheckRule(
        "fast-before-slow", "warning", "a section that changes often before one that rarely changes", check_block_order
    ),
    CheckRule(
        "unstable-value",
        "warning",
        "a clock or a random id in a section that should stay the same",
        check_unstable_values,
    ),
)
