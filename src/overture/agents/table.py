"""The table: what each agent does with each file, from each folder in which it may be started. Views group its rows."""

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cached_property
from os import PathLike, fspath
from posixpath import relpath
from typing import Annotated, Any, NamedTuple

from ..discovery.configuration.keys import PROJECT
from ..discovery.paths import contains_path, expand_path
from ..discovery.world import Machine, Path, World
from ..known_agents import AGENTS
from ..model.agent_rules import Evidence
from ..model.diagnostic import Diagnostic
from ..model.recipe.recipe import OwnPrompt
from ..model.struct import Frozen, as_json, note
from ..tokens.counter import Counter
from ..tokens.load_tokenizer import find_counter
from .agent_project import AgentProject, resolve_in_folder
from .in_use import Signs, choose_agents, find_agent_name, find_signs
from .survey import InstructionFile, ProjectFiles
from .uses import Use, explain_use, find_start, list_uses, start_agent

MAX_STARTS = 2_000
"""Folders in which agents are started."""
ODD_CHARACTER = "\ufffd"
"""In place of the bytes of a name that are not UTF-8."""


class AgentInfo(Frozen, frozen=True):
    """One agent of a table."""

    name: str
    title: str
    version: str
    checked: date
    known: Evidence
    signs: Annotated[Signs, note("what shows that it is used here")] = Signs()
    own: OwnPrompt = OwnPrompt()
    findings: Annotated[tuple[Diagnostic, ...], note("what it can't read, and what it cuts")] = ()


class Table(Frozen, frozen=True, dict=True):
    """What each agent does with each file, from each start."""

    root: Annotated[str, note("the repository; without one, the working directory")]
    cwd: str
    agents: tuple[AgentInfo, ...]
    starts: Annotated[tuple[str, ...], note("the folders in which agents are started")]
    uses: tuple[Use, ...]
    judged: Annotated[tuple[InstructionFile, ...], note("the instruction files that should arrive")] = ()
    notes: Annotated[tuple[Diagnostic, ...], note("what was not looked at")] = ()
    tokenizer: str = "estimate"
    exact: Annotated[bool, note("false: the tokens are an estimate")] = False

    @cached_property
    def by_start(self) -> Mapping[tuple[str, str], tuple[Use, ...]]:
        """The rows of each agent at each start, in the order in which it loads the files."""
        rows: dict[tuple[str, str], list[Use]] = {}
        for use in self.uses:
            rows.setdefault((use.agent, use.start), []).append(use)
        return {key: tuple(uses) for key, uses in rows.items()}

    @cached_property
    def by_path(self) -> Mapping[str, tuple[Use, ...]]:
        rows: dict[str, list[Use]] = {}
        for use in self.uses:
            rows.setdefault(use.path, []).append(use)
        return {path: tuple(uses) for path, uses in rows.items()}

    @cached_property
    def titles(self) -> Mapping[str, str]:
        return {agent.name: agent.title for agent in self.agents}

    def at(self, agent: str, start: str | None = None) -> tuple[Use, ...]:
        """What an agent does from one start, by default the working directory."""
        return self.by_start.get((agent, start or self.cwd), ())

    def explain(self, use: Use, show: Any = str) -> str:
        """Why an agent does with a file what it does, in a sentence; `show` writes paths."""
        return explain_use(use, self.titles[use.agent], show)

    def shorten(self, path: str) -> str:
        """A path as JSON has it: below the project, relative to that."""
        return relpath(path, self.root) if contains_path(self.root, path) else path


def count_tokens(uses: Iterable[Use]) -> int:
    """What an agent gets at its start: whole and truncated files, and lines of lists."""
    return sum(use.tokens for use in uses if use.how in ("loaded", "truncated", "listed"))


class Question(NamedTuple):
    """Which agents are asked about, in which place."""

    base: AgentProject
    files: ProjectFiles
    names: tuple[str, ...]
    signs: Mapping[str, Signs]


