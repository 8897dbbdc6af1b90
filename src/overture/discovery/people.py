"""Reads who the agent and its user are: agent.json, memories.json, IDENTITY.md, SYSTEM.md and the like."""

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from ..model.diagnostic import Diagnostic, error, warning
from ..model.source import Origin
from ..model.state.agent_and_runtime import Agent, Capability, Responsibility, User
from ..model.state.discovery import People
from ..model.state.files import Overrides
from ..model.state.reasons import NO_REASON, because
from ..model.struct import convert_data, explain_error, split_error
from ..model.wants import AgentJsonFile, MemoriesFile, OverrideFiles, PersonaFiles, Wants
from ..sections.clock import find_zone
from ..text.frontmatter import Frontmatter, FrontmatterProblem, parse_frontmatter, scalar_text
from ..text.normalize import find_surrogates, tidy
from .context_files import load_document
from .duplicate_files import make_text_file
from .paths import contains_path, expand_path
from .place import Place
from .reader import FileReader

Notes = tuple[Diagnostic, ...]
PeopleResult = tuple[People | None, Notes]  # what a file sets, or None if it can't be used, and what is wrong with it
EMPTY_SOUL = Agent(soul="")


def find_people(reader: FileReader, wants: Wants, place: Place) -> People:
    """The agent, the user and memories. The fields of a project's agent count before those of the one under home."""
    own = find_overrides(reader, wants.overrides, place) if wants.overrides else People()
    near = find_agent_file(reader, wants.agent, place) if wants.agent else People()
    remembered = find_memories(reader, wants.memories, place) if wants.memories else People()
    far = find_persona(reader, wants.persona, place.home) if wants.persona else People()
    origins = far.origins | own.origins | near.origins | remembered.origins
    if "user.timezone" in origins:
        origins["runtime.timezone"] = origins["user.timezone"]
    agent = near.agent or far.agent
    if near.agent is not None and far.agent is not None:
        fields = {name: getattr(near.agent, name) for name in near.agent.__struct_fields__}
        agent = replace(far.agent, **{name: value for name, value in fields.items() if value not in (None, ())})
    return People(agent, far.user, own.overrides, remembered.memories, near.directories, origins)


def _load_people(
    reader: FileReader, folder: str, name: str, what: str, make: Callable[[str, str], PeopleResult]
) -> People | None:
    """What a file sets, with a record of the outcome; None if it is absent or can't be used."""
    sighting = reader.sight(f"{folder.rstrip('/')}/{name}", what)
    if sighting is None:
        return None
    people: People | None = reader.load(sighting, what, make)
    if people is not None:
        sets = bool(people.origins) and people.agent != EMPTY_SOUL
        reader.note(sighting.path, what, *(("loaded",) if sets else ("cleared", because("empty", "", "settings"))))
    elif cached := reader.cached_files.get((what, sighting.path)):
        reader.note(sighting.path, what, "skipped", because("invalid", "", cached.notes[-1].message))
    return people


def _note_hidden(reader: FileReader, path: str, what: str, winner: str) -> None:
    """Record a path that another file hides, if there is something."""
    there = reader.world.exists(path)
    reader.note(path, what, "hidden" if there else "absent", because("hidden", winner) if there else NO_REASON)


# agent.json and memories.json. A value that does not fit is reported, and costs only itself.


