"""Two sides, each a revision or the working tree -> what differs in what they would send."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from msgspec import structs

from ...model.prompt.block import Block
from ...model.prompt.prompt import Prompt
from ...model.prompt.saved import SavedPrompt, Tokens
from ...model.state.discovery import Found
from ...report.cache.cause_of_miss import Blame, Turn, blame
from ...report.cache.shared_prefix import shared_prefix
from ...report.diff import BlockDiff, Change, diff, first_difference
from ...tokens.counter import Counter
from .changed_files import changed_files, changed_problems
from .changed_lines import Hunk, from_root, hunks, lines_of
from .revision_diff import CacheEffect, Place, RevisionDiff, SectionDiff, ToolsDiff

Where = Literal["system", "user"]


class Side(NamedTuple):
    """What was built of one of the two."""

    place: Place
    prompt: Prompt | None = None
    found: Found | None = None
    tools: str = ""
    """The tools as they are sent, before the prompt."""


def compare_sides(before: Side, after: Side, root: str, notes: tuple[str, ...] = ()) -> RevisionDiff:
    """Compare what two sides would send. At least one of them has a prompt."""
    counter = next(side.prompt.counter for side in (after, before) if side.prompt)
    old, new = _saved(before, counter), _saved(after, counter)
    patch = diff(old, new)
    blocks = (*_sections(before, after, patch.blocks, root), *_messages(before, after, root))
    return RevisionDiff(
        before.place,
        after.place,
        root,
        all(block.change == "same" for block in blocks) and before.tools == after.tools and patch.same,
        patch.first,
        (old.recipe, new.recipe),
        patch.inputs,
        (old.tokens.total, new.tokens.total),
        counter.name,
        counter.exact,
        blocks,
        _tools(before, after),
        _cache(before, after, root),
        tuple(changed_files(before.found, after.found, root)) if before.found and after.found else (),
        changed_problems(old.diagnostics, new.diagnostics, root),
        notes=notes,
    )


def _saved(side: Side, counter: Counter) -> SavedPrompt:
    if side.prompt is not None:
        return side.prompt.saved
    return SavedPrompt("", "", "", 0, Tokens(0, counter.name, exact=counter.exact), ())


def _sections(before: Side, after: Side, blocks: tuple[BlockDiff, ...], root: str) -> Iterator[SectionDiff]:
    old, new = _blocks(before, "system"), _blocks(after, "system")
    for each in blocks:
        yield _section(each, before, after, old.get(each.name), new.get(each.name), root)


def _messages(before: Side, after: Side, root: str) -> Iterator[SectionDiff]:
    """The same for what goes into the user's message."""
    old, new = _blocks(before, "user"), _blocks(after, "user")
    for name in dict.fromkeys((*new, *old)):
        was, now = old.get(name), new.get(name)
        texts = was.text if was else None, now.text if now else None
        change: Change = "added" if was is None else "removed" if now is None else "changed"
        same = texts[0] == texts[1]
        first = first_difference(texts[0] or "", texts[1] or "")
        each = BlockDiff(name, "same") if same else BlockDiff(name, change, (), first, *texts)
        yield _section(each, before, after, was, now, root, "user")


def _section(
    each: BlockDiff, before: Side, after: Side, was: Block | None, now: Block | None, root: str,
    place: Where = "system",
) -> SectionDiff:  # fmt: skip
    tokens = _tokens(before, was), _tokens(after, now)
    found: tuple[Hunk, ...] = ()
    if each.change != "same":
        old = lines_of(before.prompt, was) if before.prompt else []
        new = lines_of(after.prompt, now) if after.prompt else []
        found = tuple(hunks(old, new, root))
    return SectionDiff(
        each.name, each.change, each.because, each.first, each.before, each.after, each.why, place, tokens, found
    )


def _blocks(side: Side, place: Where) -> dict[str, Block]:
    if side.prompt is None:
        return {}
    return {block.name: block for block in (side.prompt.blocks if place == "system" else side.prompt.messages)}


def _tokens(side: Side, block: Block | None) -> int:
    if side.prompt is None or block is None:
        return 0
    counted = {each.name: each.tokens for each in side.prompt.saved.blocks}
    return counted[block.name] if block.name in counted else block.tokens(side.prompt.counter)


def _tools(before: Side, after: Side) -> ToolsDiff:
    old, new = ({t.name: t for t in side.prompt.state.tools} if side.prompt else {} for side in (before, after))
    return ToolsDiff(
        tuple(name for name in new if name not in old),
        tuple(name for name in old if name not in new),
        tuple(name for name in new if name in old and old[name] != new[name]),
    )


def _cache(before: Side, after: Side, root: str) -> CacheEffect | None:
    if before.prompt is None or after.prompt is None:
        return None
    old, new = (Turn(side.prompt.saved, side.tools) for side in (before, after) if side.prompt)
    count = after.prompt.counter
    tokens = count(new.head)
    kept = min(tokens, count(new.head[: shared_prefix(old.head, new.head)]))
    return CacheEffect(tokens, kept, kept / tokens if tokens else 1.0, _blame(old, new, before, after, root))


def _blame(old: Turn, new: Turn, before: Side, after: Side, root: str) -> Blame | None:
    """What ends the prefix, with the very line of the file, also where that line is gone."""
    found = blame(old, new)
    first = first_difference(old.prompt.text, new.prompt.text)
    if found is None or found.section == "tools" or first is None:
        return found
    for prompt in (after.prompt, before.prompt):
        if prompt is not None and first < len(prompt.text):
            return structs.replace(found, source=from_root(str(prompt.source_at(first)), root))
    return found
