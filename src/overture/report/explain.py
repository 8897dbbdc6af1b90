"""`explain` gives the reason for each block and each skipped section, and the files that were looked at."""

from collections.abc import Iterator
from typing import Annotated

from ..model.diagnostic import Diagnostic
from ..model.prompt.block import Block
from ..model.prompt.prompt import Prompt
from ..model.recipe.section import Pace
from ..model.source import Source, Tier
from ..model.state.discovery import Discovery, Look
from ..model.struct import Frozen, note
from .stats_and_cut_notes import BudgetNote, Row, count_by_pace, note_budget


class Share(Frozen, frozen=True, omit_defaults=False):
    """The part of a block that is from one source."""

    source: Source
    chars: int
    tokens: int
    outside: Annotated[bool, note("it is a file from outside the repository")] = False
    tier: Annotated[Tier, note("who provided it")] = "built in"


class BlockNote(Frozen, frozen=True, omit_defaults=False):
    """One block: its reason, sources, size and pace."""

    name: str
    why: str
    pace: Pace
    start: int
    end: int
    tokens: int
    reads: tuple[str, ...]
    shares: tuple[Share, ...]


class RuleNote(Frozen, frozen=True, omit_defaults=False):
    """One guideline rule: whether it fired, and because of which tools."""

    section: str
    name: str
    fired: bool
    because: str


class OmissionNote(Frozen, frozen=True, omit_defaults=False):
    """A section that was skipped, and why."""

    name: str
    reason: str


class Explanation(Frozen, frozen=True, omit_defaults=False):
    """The result of `explain`: the blocks with their sources, and what is missing and why."""

    recipe: str
    fingerprint: str
    chars: int
    tokens: int
    tokenizer: str
    exact: Annotated[bool, note("false: the tokens are an estimate")]
    blocks: tuple[BlockNote, ...]
    messages: Annotated[tuple[BlockNote, ...], note("what goes into the user's message instead")]
    omitted: tuple[OmissionNote, ...]
    rules: tuple[RuleNote, ...]
    looked_at: tuple[Look, ...]
    diagnostics: tuple[Diagnostic, ...]
    paces: tuple[Row, ...] = ()
    budget: Annotated[BudgetNote | None, note("what the budget cut, and what a larger budget would restore")] = None


def explain(prompt: Prompt, discovery: Discovery | None = None) -> Explanation:
    """Account for every block, section, rule and path."""
    outside = _find_outside_paths(prompt, discovery)
    return Explanation(
        prompt.recipe.name,
        prompt.fingerprint,
        len(prompt.text),
        prompt.tokens,
        prompt.counter.name,
        prompt.counter.exact,
        tuple(
            _make_block_note(prompt, outside, block, at, tokens)
            for block, (_, at), tokens in zip(prompt.blocks, prompt.placed, prompt.block_tokens, strict=True)
        ),
        tuple(_make_block_note(prompt, outside, block, 0, block.tokens(prompt.counter)) for block in prompt.messages),
        tuple(OmissionNote(o.name, o.reason) for o in prompt.omitted),
        tuple(_list_rule_notes(prompt)),
        discovery.looked_at if discovery else (),
        prompt.diagnostics,
        count_by_pace(prompt),
        note_budget(prompt),
    )


def _find_outside_paths(prompt: Prompt, discovery: Discovery | None) -> frozenset[str]:
    """The files outside the repository, from discovery or from a saved state."""
    paths = (look.path for look in (discovery.looked_at if discovery else ()) if look.outside)
    return frozenset((*paths, *(file.path for file in prompt.state.context_files if file.outside)))


def _make_block_note(prompt: Prompt, outside: frozenset[str], block: Block, at: int, tokens: int) -> BlockNote:
    """What `explain` says of one block."""
    shares: dict[Source, Share] = {}
    for span, count in prompt.count_spans(block, tokens):
        source, tier = prompt.describe_source(span.source)
        share = shares.get(source, Share(source, 0, 0))
        chars, is_outside = share.chars + span.end - span.start, source.path in outside
        shares[source] = Share(source, chars, share.tokens + count, is_outside, tier)
    sizes = (block.pace, at, at + len(block.text), tokens)
    return BlockNote(block.name, block.section.claim, *sizes, block.reads, tuple(shares.values()))


def _list_rule_notes(prompt: Prompt) -> Iterator[RuleNote]:
    """A rule fires if its condition holds and its table is rendered: SYSTEM.md may replace that table."""
    active = frozenset(tool.name for tool in prompt.state.tools if not tool.planning_only)
    rendered = {span.source.name for span in prompt.spans if span.source.kind == "rule"}
    for section in prompt.recipe.sections:
        for rule in section.rules:
            holds, because = rule.when.holds(active), rule.when.because(active)
            if holds and rule.name not in rendered:
                holds, because = False, f"{because}; but the section does not contain its table"
            yield RuleNote(section.name, rule.name, holds, because)
