"""`fit` cuts a prompt to a budget, the least important first; cuts of slow blocks are kept from turn to turn."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from ..errors import BudgetError, ConfigError, explain_unknown
from ..model.prompt.block import Block, CutRecord
from ..model.prompt.budget import Budget, BudgetLimit, as_budget
from ..model.prompt.prompt import FitResult, Prompt
from ..text.words import count_noun
from ..tokens.counter import CountFunction, as_counter
from ..traces import describe_prompt, traced
from .cut_block import BlockCut
from .cut_sequence import CutPosition, cut_sequence_of
from .search_cuts import CutSearch, next_stride


def reuse_cuts(full: Prompt, budget: Budget, since: Prompt | None) -> Prompt | None:
    """`full` with the very cuts of `since`, if nothing of the system prompt has changed; else None."""
    fitted = _find_comparable_cuts(full, budget, since)
    if since is None or fitted is None or not _are_same_blocks(full, fitted.whole, full.blocks, fitted.whole.blocks):
        return None
    cut = {result.name: result for result in since.results}
    blocks = set(full.blocks)
    results = tuple([cut[result.name] if result in blocks else result for result in full.results])
    return replace(full, results=results, fitted=FitResult(budget, full, fitted.trims))


def _find_comparable_cuts(full: Prompt, budget: Budget, since: Prompt | None) -> FitResult | None:
    """The cuts of `since`, if both are of one recipe, counted by one counter, and cut to one budget."""
    if since is None or since.fitted is None or since.fitted.budget != budget:
        return None
    return since.fitted if since.counter is full.counter and since.recipe is full.recipe else None


def carry_cuts(full: Prompt, budget: Budget, since: Prompt | None) -> tuple[CutSearch, bool]:
    """The limits of sections, and the cuts of `since` in the slower blocks; whether these blocks are the same as then.

    What may change every turn is cut anew, as far as it must be.
    """
    fitting = CutSearch(full, budget.limits)
    before = _find_comparable_cuts(full, budget, since)
    if before is None:
        return fitting, False
    last = 0
    for index, block in enumerate(fitting.order):
        cut = before.trims.get(block.name)
        if block.pace != "turn" and isinstance(cut, BlockCut):
            cutting = _repeat_cut(cut, block, full, before.whole)
            if cutting.place > fitting.cutting(block).place:
                fitting.cuttings[block.name] = cutting
                last = index
    for block in fitting.order[:last]:
        # It may be new, or have been let off by its limit; but nothing stands while what is worth more does not.
        cutting = fitting.cutting(block)
        fitting.cuttings[block.name] = cutting._replace(place=cutting.sequence.end)
    return fitting, _are_same_blocks(full, before.whole, _list_slow_blocks(full), _list_slow_blocks(before.whole))


def _repeat_cut(cut: BlockCut, block: Block, full: Prompt, before: Prompt) -> BlockCut:
    """The same cut of the same block; of one that has changed, so much that it is no longer than it was."""
    sequence = cut_sequence_of(block, full)
    if sequence.steps is cut.sequence.steps:
        return BlockCut(sequence, cut.place, dropped=cut.dropped)
    had = cut.size(before)
    if cut.at_foot:
        cutting = BlockCut(sequence, sequence.end, dropped=cut.dropped)
    elif block.says_as_much(cut.sequence.block) and sequence.steps == cut.sequence.steps:
        cutting = BlockCut(sequence, cut.place)
    else:
        cutting = BlockCut(sequence, sequence.place_for(sequence.tokens - had))
    steps = 0
    while cutting.size(full) > had and not cutting.silent:
        # A sequence's sums are exact but for seams; and at its end its line may be longer than what there was.
        steps += 1
        for _ in range(next_stride(steps)):
            cutting = cutting.further()
    return cutting


def _list_slow_blocks(prompt: Prompt) -> tuple[Block, ...]:
    return tuple([block for block in prompt.blocks if block.pace != "turn"])


def _are_same_blocks(one: Prompt, other: Prompt, blocks: Sequence[Block], others: Sequence[Block]) -> bool:
    """Whether two prompts say the same in these blocks; those that were built anew count by what they say."""
    if len(blocks) != len(others):
        return False
    origins = one.state.origins is other.state.origins or one.state.origins == other.state.origins
    return all([a is b or (origins and a.says_as_much(b)) for a, b in zip(blocks, others, strict=True)])


def record_cuts(prompt: Prompt) -> tuple[CutRecord, ...]:
    """The cuts of a prompt, as data."""
    trims = prompt.fitted.trims if prompt.fitted else {}
    return tuple(
        CutRecord(name, *cut.place, dropped=cut.dropped, bereft=tuple(sorted(cut.bereft)))
        for name, cut in trims.items()
        if isinstance(cut, BlockCut)
    )


def replay_cuts(full: Prompt, budget: Budget, records: Iterable[CutRecord]) -> Prompt:
    """A prompt that was built again from the same state, with the cuts that it had."""
    blocks = {block.name: block for block in full.blocks}
    fitting = CutSearch(full, {})
    for cut in records:
        if block := blocks.get(cut.block):
            sequence = cut_sequence_of(block, full)
            position = min(CutPosition(cut.steps, cut.level), sequence.end)
            fitting.cuttings[cut.block] = BlockCut(sequence, position, frozenset(cut.bereft), cut.dropped)
    return fitting.prompt(budget)


# Prompt + budget -> a Prompt that is never longer, with the least of the least important cut.
# Every block has a sequence. The block of the lowest priority goes down its own to the end before the next one takes a
# step, so a lower priority never stays while a higher one goes, and more room never shows less.


STEP = 16
"""A prompt that outgrows its cuts is cut by this part of the budget more than it must be, so that the cuts last."""


@traced("overture.fit", describe_prompt)
def fit(
    prompt: Prompt, budget: BudgetLimit | Budget, count: CountFunction | None = None, *, since: Prompt | None = None
) -> Prompt:
    """Cut `prompt` to `budget` tokens, as counted by `count`, including the notices about the cuts.

    `budget` is a number of tokens, or a `Budget`. With `since`, the prompt of the previous turn, only sections that
    may change every turn get new cuts if possible. Raises BudgetError if the required sections do not fit.
    """
    counter = prompt.counter if count is None else as_counter(count)
    full = (prompt.fitted.whole if prompt.fitted else prompt).counted(counter)
    allowed = as_budget(budget)
    limit = allowed.limit
    _check_sections(full, allowed.limits)
    if (again := reuse_cuts(full, allowed, since)) is not None:
        return again
    fitting, same = carry_cuts(full, allowed, since)
    if fitting.fits(limit) or limit is None:
        return fitting.prompt(allowed)
    if since is not None and not (same and fitting.descend(limit, turns_only=True) and fitting.fair()):
        fitting, _ = carry_cuts(full, allowed, since)
        fitting.descend(limit - limit // STEP)
    if not fitting.descend(limit):
        raise fitting.unmet(limit)
    return fitting.prompt(allowed)


def _check_sections(full: Prompt, limits: dict[str, int]) -> None:
    names = [section.name for section in full.recipe.sections]
    for name in limits:
        if name not in names:
            raise ConfigError(explain_unknown("Section", name, names))


def refuse_empty(prompt: Prompt, fitted: Prompt) -> Prompt:
    """A prompt of which a budget leaves nothing is an error: nobody wants to send that."""
    if fitted.text.strip() or not prompt.text.strip():
        return fitted
    block, tokens = max(prompt.counted_blocks, key=lambda counted: counted[0].section.priority)
    raise BudgetError(
        f"The budget is too small for `{prompt.recipe.name}`: nothing would be left.",
        cause=f"Its most important section, `{block.name}`, has {count_noun(tokens, 'token')}.",
        hint=f"Raise the budget to {tokens:,} or more: `--budget {tokens}`.",
    )
