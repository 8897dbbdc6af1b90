"""A recipe orders sections, and sets which files they want and whether others may edit the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Annotated, Any, Literal, NamedTuple, get_args

from msgspec import Struct

from ...errors import RecipeError, find_similar
from ...lazy import lazy
from ...text.scan_for_marks import can_guard_heading, can_guard_tag
from ...text.words import count_noun
from ..agent_rules import Evidence
from ..diagnostic import Diagnostic
from ..source import Source, Tier
from ..state.state import FIELDS
from ..struct import Frozen, note
from ..tool import Tool
from ..wants import Wants
from .section import SLOT, Frame, Pace, Section, SectionPlace


class OwnPrompt(Frozen, frozen=True):
    """The size of an agent's built-in prompt. Overture does not contain its text."""

    characters: Annotated[int | None, note("characters of its system prompt; none: not measured")] = None
    tools: Annotated[int | None, note("how many tools it has")] = None
    tool_characters: Annotated[int | None, note("characters of its tool definitions")] = None
    messages: Annotated[int | None, note("characters that it adds to the first message")] = None


class Signs(Frozen, frozen=True):
    """The files and programs that show that an agent is set up here."""

    project: Annotated[tuple[str, ...], note("its own files and folders in a project")] = ()
    home: Annotated[tuple[str, ...], note("its own files and folders under home")] = ()
    programs: Annotated[tuple[str, ...], note("programs on the PATH")] = ()


class AgentFacts(Frozen, frozen=True):
    """A coding agent by another vendor: its name and release, and how its behaviour is known."""

    title: str
    version: Annotated[str, note("the release, or the date of the source or the documentation")]
    checked: Annotated[date, note("when it was last checked")]
    known: Evidence
    evidence: Annotated[str, note("the same in a sentence, with what was compared")]
    own: OwnPrompt = OwnPrompt()
    signs: Signs = Signs()
    owns: Annotated[
        dict[str, str],
        note("files and folders of a project that are named after it -> its name there; they are signs too"),
    ] = {}
    shows: Annotated[str, note("how the agent itself shows what it has loaded")] = ""
    notes: Annotated[tuple[str, ...], note("what is unusual or unknown, one sentence each")] = ()
    also_called: Annotated[tuple[str, ...], note("other names, including those of its predecessors")] = ()

    @property
    def full_name(self) -> str:
        """What people call it, with the release that was run."""
        return f"{self.title} {self.version}" if self.known == "run" else self.title


class AgentSection(Frozen, frozen=True):
    """A section of an agent's prompt: the files of some steps, or the list of skills, in its words."""

    name: str
    about: str = ""
    place: Annotated[SectionPlace, note("`user`: in the first message")] = "system"
    files: Annotated[tuple[str, ...], note("the steps whose files are here, or `STEP:waiting` and the like")] = ()
    menu: Annotated[str | None, note("instead of files: how a skill is listed")] = None
    opens: str = ""
    each: Annotated[str | dict[str, str], note("how a file is written; or by step or file name")] = "{{ text }}"
    between: Annotated[str | None, note("between files, or skills, if not an empty line, or a line end")] = None
    turning: Annotated[str | None, note("between files of two steps, if something else")] = None
    closes: str = ""


Clock = Literal["turn", "rebuild"]
"""When the time in a session's prompt changes: with each message of the user, or only when the prompt is rebuilt."""


class RecipeFrames(NamedTuple):
    """What a recipe can write around texts, in any state: guards are made only from this."""

    tags: frozenset[str]
    headings: frozenset[str]
    """As written; a value may be in a `SLOT`."""
    children: frozenset[str]
    """Elements inside of these tags, and of those around sections."""


