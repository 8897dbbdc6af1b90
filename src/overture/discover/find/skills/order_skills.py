"""The order of skills: as an agent comes to them, and as its menu has them."""

from itertools import groupby
from operator import attrgetter
from posixpath import join

from ....model.recipe.wants.wanted_skills import SkillDirs
from ....model.state.files import Skill


def by_source(found: dict[str, Skill], sources: dict[str, str]) -> tuple[Skill, ...]:
    """The skills as they were found, neighbours from one source by name."""
    groups = groupby(found.values(), key=lambda skill: sources[skill.location])
    return tuple(skill for _, group in groups for skill in sorted(group, key=attrgetter("name", "location")))


def in_folder_order(skills: list[Skill], wants: SkillDirs) -> list[Skill]:
    """The skills of one folder as the agent comes to them."""
    if wants.order == "path":
        return sorted(skills, key=attrgetter("location"))
    skills = skills if wants.capitals else sorted(skills, key=lambda skill: skill.location.casefold())
    return skills[::-1] if wants.order == "backwards" else skills


def by_location(skill: Skill) -> tuple[str, str]:
    """The path of its folder and its name, whatever their letter case."""
    return skill.location.rpartition("/")[0].lower(), skill.name.lower()


def in_menu_order(found: dict[str, Skill], wants: SkillDirs, home: str) -> tuple[Skill, ...]:
    """The skills as the menu has them."""
    if wants.order == "location":
        return tuple(sorted(found.values(), key=by_location))
    if wants.order not in ("name", "owner"):
        return tuple(found.values())
    skills = sorted(found.values(), key=attrgetter("name", "location"))
    if not wants.capitals:
        skills.sort(key=lambda skill: skill.name.casefold())
    if wants.order == "owner":
        own = tuple(join(home, folder) for folder in wants.home)
        skills.sort(key=lambda skill: skill.location.startswith(own))
    return tuple(skills)
