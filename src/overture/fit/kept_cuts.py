"""Cuts that outlive a turn: those of the slower blocks are carried over, and can be written down and made again."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from ..model.prompt.block import Block
from ..model.prompt.budget import Budget
from ..model.prompt.cuts_and_omissions import KeptCut
from ..model.prompt.prompt import Fitted, Prompt
from .cut_block import Cutting
from .ladder import Place, ladder_of
from .search_cuts import Fitting, stride


def as_since(whole: Prompt, budget: Budget, since: Prompt | None) -> Prompt | None:
    """`whole` with the very cuts of `since`, if nothing of the system prompt has changed; else None."""
    fitted = _alike(whole, budget, since)
    if since is None or fitted is None or not _same(whole, fitted.whole, whole.blocks, fitted.whole.blocks):
        return None
    cut = {result.name: result for result in since.results}
    ours = set(whole.blocks)
    results = tuple([cut[result.name] if result in ours else result for result in whole.results])
    return replace(whole, results=results, fitted=Fitted(budget, whole, fitted.trims))


def _alike(whole: Prompt, budget: Budget, since: Prompt | None) -> Fitted | None:
    """The cuts of `since`, if both are of one recipe, counted by one counter, and cut to one budget."""
    if since is None or since.fitted is None or since.fitted.budget != budget:
        return None
    return since.fitted if since.counter is whole.counter and since.recipe is whole.recipe else None


def carried(whole: Prompt, budget: Budget, since: Prompt | None) -> tuple[Fitting, bool]:
    """The limits of sections, and the cuts of `since` in the slower blocks; whether these blocks are the same as then.

    What may change every turn is cut anew, as far as it must be.
    """
    fitting = Fitting(whole, budget.limits)
    before = _alike(whole, budget, since)
    if before is None:
        return fitting, False
    last = 0
    for index, block in enumerate(fitting.order):
        cut = before.trims.get(block.name)
        if block.pace != "turn" and isinstance(cut, Cutting):
            cutting = _as_before(cut, block, whole, before.whole)
            if cutting.place > fitting.cutting(block).place:
                fitting.cuttings[block.name] = cutting
                last = index
    for block in fitting.order[:last]:
        # It may be new, or have been let off by its limit; but nothing stands while what is worth more does not.
        cutting = fitting.cutting(block)
        fitting.cuttings[block.name] = cutting._replace(place=cutting.ladder.end)
    return fitting, _same(whole, before.whole, _slow(whole), _slow(before.whole))


def _as_before(cut: Cutting, block: Block, whole: Prompt, before: Prompt) -> Cutting:
    """The same cut of the same block; of one that has changed, so much that it is no longer than it was."""
    ladder = ladder_of(block, whole)
    if ladder.rungs is cut.ladder.rungs:
        return Cutting(ladder, cut.place, dropped=cut.dropped)
    had = cut.size(before)
    if cut.at_foot:
        cutting = Cutting(ladder, ladder.end, dropped=cut.dropped)
    elif block.says_as_much(cut.ladder.block) and ladder.rungs == cut.ladder.rungs:
        cutting = Cutting(ladder, cut.place)
    else:
        cutting = Cutting(ladder, ladder.place_for(ladder.tokens - had))
    steps = 0
    while cutting.size(whole) > had and not cutting.silent:
        # A ladder's sums are exact but for seams; and at its end its line may be longer than what there was.
        steps += 1
        for _ in range(stride(steps)):
            cutting = cutting.further()
    return cutting


def _slow(prompt: Prompt) -> tuple[Block, ...]:
    return tuple([block for block in prompt.blocks if block.pace != "turn"])


def _same(one: Prompt, other: Prompt, blocks: Sequence[Block], others: Sequence[Block]) -> bool:
    """Whether two prompts say the same in these blocks; those that were built anew count by what they say."""
    if len(blocks) != len(others):
        return False
    origins = one.state.origins is other.state.origins or one.state.origins == other.state.origins
    return all([a is b or (origins and a.says_as_much(b)) for a, b in zip(blocks, others, strict=True)])


def kept_cuts(prompt: Prompt) -> tuple[KeptCut, ...]:
    """The cuts of a prompt, as data."""
    trims = prompt.fitted.trims if prompt.fitted else {}
    return tuple(
        KeptCut(name, *cut.place, dropped=cut.dropped, bereft=tuple(sorted(cut.bereft)))
        for name, cut in trims.items()
        if isinstance(cut, Cutting)
    )


def cut_again(whole: Prompt, budget: Budget, kept: Iterable[KeptCut]) -> Prompt:
    """A prompt that was built again from the same state, with the cuts that it had."""
    blocks = {block.name: block for block in whole.blocks}
    fitting = Fitting(whole, {})
    for cut in kept:
        if block := blocks.get(cut.block):
            ladder = ladder_of(block, whole)
            place = min(Place(cut.rungs, cut.level), ladder.end)
            fitting.cuttings[cut.block] = Cutting(ladder, place, frozenset(cut.bereft), cut.dropped)
    return fitting.prompt(budget)
