"""What was seen in one run: which files, in which order, cut where, framed how, and what reading added."""

from typing import Any

from ..worlds import World
from .folder import HERE
from .frames import frame_of
from .marked import Arrived, MarkedFile, arrived
from .menus import listed
from .requests import Request, main_requests, read_requests, text_of
from .run import Run

Look = dict[str, Any]
"""A `[[world]]` table of the data."""


def look_at(run: Run) -> Look:
    """The table of a run; keys without anything to say are left out."""
    requests = main_requests(read_requests(run.log))
    world, files = run.world, run.files
    about = {"name": world.name, "cwd": world.cwd}
    if not requests:
        return {**about, "refused": True}
    text = text_of(requests[0])
    came = [each for each in arrived(text, files) if not each.file.is_skill]
    skills, described = listed(text, files)
    seen = {
        "sent": [each.file.path for each in came],
        "cut": {each.file.path: each.cut for each in came if each.cut is not None},
        "gone": {each.file.path: each.gone for each in came if each.gone},
        "twice": [each.file.path for each in came if each.times > 1],
        "named": named(text, files, came),
        "skills": skills,
        "described": described,
        "frame": {each.file.path: frame for each in came if (frame := frame_of(text, each))},
        "later": later(world, requests, files),
    }
    return {**about, **{key: value for key, value in seen.items() if value or key == "sent"}}


def named(text: str, files: dict[str, MarkedFile], came: list[Arrived]) -> list[str]:
    """Files of which the agent says only the path; a path that a file says itself is no word of the agent."""
    there = {each.file.path for each in came}
    said = "\n".join(line for each in came for line in each.file.lines)
    others = [file.path for file in files.values() if file.path not in there and not file.is_skill]
    return sorted(path for path in others if (full := str(HERE / path)) in text and full not in said)


def later(world: World, requests: list[Request], files: dict[str, MarkedFile]) -> list[list[str]]:
    """The files that each read brought, which no request before it held."""
    known = {each.file.path for each in arrived(text_of(requests[0]), files)}
    steps: list[list[str]] = []
    for count in range(1, len(world.reads) + 1):
        request = next((each for each in requests if each.results >= count), None)
        came = [each.file.path for each in arrived(text_of(request), files)] if request else []
        steps.append([path for path in came if path not in known])
        known.update(came)
    return steps
