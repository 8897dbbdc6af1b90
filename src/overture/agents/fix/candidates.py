"""The problems that a fix is for, and the few changes that could solve each."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from msgspec.structs import replace

from ...discovery.parse_json_and_toml import find_setting, parse_settings, split_key
from ...known_agents import agent_wants
from ...known_agents.file_owners import INSTRUCTIONS
from ..survey import InstructionFile
from ..verdicts import VerdictFinding, is_stub, name_skill
from .edit_settings import edit_setting
from .simulate import Change, ChangeKind, Simulation, read_exactly

SHARED_NAME = "AGENTS.md"
"""The name that most agents read: its text is meant for all of them."""
PRIVATE_NAME_PARTS = (".local.", ".override.")
OLD_NAMES = ("AGENT.md",)
ARRIVING = ("hidden", "lost", "unread")
"""Causes for which a file needs another name, or something that names it."""
ONLY_IMPORT = re.compile(r"\s*@\S+\s*")


class Goal(NamedTuple):
    """A problem of one agent, with all files for which its cause is the same."""

    finding: VerdictFinding
    agent: str
    paths: tuple[str, ...]
    optional: bool = False
    """Whether it may be meant so: it is fixed if that is easy, and else not mentioned."""


def find_goals(state: Simulation, named: bool) -> Iterator[Goal]:
    """What is wrong for the agents in use, the worst first; `named`: the user chose them, set up here or not."""
    verdicts = state.verdicts
    for finding in verdicts.findings:
        paths = tuple(path for path in finding.paths if not is_private(path))
        if finding.cause != "nothing" and paths:
            yield from (Goal(replace(finding, paths=paths), agent, paths) for agent in finding.agents)
    plain = [file for file in state.files.judged if file.name[0] != "." and not is_private(file.name)]
    plain.sort(key=lambda file: (file.name != SHARED_NAME, file.path))
    shared = tuple(file.path for file in plain if file.name == plain[0].name)
    helpless = {agent for each in verdicts.findings if each.cause == "nothing" for agent in each.agents}
    for agent in state.question.names:
        if shared and (agent in helpless or (named and not verdicts.get_lines(agent))):
            name = next(list_written_names(agent), "")
            finding = VerdictFinding("agents-disagree", "info", (agent,), shared, "unread", other=name, numbers=(0,))
            yield Goal(finding, agent, shared)
        for path in shared:  # a file of another name in its folder hides it, and may import it
            verdict = verdicts.all.get((agent, path))
            use = verdict.use if verdict and verdict.state == "excluded" else None
            if use and use.code in ("overridden", "hidden") and not is_stub(state.files, path):
                other = use.reason.path
                finding = VerdictFinding("never-arrives", "info", (agent,), (path,), "hidden", use, other=other)
                yield Goal(finding, agent, (path,), optional=True)


def is_open(state: Simulation, goal: Goal, path: str) -> bool:
    """Whether an agent still has the problem of a goal with one of its files."""
    cause, file = goal.finding.cause, next((each for each in state.files.judged if each.path == path), None)
    if file and cause in (*ARRIVING, "imported"):
        states = ("twice",) if cause == "imported" else ("never", "unread", "excluded")
        return state.verdicts.judge(goal.agent, file).state in states
    same = (each for each in state.verdicts.findings if each.cause == cause)
    return any(goal.agent in each.agents and path in each.paths for each in same)


def list_candidates(state: Simulation, goal: Goal, paths: Sequence[str]) -> list[tuple[Change, ...]]:
    """What could be changed for these files: the ways that solve most of it first, of those the smallest."""
    if goal.finding.cause == "imported":
        changes = [*_without_imports(state, goal, paths)]
        return [tuple(each for each in changes if each.kind == kind) for kind in ("link", "removal")]
    ways: dict[tuple[ChangeKind, str], list[Change]] = {}
    if goal.finding.cause in ARRIVING:
        for file in (file for file in state.files.judged if file.path in paths):
            for change in _list_ways(state, goal.agent, file):
                ways.setdefault((change.kind, change.name), []).append(change)
    solved = {way: len(changes) for way, changes in ways.items()}
    if goal.finding.cause in ARRIVING and (
        setting := _set_names(state, goal.agent, {posixpath.basename(path) for path in paths})
    ):
        ways["setting", setting.name], solved["setting", setting.name] = [setting], len(paths)
    order = sorted(ways, key=lambda way: (-solved[way], len(ways[way])))  # else in the agent's own order of names
    return [tuple(ways[way]) for way in order]


def list_written_names(agent: str) -> Iterator[str]:
    """The names under which a fix may write instructions for an agent: known ones, of the whole project.

    A hidden name without a folder is an older form (.cursorrules); few agents read an AGENTS.md in a hidden folder.
    """
    steps = [each for each in agent_wants(agent).steps if each.kind == "instructions" and each.place != "home"]
    names = (each for step in steps if step.tells == "text" for names in step.names for each in names.split("|"))
    for name in dict.fromkeys(names):
        is_old = name in OLD_NAMES or (name[0] == "." and ("/" not in name or name.endswith(f"/{SHARED_NAME}")))
        if name in INSTRUCTIONS and "*" not in name and not is_old and not is_private(name):
            yield name


def is_private(path: str) -> bool:
    """Whether a file is for one person or one agent alone: it is brought to nobody, and written by no fix."""
    return any(part in posixpath.basename(path) for part in PRIVATE_NAME_PARTS)


def _list_ways(state: Simulation, agent: str, file: InstructionFile) -> Iterator[Change]:
    """Other names of a file in its own folder, and files there that could import it."""
    for name in (name for name in list_written_names(agent) if name != file.name):
        path = posixpath.join(file.folder, name)
        steps = [s for s in agent_wants(agent).steps if any(name in names.split("|") for names in s.names)]
        target, imports = posixpath.relpath(file.path, posixpath.dirname(path)), any(s.imports for s in steps)
        if is_free(state, path) and any(step.links != "never" for step in steps):
            yield Change(path, "link", file.folder, name, file.path, target)
        if is_free(state, path) and imports:
            yield Change(path, "stub", file.folder, name, file.path, None, f"@{target}\n")
        text = read_exactly(state.files, path) if imports else None
        if text is not None and f"@{target}" not in text.split():
            yield Change(path, "import", file.folder, name, file.path, None, insert_line(text, f"@{target}"), text)


def is_free(state: Simulation, path: str) -> bool:
    """Whether a file can be made there, also in a checkout that does not distinguish CLAUDE.md from claude.md."""
    world, name = state.files.world, posixpath.basename(path).casefold()
    return not world.exists(path) and all(each.casefold() != name for each, _ in world.list(posixpath.dirname(path)))


def insert_line(text: str, line: str) -> str:
    """A text with a line at its top; at its end, where it begins with frontmatter."""
    end = "\r\n" if "\r\n" in text else "\n"
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    body = text.removeprefix(mark)
    if body.startswith("---"):
        return f"{text.rstrip()}{end}{end}{line}{end}"
    return f"{mark}{line}{end}{end}{body.lstrip(chr(13) + chr(10))}" if body.strip() else f"{mark}{line}{end}"


def _without_imports(state: Simulation, goal: Goal, paths: Sequence[str]) -> Iterator[Change]:
    """The files that import others once too often: as links, if that is all they do, or without that line."""
    uses = [(path, state.verdicts.all[goal.agent, path].use) for path in paths]
    for source, again in [(path, use.again) for path, use in uses if use and use.again.code == "imported"]:
        folder, name = posixpath.split(again.path)
        text, line = read_exactly(state.files, again.path), again.args[0]
        if text is None or not isinstance(line, int):
            continue
        lines = text.splitlines(keepends=True)
        if ONLY_IMPORT.fullmatch(text):
            yield Change(again.path, "link", folder, name, source, posixpath.relpath(source, folder), None, text)
        elif line <= len(lines) and ONLY_IMPORT.fullmatch(lines[line - 1]):
            after = "".join(lines[: line - 1] + lines[line:])
            yield Change(again.path, "removal", folder, name, source, None, after, text)


def _set_names(state: Simulation, agent: str, names: set[str]) -> Change | None:
    """A key of the agent's project settings in JSON by which it reads files of that name, too."""
    wants, top = agent_wants(agent), state.files.top
    for file in wants.configured:
        paths = [posixpath.join(top, name) for name in file.paths if name[0] not in "~/" and ".json" in name]
        for key, step in ((key, wants.find(name)) for key, name in (*file.adds.items(), *file.replaces.items())):
            path = next(iter((*filter(state.files.world.exists, paths), *paths)), "")
            before = read_exactly(state.files, path) if path else None
            if (
                step is None
                or step.place != "project"
                or len(names) != 1
                or (before is None and not is_free(state, path))
            ):
                continue
            with suppress(ValueError, RecursionError):  # what can't be edited is left to do by hand
                value = find_setting(parse_settings(before or "{}", path), split_key(key))
                listed = [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)]
                names_set = [*(listed if key in file.adds or listed else step.names), *names]
                after = edit_setting(before or "", split_key(key), names_set)
                return Change(path, "setting", top, key, posixpath.join(top, *names), None, after, before)
    return None


