"""Why an agent does not read a file that lies in the project: the first of its rules that explains it."""

from typing import NamedTuple

from ...discover.disk.walk import at_or_above
from ...discover.formats.path_patterns import matches
from ...model.recipe.wants.wanted_files import Wants
from ...model.recipe.wants.wanted_instructions import Files
from ...project.project import Settled
from ..instruction_files import Lying


class Asked(NamedTuple):
    """The agent in its place."""

    settled: Settled
    wants: Wants

    @property
    def title(self) -> str:
        """What people call it."""
        facts = self.settled.recipe.agent
        return facts.title if facts else self.settled.recipe.name


def why_unread(asked: Asked, file: Lying) -> str:
    """One sentence."""
    if file.skill:
        return _skill(asked, file)
    steps = [step for step in asked.wants.files if any(_is(step, name, file.name) for name in step.names)]
    if file.folder == asked.settled.cwd and any(step.whole for step in steps):
        return f"its folder is a link, which {asked.title} does not follow"
    if steps:
        return _elsewhere(asked, file)
    for step in asked.wants.files:
        for name in step.names:
            if name.casefold() == file.name.casefold():
                return f"{asked.title} looks for {name}: letter case counts"
    return f"{asked.title} does not read {file.name.rpartition('/')[2] if '/' not in file.name else file.name}"


def _is(step: Files, name: str, given: str) -> bool:
    """Whether a name of a step stands for a file."""
    for each in name.split("|"):
        if each == given or (step.case == "any" and each.casefold() == given.casefold()):
            return True
        if "*" in each and matches(f"/{each.lstrip('/')}", given):
            return True
    return False


def _elsewhere(asked: Asked, file: Lying) -> str:
    """It has a name that is read, and lies where it is not."""
    cwd, what = asked.settled.cwd, "skills" if file.skill else file.name
    if file.folder != cwd and at_or_above(cwd, file.folder):
        return f"it lies below the working directory, where {asked.title} reads no {what}"
    where = "above the project" if at_or_above(file.folder, cwd) else "in another part of the project"
    return f"it lies {where}, where {asked.title} does not look"


def _skill(asked: Asked, file: Lying) -> str:
    place = file.name.rsplit("/", 2)[0]
    skills, cwd = asked.wants.skills, asked.settled.cwd
    if skills is None or place not in skills.project:
        return f"{asked.title} does not look for skills in {place}/"
    if skills.below == "scoped" and at_or_above(cwd, file.folder) and file.folder != cwd:
        return f"git ignores its folder, and then {asked.title} does not list it"
    return _elsewhere(asked, file)