class Recipe(Struct, frozen=True, dict=True, eq=False):
    """How one system writes its prompt: sections in order, the files it reads, and its tools."""

    name: str
    sections: tuple[Section, ...]
    about: str = ""
    """One line for `overture recipes`."""
    wants: Wants = Wants()
    sealed: bool = False
    """True: no hook may edit the prompt after it is built."""
    tools: tuple[Tool, ...] = ()
    """The system's own tools, to be activated by name."""
    active: tuple[str, ...] = ()
    """Names of the tools that are active by default."""
    settings: Mapping[str, str] = {}
    """Settings that paths in `wants` may use, with their defaults."""
    files: tuple[str, ...] = ()
    """The files that define the recipe itself."""
    clock: Clock = "turn"
    """`rebuild`: in a session, the time changes only when the prompt is rebuilt."""
    notes: tuple[Diagnostic, ...] = ()
    """Problems of the recipe itself, such as paths that a project may not set."""
    tiers: Mapping[str, Tier] = {}
    """Who supplied a section or a rule, by its name. Default: built in."""
    agent: AgentFacts | None = None
    """For an agent of another vendor: its facts, and how they are known."""
    search: Callable[..., Any] | None = None
    """How the module of such an agent looks for its files, in place of `wants`."""

    def __post_init__(self) -> None:
        if self.clock not in get_args(Clock):
            raise RecipeError(
                f"Recipe {self.name!r} has an invalid clock: {self.clock!r}.",
                hint=f"Use one of {', '.join(get_args(Clock))}.",
            )
        names: set[str] = set()
        for section in self.sections:
            if not isinstance(section, Section):
                raise RecipeError(
                    f"Recipe {self.name!r} has a section that is none: {section!r:.80}.",
                    hint='Write @section("name") above its function.',
                )
            if section.name in names:
                raise RecipeError(
                    f"Recipe {self.name!r} has two sections named {section.name!r}.", hint="Rename one of them."
                )
            names.add(section.name)
            for what, given, known in (("pace", section.pace, Pace), ("place", section.place, SectionPlace)):
                if given not in get_args(known):
                    raise RecipeError(
                        f"Section {section.name!r} of recipe {self.name!r} has an invalid {what}: {given!r}.",
                        hint=f"Use one of {', '.join(get_args(known))}.",
                    )
            self._check_reads(section)
            self._check_frames(section)

    def __repr__(self) -> str:
        """`<Recipe opal: 6 sections>`."""
        return f"<Recipe {self.name}: {count_noun(len(self.sections), 'section')}>"

    def _check_reads(self, section: Section) -> None:
        for name in section.reads:
            if name not in FIELDS:
                raise RecipeError(
                    f"Section {section.name!r} of recipe {self.name!r} reads {name!r}, which is not a field of State.",
                    tip=find_similar(name, FIELDS),
                    hint=f"Fields: {', '.join(FIELDS)}.",
                )

    def _check_frames(self, section: Section) -> None:
        """What frames a section must be such that no text can write it unseen."""
        frame = section.frame
        if not isinstance(frame, Frame | None):
            raise RecipeError(
                f"Section {section.name!r} of recipe {self.name!r} has an invalid frame: {frame!r:.80}.",
                hint='Use frame=tag("name") or frame=heading("## Line").',
            )
        inner = section.children
        tags = (*([frame.tag] if frame and frame.tag is not None else ()), *section.tags)
        tags += tuple(name for name in inner if not name.startswith("#"))
        headings = (*([frame.heading] if frame and frame.heading is not None else ()), *section.headings)
        headings += tuple(name for name in inner if name.startswith("#"))
        lines = [line.replace(SLOT, "/x.md") for line in headings]
        odd = [f"the tag {name!r:.80}" for name in tags if not can_guard_tag(name)]
        odd += [f"the heading {line!r:.80}" for line in lines if not can_guard_heading(line)]
        if odd:
            raise RecipeError(
                (
                    f"Section {section.name!r} of recipe {self.name!r} has {odd[0]}, which text from files could "
                    "imitate."
                ),
                cause="A tag is one or more words; a heading is one line that begins with `#`.",
            )

    @lazy
    def frames(self) -> RecipeFrames:
        """The tags and headings that the recipe may write, in any state. Text from files can't write them."""
        sections = self.sections
        return RecipeFrames(
            frozenset([tag for section in sections for tag in section.outer_tags]),
            frozenset([line for section in sections for line in section.outer_headings]),
            frozenset([tag for section in sections for tag in section.inner_tags if not tag.startswith("#")]),
        )

    @lazy
    def sources(self) -> dict[str, Source]:
        """The source of the recipe's own text, by section."""
        return {s.name: Source("recipe", name=f"{self.name}.{s.name}") for s in self.sections}

    def section(self, name: str) -> Section:
        """The section of that name."""
        for section in self.sections:
            if section.name == name:
                return section
        raise RecipeError(
            f"Recipe {self.name!r} has no section {name!r}.", tip=find_similar(name, [s.name for s in self.sections])
        )
