"""What Overture says that an agent sends in a world, looked at with the eyes with which real requests are."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import overture

from .lab.compare import differing, without_disk_order
from .lab.frames import frame_of
from .lab.marked import MarkedFile, arrived
from .lab.menus import listed
from .worlds import World

BY_DISK = {"cline", "continue-cli", "gemini-cli", "openhands", "vibe"}
"""Agents whose menu of skills has the order of the disk."""
ANY_WINNER = {"opencode"}
"""Of skills with one name, it takes any."""
COMPARED = ("sent", "cut", "gone", "later", "skills", "described", "frame")
OWN = "own prompt stands here"
"""What stands above a file may be the agent's own words, of which we say only that they are there."""


def our_look(agent: str, world: World, folder: Path, files: dict[str, MarkedFile]) -> dict[str, Any]:
    """The same table that is kept of a real run."""
    cwd, home = folder / world.cwd, folder / "home"
    # An agent asks nobody before it reads what is outside the project.
    prompt = overture.build(agent, cwd=cwd, home=home, read_outside=True)
    text = prompt.text.replace(str(folder), "{folder}")
    files = {key: _anywhere(file, folder) for key, file in files.items()}
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
        "by_disk": agent in BY_DISK,
        "any_winner": agent in ANY_WINNER,
        "later": our_later(agent, world, folder) if world.reads else [],
    }


def _anywhere(file: MarkedFile, folder: Path) -> MarkedFile:
    """A file as it would be wherever the world lies, since some lines hold its path."""
    return replace(file, lines=tuple(line.replace(str(folder), "{folder}") for line in file.lines))


def our_later(agent: str, world: World, folder: Path) -> list[list[str]]:
    """What each read brings."""
    known = set(files_told(agent, world, folder, 0))
    steps: list[list[str]] = []
    for count in range(1, len(world.reads) + 1):
        came = [path for path in files_told(agent, world, folder, count) if path not in known]
        steps.append(list(dict.fromkeys(came)))
        known.update(came)
    return steps


def files_told(agent: str, world: World, folder: Path, reads: int) -> list[str]:
    """The files whose text the agent gets after so many reads, where they really are."""
    touching = [folder / path for path in world.reads[:reads]]
    table = overture.agents(agent, cwd=folder / world.cwd, home=folder / "home", touching=touching, read_outside=True)
    told = [use for use in table.at(agent) if use.how in ("loaded", "truncated", "listed")]
    paths = (use.path for use in told if use.is_text or use.kind == "skill")
    return [os.path.relpath(os.path.realpath(path), os.path.realpath(folder)) for path in paths]


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