def ask(
    base: AgentProject, names: Sequence[str] = (), *, everyone: bool = False, counter: Counter | None = None,
    shared: bool = False,
) -> Question:  # fmt: skip
    """A question about these agents, or those in use here, or all. `shared`: what only one user has does not count."""
    hidden = hide_user(base) if shared else base
    files = ProjectFiles(base, AGENTS, counter or find_counter())
    wanted = [find_agent_name(name) for name in dict.fromkeys(names)] or list(AGENTS if everyone else ())
    configured = base.config.get("agents")
    if configured.rank == PROJECT or not shared:
        wanted = wanted or [find_agent_name(name) for name in configured.value]
    walk = hidden.walk
    signs = {name: find_signs(hidden.world, name, walk, hidden.home) for name in wanted or AGENTS}

    def loads(name: str) -> tuple[int, int]:
        found = find_start(hidden._replace(name=name))
        return len(found.files), len(found.skills)

    chosen = wanted or choose_agents(signs, loads, of_user=not shared)
    return Question(hidden, files, tuple(chosen), signs)


class _NobodysMachine(Machine):
    """A machine without variables of its user; its clock and system do not matter to what files say."""


def hide_user(base: AgentProject) -> AgentProject:
    """The same place as others have it: without the user's home and variables."""
    world, top = base.world, base.walk[0]
    real = world.real_or_same(top)
    others = World(world.disk, _NobodysMachine(), facts={}, within=real)
    location = base.location._replace(world=others, home=f"{top.rstrip('/')}/.overture-no-home")
    return base._replace(location=location)


def list_starts(files: ProjectFiles, cwd: str) -> list[str]:
    """The project's root, the working directory, and each folder that a judged file is for."""
    folders = {file.folder for file in files.judged if ODD_CHARACTER not in file.folder}
    return list(dict.fromkeys((files.top, cwd, *sorted(folders))))


def make_table(question: Question, starts: Sequence[str] | None = None) -> Table:
    """The rows of all agents of a question, from these starts; by default from the working directory alone."""
    base, files = question.base, question.files
    notes = [note for note in (files.survey.explain_limit(),) if note]
    if starts and (odd := [file.folder for file in files.judged if ODD_CHARACTER in file.folder]):
        message = f"no agent was started in {odd[0]!r}: its name is not UTF-8"
        notes.append(Diagnostic("warning", "agents-partly", message))
    starts = starts or [base.cwd]
    if len(starts) > MAX_STARTS:
        message = f"{len(starts):,} folders have instruction files: agents were started in the first {MAX_STARTS:,}"
        notes.append(Diagnostic("warning", "agents-partly", message))
    starts = starts[:MAX_STARTS]
    uses: list[Use] = []
    infos = []
    for name in question.names:
        findings: tuple[Diagnostic, ...] = ()
        facts = base._replace(name=name).facts
        for start in starts:
            # Skills, sub-agents and commands are the same nearly everywhere: they are listed at the root and here.
            parts = base.parts if start in (base.cwd, files.top) else "text"
            agent = base._replace(name=name, location=base.location._replace(cwd=start), parts=parts)
            started = start_agent(agent, files.folders_below(start))
            rows, cuts = list_uses(started, files)
            uses += rows
            if start == base.cwd:
                findings = tuple(dict.fromkeys((*started.found.diagnostics, *cuts, *notes)))
        infos.append(AgentInfo(
            name, facts.title, facts.version, facts.checked, facts.known, question.signs[name], facts.own, findings
        ))  # fmt: skip
    return Table(
        files.top, base.cwd, tuple(infos), tuple(starts), tuple(uses), files.judged, tuple(notes),
        files.counter.name, files.counter.exact,
    )  # fmt: skip


