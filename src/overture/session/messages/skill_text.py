"""Renders a loaded skill, and adds the tool that loads skills."""

from collections.abc import Sequence

from ...assemble.fence_lower_tiers import TierFence, fence_body
from ...assemble.render_body import BodyRenderer
from ...assemble.sanitize.guard import RESOURCES_TAG, SKILL_TAG, Guard
from ...discover.disk.paths import describe_os_error
from ...discover.disk.reader import FileReader
from ...discover.skills.skill_file import find_skill_resources, read_skill_body
from ...errors import SessionError, list_some, suggest
from ...model.diagnostic import Diagnostic, warning
from ...model.recipe.body import Body, Group, Part
from ...model.recipe.recipe import Recipe
from ...model.recipe.section import Section
from ...model.source import from_file, from_state
from ...model.state.files import Skill
from ...sections.skill_menu import report_broken_attributes, skill_folder
from ...text.escape import escape_attribute

SKILL_RECIPE = Recipe("skill", (Section("skill", lambda: None, tags=(SKILL_TAG, RESOURCES_TAG)),))
"""The recipe of the frame around a skill's text in a message."""


def choose_skill(skills: Sequence[Skill], name: str, *, by_user: bool) -> Skill:
    """The skill of that name. Those that are kept from the model are for the user alone."""
    known = [skill for skill in skills if by_user or not skill.disable_model_invocation]
    for skill in known:
        if skill.name == name:
            return skill
    names = list_some(skill.name for skill in known) or "none"
    hidden = any(skill.name == name for skill in skills)
    hint = f" It is kept from the model: the user loads it with /skill:{name}." if hidden else ""
    raise SessionError(
        f"Skill {name!r:.200} is not known.",
        hint=f"Known: {names}.{hint or suggest(name, [skill.name for skill in known])}",
    )


def render_loaded_skill(
    reader: FileReader, skill: Skill, roots: tuple[str, ...], guard: Guard, fence: TierFence | None = None
) -> tuple[str, tuple[Diagnostic, ...]]:
    """The skill's instructions and the paths of its resources, so framed that its text can't end the frame.

    And what was done to that text, by file and line.
    """
    try:
        body, line = read_skill_body(reader, skill, roots)
    except OSError as problem:
        raise SessionError(
            f"Skill {skill.name!r} can't be read: {skill.location}: {describe_os_error(problem)}."
        ) from None
    # Instructions that a state gives are no lines of the file.
    source = from_file(skill.location, line) if skill.body is None else from_state(f"skills, {skill.name!r}: body")
    head = f'<skill name="{escape_attribute(skill.name)}" location="{escape_attribute(skill.location)}">'
    lead = f"Relative paths start from {escape_attribute(skill_folder(skill.location))}.\n"
    beside = find_skill_resources(reader.world, skill)
    lines = [*map(escape_attribute, beside.paths), *([f"[{beside.rest}.]"] if beside.rest else [])]
    listing = Group(tuple(lines), before="\n<skill-resources>\n", after="\n</skill-resources>")
    layer = BodyRenderer(SKILL_RECIPE, SKILL_RECIPE.sections[0], {}, guard)
    body_in_tags: Body = Group((head, lead, Part(body, source, skill.location), listing, "</skill>"))
    layer.lay_framed(fence_body(body_in_tags, fence) if fence else body_in_tags)
    cut = [warning("skill-resources", f"beside it: {beside.rest}", skill.location)] if beside.rest else []
    return "".join(layer.texts), (*layer.notes, *report_broken_attributes(skill), *cut)
