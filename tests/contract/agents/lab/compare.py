"""What has moved between the data of the project and a run."""

from collections.abc import Mapping
from itertools import groupby
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from ..worlds import ALL_PLACES

COMPARED = ("sent", "cut", "gone", "twice", "named", "skills", "described", "frame", "later", "later_named", "refused")


class Move(NamedTuple):
    """Something that is not as the data says."""

    agent: str
    version: str
    world: str
    what: str
    expected: object
    seen: object


def moves(agent: str, version: str, expected: Mapping[str, Any], seen: Mapping[str, Any]) -> list[Move]:
    """The keys of a world's table in which a run differs from the data."""
    found = [(key, expected.get(key), seen.get(key)) for key in COMPARED]
    return [
        Move(agent, version, str(seen["name"]), key, before, now)
        for key, before, now in found
        if without_disk_order(before) != without_disk_order(now)
    ]


def without_disk_order(value: object) -> object:
    """Rules of one folder are sorted where they stand together: some agents take them as the disk lists them."""
    if not isinstance(value, list):
        return value
    if not all(isinstance(each, str) for each in value):
        return [without_disk_order(each) for each in value]
    groups = [(folder, list(paths)) for folder, paths in groupby(value, _folder_of_rules)]
    return [path for folder, paths in groups for path in (sorted(paths) if folder else paths)]


def _folder_of_rules(path: str) -> str:
    """The folder below a place in which a file lies, empty for a file that lies in the place itself."""
    inside = [place for place in ALL_PLACES.values() if path.startswith(f"{place}/")]
    rest = PurePosixPath(path).relative_to(max(inside, key=len)) if inside else PurePosixPath(path)
    return path[: len(path) - len(rest.as_posix())] + rest.parts[0] if len(rest.parts) > 2 else ""


def table(found: list[Move]) -> str:
    """One line for each, shortened where only a part of a list has moved."""
    lines = ["agent | version | world | what | expected | seen"]
    for move in found:
        before, now = differing(move.expected, move.seen)
        lines.append(" | ".join([move.agent, move.version, move.world, move.what, before, now]))
    return "\n".join(lines)


def differing(before: object, now: object) -> tuple[str, str]:
    """What only one of the two has; all of both where they differ in order alone."""
    if isinstance(before, list) and isinstance(now, list):
        left, right = [each for each in before if each not in now], [each for each in now if each not in before]
        return (_short(left), _short(right)) if left or right else (_short(before), _short(now))
    if isinstance(before, dict) and isinstance(now, dict):
        keys = [key for key in {**before, **now} if before.get(key) != now.get(key)]
        return _short({key: before.get(key) for key in keys}), _short({key: now.get(key) for key in keys})
    return _short(before), _short(now)


def _short(value: object) -> str:
    text = "-" if value in (None, [], {}) else str(value)
    return text if len(text) <= 200 else f"{text[:197]}..."
