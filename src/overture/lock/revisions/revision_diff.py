"""The difference of the prompts of two revisions, as data: sections with their lines, files, problems, the cache."""

from typing import Annotated, Literal

from ...model.struct import Frozen, note
from ...report.cache.cause_of_miss import Blame
from ...report.diff import BlockDiff
from .changed_files import FileChange, Problems
from .changed_lines import Hunk


class Place(Frozen, frozen=True, omit_defaults=False):
    """A revision, or the working tree."""

    name: str
    commit: Annotated[str | None, note("its hash; null: the working tree")] = None
    subject: Annotated[str, note("the first line of its message")] = ""
    why: Annotated[str, note("why there is no prompt")] = ""

    @property
    def short(self) -> str:
        """`HEAD~1 (471e663)`; a hash is not said twice."""
        if self.commit is None:
            return f"the {self.name}"
        if self.commit.startswith(self.name):
            return self.name[:12]
        return f"{self.name} ({self.commit[:7]})"


class SectionDiff(BlockDiff, frozen=True, omit_defaults=False):
    """What became of one section, with its tokens and the lines of files that made the difference."""

    place: Annotated[Literal["system", "user"], note("user: it stands in the user's message")] = "system"
    tokens: Annotated[tuple[int, int], note("before and after")] = (0, 0)
    hunks: tuple[Hunk, ...] = ()


class ToolsDiff(Frozen, frozen=True, omit_defaults=False):
    """Tools by name."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


class CacheEffect(Frozen, frozen=True, omit_defaults=False):
    """What of a request a cache could still give back."""

    tokens: Annotated[int, note("tools and system prompt, after")]
    kept: Annotated[int, note("tokens of the longest prefix that stays, byte for byte")]
    share: float
    blame: Annotated[Blame | None, note("the first byte that differs, and why; null: nothing does")]


class RevisionDiff(Frozen, frozen=True, omit_defaults=False):
    """The difference of the prompts of two revisions, as data."""

    before: Place
    after: Place
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
    cache: Annotated[CacheEffect | None, note("null: one of the two has no prompt")]
    files: Annotated[tuple[FileChange, ...], note("that count now, or no longer, or do not for another reason")]
    problems: Problems
    later: Annotated[tuple[str, ...], note("skills of which only what is read when they are used changed")] = ()
    notes: Annotated[tuple[str, ...], note("what was not read, and what git remarks")] = ()

    @property
    def changed(self) -> tuple[SectionDiff, ...]:
        """The sections that are not the same."""
        return tuple(block for block in self.blocks if block.change != "same")

    @property
    def nothing(self) -> bool:
        """Nothing at all differs."""
        return self.same and not (self.files or self.problems.new or self.problems.gone)
