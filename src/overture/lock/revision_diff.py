"""The difference between the prompts of two revisions, as data, and how it is computed."""

from collections.abc import Iterator
from typing import Annotated, Literal, NamedTuple

from msgspec import structs

from ..model.prompt.block import Block
from ..model.prompt.prompt import Prompt
from ..model.prompt.saved_prompt import SavedPrompt, Tokens
from ..model.state.discovery import Discovery
from ..model.struct import Frozen, note
from ..report.cache.cause_of_miss import CacheTurn, MissCause, find_miss_cause
from ..report.diff import BlockChange, BlockDiff, diff, list_source_lines
from ..text.normalize import count_common_start, first_difference
from ..text.path_printer import make_root_printer
from ..tokens.counter import Counter, format_tokens
from .changed_lines_and_files import (
    FileChange,
    Hunk,
    ProblemChanges,
    find_changed_files,
    find_changed_problems,
    find_hunks,
)


class RevisionInfo(Frozen, frozen=True, omit_defaults=False):
    """A revision, or the working tree."""

    name: str
    commit: Annotated[str | None, note("its hash; null: the working tree")] = None
    subject: Annotated[str, note("the first line of its message")] = ""
    why: Annotated[str, note("why there is no prompt")] = ""

    @property
    def short(self) -> str:
        """`HEAD~1 (471e663)`; a hash is not repeated."""
        if self.commit is None:
            return f"the {self.name}"
        if self.commit.startswith(self.name):
            return self.name[:12]
        return f"{self.name} ({self.commit[:7]})"


class SectionDiff(BlockDiff, frozen=True, omit_defaults=False):
    """The change of one section, with its tokens and the lines of files that cause it."""

    place: Annotated[Literal["system", "user"], note("user: part of the user's message")] = "system"
    tokens: Annotated[tuple[int, int], note("before and after")] = (0, 0)
    hunks: tuple[Hunk, ...] = ()


class ToolsDiff(Frozen, frozen=True, omit_defaults=False):
    """The tools that differ, by name."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


class RevisionCacheEffect(Frozen, frozen=True, omit_defaults=False):
    """The part of a request that can still be read from a cache."""

    tokens: Annotated[int, note("tools and system prompt, after")]
    kept: Annotated[int, note("tokens of the longest prefix that is byte-identical")]
    share: float
    blame: Annotated[MissCause | None, note("the first byte that differs, and why; null: none differs")]


class RevisionDiff(Frozen, frozen=True, omit_defaults=False):
    """The difference between the prompts of two revisions."""

    before: RevisionInfo
    after: RevisionInfo
    root: Annotated[str, note("the repository; paths are written from here")]
    same: Annotated[bool, note("system prompt, user's message and tools are the same")]
    first: Annotated[int | None, note("first differing character of the system prompt; none: the same text")]
    recipes: tuple[str, str]
    inputs: Annotated[tuple[str, ...], note("all fields of State that changed")]
    tokens: Annotated[tuple[int, int], note("of the system prompt, before and after")]
    tokenizer: str
    exact: Annotated[bool, note("false: the tokens are an estimate")]
    blocks: tuple[SectionDiff, ...]
    tools: ToolsDiff
    cache: Annotated[RevisionCacheEffect | None, note("null: one of the two has no prompt")]
    files: Annotated[tuple[FileChange, ...], note("files that are loaded now, no longer, or not for another reason")]
    problems: ProblemChanges
    later: Annotated[tuple[str, ...], note("skills that changed only in what is loaded on demand")] = ()
    notes: Annotated[tuple[str, ...], note("what was not read, and warnings of git")] = ()

    @property
    def changed(self) -> tuple[SectionDiff, ...]:
        """The sections that differ between the revisions."""
        return tuple(block for block in self.blocks if block.change != "same")

    def format(self, tokens: int, *, signed: bool = False) -> str:
        """A number of tokens of a revision, for a person."""
        return format_tokens(tokens, exact=self.exact, signed=signed)

    @property
    def nothing(self) -> bool:
        """Whether nothing differs between the revisions."""
        return self.same and not (self.files or self.problems.new or self.problems.gone)


MessagePlace = Literal["system", "user"]


class RevisionSide(NamedTuple):
    """What was built of one of the two."""

    place: RevisionInfo
    prompt: Prompt | None = None
    found: Discovery | None = None
    tools: str = ""
    """The tools as they are sent, before the prompt."""


def compare_sides(before: RevisionSide, after: RevisionSide, root: str, notes: tuple[str, ...] = ()) -> RevisionDiff:
    """The difference of what two revisions would send. At least one of them has a prompt."""
    counter = next(side.prompt.counter for side in (after, before) if side.prompt)
    old, new = _get_saved_prompt(before, counter), _get_saved_prompt(after, counter)
    patch = diff(old, new)
    blocks = (*_diff_sections(before, after, patch.blocks, root), *_diff_messages(before, after, root))
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
        _diff_tools(before, after),
        _predict_cache_effect(before, after, root),
        tuple(find_changed_files(before.found, after.found, root)) if before.found and after.found else (),
        find_changed_problems(old.diagnostics, new.diagnostics, root),
        notes=notes,
    )


def _get_saved_prompt(side: RevisionSide, counter: Counter) -> SavedPrompt:
    if side.prompt is not None:
        return side.prompt.saved
    return SavedPrompt("", "", "", 0, Tokens(0, counter.name, exact=counter.exact), ())


def _diff_sections(
    before: RevisionSide, after: RevisionSide, blocks: tuple[BlockDiff, ...], root: str
) -> Iterator[SectionDiff]:
    old, new = _index_blocks(before, "system"), _index_blocks(after, "system")
    for each in blocks:
        yield _diff_section(each, before, after, old.get(each.name), new.get(each.name), root)


def _diff_messages(before: RevisionSide, after: RevisionSide, root: str) -> Iterator[SectionDiff]:
    """The same for what goes into the user's message."""
    old, new = _index_blocks(before, "user"), _index_blocks(after, "user")
    for name in dict.fromkeys((*new, *old)):
        was, now = old.get(name), new.get(name)
        texts = was.text if was else None, now.text if now else None
        change: BlockChange = "added" if was is None else "removed" if now is None else "changed"
        same = texts[0] == texts[1]
        first = first_difference(texts[0] or "", texts[1] or "")
        each = BlockDiff(name, "same") if same else BlockDiff(name, change, (), first, *texts)
        yield _diff_section(each, before, after, was, now, root, "user")


