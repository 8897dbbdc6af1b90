"""`fit` cuts a prompt to a budget, the least important first; cuts of slow blocks are kept from turn to turn."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ..assemble.render_body import BodyRenderer
from ..assemble.sanitize.forbidden_frames import prompt_guard
from ..errors import BudgetError, ConfigError, explain_unknown
from ..model.prompt.block import JOIN, Block, Cut, CutKind, CutRecord, Omission, block_tokens
from ..model.prompt.budget import Budget, BudgetLimit, as_budget
from ..model.prompt.prompt import FitResult, Prompt
from ..model.recipe.body import Node
from ..text.words import count_noun, join_words
from ..tokens.counter import CountFunction, as_counter
from ..traces import describe_prompt, traced
from .cut_steps_and_sequence import DROPPED, CutPosition, CutSequence, apply_cuts, find_units, make_cut_sequence

MAX_CACHED_CUTS = 8
"""How many cut forms of a block are cached with it."""


class BlockCut(NamedTuple):
    """How far a block is cut."""

    sequence: CutSequence
    place: CutPosition
    missing_tools: frozenset[str] = frozenset()
    """Tools that were cut in other blocks: the parts that go with them are dropped too."""
    dropped: bool = False
    """Whether even the notice is dropped."""

    @property
    def levels(self) -> dict[int, int]:
        """The level of each unit that is cut."""
        levels = self.sequence.levels(self.place)
        if not self.missing_tools:
            return levels
        levels = dict(levels)
        for index, unit in enumerate(self.sequence.costs.units):
            if unit.group is not None and unit.main_part is not None and unit.main_part.goes_with in self.missing_tools:
                levels[index] = DROPPED
        return levels

    @property
    def at_end(self) -> bool:
        """Whether the only further step is to drop the block."""
        return self.place >= self.sequence.end

    @property
    def is_fully_cut(self) -> bool:
        """Whether nothing is left of the block, except perhaps its notice."""
        return self.at_end and (self.dropped or bool(self.sequence.line))

    def exceeds(self, share: float) -> bool:
        """Whether more than this share of the block is cut, or all of it."""
        return self.is_fully_cut or self.sequence.saving(self.place) > share * self.sequence.tokens

    @property
    def is_omitted(self) -> bool:
        """Whether the notice is dropped too, so that the block is omitted."""
        return self.at_end and self.dropped

    @property
    def cuts_anything(self) -> bool:
        """Whether it shortens or drops any part of the block."""
        return self.is_fully_cut or bool(self.levels)

    def dropped_tools(self) -> list[str]:
        """The tools that the block no longer describes."""
        tools = self.sequence.costs.tools
        levels = self.levels if tools else {}
        return [name for index, name in tools.items() if self.is_fully_cut or levels.get(index) == DROPPED]

    def result(self, prompt: Prompt) -> Block | Omission:
        """The cut block. The same cut gives the same object, so that its token counts stay cached."""
        if self.missing_tools and self.levels == self.sequence.levels(self.place):
            return self._replace(missing_tools=frozenset()).result(prompt)
        if not self.cuts_anything:
            return self.sequence.block
        cached = self.sequence.cached
        key = (self.place, self.missing_tools, self.dropped)
        if key not in cached:
            if len(cached) >= MAX_CACHED_CUTS:
                cached.clear()
            cached[key] = self._render_cut_block(prompt)
        return cached[key]

    def size(self, prompt: Prompt) -> int:
        """The tokens of the cut block."""
        return self.result(prompt).tokens(self.sequence.counter, JOIN)

    def further(self) -> "BlockCut":
        """The cut one step further; at the end, the block is dropped."""
        if self.at_end:
            return self._replace(dropped=True)
        return self._replace(place=self.sequence.next(self.place))

    def _render_cut_block(self, prompt: Prompt) -> Block | Omission:
        block, renderer = self.sequence.block, self._make_renderer(prompt)
        if self.is_omitted:
            return Omission(block.section, renderer.reason, block.notes)
        if self.is_fully_cut:
            renderer.render_node(self.sequence.notice)
            return Block(block.section, tuple(renderer.texts), (renderer.own,), block.notes, block.omits, block.body)
        shortened = self.render_again(prompt)
        with_tools = self._replace(missing_tools=frozenset())
        if self.missing_tools and shortened.tokens(self.sequence.counter, JOIN) > with_tools.size(prompt):
            # The parts dropped with their tool are shorter than the line about them: a cut never adds tokens.
            return self.render_again(prompt, line=False)
        return shortened

    def _make_renderer(self, prompt: Prompt) -> BodyRenderer:
        """The renderer for this block as it is cut."""
        renderer = BodyRenderer(prompt.recipe, self.sequence.block.section, prompt.state.origins, prompt_guard(prompt))
        renderer.reason = f"dropped to fit the budget: {self.sequence.counter.describe(self.sequence.tokens)}"
        return renderer

    def render_again(self, prompt: Prompt, *, line: bool = True) -> Block | Omission:
        """Render the cut block with the renderer that built it, with or without the line about dropped parts."""
        renderer = self._make_renderer(prompt)
        renderer.render_framed(apply_cuts(self.sequence.costs.body, self._choose_forms(), line=line))
        return renderer.result()

    def _choose_forms(self) -> dict[int, Node | None]:
        """The form of each node that is cut in this block; None if it is dropped."""
        costs = self.sequence.costs
        return {
            id(costs.units[index].node): None if level == DROPPED else costs.variants(index)[level - 1]
            for index, level in self.levels.items()
        }

    def cuts(self) -> Iterator[Cut]:
        """A record for each part that is cut, or for the whole block."""
        sequence, name = self.sequence, self.sequence.block.name
        if self.is_omitted:
            yield Cut(name, "", sequence.tokens, 0, "dropped")
        elif self.is_fully_cut:
            yield Cut(name, "", sequence.tokens, sequence.line, "replaced")
        else:
            for index, level in sorted(self.levels.items()):
                yield self._cut(index, level)

    def _cut(self, index: int, level: int) -> Cut:
        """The record of one cut in this block."""
        costs, unit = self.sequence.costs, self.sequence.costs.units[index]
        after, how = costs.at(index, level), self._find_cut_kind(index, level)
        return Cut(self.sequence.block.name, unit.name, costs.whole[index], after, how, unit.source)

    def shortened(self, result: Block) -> Iterator[tuple[Cut, Node, Node]]:
        """Each cut of this block that leaves some text: its record, the original node, and the one in `result`."""
        if self.is_fully_cut:
            yield next(self.cuts()), self.sequence.block.body, result.body
            return
        levels, units = self.levels, self.sequence.costs.units
        remaining = [index for index in range(len(units)) if levels.get(index) != DROPPED]
        now = [result.body] if units[0].group is None else [unit.node for unit in find_units(result.body)]
        if len(remaining) == len(now):
            for index, node in zip(remaining, now, strict=True):
                if index in levels:
                    yield self._cut(index, levels[index]), units[index].node, node

    def _find_cut_kind(self, index: int, level: int) -> CutKind:
        if level == DROPPED:
            return "dropped"
        costs = self.sequence.costs
        group = costs.units[index].group
        # The shortest form of a file is the line about it.
        only_line = group is not None and group.loose == "outermost" and level == len(costs.variants(index))
        return "replaced" if only_line else "shortened"


def repeat_cut(cut: BlockCut, block: Block, full: Prompt, before: Prompt) -> BlockCut:
    """The same cut of the same block; a block that has changed is cut until it is no longer than before."""
    if cut.sequence.block is block and cut.sequence.origins == full.state.origins:
        return cut._replace(missing_tools=frozenset())
    sequence = make_cut_sequence(block, full)
    old_size = cut.size(before)
    if cut.at_end:
        cutting = BlockCut(sequence, sequence.end, dropped=cut.dropped)
    elif block.has_same_text(cut.sequence.block) and sequence.steps == cut.sequence.steps:
        cutting = BlockCut(sequence, cut.place)
    else:
        cutting = BlockCut(sequence, sequence.place_for(sequence.tokens - old_size))
    steps = 0
    while cutting.size(full) > old_size and not cutting.is_omitted:
        # The sums of a sequence are exact except at seams; at its end, the notice may be longer than the old text.
        steps += 1
        for _ in range(next_stride(steps)):
            cutting = cutting.further()
    return cutting


def next_stride(steps: int) -> int:
    """How many steps to take at once after `steps` single ones.

    The sums of sequences are exact except at seams, so one or two steps are enough; for other counters strides grow.
    """
    return 1 if steps < 16 else steps * steps


MAX_VOLATILE_SHARE = 0.25
"""Blocks that may change every turn are cut by up to this share before the cached, stable blocks are."""


class CutSearch:
    """One attempt at meeting a budget. Lives for one call of `fit`."""

    def __init__(self, full: Prompt, limits: dict[str, int]) -> None:
        """Begin to fit a prompt: sections over their own limits are cut at once."""
        self.whole, self.counter = full, full.counter
        self.cuttings: dict[str, BlockCut] = {}
        self.missing_tools: frozenset[str] = frozenset()
        """The tools that are cut, so that parts that go with them are dropped."""
        blocks = [block for block in full.blocks if not block.section.required]
        self.order = sorted(reversed(blocks), key=lambda block: block.section.priority)
        """The order of cutting: the lowest priority first, and of equals the last."""
        for block in full.blocks:
            if block.name in limits:
                self._meet_section_limit(block, limits[block.name])

    def cutting(self, block: Block) -> BlockCut:
        """How far a block is cut to fit."""
        cutting = self.cuttings.get(block.name)
        if cutting is None:
            cutting = self.cuttings[block.name] = BlockCut(make_cut_sequence(block, self.whole), CutPosition())
        return cutting

    def _meet_section_limit(self, block: Block, limit: int) -> None:
        """Cut one section to its own limit."""
        if block.tokens(self.counter, JOIN) <= limit:
            return
        if block.section.required:
            raise explain_overrun(self.whole, [block], block.tokens(self.counter, JOIN), limit, block.name)
        sequence = make_cut_sequence(block, self.whole)
        self.cuttings[block.name] = BlockCut(sequence, sequence.place_for(sequence.tokens - limit))
        steps = 0
        while self.size(block) > limit:
            steps += 1
            for _ in range(next_stride(steps)):
                self.step(block)

    def size(self, block: Block) -> int:
        """The tokens of one block as it is cut now."""
        return self.result(block).tokens(self.counter, JOIN)

    def result(self, block: Block) -> Block | Omission:
        """The block as it is cut now."""
        cutting = self.cuttings.get(block.name)
        if self.missing_tools and not block.section.required:
            cutting = self.cutting(block)._replace(missing_tools=self.missing_tools)
            self.cuttings[block.name] = cutting
        return block if cutting is None else cutting.result(self.whole)

    def step(self, block: Block) -> bool:
        """Cut a block one step further; return whether there was a step."""
        cutting = self.cutting(block)
        if cutting.is_omitted:
            return False
        self.cuttings[block.name] = cutting.further()
        return True

    def descend(self, limit: int, *, turns_only: bool = False) -> bool:
        """Cut until the prompt has at most `limit` tokens; return whether it does."""
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
        """Jump to the positions that save enough by the estimates of the sequences."""
        for block in order:
            if need <= 0:
                return
            cutting = self.cutting(block)
            sequence, saved = cutting.sequence, cutting.sequence.saving(cutting.place)
            position = max(cutting.place, sequence.place_for(saved + need))
            self.cuttings[block.name] = cutting._replace(place=position)
            need -= sequence.saving(position) - saved
        for block in order:
            if need <= 0:
                return
            cutting = self.cutting(block)
            self.cuttings[block.name] = cutting._replace(dropped=True)
            need -= 0 if cutting.dropped else cutting.sequence.remains

    def _take_next_step(self, order: list[Block]) -> bool:
        """Cut the first block that has a step left; return whether there was one."""
        for block in order:
            if not self.cutting(block).at_end:
                return self.step(block)
        return any(self.step(block) for block in order)

    def tokens(self) -> int:
        """The tokens of the prompt as it is cut now."""
        self.missing_tools = frozenset(name for cutting in self.cuttings.values() for name in cutting.dropped_tools())
        blocks = [cut_block for block in self.whole.blocks if isinstance(cut_block := self.result(block), Block)]
        return sum(block_tokens(blocks, self.counter))

    def is_fair(self) -> bool:
        """Whether no block is cut by much while one of a lower priority can still be cut."""
        lower_stays = False
        for block in self.order:
            cutting = self.cuttings.get(block.name)
            if (
                cutting is not None
                and lower_stays
                and cutting.exceeds(MAX_VOLATILE_SHARE if block.pace == "turn" else 1)
            ):
                return False
            lower_stays = lower_stays or cutting is None or not cutting.at_end
        return True

    def prompt(self, budget: Budget) -> Prompt:
        """The prompt as it is cut now; if nothing is cut, the full prompt itself."""
        trims = {name: cutting for name, cutting in self.cuttings.items() if cutting.cuts_anything}
        if not trims:
            return self.whole
        results = [
            self.cuttings[r.name].result(self.whole) if r.name in trims and isinstance(r, Block) else r
            for r in self.whole.results
        ]
        return replace(self.whole, results=tuple(results), fitted=FitResult(budget, self.whole, dict(trims)))


def explain_overrun(prompt: Prompt, blocks: list[Block], tokens: int, limit: int, section: str = "") -> BudgetError:
    """The error for a budget that can't be met: what has to stay, its tokens, and what helps.

    `section`: the one that has this budget of its own.
    """
    named = join_words([repr(block.name) for block in blocks]) or "The notices about dropped sections"
    has = "has" if len(blocks) == 1 else "have"
    error = BudgetError(
        f"The budget of {count_noun(limit, 'token')} can't be met.",
        message=f"A budget of {count_noun(limit, 'token')} is too small for `{section or prompt.recipe.name}`",
        cause=f"{named} {has} to stay and {has} {prompt.counter.shown(tokens)}.",
    )
    return _hint_at_budget(error, tokens, section)


def _hint_at_budget(error: BudgetError, tokens: int, section: str = "") -> BudgetError:
    """The error with the budget that would do; on a terminal also the option for it."""
    hint = f"Raise the budget{section and f' of {section!r}'} to {tokens:,} or more"
    error.args = (f"{error} {hint}.",)
    error.hint = f"{hint}: `--budget {section and f'{section}='}{tokens}`."
    return error


def reuse_cuts(full: Prompt, budget: Budget, since: Prompt | None) -> Prompt | None:
    """`full` with the same cuts as `since`, if the system prompt has not changed; else None."""
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
    """A search with the limits of sections and the cuts of `since` in slower blocks; whether those are unchanged.

    Blocks that may change every turn are cut again, as far as needed.
    """
    fitting = CutSearch(full, budget.limits)
    before = _find_comparable_cuts(full, budget, since)
    if before is None:
        return fitting, False
    last = 0
    for index, block in enumerate(fitting.order):
        cut = before.trims.get(block.name)
        if block.pace != "turn" and isinstance(cut, BlockCut):
            cutting = repeat_cut(cut, block, full, before.whole)
            if cutting.place > fitting.cutting(block).place:
                fitting.cuttings[block.name] = cutting
                last = index
    for block in fitting.order[:last]:
        # A block may be new, or within its limit; but none stays while a block of a higher priority is cut.
        cutting = fitting.cutting(block)
        fitting.cuttings[block.name] = cutting._replace(place=cutting.sequence.end)
    return fitting, _are_same_blocks(full, before.whole, _list_slow_blocks(full), _list_slow_blocks(before.whole))


def _list_slow_blocks(prompt: Prompt) -> tuple[Block, ...]:
    return tuple([block for block in prompt.blocks if block.pace != "turn"])


def _are_same_blocks(one: Prompt, other: Prompt, blocks: Sequence[Block], others: Sequence[Block]) -> bool:
    """Whether two prompts have the same text in these blocks; blocks that were rendered again compare by text."""
    if len(blocks) != len(others):
        return False
    origins = one.state.origins is other.state.origins or one.state.origins == other.state.origins
    return all([a is b or (origins and a.has_same_text(b)) for a, b in zip(blocks, others, strict=True)])


def record_cuts(prompt: Prompt) -> tuple[CutRecord, ...]:
    """The cuts of a prompt, as data."""
    trims = prompt.fitted.trims if prompt.fitted else {}
    return tuple(
        CutRecord(name, *cut.place, dropped=cut.dropped, bereft=tuple(sorted(cut.missing_tools)))
        for name, cut in trims.items()
        if isinstance(cut, BlockCut)
    )


def replay_cuts(full: Prompt, budget: Budget, records: Iterable[CutRecord]) -> Prompt:
    """A prompt that was built again from the same state, with the cuts that it had."""
    blocks = {block.name: block for block in full.blocks}
    fitting = CutSearch(full, {})
    for cut in records:
        if block := blocks.get(cut.block):
            sequence = make_cut_sequence(block, full)
            position = min(CutPosition(cut.steps, cut.level), sequence.end)
            fitting.cuttings[cut.block] = BlockCut(sequence, position, frozenset(cut.bereft), cut.dropped)
    return fitting.prompt(budget)


# Prompt + budget -> a Prompt that is never longer: the least important text is cut, and as little as possible.
# Every block has a sequence. The block of the lowest priority is cut to the end of its sequence before the next one is
# cut, so a lower priority never stays while a higher one is cut, and a larger budget never shows less.


STEP = 16
"""A prompt that outgrows its cuts is cut by 1/STEP of the budget more than needed: so the cuts last."""


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
    names = [section.name for section in full.recipe.sections]
    for name in allowed.limits:
        if name not in names:
            raise ConfigError(explain_unknown("Section", name, names))
    if (again := reuse_cuts(full, allowed, since)) is not None:
        return again
    fitting, same = carry_cuts(full, allowed, since)
    tokens = fitting.tokens()
    if limit is None or tokens <= limit:
        return fitting.prompt(allowed)
    if since is not None and not (same and fitting.descend(limit, turns_only=True) and fitting.is_fair()):
        fitting, _ = carry_cuts(full, allowed, since)
        fitting.descend(limit - limit // STEP)
    if not fitting.descend(limit):
        required = [block for block in full.blocks if block.section.required]
        raise explain_overrun(full, required, fitting.tokens(), limit)
    return fitting.prompt(allowed)


def refuse_empty(prompt: Prompt, fitted: Prompt) -> Prompt:
    """Raise an error if a budget leaves nothing of a prompt: an empty prompt must not be sent."""
    if fitted.text.strip() or not prompt.text.strip():
        return fitted
    block, tokens = max(prompt.counted_blocks, key=lambda counted: counted[0].section.priority)
    error = BudgetError(
        f"The budget is too small for `{prompt.recipe.name}`: nothing would be left.",
        cause=f"Its most important section, `{block.name}`, has {count_noun(tokens, 'token')}.",
    )
    raise _hint_at_budget(error, tokens)
