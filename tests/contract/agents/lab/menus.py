"""Which skills a request lists, in which order, and how much of each description."""

import re
from collections import Counter
from itertools import groupby
from typing import NamedTuple

from .marked import MarkedFile

WHOLE = "whole"
SAID_ANYWAY = ("README",)
"""Names that stand in prompts without any skill: one without a description is not taken for listed."""
INSIDE = re.compile(r"[\w/.-]")
GOES_ON = re.compile(r"[\w/-]|\.md")


class Entry(NamedTuple):
    """A skill that a request lists."""

    at: int
    label: str
    described: int | str


def listed(text: str, files: dict[str, MarkedFile]) -> tuple[list[str], list[list[int | str]]]:
    """The names of the skills in order, and where not all descriptions are whole: how many, how many characters."""
    skills = [file for file in files.values() if file.is_skill]
    shared = Counter(_name(file) for file in skills)
    found = [entry for file in skills if (entry := _entry(text, file, shared[_name(file)] > 1))]
    entries = sorted(found, key=lambda entry: (entry.at, entry.label))
    known = {entry.label.partition(" = ")[0] for entry in entries if " = " in entry.label}
    kept = list({entry.label: entry for entry in entries if entry.label not in known}.values())
    if all(entry.described == WHOLE for entry in kept):
        return [entry.label for entry in kept], []
    counted = groupby(entry.described for entry in kept)
    return [entry.label for entry in kept], [[len(list(group)), length] for length, group in counted]


def _entry(text: str, file: MarkedFile, is_shared: bool) -> Entry | None:
    """Where a skill is listed, as what, and with how much of its description."""
    mark = next(iter(file.marks))
    described = text.find(mark)
    name, at = _named(text, file)
    if described < 0:
        return Entry(at, name, 0) if at >= 0 and name not in SAID_ANYWAY else None
    length = _described(text, file, mark, described)
    if is_shared:
        return Entry(described, f"{name} = {file.path}", length)
    return Entry(min(described, at) if at >= 0 else described, name, length)


def _named(text: str, file: MarkedFile) -> tuple[str, int]:
    """The name by which a skill is listed: its own, else its folder's; parts of paths are no names."""
    names = list(dict.fromkeys([_name(file), _folder(file)]))
    for name in names:
        at = _alone(text, name)
        if at >= 0:
            return name, at
    return names[0], -1


def _alone(text: str, name: str) -> int:
    """Where a name stands that is no part of a longer one or of a path; -1: nowhere."""
    at = text.find(name)
    while at >= 0:
        # One character before and a few behind: a pattern over the whole text would try every place.
        if not INSIDE.match(text[max(at - 1, 0) : at]) and not GOES_ON.match(text, at + len(name)):
            return at
        at = text.find(name, at + 1)
    return -1


def _described(text: str, file: MarkedFile, mark: str, at: int) -> int | str:
    """How many characters of the description stand in the text, or that it is whole."""
    line = next(line for line in file.lines if mark in line)
    rest = line[line.index(mark) :].rstrip()
    if text.startswith(rest, at):
        return WHOLE
    length = next(n for n in range(len(rest)) if text[at + n : at + n + 1] != rest[n])
    return length + (line.index(mark) - len("description: ") if line.startswith("description: ") else 0)


def _name(file: MarkedFile) -> str:
    given = next((line.partition(": ")[2] for line in file.lines[:3] if line.startswith("name: ")), "")
    return given or _folder(file)


def _folder(file: MarkedFile) -> str:
    parts = file.path.split("/")
    return parts[-2] if parts[-1].lower() == "skill.md" else parts[-1].removesuffix(".md")
