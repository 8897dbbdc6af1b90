"""Reads who the agent and its user are: agent.json, memories.json, IDENTITY.md, SYSTEM.md and the like."""

import json
import posixpath
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from ..model.diagnostic import Diagnostic, error, warning
from ..model.source import Origin
from ..model.state.agent_and_runtime import Agent, Capability, Responsibility, User
from ..model.state.discovery import People
from ..model.state.files import Overrides, TextFile, WorkspaceFile
from ..model.struct import convert_data, explain_error, split_error
from ..model.wants import AgentJsonFile, MemoriesFile, OverrideFiles, PersonaFiles, WorkspaceFiles
from ..sections.clock import find_zone
from ..text.frontmatter import Frontmatter, FrontmatterProblem, parse_frontmatter, scalar_text, strip_comments
from ..text.normalize import find_surrogates, tidy
from .duplicate_files import make_text_file
from .paths import contains_path, expand_path
from .place import Place
from .reader import FileReader

PeopleResult = tuple[People | None, tuple[Diagnostic, ...]]
"""What a file sets, or None if it can't be used, and what is wrong with it."""
EMPTY_SOUL = Agent(soul="")


def _load_people(
    reader: FileReader, folder: str, name: str, what: str, make: Callable[[str, str], PeopleResult]
) -> People | None:
    """What a file sets, with a record of the outcome; None if it is absent or can't be used."""
    sighting = reader.sight(folder, name, what)
    if sighting is None:
        return None
    people: People | None = reader.load(sighting, what, make)
    if people is not None:
        sets = bool(people.origins) and (what, people.agent) != ("soul", EMPTY_SOUL)
        reader.note(sighting.path, what, "loaded" if sets else "cleared", "" if sets else "it sets nothing")
    elif cached := reader.cached_files.get((what, sighting.path)):
        reader.note(sighting.path, what, "skipped", cached.notes[-1].message)
    return people


def _note_hidden(reader: FileReader, path: str, what: str, winner: str) -> None:
    """Record a path that another file hides, if there is something."""
    there = reader.world.exists(path)
    reader.note(path, what, "hidden" if there else "absent", f"by {winner}" if there else "")


# agent.json and memories.json. A value that does not fit is reported, and costs only itself.


Text = Annotated[str, Meta(pattern=r"\S")]
"""A text that is not blank."""
MAX_REPORTED_VALUES = 20
"""Values of one file that are reported each by itself."""
DECODER = json.JSONDecoder()
SEPARATORS = re.compile(r"[ \t\n\r,:]*")


class Duty(Responsibility, frozen=True, forbid_unknown_fields=False):
    """A responsibility as an agent.json has it. Unknown keys belong to other programs and are ignored."""

    title: Text
    content: Text


ITEM_KINDS = {"responsibilities": Duty, "capabilities": Capability, "directories": Text}
"""The lists of an agent.json, and what each item is."""
HALF_PAIR = "it contains half of a surrogate pair, written \\ud800 to \\udfff"
AGENT_KINDS: dict[str, Any] = {field.name: field.type for field in msgspec.structs.fields(Agent)}
AGENT_KINDS["directories"] = tuple[Text, ...]


def find_agent_file(reader: FileReader, wants: AgentJsonFile, place: Place) -> People:
    """The agent of the working directory, with its directories made absolute."""
    people = _load_people(reader, place.cwd, wants.name, "agent", read_agent) or People()
    origins = {field: origin for field, origin in people.origins.items() if field.startswith("agent.")}
    folders: dict[str, Origin] = {}
    for index, path in enumerate(people.directories):
        folder = posixpath.normpath(expand_path(path, place.cwd, place.home))
        if folder != place.cwd:  # the prompt names that one already
            folders.setdefault(folder, people.origins[f"directories[{index}]"])
    origins |= {f"runtime.directories[{index}]": origin for index, origin in enumerate(folders.values())}
    return people._replace(directories=tuple(folders), origins=origins)


