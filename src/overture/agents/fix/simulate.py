"""Changes of a project's files, and what agents do in a project to which they are made; nothing is written."""

from collections import Counter as Tally
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import cached_property
from posixpath import basename, dirname, join
from typing import Annotated, Any, Literal, NamedTuple

from ...discovery.files import Entries, EntryKind, FileEntry, Files, VirtualFiles
from ...discovery.paths import contains_path, list_walk_folders
from ...discovery.reader import Sighting
from ...discovery.world import World, resolve_existing_prefix
from ...known_agents import AGENTS, agent_wants
from ...model.struct import Frozen, note
from ..survey import InstructionFile, ProjectFiles
from ..table import AgentInfo, Question, Table, make_table
from ..uses import ORDER, Use
from ..verdicts import Verdicts

ChangeKind = Literal["link", "stub", "import", "removal", "setting"]
"""link: another name for a file or a folder of skills · stub: a new file that only imports · import: a line in a file
that is there · removal: such a line less · setting: a key of the agent's project settings"""


class Change(Frozen, frozen=True, omit_defaults=False):
    """One change of one path."""

    path: str
    kind: ChangeKind
    folder: Annotated[str, note("the folder that it is for")]
    name: Annotated[str, note("the name that agents look for there, or the key of a setting")]
    source: Annotated[str, note("the file that it brings to them; a folder of skills ends with `/`")]
    target: Annotated[str | None, note("the target of the symlink, as it is written; none: a file is written")] = None
    after: Annotated[str | None, note("the whole new text; none: a symlink is made")] = None
    before: Annotated[str | None, note("the text that was there; none: nothing was")] = None
    agents: Annotated[tuple[str, ...], note("the agents in use that get more by it, or no longer twice")] = ()


class ChangedFiles(VirtualFiles):
    """Files and links on top of other files; nothing is written."""

    def __init__(self, base: Files, files: Mapping[str, bytes], links: Mapping[str, str]) -> None:
        """Paths of `files` and `links` have no link on their way."""
        super().__init__()
        self.base, self.files, self.links = base, files, links
        parents = {folder for path in (*files, *links) for folder in list_walk_folders(dirname(path), None)}
        self.added: dict[str, EntryKind] = {path: "dir" for path in parents if self._is_free(path)}
        """What is new, with the folders that are made for it."""
        self.added.update({path: "file" if path in files else "link" for path in (*links, *files)})

    def _is_free(self, path: str) -> bool:
        """Whether nothing is at a path, and we may know that."""
        with suppress(OSError):
            return self.base.look(path) is None
        return False

    def at(self, real: str) -> FileEntry | None:
        kind, content = self.added.get(real), self.files.get(real, b"")
        stamp = (-1, hash(real), hash(content))
        return FileEntry(kind, stamp[:2], stamp, size=len(content)) if kind else self.base.look(real)

    def list(self, real: str) -> Entries:
        entries = {} if real in self.added else dict(self.base.names(real))
        added = {basename(path): kind for path, kind in self.added.items() if dirname(path) == real}
        return [*(entries | added).items()]

    def content(self, real: str, max_bytes: int) -> bytes:
        return self.files[real] if real in self.files else self.base.read(real, max_bytes, is_real=True)

    def leads(self, real: str) -> str:
        return self.links[real] if real in self.links else self.base.target(real)


class Effect(NamedTuple):
    """What comes of changes."""

    refusal: Literal["", "helps-nobody", "loads-less", "loads-twice", "loads-stub"]
    """Why they are not safe, or of no use."""
    agent: str = ""
    """The agent that would be worse off."""
    paths: frozenset[str] = frozenset()
    """Real paths of what it would lose, or get twice."""
    gaining: tuple[str, ...] = ()
    """The agents in use that get more, or no longer twice."""
    twice: frozenset[tuple[str, str]] = frozenset()
    """Agents of which nothing is here, and the real paths that they would get twice."""


class Amount(NamedTuple):
    """How much of a file an agent gets."""

    rank: int
    """0: at the start, or in a list · 1: later."""
    times: int = 0
    """How often at the start, and later in one folder: in several folders it is several files."""
    lines: frozenset[str] | None = None
    """Of a truncated file, what is left of it; None: the whole file."""

    def exceeds(self, other: "Amount | None") -> bool:
        if other is None or other.rank > self.rank:
            return True
        return other.lines is not None and (self.lines is None or not self.lines <= other.lines)


