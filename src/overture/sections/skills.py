"""The skill menu: names and descriptions, never the instructions themselves."""

from ..model.body import Part
from ..model.files import Skill
from ..model.scan import PLAIN
from ..model.tidy import one_line
from .wrap import escaped, xml


def listed(skills: tuple[Skill, ...]) -> list[Skill]:
    """The skills that a menu shows: those that the model may load by itself."""
    return [skill for skill in skills if not skill.disable_model_invocation]


def line(skill: Skill) -> Part:
    """`- **name**: description`, on one line."""
    if skill.flat:
        return _entry(skill, f"- **{skill.name}**: {skill.description}")
    description = one_line(skill.description)
    return _entry(skill, f"- **{one_line(skill.name)}**" + (f": {description}" if description else ""))


def element(skill: Skill) -> Part:
    """A `<skill>` element with name, description and location, each on one line and escaped in full."""
    name, description, location = skill.name, skill.description, skill.location
    if skill.marks is not PLAIN or not skill.flat:
        name, description, location = xml(one_line(name)), xml(one_line(description)), escaped(location)
    return _entry(
        skill,
        f"<skill>\n<name>{name}</name>\n<description>{description}</description>\n"
        f"<location>{location}</location>\n</skill>",
    )


def _entry(skill: Skill, text: str) -> Part:
    # Plain fields make a plain entry, so it need not be scanned again.
    return Part(text, skill.where, skill.name, PLAIN if skill.marks.plain else None)
