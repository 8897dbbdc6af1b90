"""An entry of the menu of skills: an element with the skill's name, source and folder as attributes."""

from collections.abc import Iterator

from ...lazy import cached
from ...model.diagnostic import ENTITY, Diagnostic, warning
from ...model.recipe.body import Group, Part
from ...model.recipe.shorten import shorter_lines
from ...model.skill_rules import MAX_DESCRIPTION_CHARS
from ...model.state.files import Skill
from ...sections.skill_menu import report_broken_attributes, report_broken_field, shorten_menu_description, skill_folder
from ...text.escape import escape_attribute
from ...text.invisible import escape_char
from ...text.lazy_pattern import compile_on_use
from ...text.normalize import tidy
from ...text.scan import scan

ATTRIBUTE = compile_on_use(r'<skill name="[^"]*"')


def report_escaped_attributes(skill: Skill) -> Iterator[Diagnostic]:
    """What is shown in the attributes, which are the recipe's words by then and contained no more."""
    yield from (*report_broken_attributes(skill), *report_broken_field(skill, "source", skill.source or "", ENTITY))
    attributes = f"{skill.name}\n{skill.source or ''}\n{skill.location}"
    if skill.marks.plain and not skill.source:
        return
    marks = scan(attributes)
    for code, positions in (("hidden-character", marks.hidden), ("control-character", marks.controls)):
        if positions:
            message = f"a character that nobody sees is shown as `{escape_char(attributes[positions[0]])}`"
            yield warning(code, f"the skill's name, source or path: {message}", skill.where.path, skill.where.line)


@cached
def write_attributed_skill(skill: Skill) -> Part:
    """A `<skill>` element with name, source and folder as attributes, and the description as its text."""
    name, source, path = (
        escape_attribute(skill.name),
        escape_attribute(skill.source or "skill"),
        escape_attribute(skill_folder(skill.location)),
    )
    before = f'<skill name="{name}" source="{source}" path="{path}">\n'
    text = tidy(skill.description)[0].strip()
    if not text:
        bare = f'<skill name="{name}"/>'
        return Part(f"{before}</skill>", skill.where, skill.name, trusted=True, leaner=(bare,))
    # Within its element a description could close it, and pose as another skill.
    guard = ("skill",)
    description, full = shorten_menu_description(text), text if len(text) > MAX_DESCRIPTION_CHARS else ""
    end, leaner = "\n</skill>", list_shorter_attributed
    return Part(
        description, skill.where, skill.name, before=before, after=end, guard=guard, leaner=leaner, whole=full
    )  # fmt: skip


def list_shorter_attributed(part: Part) -> tuple[str | Group, ...]:
    """Less of the description, down to its first sentence; the element without it; its name alone."""
    name = ATTRIBUTE.match(part.before)
    bare = [Group((f"{name[0]}/>",))] if name else []
    return *shorter_lines(part.text), Group((f"{part.before}</skill>",)), *bare