def read_exactly(files: ProjectFiles, path: str) -> str | None:
    """The text of a file that is no link, and may be read and written back; None if there is none."""
    entry, found = files.world.find(path), files.reader.look_at(path)
    with suppress(OSError, UnicodeDecodeError):
        if entry and entry.kind == "file" and isinstance(found, Sighting):
            return files.reader.content(found).decode()
    return None


class Simulation:
    """A project with changes made to it."""

    def __init__(self, question: Question, starts: Sequence[str], here: frozenset[str]) -> None:
        """`question` is about the agents that a fix is for, in the changed project; `here` are all in use or set up."""
        self.question, self.files, self.starts, self.here = question, question.files, starts, here
        self.changes: tuple[Change, ...] = ()
        self.known: dict[tuple[str, str], tuple[Use, ...]] = {}
        self.amounts: dict[tuple[str, str], dict[str, Amount]] = {}
        self.infos: dict[str, AgentInfo] = {}

    def at(self, agent: str, starts: Sequence[str]) -> dict[str, tuple[Use, ...]]:
        """What an agent does from each of these starts."""
        if missing := [start for start in starts if (agent, start) not in self.known]:
            table = make_table(self.question._replace(names=(agent,)), missing)
            self.infos[agent] = table.agents[0]
            self.known |= {(agent, start): table.by_start.get((agent, start), ()) for start in missing}
        return {start: self.known[agent, start] for start in starts}

    @cached_property
    def verdicts(self) -> Verdicts:
        """The verdicts on what the agents in use get."""
        names, files = self.question.names, self.files
        uses = tuple(use for name in names for rows in self.at(name, self.starts).values() for use in rows)
        infos = tuple(self.infos[name] for name in names)
        table = Table(files.top, self.question.base.cwd, infos, tuple(self.starts), uses, files.judged)
        return Verdicts(table, files)

    @cached_property
    def folders(self) -> dict[str, str]:
        """The folder that each file is for."""
        return {file.path: file.folder for file in self.files.files}

    def measure(self, agent: str, start: str) -> dict[str, Amount]:
        """How much of each file an agent gets from a start, by real path."""
        if (agent, start) in self.amounts:
            return self.amounts[agent, start]
        amounts = self.amounts[agent, start] = dict[str, Amount]()
        later: Tally[tuple[str, str]] = Tally()
        rows = self.at(agent, [start])[start]
        for use in (use for use in rows if use.is_delivered):
            real, rank, lines = self.files.real(use.path), ORDER[use.how], None
            if use.last_line is not None:
                lines = frozenset(self.files.text(use.path).splitlines()[: use.last_line])
            old = amounts.get(real, Amount(rank, 0, lines))
            later[real, self.folders.get(use.path, use.path)] += use.times * (rank > 0)
            left = None if lines is None or old.lines is None else old.lines | lines
            amounts[real] = Amount(min(old.rank, rank), old.times + use.times * (rank == 0), left)
        for (real, _), times in later.items():
            amounts[real] = amounts[real]._replace(times=max(amounts[real].times, times))
        for use in rows:
            if use.same_as:  # it gets the text under another name, or as what this file imports
                amounts.setdefault(self.files.real(use.path), Amount(0))
        return amounts

    def is_twice_at_home(self, agent: str, real: str) -> bool:
        """Whether an agent gets a text twice from where it is: of all folders at once, copies elsewhere count."""
        homes = {folder for path, folder in self.folders.items() if self.files.real(path) == real} & {*self.starts}
        return any(self.measure(agent, home).get(real, Amount(0)).times > 1 for home in homes)

    def change(self, original: Question, changes: Sequence[Change]) -> "Simulation":
        """The same project with more changes; `original` is the question as the files are."""
        every, disk = (*self.changes, *changes), original.base.world
        real = {e: join(resolve_existing_prefix(disk, dirname(e.path)), basename(e.path)) for e in every}
        texts = {real[each]: (each.after or "").encode() for each in every if each.target is None}
        links = {real[each]: each.target for each in every if each.target is not None}
        facts: dict[Hashable, Any] = {"parsed": disk.recall("parsed", dict[Any, Any])}
        world = World(ChangedFiles(disk.disk, texts, links), disk.machine, facts=facts, within=disk.within)
        base = self.question.base._replace(location=self.question.base.location._replace(world=world))
        files, known = original.files, {file.path for file in original.files.files}
        added = [file for each in every for file in _list_new_files(each, files) if file.path not in known]
        survey = files.survey._replace(files=[*files.survey.files, *added])
        question = self.question._replace(base=base, files=ProjectFiles(base, AGENTS, files.counter, survey))
        changed = Simulation(question, self.starts, self.here)
        changed.files.ignored, changed.changes, changed.infos = files.ignored, every, self.infos
        affected = {name for name in AGENTS if any(may_read(name, each.path, self.files) for each in changes)}
        changed.known = {
            (name, start): rows
            for (name, start), rows in self.known.items()
            if name not in affected or not _concerns(self, start, changes)
        }
        return changed


