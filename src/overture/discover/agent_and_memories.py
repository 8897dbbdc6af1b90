"""Reads agent.json and memories.json; a value that does not fit is reported."""

import posixpath
from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from ..model.source import Origin
from ..model.state.agent_and_runtime import Agent, Responsibility
from ..model.state.discovery import People
from ..model.wants import AgentJsonFile, MemoriesFile
from .convert_json import JsonMembers, load_json_values, make_json_converter
from .disk.file_reader import FileReader
from .disk.paths import contains_path, expand_path, path_exists
from .disk.search_scope import LinkRoots, SearchScope

Text = Annotated[str, Meta(pattern=r"\S")]
"""A text that is not blank."""


class Duty(Responsibility, frozen=True, forbid_unknown_fields=False):
    """A responsibility as an agent.json has it. Unknown keys belong to other programs and are ignored."""

    title: Text
    content: Text


class AgentJson(Agent, frozen=True, forbid_unknown_fields=False):
    """The keys of an agent.json; here, too, others are ignored."""

    responsibilities: tuple[Duty, ...] = ()
    directories: tuple[Text, ...] = ()


def _make_agent(file: AgentJson) -> Agent | None:
    """The agent that a file describes, if it sets a field of one."""
    fields = {name: getattr(file, name) for name in Agent.__struct_fields__}
    fields["responsibilities"] = tuple(Responsibility(duty.title, duty.content) for duty in file.responsibilities)
    if file.capabilities is not None:
        fields["capabilities"] = tuple(dict.fromkeys(file.capabilities))
    agent = Agent(**fields)
    return agent if agent != Agent() else None


def find_agent_file(reader: FileReader, wants: AgentJsonFile, scope: SearchScope, roots: LinkRoots) -> People:
    """The agent of the working directory, with its directories made absolute."""
    cwd = scope.cwd
    sighting = reader.sight(cwd, wants.name, roots.project, "agent")
    parsed = load_json_values(reader, sighting, "agent", read_agent) if sighting else None
    if sighting is None or parsed is None:
        return People()
    file: AgentJson = parsed.values
    origins = parsed.origins(sighting.path)
    lines = [origins.pop(f"runtime.directories[{index}]") for index in range(len(file.directories))]
    folders: dict[str, Origin] = {}
    for path, origin in zip(file.directories, lines, strict=True):
        folder = posixpath.normpath(expand_path(path, cwd, scope.home))
        if folder != cwd:  # the prompt names that one already
            folders.setdefault(folder, origin)
    for index, origin in enumerate(folders.values()):
        origins[f"runtime.directories[{index}]"] = origin
    return People(_make_agent(file), directories=tuple(folders), origins=origins)


def _list_agent_lines(members: JsonMembers) -> Iterator[tuple[str, int]]:
    """The line of each field that an agent.json sets."""
    for key, spot in members:
        if key == "responsibilities":
            for index, item in spot.inner:
                by_name = dict(item.inner)
                for part in ("title", "content"):
                    yield f"agent.responsibilities[{index}].{part}", by_name[part].line
        elif key == "directories":
            for index, item in spot.inner:
                yield f"runtime.directories[{index}]", item.line
        else:
            yield f"agent.{key}", spot.line


read_agent = make_json_converter("agent", AgentJson, 3, _list_agent_lines)
"""An agent.json -> its keys that fit, and the line of each."""


def find_memories(reader: FileReader, wants: MemoriesFile, scope: SearchScope, roots: LinkRoots) -> People:
    """The memories of the nearest memories.json up to the root of the walk; it counts even if it can't be used."""
    top = wants.within
    nearest_first = [f for f in reversed(scope.walk) if top is None or contains_path(top, reader.real_or(f))]
    for index, folder in enumerate(nearest_first):
        sighting = reader.sight(folder, wants.name, roots.of(folder), "memories")
        if sighting is None and reader.looked[-1].outcome == "absent":
            continue
        _note_hidden(reader, wants, nearest_first[index + 1 :], folder)
        parsed = load_json_values(reader, sighting, "memories", read_memories) if sighting else None
        if sighting is None or parsed is None:
            break
        return People(memories=parsed.values, origins=parsed.origins(sighting.path))
    return People()


def _note_hidden(reader: FileReader, wants: MemoriesFile, above: list[str], winner: str) -> None:
    """Record the memories.json files above that the nearest one hides."""
    for folder in above:
        path = f"{folder.rstrip('/')}/{wants.name}"
        there = path_exists(reader.world, path)
        detail = f"by {winner.rstrip('/')}/{wants.name}" if there else ""
        reader.note(path, "memories", "hidden" if there else "absent", detail)


def _list_memory_lines(members: JsonMembers) -> Iterator[tuple[str, int]]:
    return ((f"memories[{index}]", item.line) for index, item in members)


read_memories = make_json_converter("memories", tuple[Text, ...], 1, _list_memory_lines)
"""A memories.json -> the texts that it lists, and the line of each."""
