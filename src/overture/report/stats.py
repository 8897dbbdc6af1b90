"""Prompt -> how long it is, by section, pace and source, and next to what the system's own document says."""

from collections.abc import Iterable
from typing import Annotated

from ..assemble.build import build
from ..model.prompt.prompt import Prompt
from ..model.source import Source
from ..model.struct import Frozen, note
from .budget_notes import BudgetNote, note_budget


class Row(Frozen, frozen=True, omit_defaults=False):
    """A share of the prompt."""

    name: str
    chars: int
    tokens: int


class SizeComparison(Row, frozen=True, omit_defaults=False):
    """A size that the system's document gives, beside the one that is measured."""

    document: Annotated[str, note("what the recipe's document states")]


class Stats(Frozen, frozen=True, omit_defaults=False):
    """The result of `stats`: tokens and characters by section, pace and source."""

    recipe: str
    chars: int
    tokens: int
    tokenizer: str
    exact: Annotated[bool, note("false: the tokens are an estimate")]
    sections: tuple[Row, ...]
    paces: tuple[Row, ...]
    sources: tuple[Row, ...]
    documented: tuple[SizeComparison, ...]
    budget: Annotated[BudgetNote | None, note("what the budget cut, and what a larger budget would restore")] = None


def stats(prompt: Prompt) -> Stats:
    """Measure a prompt."""
    return Stats(
        prompt.recipe.name,
        len(prompt.text),
        prompt.tokens,
        prompt.counter.name,
        prompt.counter.exact,
        _sum_shares((b.name, len(b.text), n) for b, n in zip(prompt.blocks, prompt.block_tokens, strict=True)),
        count_by_pace(prompt),
        _sum_shares(row for index in range(len(prompt.blocks)) for row in _count_source_sizes(prompt, index)),
        tuple(_compare_documented_sizes(prompt)),
        note_budget(prompt),
    )


def count_by_pace(prompt: Prompt) -> tuple[Row, ...]:
    """How much of the prompt changes how often."""
    return _sum_shares((b.pace, len(b.text), n) for b, n in zip(prompt.blocks, prompt.block_tokens, strict=True))


def _sum_shares(shares: Iterable[tuple[str, int, int]]) -> tuple[Row, ...]:
    rows: dict[str, Row] = {}
    for name, chars, tokens in shares:
        had = rows.get(name, Row(name, 0, 0))
        rows[name] = Row(name, had.chars + chars, had.tokens + tokens)
    return tuple(rows.values())


def _count_source_sizes(prompt: Prompt, index: int) -> Iterable[tuple[str, int, int]]:
    block, tokens = prompt.blocks[index], prompt.block_tokens[index]
    for span, count in prompt.count_spans(block, tokens):
        yield _describe_source(prompt.resolved(span.source)), span.end - span.start, count


def count_by_source(prompt: Prompt, index: int) -> dict[str, int]:
    """What gave a block its text, and how many tokens each."""
    return {row.name: row.tokens for row in _sum_shares(_count_source_sizes(prompt, index))}


def _describe_source(source: Source) -> str:
    if source.kind == "file":
        return source.path or "a file"
    return {"state": "the state", "rule": "rules", "recipe": "the recipe", "hook": "hooks"}[source.kind]


def _compare_documented_sizes(prompt: Prompt) -> Iterable[SizeComparison]:
    blocks = {block.name: block.text for block in prompt.blocks}
    for size in prompt.recipe.sizes:
        if size.state is not None:
            text = build(prompt.recipe, size.state).text
        elif size.section in blocks:
            text = blocks[size.section]
        else:
            continue
        yield SizeComparison(size.name, len(text), prompt.counter(text), size.document)


def tokens_by_file(prompt: Prompt) -> dict[str, int]:
    """How many tokens of the prompt, and of what goes beside it into messages, each file gives; in that order."""
    found: dict[str, int] = {}
    for block, tokens in prompt.counted_blocks:
        for span, count in prompt.count_spans(block, tokens):
            source = prompt.resolved(span.source)
            if source.kind == "file" and source.path is not None:
                found[source.path] = found.get(source.path, 0) + count
    return found
