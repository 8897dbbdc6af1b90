"""What Overture says that an agent sends in a world, looked at with the eyes with which real requests are."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from overture.assemble.build import build
from overture.discover.discover import ResolvedProject
from overture.discover.disk.working_directory import locate
from overture.project.resolve import resolve
from tests.contract.agents.lab.compare import differing, without_disk_order
from tests.contract.agents.lab.frames import frame_of
from tests.contract.agents.lab.marked import MarkedFile, arrived
from tests.contract.agents.lab.menus import listed
from tests.contract.agents.worlds import World

COMPARED = ("sent", "cut", "gone", "later", "skills", "described", "frame")
OWN = "own prompt stands here"
"""What stands above a file may be the agent's own words, of which we say only that they are there."""


def settled_for(agent: str, world: World, folder: Path) -> ResolvedProject:
    """The agent in its place."""
    # An agent asks nobody before it reads what is outside the project.
    outside = {"features.links.outside": True}
    return resolve(agent, locate(cwd=folder / world.cwd, home=folder / "home", config=outside))


def prompt_text(project: ResolvedProject, touching: tuple[str, ...] = ()) -> str:
    """All that the agent is told."""
    found = project._replace(touching=touching).find()
    return build(project.recipe, found.state, found=found.diagnostics).text


def our_look(agent: str, world: World, folder: Path, files: dict[str, MarkedFile]) -> dict[str, Any]:
    """The same table that is kept of a real run."""
    project = settled_for(agent, world, folder)
    skills_wanted = project.recipe.wants.skills
    text = prompt_text(project).replace(str(folder), "{folder}")
    told, files = files, {key: _anywhere(file, folder) for key, file in files.items()}
    came = [each for each in arrived(text, files) if not each.file.is_skill]
    skills, described = listed(text, files)
    frames = {each.file.path: frame_of(text, each) for each in came}
    frames = {path: line for path, line in frames.items() if OWN not in line}
    return {
        "sent": [each.file.path for each in came],
        "cut": {each.file.path: each.cut for each in came if each.cut is not None},
        "gone": {each.file.path: each.gone for each in came if each.gone},
        "skills": skills,
        "described": described,
        "frame": frames,
        "by_disk": bool(skills_wanted and (skills_wanted.order == "disk" or skills_wanted.unordered == "menu")),
        "any_winner": bool(skills_wanted and skills_wanted.unordered == "winners"),
        "later": our_later(project, world, folder, told) if world.reads else [],
    }


def _anywhere(file: MarkedFile, folder: Path) -> MarkedFile:
    """A file as it would be wherever the world lies, since some lines hold its path."""
    return replace(file, lines=tuple(line.replace(str(folder), "{folder}") for line in file.lines))


def our_later(project: ResolvedProject, world: World, folder: Path, files: dict[str, MarkedFile]) -> list[list[str]]:
    """What each read brings."""
    known = {each.file.path for each in arrived(prompt_text(project), files)}
    steps: list[list[str]] = []
    for count in range(1, len(world.reads) + 1):
        touching = tuple(str(folder / path) for path in world.reads[:count])
        came = [each.file.path for each in arrived(prompt_text(project, touching), files)]
        steps.append([path for path in came if path not in known])
        known.update(came)
    return steps


def unlike(real: dict[str, Any], ours: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """In what the two differ; of frames, those that both have. Where the disk gives the order, it does not count."""
    for what in COMPARED:
        expected, got = real.get(what) or type(ours[what])(), ours[what]
        if what == "frame":
            expected = {path: line for path, line in expected.items() if path in got}
            got = {path: line for path, line in got.items() if path in expected}
        if what == "later":
            expected, got = ([_skills_last(step) for step in steps] for steps in (expected, got))
        if what == "skills" and ours["any_winner"]:
            expected, got = ([label.partition(" = ")[0] for label in labels] for labels in (expected, got))
        if what == "skills" and ours["by_disk"]:
            expected, got = sorted(expected), sorted(got)
        if without_disk_order(expected) != without_disk_order(got):
            yield (what, *differing(expected, got))


def _skills_last(paths: list[str]) -> list[str]:
    """Whether new files or new entries of a menu stand first is not compared: they are in different messages."""
    return sorted(paths, key=lambda path: path.endswith("/SKILL.md"))
