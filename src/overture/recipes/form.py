"""A recipe as it is written in TOML: the form, before it is made."""

from typing import Annotated, Any

from ..model.recipe import Clock
from ..model.section import Pace, Place
from ..model.struct import Frozen, note
from ..model.tool import Tool

Condition = dict[str, Any]


class SectionForm(Frozen, frozen=True):
    """One `[[sections]]` row: a text, where it goes, and when it is said."""

    name: str
    text: Annotated[str | None, note("what it says, with {{ field.path }} placeholders")] = None
    file: Annotated[str | None, note("a file with the text, relative to the recipe's own")] = None
    origin: Annotated[str | None, note("the file that the text was read from; filled in from `file`")] = None
    about: Annotated[str | None, note("one line for explanations")] = None
    before: Annotated[str | None, note("the section before which it goes")] = None
    after: Annotated[str | None, note("the section after which it goes")] = None
    replace: Annotated[str | None, note("the section whose place it takes")] = None
    when: Annotated[Condition | None, note("the condition under which it is said")] = None
    pace: Pace = "session"
    place: Place = "system"
    priority: int = 50
    required: bool = False
    tag: Annotated[str | None, note("the tag around it")] = None
    heading: Annotated[str | None, note("the heading above it, e.g. `## House rules`")] = None


class RuleForm(Frozen, frozen=True):
    """One `[[rules]]` row: a further line for a guideline table."""

    name: str
    text: Annotated[str | tuple[str, ...], note("one bullet, or several")]
    when: Annotated[Condition | None, note("the condition on active tools; none: always")] = None
    section: Annotated[str | None, note("the section with the table; none: the only one")] = None


class RecipeForm(Frozen, frozen=True):
    """The whole file."""

    name: Annotated[str | None, note("none: the name of the file")] = None
    about: str | None = None
    extends: Annotated[str | None, note("a recipe's name, or the path of another .toml file")] = None
    remove: Annotated[tuple[str, ...], note("sections of the extended recipe to leave out")] = ()
    sections: tuple[SectionForm, ...] = ()
    rules: tuple[RuleForm, ...] = ()
    wants: Annotated[dict[str, Any] | None, note("what is read, field by field over the extended recipe's")] = None
    tools: Annotated[tuple[Tool, ...], note("tools of its own, beside the extended recipe's")] = ()
    active: Annotated[tuple[str, ...] | None, note("the tools that are active by default")] = None
    settings: dict[str, str] | None = None
    sealed: bool | None = None
    clock: Annotated[
        Clock | None, note("what the time in a session follows; none: the extended recipe's, else `turn`")
    ] = None
