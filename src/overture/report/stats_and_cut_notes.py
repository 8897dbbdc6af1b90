"""`stats` measures a prompt by section, pace and source, and lists what a budget cut."""

from collections.abc import Iterable, Iterator
from typing import Annotated

from ..fit.fit import fit
from ..model.prompt.block import CUT_WORDS, Block, Cut
from ..model.prompt.budget import Budget
from ..model.prompt.prompt import Prompt
from ..model.source import Source
from ..model.struct import Frozen, note

MAX_EXTRA_TOKENS = 1_000
"""The extra room for which a report lists what it would restore."""


class CutNote(Frozen, frozen=True, omit_defaults=False):
    """A cut in one block, or in one separate part of it."""

    block: str
    said: Annotated[str, note("a description of what was cut")]
    tokens: Annotated[int, note("how many tokens that saved")]


class BudgetNote(Frozen, frozen=True, omit_defaults=False):
    """The effect of a budget on a prompt."""

    limit: Annotated[int | None, note("maximum tokens in total; none: only sections have limits")]
    tokens: int
    whole: Annotated[int, note("the tokens of the prompt before it was cut")]
    cuts: tuple[CutNote, ...]
    more: Annotated[int, note("this many more tokens")]
    back: Annotated[tuple[str, ...], note("would restore this")]
    costliest: Annotated[str, note("the section with the most tokens")]
    costs: Annotated[int, note("its tokens before cutting")]


def note_budget(prompt: Prompt) -> BudgetNote | None:
    """What a budget did to the prompt; None if it cut nothing."""
    if prompt.fitted is None:
        return None
    full, budget = prompt.fitted.whole, prompt.fitted.budget
    costs = dict(zip((block.name for block in full.blocks), full.block_tokens, strict=True))
    costliest = max(costs, key=lambda name: costs[name])
    # At most what the prompt needs without a limit in total; sections keep their own.
    most = fit(full, Budget(None, budget.sections, budget.window), prompt.counter) if budget.sections else full
    extra = min(MAX_EXTRA_TOKENS, max(most.tokens - (budget.limit or 0), 1))
    return BudgetNote(
        budget.limit,
        prompt.tokens,
        full.tokens,
        tuple(note_cuts(prompt.cuts)),
        extra,
        tuple(_find_returning(prompt, budget, extra)) if budget.limit is not None else (),
        costliest,
        costs[costliest],
    )


def note_cuts(cuts: Iterable[Cut]) -> Iterator[CutNote]:
    """A note on the cuts of each block: its parts by name if they are few, or else their number."""
    by_block: dict[str, list[Cut]] = {}
    for cut in cuts:
        by_block.setdefault(cut.block, []).append(cut)
    for block, block_cuts in by_block.items():
        saved = sum(cut.from_tokens - cut.to_tokens for cut in block_cuts)
        yield CutNote(block, "; ".join(_describe_cuts(block_cuts)), saved)


def _describe_cuts(cuts: list[Cut]) -> Iterator[str]:
    """The cuts of one block in words, by kind."""
    for how in dict.fromkeys(CUT_WORDS.values()):
        same_kind = [cut for cut in cuts if CUT_WORDS[cut.how] == how]
        names = [cut.part for cut in same_kind if cut.part]
        if same_kind:
            yield f"{how}: {_join_first_names(names)}" if names else how


def _join_first_names(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 3 else f"{names[0]}, {names[1]} and {len(names) - 2:,} more"


def _find_returning(prompt: Prompt, budget: Budget, extra: int) -> Iterator[str]:
    """The parts that are full or longer with more room. A line about a cut does not count."""
    assert prompt.fitted is not None
    roomier = Budget((budget.limit or 0) + extra, budget.sections, budget.window)
    then = {(cut.block, cut.part): cut for cut in fit(prompt.fitted.whole, roomier, prompt.counter).cuts}
    blocks = {block for block, _ in then}
    gains: dict[str, list[str]] = {}
    for cut in prompt.cuts:
        if (cut.block, "") in then and then[cut.block, ""].how != "shortened":
            continue
        remaining = then.get((cut.block, cut.part))
        if remaining is None:
            gains.setdefault(cut.block, []).append(cut.part or ("some of it" if cut.block in blocks else ""))
        elif remaining.how == "shortened" and remaining.to_tokens > cut.to_tokens:
            gains.setdefault(cut.block, []).append(f"more of {cut.part}" if cut.part else "more of it")
    for block, names in gains.items():
        # Parts that are restored in full come first, then longer ones.
        ordered = sorted(names, key=lambda name: name.startswith("more of "))
        yield f"{block}: {_join_first_names(ordered)}" if any(names) else block


class Row(Frozen, frozen=True, omit_defaults=False):
    """A share of the prompt."""

    name: str
    chars: int
    tokens: int


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
    budget: Annotated[BudgetNote | None, note("what the budget cut, and what a larger budget would restore")] = None


def stats(prompt: Prompt) -> Stats:
    """Measure a prompt."""
    sources = (
        (_name_source(source), chars, count)
        for block, tokens in _count_blocks(prompt)
        for source, chars, count in list_counted_sources(prompt, block, tokens)
    )
    return Stats(
        prompt.recipe.name,
        len(prompt.text),
        prompt.tokens,
        prompt.counter.name,
        prompt.counter.exact,
        _sum_by_name((block.name, len(block.text), tokens) for block, tokens in _count_blocks(prompt)),
        count_by_pace(prompt),
        _sum_by_name(sources),
        note_budget(prompt),
    )


def _count_blocks(prompt: Prompt) -> Iterable[tuple[Block, int]]:
    """The blocks of the system prompt, each with its tokens."""
    return zip(prompt.blocks, prompt.block_tokens, strict=True)


def count_by_pace(prompt: Prompt) -> tuple[Row, ...]:
    """The size of the prompt by pace."""
    return _sum_by_name((block.pace, len(block.text), tokens) for block, tokens in _count_blocks(prompt))


def _sum_by_name(shares: Iterable[tuple[str, int, int]]) -> tuple[Row, ...]:
    rows: dict[str, Row] = {}
    for name, chars, tokens in shares:
        row = rows.get(name, Row(name, 0, 0))
        rows[name] = Row(name, row.chars + chars, row.tokens + tokens)
    return tuple(rows.values())


def list_counted_sources(prompt: Prompt, block: Block, tokens: int) -> Iterator[tuple[Source, int, int]]:
    """The sources of a block that has so many tokens, each with its characters and its share of the tokens."""
    for span, count in prompt.count_spans(block, tokens):
        yield prompt.resolved(span.source), span.end - span.start, count


def sum_by_file(prompt: Prompt, blocks: Iterable[tuple[Block, int]]) -> dict[str, int]:
    """The tokens of each file in some blocks of the prompt, in order of appearance."""
    tokens_by_path: dict[str, int] = {}
    for block, tokens in blocks:
        for source, _, count in list_counted_sources(prompt, block, tokens):
            if source.kind == "file" and source.path is not None:
                tokens_by_path[source.path] = tokens_by_path.get(source.path, 0) + count
    return tokens_by_path


def _name_source(source: Source) -> str:
    if source.kind == "file":
        return source.path or "a file"
    return {"state": "the state", "rule": "rules", "recipe": "the recipe", "hook": "hooks"}[source.kind]
