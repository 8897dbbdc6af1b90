"""The skill menu: names and descriptions, never the instructions themselves."""

import re
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter

from msgspec.structs import replace

from ..lazy import kept
from ..model.diagnostic import Diagnostic, warning
from ..model.line_breaks import BLANK, ENTITY, breaks_of_skill
from ..model.recipe.body import Group, Part
from ..model.skill_rules import CUT, MOST, too_long
from ..model.state.files import Skill
from ..text.graphemes import boundary
from ..text.invisible import show
from ..text.lookalikes import as_read
from ..text.normalize import one_line, tidy
from ..text.scan import PLAIN, first_word, scan
from .escape_markup import attribute, escaped, xml
from .shorten_text import briefer

MORE = "[{shown} of {all} skills are listed: there is no room for the others.]"
LINE = r"- \*\*(.*?)\*\*(?:: (.*))?"
ELEMENT = (
    r"<skill>\n?<name>(.*?)</name>\n?(?:<description>(.*?)</description>\n)?"
    r"(?:<location>(.*?)</location>\n)?</skill>"
)
"""Where the skill's own words stand in an entry; the rest is the recipe's."""
ELEMENTS = frozenset(map(as_read, ("available_skills", "skill", "name", "description", "location")))
DESCRIPTION = re.compile(r"<description>(.*)</description>\n")
NAME = re.compile(r"<name>.*</name>")
ATTRIBUTE = re.compile(r'<skill name="[^"]*"')


def listed(skills: tuple[Skill, ...]) -> list[Skill]:
    """The skills that a menu shows, by name: those that the model may load by itself."""
    return sorted([skill for skill in skills if not skill.disable_model_invocation], key=attrgetter("name"))


def broken_name(skill: Skill) -> tuple[Diagnostic, ...]:
    """The report of a line break in the name, which a line of a menu says."""
    return () if skill.flat else _broken(skill, "name", skill.name, BLANK)


def menu(
    shown: list[Skill],
    entry: Callable[[Skill], Part],
    before: str = "",
    after: str = "",
    *,
    noted: Callable[[Skill], Iterable[Diagnostic]] = broken_name,
) -> Group:
    """An entry for each skill, and a note on each whose description is too long to stand there whole.

    `noted` is what else there is to say of a skill's entry: line breaks in what it says on one line, for a start.
    """
    entries = tuple([entry(skill) for skill in shown])
    notes = [overlong(skill) for skill, part in zip(shown, entries, strict=True) if part.whole]
    odd = [skill for skill in shown if not skill.flat] if noted in (broken_name, broken_element) else shown
    notes += [note for skill in odd for note in noted(skill)]
    return Group(entries, before=before, after=after, notes=tuple(notes), loose="fair", rest=MORE)


def overlong(skill: Skill) -> Diagnostic:
    """The report that menus cut a description, in the words of whoever reads the file of the skill."""
    said = too_long(len(skill.description)) + CUT
    return warning("skill-invalid", said, skill.location or None, skill.line)


def shown_of(description: str) -> str:
    """As much of a description as a menu shows, with a mark where that is not all."""
    return description if len(description) <= MOST else f"{description[: boundary(description, MOST)]}…"


@kept
def line(skill: Skill) -> Part:
    """`- **name**: description`, on one line."""
    return _entry(skill, _line, LINE, leaner_line)


def _line(skill: Skill, description: str) -> str:
    name = skill.name if skill.flat else one_line(skill.name)
    return f"- **{name}**: {description}" if description else f"- **{name}**"


def leaner_line(part: Part) -> tuple[str, ...]:
    """Less of the description, down to its first sentence; the name."""
    name, colon, description = part.text.partition("**: ")
    return (*[f"{name}{colon}{said}" for said in briefer(description)], f"{name}**") if colon else ()


@kept
def element(skill: Skill) -> Part:
    """A `<skill>` element with name, description and location, each on one line and escaped in full."""
    return _entry(skill, _element, ELEMENT, leaner_element)


def _element(skill: Skill, description: str) -> str:
    name, location = skill.name, skill.location
    if skill.marks is not PLAIN or not skill.flat:
        name, description, location = map(_unmarked, (xml(one_line(name)), xml(description), escaped(location)))
    return (
        f"<skill>\n<name>{name}</name>\n<description>{description}</description>\n"
        f"<location>{location}</location>\n</skill>"
    )


