"""Every path that was looked at -> the rows of the page: what is in the prompt first, in its order."""

from collections.abc import Callable, Iterable, Iterator
from typing import Annotated

from ...model.prompt.block import Block
from ...model.prompt.prompt import Prompt
from ...model.state.discovery import Look, Outcome
from ...model.struct import Frozen, note
from ..why import Fate
from .make_sheet import file_id

READ = ("loaded", "cleared", "duplicate", "skipped", "lazy")
"""What has been read, under this name or another, if only to see that it can't be used, or not yet."""


class FileRow(Frozen, frozen=True, omit_defaults=False):
    """One path that was looked at."""

    id: Annotated[str | None, note("by which its text can be asked for; none: it was not read, or lies elsewhere")]
    path: str
    shown: Annotated[str, note("the path for a person")]
    what: Annotated[str, note("what was looked for there: context, skill, system, …")]
    outcome: Annotated[Outcome, note("in a word: loaded, shadowed, absent, …")]
    detail: Annotated[str, note("the same in a sentence")]
    outside: Annotated[bool, note("it lies outside the repository")]
    tokens: Annotated[int, note("that it gives to the prompt")]


class FilesAnswer(Frozen, frozen=True, omit_defaults=False):
    """All paths that were looked at."""

    files: tuple[FileRow, ...]


def file_rows(
    prompt: Prompt, fates: Iterable[tuple[Look, Fate]], shown: Callable[[str], str], may_show: Callable[[str], bool]
) -> FilesAnswer:
    """The rows: loaded first, as the prompt has them; then what was left out; last what is not there."""
    cost = tokens_by_file(prompt)
    order = {path: place for place, path in enumerate(cost)}
    rows = [
        FileRow(
            file_id(look.path) if look.outcome in READ and may_show(look.path) else None,
            look.path, shown(look.path), look.what, look.outcome, fate.said, look.outside, cost.get(look.path, 0),
        )
        for look, fate in fates
    ]  # fmt: skip
    once = list(dict.fromkeys(rows))
    return FilesAnswer(tuple(sorted(once, key=lambda row: (_rank(row), order.get(row.path, len(order))))))


def _rank(row: FileRow) -> int:
    if row.outcome == "absent":
        return 3
    return 0 if row.tokens else 1 if row.outcome in READ else 2


def tokens_by_file(prompt: Prompt) -> dict[str, int]:
    """How many tokens of the prompt, and of what goes beside it into messages, each file gives; in that order."""
    found: dict[str, int] = {}
    for block, tokens in _blocks(prompt):
        for span, count in zip(block.spans, block.span_tokens(prompt.counter, tokens), strict=True):
            source = prompt.resolved(span.source)
            if source.kind == "file" and source.path is not None:
                found[source.path] = found.get(source.path, 0) + count
    return found


def _blocks(prompt: Prompt) -> Iterator[tuple[Block, int]]:
    yield from zip(prompt.blocks, prompt.block_tokens, strict=True)
    yield from ((block, block.tokens(prompt.counter)) for block in prompt.messages)
