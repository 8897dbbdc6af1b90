"""The search for the cuts that meet a budget: along the sequences, the lowest priority first."""

from msgspec.structs import replace

from ..errors import BudgetError
from ..model.prompt.block import JOIN, Block, Omission, block_tokens
from ..model.prompt.budget import Budget
from ..model.prompt.prompt import FitResult, Prompt
from ..text.words import count_noun, join_words
from .cut_block import BlockCut
from .cut_sequence import CutPosition, cut_sequence_of

MAX_VOLATILE_SHARE = 0.25
"""What may change every turn gives up to a quarter of itself before the stable part, which a cache holds, does."""


class CutSearch:
    """One attempt at meeting a budget. Lives for one call of `fit`."""

    def __init__(self, full: Prompt, limits: dict[str, int]) -> None:
        self.whole, self.counter = full, full.counter
        self.cuttings: dict[str, BlockCut] = {}
        self.bereft: frozenset[str] = frozenset()
        """The tools that are cut, and with them what goes with them."""
        blocks = [block for block in full.blocks if not block.section.required]
        self.order = sorted(reversed(blocks), key=lambda block: block.section.priority)
        """Who gives way first: the lowest priority, and of equals the last."""
        for block in full.blocks:
            if block.name in limits:
                self._meet_section_limit(block, limits[block.name])

    def cutting(self, block: Block) -> BlockCut:
        """How far a block is cut."""
        return self.cuttings.get(block.name) or BlockCut(cut_sequence_of(block, self.whole), CutPosition())

    def _meet_section_limit(self, block: Block, limit: int) -> None:
        """Bring one section under its own limit."""
        if block.tokens(self.counter, JOIN) <= limit:
            return
        if block.section.required:
            raise explain_overrun(self.whole, [block], block.tokens(self.counter, JOIN), limit)
        sequence = cut_sequence_of(block, self.whole)
        self.cuttings[block.name] = BlockCut(sequence, sequence.place_for(sequence.tokens - limit))
        steps = 0
        while self.size(block) > limit:
            steps += 1
            for _ in range(next_stride(steps)):
                self.step(block)

    def size(self, block: Block) -> int:
        """The tokens of one block as it is cut now."""
        result = self.left(block)
        return result.tokens(self.counter, JOIN) if isinstance(result, Block) else 0

    def left(self, block: Block) -> Block | Omission:
        """What is left of a block."""
        cutting = self.cuttings.get(block.name)
        if self.bereft and not block.section.required:
            cutting = self.cutting(block)._replace(bereft=self.bereft)
            self.cuttings[block.name] = cutting
        return block if cutting is None else cutting.result(self.whole)

    def step(self, block: Block) -> bool:
        """Take a block one step further; whether there was one."""
        cutting = self.cutting(block)
        if cutting.silent:
            return False
        self.cuttings[block.name] = cutting.further()
        return True

    def descend(self, limit: int, *, turns_only: bool = False) -> bool:
        """Cut until the prompt has at most `limit` tokens; whether that could be done."""
        order = [block for block in self.order if block.pace == "turn" or not turns_only]
        self._jump_to_estimate(order, self.tokens() - limit)
        steps = 0
        while self.tokens() > limit:
            steps += 1
            for _ in range(next_stride(steps)):
                if not self._take_next_step(order):
                    break
            else:
                continue
            return self.tokens() <= limit
        return True

    def _jump_to_estimate(self, order: list[Block], need: int) -> None:
        """Go to where the sequences say that enough is saved."""
        for block in order:
            if need <= 0:
                return
            cutting = self.cutting(block)
            sequence, had = cutting.sequence, cutting.sequence.saving(cutting.place)
            position = max(cutting.place, sequence.place_for(had + need))
            self.cuttings[block.name] = cutting._replace(place=position)
            need -= sequence.saving(position) - had
        for block in order:
            if need <= 0:
                return
            cutting = self.cutting(block)
            self.cuttings[block.name] = cutting._replace(dropped=True)
            need -= 0 if cutting.dropped else cutting.sequence.remains

    def _take_next_step(self, order: list[Block]) -> bool:
        """One step further along the way; whether there was one."""
        for block in order:
            if not self.cutting(block).at_foot:
                return self.step(block)
        return any(self.step(block) for block in order)

    def tokens(self) -> int:
        """The tokens of the prompt as it is cut now."""
        self.bereft = frozenset(name for cutting in self.cuttings.values() for name in cutting.tools_gone())
        blocks = [cut_block for block in self.whole.blocks if isinstance(cut_block := self.left(block), Block)]
        return sum(block_tokens(blocks, self.counter))

    def fits(self, limit: int | None) -> bool:
        """Whether the prompt, as it is cut now, has at most `limit` tokens."""
        tokens = self.tokens()
        return limit is None or tokens <= limit

    def fair(self) -> bool:
        """Whether no block has given much of itself while one of a lower priority stands."""
        stands = False
        for block in self.order:
            cutting = self.cuttings.get(block.name)
            if cutting is not None and stands and cutting.gave(MAX_VOLATILE_SHARE if block.pace == "turn" else 1):
                return False
            stands = stands or cutting is None or not cutting.at_foot
        return True

    def prompt(self, budget: Budget) -> Prompt:
        """The prompt as it is cut now; where nothing is cut, the whole one itself."""
        trims = {name: cutting for name, cutting in self.cuttings.items() if cutting.cuts_anything}
        if not trims:
            return self.whole
        results = [
            self.cuttings[r.name].result(self.whole) if r.name in trims and isinstance(r, Block) else r
            for r in self.whole.results
        ]
        return replace(self.whole, results=tuple(results), fitted=FitResult(budget, self.whole, dict(trims)))

    def unmet(self, limit: int) -> BudgetError:
        """Why the budget can't be met: what has to stay, how much is missing, what would help."""
        required = [block for block in self.whole.blocks if block.section.required]
        return explain_overrun(self.whole, required, self.tokens(), limit)


def next_stride(steps: int) -> int:
    """How many steps to take at once, after so many.

    The sequences' sums are exact but for seams, so one or two is all; a counter of which they are not gets longer ones.
    """
    return 1 if steps < 16 else steps * steps


def explain_overrun(prompt: Prompt, blocks: list[Block], tokens: int, limit: int) -> BudgetError:
    """`The budget of 1,000 tokens can't be met. 'base' has to stay and has 1,200. …`."""
    named = join_words([repr(block.name) for block in blocks]) or "The notices about dropped sections"
    has = "has" if len(blocks) == 1 else "have"
    return BudgetError(
        f"The budget of {count_noun(limit, 'token')} can't be met.",
        message=f"A budget of {count_noun(limit, 'token')} is too small for `{prompt.recipe.name}`",
        cause=f"{named} {has} to stay and {has} {prompt.counter.shown(tokens)}.",
        hint=f"Raise the budget to {tokens:,} or more: `--budget {tokens}`.",
    )