def find_memories(reader: FileReader, wants: MemoriesFile, place: Place) -> People:
    """The memories of the nearest memories.json up to the root of the walk; it counts even if it can't be used."""
    top = wants.within
    nearest_first = [f for f in reversed(place.walk) if top is None or contains_path(top, reader.real_or(f))]
    winner, people = "", People()
    for folder in nearest_first:
        path = f"{folder.rstrip('/')}/{wants.name}"
        if winner:
            _note_hidden(reader, path, "memories", winner)
            continue
        people = _load_people(reader, folder, wants.name, "memories", read_memories) or people
        winner = "" if reader.looked[-1].outcome == "absent" else path
    return people


class JsonFile:
    """A JSON text whose values are taken one by one, with the place of each."""

    def __init__(self, text: str, what: str, path: str) -> None:
        self.text, self.what, self.path = text, what, path
        self.breaks = [found.start() for found in re.finditer("\n", text)]
        self.faults: list[Diagnostic] = []
        self.invalid = 0

    @property
    def notes(self) -> tuple[Diagnostic, ...]:
        """A diagnostic of each value that does not fit; of very many, one for the rest."""
        more = self.invalid - len(self.faults)
        message = f"{more:,} more {'value is' if more == 1 else 'values are'} invalid and skipped"
        return (*self.faults, *([error(f"{self.what}-invalid", message, self.path)] if more else []))

    def origin(self, at: int) -> Origin:
        """The line on which a value begins."""
        return Origin(self.path, 1 + bisect_left(self.breaks, at))

    def values(self, start: int) -> Iterator[tuple[Any, int]]:
        """The items of the list, or keys and values of the object by turns, that begins there; each with its start."""
        at = start + 1
        while self.text[at := SEPARATORS.match(self.text, at).end()] not in "]}":  # type: ignore[union-attr]
            value, end = DECODER.raw_decode(self.text, at)
            yield value, at
            at = end

    def members(self, start: int) -> dict[str, tuple[Any, int]]:
        """The values of the object that begins there, by key, each with its start."""
        parts = [*self.values(start)]
        return {key: part for (key, _), part in zip(parts[::2], parts[1::2], strict=True)}

    def take(self, value: Any, kind: Any, name: str, at: int) -> Any:
        """The value as that kind. One that does not fit is reported, and the result is None."""
        kinds = tuple[kind, ...]
        try:
            [converted] = convert_data([value], kinds)
            half = next(find_surrogates(msgspec.to_builtins([converted])), None)
            if half is None:
                return converted
            raise msgspec.ValidationError(f"{HALF_PAIR} - at `${half.path}`")
        except msgspec.ValidationError as problem:
            self.invalid += 1
            if self.invalid <= MAX_REPORTED_VALUES:
                fault = explain_error(problem, kinds, [value]).rstrip(".").removeprefix("[0]").lstrip(".: ")
                if isinstance(value, dict):
                    at = self.members(at).get(split_error(problem)[1].removeprefix("[0]."), (None, at))[1]
                message, line = f"{name} is skipped: {fault}", self.origin(at).line
                self.faults.append(error(f"{self.what}-invalid", message, self.path, line))
        return None

    def take_items(self, start: int, name: str, kind: Any) -> list[tuple[Any, int]]:
        """The items that fit of the list that begins there, each with its start."""
        items = [
            (self.take(value, kind, f"{name}[{index}]", at), at) for index, (value, at) in enumerate(self.values(start))
        ]
        return [each for each in items if each[0] is not None]