def _unmarked(text: str) -> str:
    """An escaped text without what only looks like a tag of the menu, as one in full-width letters does."""
    tags = () if text.isascii() else scan(text).tags
    for at in sorted({tag.at for tag in tags if first_word(tag.lead) in ELEMENTS}, reverse=True):
        text = f"{text[:at]}&#x{ord(text[at]):X};{text[at + 1 :]}"
    return text


def broken_element(skill: Skill) -> tuple[Diagnostic, ...]:
    """The reports of line breaks in the name and the path, which an element says."""
    return () if skill.flat else (*broken_name(skill), *_broken(skill, "path", skill.location, ENTITY))


def broken_attributes(skill: Skill) -> tuple[Diagnostic, ...]:
    """The same where both are attributes."""
    if skill.flat:
        return ()
    return *_broken(skill, "name", skill.name, ENTITY), *_broken(skill, "path", skill.location, ENTITY)


def _broken(skill: Skill, what: str, text: str, how: str) -> tuple[Diagnostic, ...]:
    return breaks_of_skill(what, text, how, skill.location, skill.line)


def leaner_element(part: Part) -> tuple[str, ...]:
    """Less of the description, down to its first sentence; name and location; the name."""
    found = DESCRIPTION.search(part.text)
    if found is None:
        return ()
    before, after = part.text[: found.start()], part.text[found.end() :]
    shorter = [f"{before}<description>{said}</description>\n{after}" for said in briefer(found[1])]
    name = NAME.search(before)
    return *shorter, before + after, *([f"<skill>{name[0]}</skill>"] if name else [])


def made_visible(skill: Skill) -> Iterator[Diagnostic]:
    """What is shown in the attributes, which are the recipe's words by then and contained no more."""
    yield from (*broken_attributes(skill), *_broken(skill, "source", skill.source or "", ENTITY))
    given = f"{skill.name}\n{skill.source or ''}\n{skill.location}"
    if skill.marks.plain and not skill.source:
        return
    marks = scan(given)
    for code, places in (("hidden-character", marks.hidden), ("control-character", marks.controls)):
        if places:
            seen = f"a character that nobody sees is shown as `{show(given[places[0]])}`"
            yield warning(code, f"the skill's name, source or path: {seen}", skill.where.path, skill.where.line)


@kept
def attributed(skill: Skill) -> Part:
    """A `<skill>` element with name, source and folder as attributes, and the description as its text."""
    name, source, path = attribute(skill.name), attribute(skill.source or "skill"), attribute(folder(skill.location))
    before = f'<skill name="{name}" source="{source}" path="{path}">\n'
    text = tidy(skill.description)[0].strip()
    if not text:
        bare = f'<skill name="{name}"/>'
        return Part(f"{before}</skill>", skill.where, skill.name, trusted=True, leaner=(bare,))
    # Within its element a description could close it, and pose as another skill.
    guard = ("skill",)
    said, whole = shown_of(text), text if len(text) > MOST else ""
    end, leaner = "\n</skill>", leaner_attributed
    return Part(
        said, skill.where, skill.name, before=before, after=end, guard=guard, leaner=leaner, whole=whole
    )  # fmt: skip


def leaner_attributed(part: Part) -> tuple[str | Group, ...]:
    """Less of the description, down to its first sentence; the element without it; its name alone."""
    name = ATTRIBUTE.match(part.before)
    bare = [Group((f"{name[0]}/>",))] if name else []
    return *briefer(part.text), Group((f"{part.before}</skill>",)), *bare


def folder(location: str) -> str:
    """Where a skill lies: the folder of its SKILL.md."""
    above, slash, name = location.rpartition("/")
    if not name.lower().endswith(".md"):
        return location
    return above or slash or "."


def _entry(
    skill: Skill, say: Callable[[Skill, str], str], values: str, leaner: Callable[[Part], tuple[str, ...]]
) -> Part:
    whole = skill.description if skill.flat else one_line(skill.description)
    said = shown_of(whole)
    # Plain fields make a plain entry, so it need not be scanned again.
    marks = PLAIN if skill.marks.plain and said is whole else None
    part = Part(say(skill, said), replace(skill.where, values=values), skill.name, marks, leaner=leaner)
    return part if said is whole else replace(part, whole=say(skill, whole))
