"""What was seen in one run: which files, in which order, cut where, framed how, and what reading added."""

import re
from typing import Any

from tests.contract.agents.lab.folder import HERE
from tests.contract.agents.lab.frames import frame_of
from tests.contract.agents.lab.marked import Arrived, MarkedFile, arrived
from tests.contract.agents.lab.menus import listed
from tests.contract.agents.worlds import World
from tests.contract.agents.worlds.places import CWD, ROOT

from .requests import Request, main_requests, read_requests, text_of
from .run import Run

RULES = re.compile(r"(^|/)(rules|instructions|\.clinerules)/")
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
        "later_named": later_named(requests, files) if world.reads else [],
    }
    return {**about, **{key: value for key, value in seen.items() if value or key == "sent"}}


def named(text: str, files: dict[str, MarkedFile], came: list[Arrived]) -> list[str]:
    """Files of which the agent says only the path; a path that a file says itself is no word of the agent."""
    there = {each.file.path for each in came}
    said = "\n".join(line for each in came for line in each.file.lines)
    others = [file.path for file in files.values() if file.path not in there and not file.is_skill]
    return sorted(path for path in others if any(name in text and name not in said for name in _names(path)))


def _names(path: str) -> list[str]:
    """How an agent may name a file: by its whole path, and a rule by its path below the root or where it starts."""
    below = [path.removeprefix(f"{place}/") for place in (CWD, ROOT) if path.startswith(f"{place}/")]
    rules = [quote + name + quote for name in below[:1] if RULES.search(name) for quote in "'`\""]
    return [str(HERE / path), *rules]


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


def later_named(requests: list[Request], files: dict[str, MarkedFile]) -> list[str]:
    """Files of which a read brought only the path."""
    first, last = text_of(requests[0]), text_of(requests[-1])
    came = arrived(last, files)
    return [path for path in named(last, files, came) if str(HERE / path) not in first]