def _read_values(text: str, path: str, what: str, form: type, take: Callable[[JsonFile, int], People]) -> PeopleResult:
    """What `take` makes of a JSON text, or why the whole text can't be used."""
    text, skipped = tidy(text)
    if not text:
        return People(), ()
    file = JsonFile("\n" * skipped + text, what, path)
    line, fault = 1 + skipped, ""
    try:
        data = json.loads(file.text)
        if isinstance(data, form):
            people = take(file, len(file.text) - len(file.text.lstrip()))
            return people if people.origins or not file.notes else None, file.notes
        convert_data(data, form)
    except msgspec.ValidationError as problem:
        fault = explain_error(problem, form).rstrip(".")
    except json.JSONDecodeError as problem:
        line = problem.lineno
        fault = f"invalid JSON: {problem.msg[:1].lower()}{problem.msg[1:]}, column {problem.colno}"
    except RecursionError:
        fault = "it is nested too deeply"
    except ValueError:
        fault = "it contains a number that is too long"
    return None, (error(f"{what}-skipped", f"skipped: {fault}", path, line),)


def _take_agent(file: JsonFile, start: int) -> People:
    """The keys that fit. Null is as good as absent, and unknown keys belong to other programs."""
    members = file.members(start)
    fields: dict[str, Any] = {}
    origins: dict[str, Origin] = {}
    lists: dict[str, list[tuple[Any, int]]] = {}
    for key, kind in AGENT_KINDS.items():
        value, at = members.get(key, (None, 0))
        if value is None:
            continue
        if key in ITEM_KINDS and isinstance(value, list):
            lists[key] = file.take_items(at, key, ITEM_KINDS[key])
        elif (text := file.take(value, kind, key, at)) is not None:
            fields[key], origins[f"agent.{key}"] = text, file.origin(at)
    duties, folders = lists.get("responsibilities", ()), lists.get("directories", ())
    for index, (_, at) in enumerate(duties):
        places = ((key, part[1]) for key, part in file.members(at).items() if key in Duty.__struct_fields__)
        origins |= {f"agent.responsibilities[{index}].{key}": file.origin(place) for key, place in places}
    if "capabilities" in lists:
        fields["capabilities"] = tuple(dict.fromkeys(each for each, _ in lists["capabilities"]))
        origins["agent.capabilities"] = file.origin(members["capabilities"][1])
    origins |= {f"directories[{index}]": file.origin(at) for index, (_, at) in enumerate(folders)}
    agent = Agent(responsibilities=tuple(Responsibility(duty.title, duty.content) for duty, _ in duties), **fields)
    return People(agent if agent != Agent() else None, directories=tuple(path for path, _ in folders), origins=origins)


def _take_memories(file: JsonFile, start: int) -> People:
    memories = file.take_items(start, "", Text)
    origins = {f"memories[{index}]": file.origin(at) for index, (_, at) in enumerate(memories)}
    return People(memories=tuple(text for text, _ in memories), origins=origins)


read_agent = partial(_read_values, what="agent", form=dict, take=_take_agent)
read_memories = partial(_read_values, what="memories", form=list, take=_take_memories)


# IDENTITY.md, SOUL.md, USER.md, SYSTEM.md, APPEND_SYSTEM.md and the files of the agent's data directory.


def find_persona(reader: FileReader, wants: PersonaFiles, home: str) -> People:
    """The three persona files. An empty IDENTITY.md is an agent without a name, an empty SOUL.md alone is none."""
    folder = f"{home.rstrip('/')}/{wants.folder}"
    identity, soul, user = (
        _load_people(reader, folder, f"{what.upper()}.md", what, read) or People()
        for what, read in (("identity", read_identity), ("soul", read_soul), ("user", read_user))
    )
    agent, origins = identity.agent, identity.origins | user.origins
    if soul.agent is not None and (agent is not None or soul.agent != EMPTY_SOUL):
        agent, origins = replace(agent or Agent(), soul=soul.agent.soul), origins | soul.origins
    return People(agent, user.user if user.origins else None, origins=origins)


def read_soul(text: str, path: str) -> PeopleResult:
    """The whole text."""
    text, skipped = tidy(text)
    return People(Agent(soul=text), origins={"agent.soul": Origin(path, 1 + skipped)}), ()