Text = Annotated[str, Meta(pattern=r"\S")]  # a text that is not blank
MAX_REPORTED_VALUES = 20  # values of one file that are reported each by itself
MAX_STEPS = 3  # steps to the deepest value that we take
JSON_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[][{},\n]|[^][{},:"\s]++')
Steps = tuple[str | int, ...]  # keys and positions that lead to a value
Part = tuple[Steps, Any, Any]  # where a value is, the value, and the list of its kind


class Duty(Responsibility, frozen=True, forbid_unknown_fields=False):
    """A responsibility as an agent.json has it. Unknown keys belong to other programs and are ignored."""

    title: Text
    content: Text


ITEM_KINDS: dict[str, Any]
ITEM_KINDS = {"responsibilities": list[Duty], "capabilities": list[Capability], "directories": list[Text]}
"""The lists of an agent.json, and what each item is."""
HALF_PAIR = "it contains half of a surrogate pair, written \\ud800 to \\udfff"
AGENT_KINDS: dict[str, Any] = {field.name: list[field.type] for field in msgspec.structs.fields(Agent)}  # type: ignore
AGENT_KINDS["directories"] = list[list[Text]]


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
    winner, people = "", People()
    for folder in (each for each in reversed(place.walk) if top is None or contains_path(top, reader.real_or(each))):
        path = f"{folder.rstrip('/')}/{wants.name}"
        if winner:
            _note_hidden(reader, path, "memories", winner)
            continue
        people = _load_people(reader, folder, wants.name, "memories", read_memories) or people
        winner = "" if reader.looked[-1].outcome == "absent" else path
    return people


class _JsonValues(NamedTuple):
    """The values of a file that fit, where every value begins, and what is wrong with the others or with all."""

    taken: dict[Steps, Any]
    places: dict[Steps, Origin]
    notes: Notes

    def make(self, people: People) -> PeopleResult:
        """What is made of them; a file in which nothing fits can't be used."""
        return people if people.origins or not self.notes else None, self.notes


def read_agent(text: str, path: str) -> PeopleResult:
    """The agent, and its directories as they are written."""
    values = _read_json(text, path, "agent", dict, _list_agent_parts)
    taken, places, _ = values
    fields = {str(steps[0]): value for steps, value in taken.items() if len(steps) == 1}
    duties, capabilities, folders = ([s for s in taken if s[0] == key and len(s) == 2] for key in ITEM_KINDS)
    if "capabilities" in fields:
        fields["capabilities"] = tuple(dict.fromkeys(taken[steps] for steps in capabilities))
    origins = {f"agent.{key}": places[key,] for key in fields}
    for number, steps in enumerate(duties):
        origins |= {f"agent.responsibilities[{number}].{key}": places[*steps, key] for key in Duty.__struct_fields__}
    origins |= {f"directories[{number}]": places[steps] for number, steps in enumerate(folders)}
    fields["responsibilities"] = tuple(Responsibility(taken[each].title, taken[each].content) for each in duties)
    agent, directories = Agent(**fields), tuple(taken[each] for each in folders)
    return values.make(People(agent if agent != Agent() else None, directories=directories, origins=origins))


def _list_agent_parts(data: dict[str, Any]) -> Iterator[Part]:
    """The keys of an agent. Null is as good as absent, and unknown keys belong to other programs."""
    for key, kind in AGENT_KINDS.items():
        value = data.get(key)
        if key in ITEM_KINDS and isinstance(value, list):
            yield from [((key,), [], kind)] if key == "capabilities" else []  # an empty list says that there are none
            yield from (((key, index), each, ITEM_KINDS[key]) for index, each in enumerate(value))
        elif value is not None:
            yield (key,), value, kind


def read_memories(text: str, path: str) -> PeopleResult:
    """The texts of a list."""
    values = _read_json(
        text, path, "memories", list, lambda data: (((at,), each, list[Text]) for at, each in enumerate(data))
    )
    origins = {f"memories[{number}]": values.places[steps] for number, steps in enumerate(values.taken)}
    return values.make(People(memories=tuple(values.taken.values()), origins=origins))


def _read_json(
    text: str, path: str, what: str, form: type, list_parts: Callable[[Any], Iterable[Part]]
) -> _JsonValues:  # fmt: skip
    """The parts of a JSON text that fit; of very many that do not, a report for the rest."""
    text, skipped = tidy(text)
    line, fault = 1 + skipped, ""
    if not text:
        return _JsonValues({}, {}, ())
    try:
        data = json.loads(text)
        convert_data(data, form)
        places, taken = _locate_values(text, path, line), dict[Steps, Any]()
        notes, invalid = list[Diagnostic](), 0
        for steps, value, kind in list_parts(data):
            try:
                if half := next(find_surrogates([value]), None):
                    raise msgspec.ValidationError(f"{HALF_PAIR} - at `${half.path}`")
                [taken[steps]] = convert_data([value], kind)
            except msgspec.ValidationError as problem:
                invalid += 1
                if invalid <= MAX_REPORTED_VALUES:
                    why = explain_error(problem, kind, [value]).rstrip(".").removeprefix("[0]").lstrip(".: ")
                    at = places.get((*steps, split_error(problem)[1].removeprefix("[0].")), places[steps])
                    name = "".join(f"[{step}]" if isinstance(step, int) else step for step in steps)
                    notes.append(error(f"{what}-invalid", f"{name} is skipped: {why}", at.path, at.line))
        if more := invalid - len(notes):
            message = f"{more:,} more {'value is' if more == 1 else 'values are'} invalid and skipped"
            notes.append(error(f"{what}-invalid", message, path))
        return _JsonValues(taken, places, tuple(notes))
    except msgspec.ValidationError as problem:
        fault = explain_error(problem, form).rstrip(".")
    except json.JSONDecodeError as problem:
        line = problem.lineno + skipped
        fault = f"invalid JSON: {problem.msg[:1].lower()}{problem.msg[1:]}, column {problem.colno}"
    except RecursionError:
        fault = "it is nested too deeply"
    except ValueError:
        fault = "it contains a number that is too long"
    return _JsonValues({}, {}, (error(f"{what}-skipped", f"skipped: {fault}", path, line),))


def _locate_values(text: str, path: str, line: int) -> dict[Steps, Origin]:
    """Where each value begins that is not too deep, in a text that is JSON and begins on `line`."""
    places: dict[Steps, Origin] = {}
    steps: list[str | int | None] = []  # to the next value; None: its key comes first
    for token in JSON_TOKEN.finditer(text):
        letter = token[0][0]
        if letter == "\n":
            line += 1
        elif letter in "]}":
            steps.pop()
        elif letter == ",":
            steps[-1] = steps[-1] + 1 if isinstance(steps[-1], int) else None
        elif steps and steps[-1] is None:
            steps[-1] = json.loads(token[0])
        else:
            if len(steps) <= MAX_STEPS:
                places[tuple(step for step in steps if step is not None)] = Origin(path, line)
            if letter in "[{":
                steps.append(0 if letter == "[" else None)
    return places


# IDENTITY.md, SOUL.md, USER.md, SYSTEM.md and APPEND_SYSTEM.md.


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
        value, kind, fault = scalar_text(field), field.kind, ""
        if kind in ("list", "map"):
            fault = f"{name} is a {kind}, not a string: it is skipped"
        elif kind not in ("text", "null"):
            fault = f"{name} is written {field.text!r:.80}, which YAML reads as a {kind}: put quotes around it"
        if name == "timezone" and value and find_zone(value) is None:
            value, fault = "", f"timezone {value!r:.80} is not an IANA zone such as Europe/Paris: it is skipped"
        if value:
            values[name], origins[f"{owner}.{name}"] = value, Origin(path, field.line + skipped)
        faults += [(fault, field.line)] if fault else []
    notes = tuple(warning("persona-invalid", fault, path, line + skipped) for fault, line in faults)
    person = {"agent": Agent(**values)} if owner == "agent" else {"user": User(**values)}
    return People(**person, origins=origins), notes


read_identity = partial(_read_card, owner="agent", names=("name", "emoji", "creature", "vibe"))
read_user = partial(_read_card, owner="user", names=("name", "timezone", "location"))


def find_overrides(reader: FileReader, wants: OverrideFiles, place: Place) -> People:
    """The texts of SYSTEM.md and APPEND_SYSTEM.md: the project's, or else the one under home, never both."""
    folders = f"{place.cwd.rstrip('/')}/{wants.project}", f"{place.home.rstrip('/')}/{wants.home}"
    texts, origins = dict[str, str](), dict[str, Origin]()
    for field, name in (("system", wants.system), ("append", wants.append)):
        winner = ""
        for path in (f"{folder}/{name}" for folder in folders):
            if winner:
                _note_hidden(reader, path, field, winner)
            elif (file := load_document(reader, path, field, make_text_file)) is not None:
                winner, texts[field], origins[f"overrides.{field}"] = path, file.content, Origin(path, file.line)
    return People(overrides=Overrides(**texts) if texts else None, origins=origins)