def open_agents_in(
    cwd: Path | None = None, home: Path | None = None, root: Path | None = None, world: World | None = None,
    *, read_outside: bool = False, touching: Sequence[str | PathLike[str]] = (), name: str = AGENTS[0],
) -> AgentProject:  # fmt: skip
    """The agents in the named folder, for one look around. `touching` are files that they work on."""
    base = resolve_in_folder(cwd, home, root, world, read_outside=read_outside, name=name)
    return base._replace(touching=tuple(_find_touched(base, fspath(path)) for path in touching))


def _find_touched(base: AgentProject, path: str) -> str:
    """A path on which agents work; in place of a folder, some file in it."""
    path = expand_path(path, base.cwd, base.home)
    return f"{path.rstrip('/')}/_" if base.world.is_folder(path) else path


# As JSON: paths in the project are relative to its root


def agents_to_data(table: Table) -> dict[str, Any]:
    """`{"root", "agents": [{"name", …, "tokens", "files": […]}]}`: what each agent does from the working directory."""
    agents = []
    for agent in table.agents:
        uses = table.at(agent.name)
        agents.append({
            "name": agent.name, "title": agent.title, "version": agent.version, "checked": agent.checked.isoformat(),
            "known": agent.known, "signs": [*agent.signs.project, *agent.signs.user],
            "tokens": count_tokens(uses), "tokenizer": table.tokenizer, "exact": table.exact,
            "order_fixed": all(use.order_fixed for use in uses), "own": as_json(agent.own),
            "files": [{"path": table.shorten(use.path), "kind": use.kind, **_use_to_data(table, use)} for use in uses],
            "findings": [_note_to_data(table, note) for note in agent.findings],
        })  # fmt: skip
    return {"root": table.root, "agents": agents}


def files_to_data(table: Table) -> dict[str, Any]:
    """`{"root", "agents": [name], "files": [{"path", "kind", "tokens", "uses": […]}]}`: the table, by file."""
    files = []
    for path, uses in sort_files(table):
        rows = [{"agent": use.agent, "start": table.shorten(use.start), **_use_to_data(table, use)} for use in uses]
        tokens = max(use.tokens // use.times for use in uses)
        files.append({"path": table.shorten(path), "kind": uses[0].kind, "tokens": tokens, "uses": rows})
    return {"root": table.root, "agents": [agent.name for agent in table.agents], "files": files}


def sort_files(table: Table) -> list[tuple[str, tuple[Use, ...]]]:
    """The files of a table with their rows, outermost first; settings are no instructions."""
    files = ((path, uses) for path, uses in table.by_path.items() if uses[0].kind != "settings")
    return sorted(files, key=lambda file: _depth_key(file[0]))


def _depth_key(path: str) -> tuple[int, str, str]:
    folder, name = posixpath.split(path)
    return folder.partition("/.")[0].count("/"), folder, name


def _use_to_data(table: Table, use: Use) -> dict[str, Any]:
    reason = {
        "code": use.code, "path": table.shorten(use.reason.path) if use.reason.path else "",
        "args": list(use.reason.args),
    }  # fmt: skip
    data: dict[str, Any] = {
        "how": use.how, "reason": {key: value for key, value in reason.items() if value},
        "text": table.explain(use, table.shorten), "tokens": use.tokens,
    }  # fmt: skip
    data |= {"last_line": use.last_line, "lines": use.lines} if use.last_line is not None else {}
    data |= {"spans": use.spans} if use.spans else {}
    data |= {"times": use.times} if use.times > 1 else {}
    data |= {"same_as": table.shorten(use.same_as)} if use.same_as else {}
    data |= {"personal": True} if use.personal else {}
    data |= {"known": use.evidence}
    return data if use.order_fixed else {**data, "order_fixed": False}


def _note_to_data(table: Table, note: Diagnostic) -> dict[str, Any]:
    path = table.shorten(note.path) if note.path else None
    return {"code": note.code, "severity": note.level, "message": note.message, "path": path, "line": note.line}