def _read_card(text: str, path: str, owner: Literal["agent", "user"], names: tuple[str, ...]) -> PeopleResult:
    """The fields of these names in the frontmatter, with their lines."""
    text, skipped = tidy(text)
    parsed = parse_frontmatter(text) if text else Frontmatter({}, (), 1, 0)
    if isinstance(parsed, FrontmatterProblem):
        return None, (error("persona-skipped", parsed.message, path, parsed.line + skipped),)
    values, origins = dict[str, Any](), dict[str, Origin]()
    faults = [(f"{key!r:.80} is given twice; the last value is used", line) for key, line in parsed.twice]
    for name in (name for name in names if name in parsed.fields):
        field = parsed.fields[name]
        value, kind = scalar_text(field), field.kind
        if kind in ("list", "map"):
            faults.append((f"{name} is a {kind}, not a string: it is skipped", field.line))
        elif kind not in ("text", "null"):
            fault = f"{name} is written {field.text!r:.80}, which YAML reads as a {kind}: put quotes around it"
            faults.append((fault, field.line))
        if name == "timezone" and value and find_zone(value) is None:
            fault = f"timezone {value!r:.80} is not an IANA zone such as Europe/Paris: it is skipped"
            faults.append((fault, field.line))
        elif value:
            values[name], origins[f"{owner}.{name}"] = value, Origin(path, field.line + skipped)
    notes = tuple(warning("persona-invalid", fault, path, line + skipped) for fault, line in faults)
    if owner == "agent":
        return People(agent=Agent(**values), origins=origins), notes
    return People(user=User(**values), origins=origins), notes


read_identity = partial(_read_card, owner="agent", names=("name", "emoji", "creature", "vibe"))
read_user = partial(_read_card, owner="user", names=("name", "timezone", "location"))


def find_overrides(reader: FileReader, wants: OverrideFiles, place: Place) -> People:
    """The texts of SYSTEM.md and APPEND_SYSTEM.md: the project's, or else the one under home, never both."""
    folders = f"{place.cwd.rstrip('/')}/{wants.project}", f"{place.home.rstrip('/')}/{wants.home}"
    texts, origins = dict[str, str](), dict[str, Origin]()
    for field, name in (("system", wants.system), ("append", wants.append)):
        winner = ""
        for folder in folders:
            path = f"{folder}/{name}"
            if winner:
                _note_hidden(reader, path, field, winner)
                continue
            sighting = reader.sight(folder, name, field)
            file: TextFile | None = reader.load(sighting, field, make_text_file) if sighting else None
            if file is not None:
                winner, texts[field], origins[f"overrides.{field}"] = path, file.content, Origin(path, file.line)
                reader.note(path, field, "loaded" if file.content else "cleared", "" if file.content else "it is empty")
    return People(overrides=Overrides(**texts) if texts else None, origins=origins)


def find_workspace_files(reader: FileReader, wants: WorkspaceFiles, home: str) -> tuple[WorkspaceFile, ...]:
    """The files that exist and have content, in the recipe's order."""
    folder = f"{home.rstrip('/')}/{wants.folder}"
    files: list[WorkspaceFile] = []
    for name in wants.names:
        sighting = reader.sight(folder, name, "workspace")
        file: WorkspaceFile | None = reader.load(sighting, "workspace", _make_workspace_file) if sighting else None
        if sighting is not None and file is not None:
            has_text = bool(file.content)
            reader.note(sighting.path, "workspace", *(("loaded",) if has_text else ("cleared", "it is empty")))
            files += [file] if has_text else []
    return tuple(files)


def _make_workspace_file(text: str, path: str) -> tuple[WorkspaceFile, tuple[Diagnostic, ...]]:
    """The file as written; one with only comments counts as empty."""
    return WorkspaceFile(path, text if strip_comments(text).text else "", name=path.rpartition("/")[2]), ()
