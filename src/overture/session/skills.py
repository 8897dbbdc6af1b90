"""Skills as messages: the tool that loads them, and the text that is loaded."""

from collections.abc import Sequence

from ..assemble.contain import contain, guard_of
from ..discover.reader import Reader, said
from ..discover.skill_body import find_resources, read_skill_body
from ..model.errors import SessionError, nearest
from ..model.files import Skill
from ..model.recipe import Recipe
from ..model.tool import Tool
from ..sections.skills import folder, listed
from ..sections.wrap import attribute

USE_SKILL = "use_skill"
GUARD = guard_of(frozenset(("skill", "skill-resources")), frozenset())


def with_loader(tools: tuple[Tool, ...], skills: tuple[Skill, ...], recipe: Recipe, asked: bool) -> tuple[Tool, ...]:
    """The tools with the one that loads skills while there are any to load, and without it when there are none.

    `asked`: the caller named it, so that it stays in any case.
    """
    loader = next((tool for tool in recipe.tools if tool.name == USE_SKILL), None)
    if loader is None:  # its skills are read like other files
        return tools
    if listed(skills):
        return tools if any(tool.name == USE_SKILL for tool in tools) else (*tools, loader)
    return tools if asked else tuple(tool for tool in tools if tool.name != USE_SKILL)


def chosen(skills: Sequence[Skill], name: str, *, by_user: bool) -> Skill:
    """The skill of that name. Those that are kept from the model are for the user alone."""
    known = [skill for skill in skills if by_user or not skill.disable_model_invocation]
    for skill in known:
        if skill.name == name:
            return skill
    names = ", ".join(skill.name for skill in known) or "none"
    hidden = any(skill.name == name for skill in skills)
    way = f" It is kept from the model: the user loads it with /skill:{name}." if hidden else ""
    raise SessionError(
        f"Skill {name!r} is not known. Known: {names}.{way or nearest(name, [skill.name for skill in known])}"
    )


def loaded_text(reader: Reader, skill: Skill, roots: tuple[str, ...]) -> str:
    """The skill's instructions and the paths of its resources, so framed that its text can't end the frame."""
    try:
        body = read_skill_body(reader, skill, roots)
    except OSError as problem:
        raise SessionError(f"Skill {skill.name!r} can't be read: {skill.location}: {said(problem)}.") from None
    text, _ = contain(body, None, GUARD)
    lines = [f'<skill name="{attribute(skill.name)}" location="{attribute(skill.location)}">']
    lines += [f"Relative paths start from {attribute(folder(skill.location))}.", "", text]
    resources = find_resources(reader.world, skill)
    if resources:
        lines += ["", "<skill-resources>", *map(attribute, resources), "</skill-resources>"]
    return "\n".join([*lines, "</skill>"])