def _concerns(state: Simulation, start: str, changes: Sequence[Change]) -> bool:
    """Whether changes are at, above or below a start; skills are listed at the root and in the working directory."""
    if all(each.source.endswith("/") for each in changes):
        return start in (state.files.top, state.question.base.cwd)
    return any(contains_path(start, each.folder) or contains_path(each.folder, start) for each in changes)


def _list_new_files(change: Change, files: ProjectFiles) -> Iterator[InstructionFile]:
    """The files that a change adds for agents: itself, or the skills in the folder to which it leads."""
    if change.kind in ("link", "stub") and change.source[-1:] != "/":
        yield InstructionFile(change.path, change.folder, change.name)
    for real in {files.real(file.path) for file in files.files if file.skill} if change.source[-1:] == "/" else ():
        if real.startswith(change.source):
            below = real[len(change.source) :]
            yield InstructionFile(f"{change.path}/{below}", change.folder, f"{change.name}/{below}", skill=True)


def may_read(agent: str, path: str, files: ProjectFiles) -> bool:
    """Whether a change of a path could concern an agent: by a name that it looks for, or its settings name others."""
    wants = agent_wants(agent)
    if any(f"/{folder}/" in f"{path}/" for folder in (wants.listed.project if wants.listed else ())):
        return True
    for file in wants.configured:
        own = [name for name in file.paths if name[0] not in "~/"]
        names_others = (file.adds or file.replaces) and any(files.world.exists(f"{files.top}/{name}") for name in own)
        if names_others or any(path.endswith(f"/{name}") for name in own):
            return True
    folded = path.casefold()
    for name in (each.casefold() for step in wants.steps for names in step.names for each in names.split("|")):
        folder, last = name.partition("*")[0].rpartition("/")[0], basename(name)
        if name[0] not in "~/" and f"{folder}/" in folded and fnmatchcase(basename(folded), last):
            return True
    return False


def compare(before: Simulation, after: Simulation, changes: Sequence[Change]) -> Effect:
    """What comes of changes; or why an agent would be worse off."""
    gaining, twice = dict[str, None](), set[tuple[str, str]]()
    near = [start for start in before.starts if _concerns(before, start, changes)]
    # What agents do that are not in use here is looked at in the first and the last folder of these: they are alike.
    few = [start for start in near if start in (before.files.top, changes[0].folder, changes[-1].folder)]
    edited = {before.files.real(each.path) for each in changes if each.before is not None}
    stubs = {each.path for each in changes if each.kind == "stub"}
    in_use = before.question.names
    readers = [name for name in AGENTS if any(may_read(name, each.path, before.files) for each in changes)]
    for name in sorted(readers, key=lambda name: (name not in in_use, name not in before.here)):
        is_here, gains = name in before.here, False
        for start in near if is_here else few:
            one, other = before.measure(name, start), after.measure(name, start)
            lost = {p for p, amount in one.items() if p not in edited and amount.exceeds(other.get(p))}
            again = {p for p, amount in other.items() if amount.times > max(1, one[p].times if p in one else 1)}
            again = {p for p in again if other[p].rank == 0 or after.is_twice_at_home(name, p)}
            gains = gains or any(amount.exceeds(one.get(p)) for p, amount in other.items() if p not in edited | stubs)
            gains = gains or any(one[p].times > max(1, other[p].times) for p in one.keys() & other.keys())
            if lost:
                return Effect("loads-less", name, frozenset(lost))
            if again and is_here:
                return Effect("loads-twice", name, frozenset(again))
            if is_here and not gains and (useless := stubs & other.keys()):
                return Effect("loads-stub", name, frozenset(useless))
            twice |= {(name, path) for path in again}
        gaining |= dict.fromkeys([name] * (gains and name in in_use))
    return Effect("" if gaining else "helps-nobody", gaining=tuple(gaining), twice=frozenset(twice))
