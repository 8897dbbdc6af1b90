"""A `[[sections]]` row -> a Section: its text with placeholders filled in from the State, in a single pass."""

from collections.abc import Callable
from itertools import groupby
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from ...errors import RecipeError, StateError, nearest
from ...model.recipe.body import Body, Group, Part, Skip, said
from ...model.recipe.rule import When
from ...model.recipe.section import Frame, Section, heading, tag
from ...model.recipe.wants.wanted_files import Wants
from ...model.source import Source, from_file, from_state
from ...model.state.state import FIELDS
from ...model.state.tool import Tool
from ...model.state_path import MISSING, fault_of, lookup
from ...sections.clock import NO_CLOCK
from ...sections.guidelines import active_names
from ...sections.placeholders import Room, escaped_pieces
from ...sections.skill_menu import line, listed, menu
from ...sections.told.frames_of_template import frames_of
from ...text.normalize import BREAKS, tidy
from .keys_and_conditions import SectionForm, condition, fields_of, looks_at_tools
from .telling_sections import telling_section

AUTHORS_OWN = ("agent.system_prompt", "agent.identity", "agent.instructions", "overrides.system", "overrides.append")
"""What the agent's own author gives is left as it is."""


def section_of(
    form: SectionForm, recipe: str, wants: Wants | None = None, told: frozenset[str] = frozenset()
) -> Section:
    """Make the section; whatever can be wrong about it is said now, not when a prompt is built."""
    where = f"Section {form.name!r} of recipe {recipe!r}"
    if form.files or form.menu is not None:
        return telling_section(form, wants or Wants(), where, told)
    text, skipped = tidy(form.text or "")
    own = from_file(form.origin, 1 + skipped) if form.origin else None
    if not text:
        raise RecipeError(f"{where} says nothing: give it `text` or `file`.")
    names = list(dict.fromkeys(name for _, name, _ in escaped_pieces(text) if name))
    for name in names:
        if fault := fault_of(name):
            raise RecipeError(f"{where} fills in {{{{ {name} }}}}: {fault}.")
    when = condition(form.when, where) if form.when is not None else None
    tags, headings, children = frames_of(text)
    return Section(
        form.name,
        _body(form, Template(text, own), when, names, where),
        form.pace,
        _frame(form, where),
        form.priority,
        form.required,
        form.place,
        tags,
        headings,
        children=children,
    )


def _frame(form: SectionForm, where: str) -> Frame | None:
    if form.tag and form.heading:
        raise RecipeError(f"{where} has both a tag and a heading: keep one.")
    if form.heading and not form.heading.startswith("#"):
        raise RecipeError(f"{where}: the heading {form.heading!r} does not begin with `#`.")
    for given in (form.name, form.tag or "", form.heading or ""):
        if BREAKS.search(given):
            raise RecipeError(f"{where}: {given!r} holds a line break or a control character: take it out.")
    return tag(form.tag) if form.tag else heading(form.heading) if form.heading else None


class Template(NamedTuple):
    """A text with placeholders, and the file that it came from, if any."""

    text: str
    source: Source | None


def _body(
    form: SectionForm, template: Template, when: When | None, names: list[str], where: str
) -> Callable[..., Body]:
    roots = {name.partition(".")[0] for name in (*names, *fields_of(when))}
    if looks_at_tools(when):
        roots.add("tools")
    reads = tuple(field for field in FIELDS if field in roots)

    def say(*values: Any) -> Body:
        state = dict(zip(reads, values, strict=True))
        if when is not None and (reason := _refused(when, state)):
            return Skip(reason, (NO_CLOCK,) if "now" in names and state["now"] is None else ())
        return filled(template, state, where)

    say.reads = reads  # type: ignore[attr-defined]
    say.__doc__ = form.about or f"Says: {template.text.partition(chr(10))[0][:60]}"
    return say


def _refused(when: When, state: dict[str, Any]) -> str | None:
    """Why the condition does not hold, or None where it does."""
    tools: tuple[Tool, ...] = state.get("tools", ())
    active = active_names(tools)
    given = frozenset(path for path in fields_of(when) if value_at(state, path) is not MISSING)
    return None if when.holds(active, given) else when.because(active, given)


