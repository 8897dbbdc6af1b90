"""The skill menu: names and descriptions, never the instructions themselves."""

import re
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from ..model.body import Group, Part
from ..model.diagnostic import Diagnostic, warning
from ..model.files import Skill
from ..model.hidden import show
from ..model.lazy import kept
from ..model.scan import PLAIN, scan
from ..model.tidy import one_line, tidy
from .shorten import briefer
from .wrap import attribute, escaped, xml

MORE = "[{shown} of {all} skills are listed: there is no room for the others.]"
LINE = r"- \*\*(.*?)\*\*(?:: (.*))?"
ELEMENT = (
    r"<skill>\n<name>(.*?)</name>\n(?:<description>(.*?)</description>\n)?"
    r"<location>(.*?)</location>\n</skill>"
)
"""Where the skill's own words stand in an entry; the rest is the recipe's."""
DESCRIPTION = re.compile(r"<description>(.*)</description>\n")


def listed(skills: tuple[Skill, ...]) -> list[Skill]:
    """The skills that a menu shows: those that the model may load by itself."""
    return [skill for skill in skills if not skill.disable_model_invocation]


@kept
def line(skill: Skill) -> Part:
    """`- **name**: description`, on one line."""
    if skill.flat:
        return _entry(skill, f"- **{skill.name}**: {skill.description}", LINE, leaner_line)
    description = one_line(skill.description)
    said = f"- **{one_line(skill.name)}**" + (f": {description}" if description else "")
    return _entry(skill, said, LINE, leaner_line)


def leaner_line(part: Part) -> tuple[str, ...]:
    """Less of the description, down to its first sentence; the name."""
    name, colon, description = part.text.partition("**: ")
    return (*[f"{name}{colon}{said}" for said in briefer(description)], f"{name}**") if colon else ()


@kept
def element(skill: Skill) -> Part:
    """A `<skill>` element with name, description and location, each on one line and escaped in full."""
    name, description, location = skill.name, skill.description, skill.location
    if skill.marks is not PLAIN or not skill.flat:
        name, description, location = xml(one_line(name)), xml(one_line(description)), escaped(location)
    return _entry(
        skill,
        f"<skill>\n<name>{name}</name>\n<description>{description}</description>\n"
        f"<location>{location}</location>\n</skill>",
        ELEMENT,
        leaner_element,
    )


def leaner_element(part: Part) -> tuple[str, ...]:
    """Less of the description, down to its first sentence; name and location alone."""
    found = DESCRIPTION.search(part.text)
    if found is None:
        return ()
    before, after = part.text[: found.start()], part.text[found.end() :]
    shorter = [f"{before}<description>{said}</description>\n{after}" for said in briefer(found[1])]
    return *shorter, before + after


@kept
def attributed(skill: Skill) -> Part | Group:
    """A `<skill>` element with name, source and folder as attributes, and the description as its text."""
    part, notes = _attributed(skill), tuple(_made_visible(skill))
    return Group((part,), notes=notes) if notes else part


def _made_visible(skill: Skill) -> Iterator[Diagnostic]:
    """What is shown in the attributes, which are the recipe's words by then and contained no more."""
    given = f"{skill.name}\n{skill.source or ''}\n{skill.location}"
    if skill.marks.plain and not skill.source:
        return
    marks = scan(given)
    for code, places in (("hidden-character", marks.hidden), ("control-character", marks.controls)):
        if places:
            seen = f"a character that nobody sees is shown as `{show(given[places[0]])}`"
            yield warning(code, f"the skill's name, source or path: {seen}", skill.where.path, skill.where.line)


def _attributed(skill: Skill) -> Part:
    name, source, path = attribute(skill.name), attribute(skill.source or "skill"), attribute(folder(skill.location))
    before = f'<skill name="{name}" source="{source}" path="{path}">\n'
    text = tidy(skill.description)[0].strip()
    if not text:
        return Part(f"{before}</skill>", skill.where, skill.name, trusted=True)
    # Within its element a description could close it, and pose as another skill.
    guard = ("skill",)
    return Part(text, skill.where, skill.name, before=before, after="\n</skill>", guard=guard, leaner=leaner_attributed)


def leaner_attributed(part: Part) -> tuple[str | Group, ...]:
    """Less of the description, down to its first sentence; the element without it."""
    return *briefer(part.text), Group((f"{part.before}</skill>",))


def folder(location: str) -> str:
    """Where a skill lies: the folder of its SKILL.md."""
    above, slash, name = location.rpartition("/")
    if not name.lower().endswith(".md"):
        return location
    return above or slash or "."


def _entry(skill: Skill, text: str, values: str, leaner: Callable[[Part], tuple[str, ...]]) -> Part:
    # Plain fields make a plain entry, so it need not be scanned again.
    marks = PLAIN if skill.marks.plain else None
    return Part(text, replace(skill.where, values=values), skill.name, marks, leaner=leaner)