def _diff_section(
    each: BlockDiff, before: RevisionSide, after: RevisionSide, was: Block | None, now: Block | None, root: str,
    place: MessagePlace = "system",
) -> SectionDiff:  # fmt: skip
    """One section of the two revisions' prompts: its tokens, and the lines that differ."""
    tokens = _count_block_tokens(before, was), _count_block_tokens(after, now)
    hunks: tuple[Hunk, ...] = ()
    if each.change != "same":
        old, new = (
            list_source_lines(block, side.prompt.resolved) if side.prompt else []
            for side, block in ((before, was), (after, now))
        )
        hunks = tuple(find_hunks(old, new, root))
    return SectionDiff(
        each.name, each.change, each.because, each.first, each.before, each.after, each.why, place, tokens, hunks
    )


def _index_blocks(side: RevisionSide, place: MessagePlace) -> dict[str, Block]:
    if side.prompt is None:
        return {}
    return {block.name: block for block in (side.prompt.blocks if place == "system" else side.prompt.messages)}


def _count_block_tokens(side: RevisionSide, block: Block | None) -> int:
    if side.prompt is None or block is None:
        return 0
    counted = {each.name: each.tokens for each in side.prompt.saved.blocks}
    return counted[block.name] if block.name in counted else block.tokens(side.prompt.counter)


def _diff_tools(before: RevisionSide, after: RevisionSide) -> ToolsDiff:
    old, new = ({t.name: t for t in side.prompt.state.tools} if side.prompt else {} for side in (before, after))
    return ToolsDiff(
        tuple(name for name in new if name not in old),
        tuple(name for name in old if name not in new),
        tuple(name for name in new if name in old and old[name] != new[name]),
    )


def _predict_cache_effect(before: RevisionSide, after: RevisionSide, root: str) -> RevisionCacheEffect | None:
    """How much of the first revision's prompt a cache gives back for the second."""
    if before.prompt is None or after.prompt is None:
        return None
    old, new = (CacheTurn(side.prompt.saved, side.tools) for side in (before, after) if side.prompt)
    count = after.prompt.counter
    tokens = count(new.head)
    cached = min(tokens, count(new.head[: count_common_start(old.head, new.head)]))
    return RevisionCacheEffect(
        tokens, cached, cached / tokens if tokens else 1.0, _find_prefix_cause(old, new, before, after, root)
    )


def _find_prefix_cause(
    old: CacheTurn, new: CacheTurn, before: RevisionSide, after: RevisionSide, root: str
) -> MissCause | None:
    """What ends the common prefix of the two revisions' prompts, with the line of the file, also if that is gone."""
    cause = find_miss_cause(old, new)
    first = first_difference(old.prompt.text, new.prompt.text)
    if cause is None or cause.section == "tools" or first is None:
        return cause
    for prompt in (after.prompt, before.prompt):
        if prompt is not None and first < len(prompt.text):
            return structs.replace(cause, source=make_root_printer(root).relative_within(str(prompt.source_at(first))))
    return cause