class SkillFolder(NamedTuple):
    """A folder of skills that agents in use list, and one of these agents that lacks some of them."""

    path: str
    agent: str
    lacking: frozenset[str]
    """Real paths of SKILL.md files."""
    partial: bool
    """Whether the agent lists others of them."""


def find_skill_folders(state: Simulation) -> Iterator[SkillFolder]:
    """The folders of skills of the project that some agents in use list at its root, and others lack."""
    top, real = state.files.top, state.files.real
    lists: dict[str, set[str]] = {}
    folders: dict[str, set[str]] = {}
    for agent in state.question.names:
        rows = (use for use in state.at(agent, [top])[top] if use.kind == "skill" and not use.personal)
        listed = [use.path for use in rows if use.how == "listed"]
        lists[agent] = set(map(real, listed))
        for path in (path for path in listed if state.folders.get(path) == top and path.endswith("/SKILL.md")):
            folders.setdefault(real(posixpath.dirname(posixpath.dirname(path))), set()).add(real(path))
    for agent, own in lists.items():
        names = set(map(name_skill, own))  # one of the same name is the same, or hides it
        for folder, skills in sorted(folders.items()):
            if lacking := frozenset(path for path in skills - own if name_skill(path) not in names):
                yield SkillFolder(folder, agent, lacking, len(lacking) < len(skills))