def filled(template: Template, state: dict[str, Any], where: str) -> Group:
    """The text as parts: the recipe's own words, and what each placeholder stands for."""
    parts: list[Part | Group | str] = []
    fillers: dict[str, Part | Group] = {}
    room = Room()
    for piece, name, at in escaped_pieces(template.text):
        if name is None:
            parts += [_own(piece, template.source, at)] if piece else []
            continue
        if name not in fillers:
            fillers[name] = _filler(state, name, where)
        filler = fillers[name]
        if refused := room.refuses(name, len(said(filler))):
            raise StateError(f"{where}: {refused}. Say it once, or give less.")
        if parts and (name == "skills" or isinstance(parts[-1], Group)) and not _is_own(parts[-1]):
            parts.append("\n")  # a menu that touched another value might write what neither does alone
        parts.append(filler)
    return Group(tuple(_welded(parts)), sep="")


def _filler(state: dict[str, Any], name: str, where: str) -> Part | Group:
    """What a placeholder stands for."""
    value = value_at(state, name)
    if value is MISSING:
        raise StateError(
            f"{where} fills in {{{{ {name} }}}}, which the state does not give.{near(state, name)} "
            f'Give it, or say when = {{ field = "{name}" }}.'
        )
    return menu(listed(value), line) if name == "skills" else _value(name, value)


FACTS = ("runtime", "user", "session", "channel", "now")
ON_ONE_LINE = ("agent.name", "agent.emoji", "agent.creature", "agent.vibe", "task.id", "task.title", "task.status")
"""Names, places and facts: filled into a sentence they can't begin a line of their own."""


def _value(name: str, value: Any) -> Part:
    single = isinstance(value, str) and (name in ON_ONE_LINE or name.partition(".")[0] in FACTS)
    return Part(in_words(value), from_state(name), trusted=name in AUTHORS_OWN, single=single)


def _is_own(part: Part | Group | str) -> bool:
    return isinstance(part, str) or (isinstance(part, Part) and (part.source is None or part.source.kind == "file"))


def _own(text: str, source: Source | None, line: int) -> Part | str:
    """The author's own words, by the file and line where they stand, if they stand in a file."""
    if source is None:
        return text
    return Part(text, replace(source, line=(source.line or 1) + line - 1), trusted=True)


def _welded(parts: list[Part | Group | str]) -> list[Part | Group | str]:
    """Values that touch are one part: together they might write what neither does alone."""
    spoken = (part for part in parts if part not in ("",))
    runs = [list(run) for _, run in groupby(spoken, key=_welds)]
    return [part for run in runs for part in (_weld(run) if _welds(run[0]) else run)]


def _welds(part: Part | Group | str) -> bool:
    """Whether it is a value that others might touch."""
    return isinstance(part, Part) and not part.trusted


def _weld(run: list[Part | Group | str]) -> list[Part | Group | str]:
    first, *others = [part for part in run if isinstance(part, Part)]
    if not others:
        return [first]
    single = all(part.single for part in (first, *others))
    return [replace(first, text="".join([first.text, *(part.text for part in others)]), single=single)]


def near(state: dict[str, Any], path: str) -> str:
    """The nearest key beside the one that is missing, where it stands in free-form data."""
    root, *steps = path.split(".")
    here, found = state[root], ""
    for step in steps:
        found = nearest(step, map(str, here)) if isinstance(here, dict) and step not in here else found
        here = lookup(here, [step])
        if here is MISSING:
            break
    return found


def value_at(state: dict[str, Any], path: str) -> Any:
    """What a path leads to."""
    root, *steps = path.split(".")
    return lookup(state[root], steps)


def in_words(value: Any) -> str:
    """A text as it is, a list of texts as bullets, anything but skills as JSON with sorted keys."""
    if isinstance(value, str):
        return value
    if isinstance(value, tuple | list) and all(isinstance(item, str) for item in value):
        return "\n".join(f"- {item}" for item in value)
    return msgspec.json.encode(value, order="sorted").decode().strip('"')