def list_skill_links(state: Simulation, folder: SkillFolder) -> list[tuple[Change, ...]]:
    """Links by which the agent lists the skills: one of the whole folder, or one of each beside those that it has."""
    wants, top = agent_wants(folder.agent).listed, state.files.top
    others = [skills.project for name in state.question.names if (skills := agent_wants(name).listed)]
    names = [name for name in (wants.project if wants else ()) if "{" not in name]
    ways: list[tuple[Change, ...]] = []
    for name in sorted(names, key=lambda name: -sum(name in each for each in others)):
        place = posixpath.join(top, name)
        if is_free(state, place) and not folder.partial:
            ways.append((_link_skills(state, name, folder.path),))
        elif (
            (entry := state.files.world.find(place)) and entry.kind == "dir" and state.files.real(place) != folder.path
        ):
            links = (
                _link_skills(state, posixpath.join(name, posixpath.basename(skill)), skill)
                for skill in sorted(map(posixpath.dirname, folder.lacking))
            )
            ways.append(tuple(each for each in links if is_free(state, each.path)))
    return sorted(filter(None, ways), key=len)


def _link_skills(state: Simulation, name: str, source: str) -> Change:
    path = posixpath.join(state.files.top, name)
    target = posixpath.relpath(source, state.files.real(posixpath.dirname(path)))
    return Change(path, "link", state.files.top, name, f"{source}/", target)
