"""The cells of tables about an agent's files: what it loads, skips or misses, in groups of files, and the evidence."""

import posixpath
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from ...model.agent_rules import TEXT_KINDS, Evidence
from ...terminal.output import count_noun, escape_controls
from ...text.path_printer import PathPrinter
from ..agent_report import LISTED_KINDS, AgentFile, AgentReport
from ..file_answers import shorten_reason
from ..survey_project import find_right_name

T = TypeVar("T")
EVIDENCE_WORD: dict[Evidence, str] = {"run": "seen", "code": "source", "docs": "docs", "reported": "reported"}
EVIDENCE_PHRASE: dict[Evidence, str] = {
    "run": "seen in a run",
    "code": "read in its source",
    "docs": "documented by its vendor",
    "reported": "reported by others",
}
MIN_GROUP_SIZE = 4
"""So many files of one folder with one status share one line."""


MAX_NAMED = 3
"""Files of an agent that are named; the others are counted."""


SKILL_FORMATS = "Each agent writes its list of skills in its own way, so tokens differ where skills are the same."


def do_skill_formats_differ(agents: Iterable[tuple[int, str, int]]) -> bool:
    """Whether two agents that seem to load the same differ: of each, tokens of files, what it lists, and all tokens."""
    tokens_by_list: dict[tuple[int, str], int] = {}
    return any(
        listed and tokens_by_list.setdefault((files, listed), tokens) != tokens for files, listed, tokens in agents
    )


def filter_texts(files: Iterable[AgentFile]) -> list[AgentFile]:
    """The instruction files and rules among them."""
    return [file for file in files if file.kind in TEXT_KINDS]


def filter_kind(files: Iterable[AgentFile], kind: str) -> list[AgentFile]:
    """Those of one kind."""
    return [file for file in files if file.kind == kind]


def list_missing_texts(report: AgentReport, cwd: str) -> list[AgentFile]:
    """The instruction files that an agent does not get under any name, the most important first.

    One that a limit drops, then one in a folder that the agent searches, then one of a name that it reads elsewhere;
    last one such as `gemini.md`, which may be about something else.
    """
    read = {posixpath.basename(file.path) for file in filter_texts(report.of("loaded", "truncated"))}
    left = [file for file in filter_texts(report.of("skipped")) if file.same is None]
    missing: dict[str, AgentFile] = {}
    for file in sorted(left, key=lambda file: _rank_skipped_file(file, read, cwd)):
        missing.setdefault(file.alias_of or file.path, file)
    return list(missing.values())


def list_missing_skills(report: AgentReport, cwd: str) -> list[AgentFile]:
    """The skills that are in folders for agents, and that this one does not list under any name.

    A folder that is called `skills`, without a dot, is a collection for others: its skills do not count as missing.
    """
    skipped = (file for file in filter_kind(report.of("skipped"), "skill") if _is_in_hidden_folder(file, cwd))
    unread = {_get_skill_name(file): file for file in skipped if file.same is None and not is_attachment(file.path)}
    if not unread:
        return []
    listed = {_get_skill_name(file) for file in report.files if file.kind == "skill" and file.status != "skipped"}
    return [file for name, file in unread.items() if name not in listed]


def _is_in_hidden_folder(file: AgentFile, cwd: str) -> bool:
    """Whether a skill counts as missing: its folder is such as `.agents`; the project itself may be in one."""
    steps = posixpath.relpath(find_group_folder(file), cwd).split("/")
    return any(step.startswith(".") and step.strip(".") for step in steps)


def is_attachment(path: str) -> bool:
    """Whether a file in a folder of skills is a page of a skill, and no skill: it is not meant to be listed."""
    folder, _, name = path.rpartition("/")
    above, _, last = folder.rpartition("/")
    is_flat = last == "skills" and posixpath.basename(above).startswith(".")
    return name.lower() != "skill.md" and not is_flat


def _get_skill_name(file: AgentFile) -> str:
    folder, _, name = file.path.rpartition("/")
    return posixpath.basename(folder) if name.lower() == "skill.md" else name


def _rank_skipped_file(file: AgentFile, read: set[str], cwd: str) -> tuple[int, int, int, str]:
    below, name = f"{cwd.rstrip('/')}/", posixpath.basename(file.path)
    relative = file.path.removeprefix(below) if file.path.startswith(below) else posixpath.relpath(file.path, cwd)
    distance = 0 if file.last_line is not None else 1 if file.step else 2 if name in read else 3
    is_miswritten = find_right_name(name) is not None
    return (
        distance + 2 * is_miswritten,
        file.kind != "instructions",
        relative.count("/") + ("/." in file.path),
        file.path,
    )


class FileGroup(NamedTuple):
    """A file, or several of one folder with one status."""

    files: tuple[AgentFile, ...]

    @property
    def first(self) -> AgentFile:
        """The one that stands for all of them."""
        return self.files[0]

    @property
    def tokens(self) -> int:
        """Of all of them."""
        return sum(file.tokens for file in self.files)

    def name(self, printer: PathPrinter) -> str:
        """`AGENTS.md`, or `26 skills in .agents/skills`."""
        if len(self.files) == 1:
            return printer(self.first.path)
        return f"{len(self.files)} {pluralize_kind(self.first.kind)} in {printer(find_group_folder(self.first))}"


MAX_ALIAS_CHARS, MAX_NAMES_CHARS = 40, 59
"""Characters of the other names of a file, and of all its names: more are counted, or the cell would be shortened in
the middle of them."""


def join_file_names(names: Sequence[str]) -> str:
    """`AGENTS.md (also CLAUDE.md)`: the names of one file, the shortest way to it first."""
    first, *others = sorted(names, key=lambda name: (name.count("/"), name.startswith("."), name))
    folder = first.rpartition("/")[0]
    others = [name[len(folder) + 1 :] if folder and name.startswith(f"{folder}/") else name for name in others]
    named = ", ".join(others)
    if len(named) > MAX_ALIAS_CHARS or len(f"{first} (also {named})") > MAX_NAMES_CHARS:
        named = count_noun(len(others), "other name")
    return f"{first} (also {named})" if others else first


KIND_NOUNS = {"rule": "rule", "skill": "skill", "command": "command", "agent": "sub-agent"}


def pluralize_kind(kind: str) -> str:
    """Several of a kind, in a word."""
    return f"{KIND_NOUNS.get(kind, 'file')}s"


def generalize_reason(path: str, why: str) -> str:
    """A reason that names the skill of the same name elsewhere, as it holds for all skills of the folder."""
    return why.replace(f"/{posixpath.basename(posixpath.dirname(path))}/SKILL.md", "/*/SKILL.md")


def find_group_folder(file: AgentFile) -> str:
    """The folder of a file; of a skill, the folder that holds skills."""
    folder = posixpath.dirname(file.path)
    return posixpath.dirname(folder) if file.kind == "skill" else folder


def group_files(files: Sequence[AgentFile], everything: bool) -> list[FileGroup]:
    """The files in their order, many of one folder and one status as one line, unless with `--all`."""
    if everything:
        return [FileGroup((file,)) for file in files]
    groups = [FileGroup(tuple(group)) for group in group_many(files, _make_group_key)]
    places = {file.path: place for place, file in enumerate(files)}
    return sorted(groups, key=lambda group: places[group.first.path])


def _make_group_key(file: AgentFile) -> object:
    if file.kind == "instructions" or file.last_line is not None:
        return file.path
    # Each of several links leads to another file, and each of several rules has patterns of its own.
    return find_group_folder(file), file.kind, file.status, file.same is not None


def group_many(items: Iterable[T], find_key: Callable[[T], object]) -> list[list[T]]:
    """Items with the same key together, if they are many; else each alone."""
    groups: dict[object, list[T]] = {}
    for item in items:
        groups.setdefault(find_key(item), []).append(item)
    split = ([group] if len(group) >= MIN_GROUP_SIZE else [[each] for each in group] for group in groups.values())
    return [part for parts in split for part in parts]


def describe_loaded(report: AgentReport, printer: PathPrinter) -> str:
    """`AGENTS.md to line 822, 14 skills`."""
    settings = [file for file in filter_kind(report.of("loaded"), "settings") if file.tokens]
    files = [*settings, *filter_texts(report.of("loaded", "truncated"))]
    # The nearest come last, and are what one looks for.
    named = []
    for file in files[-MAX_NAMED:]:
        end = f" to line {file.last_line:,}" if file.status == "truncated" else " twice" if file.repeated else ""
        named.append(escape_controls(printer(file.path)) + end)
    more = [count_noun(len(files) - MAX_NAMED, "more file")] if len(files) > MAX_NAMED else []
    return ", ".join([*named, *more, *count_listed(report)]) or "nothing"


def count_listed(report: AgentReport) -> list[str]:
    """`14 skills`, `3 commands`: the entries of its lists, kind by kind."""
    kinds = Counter(file.kind for file in report.of("loaded", "truncated"))
    return [count_noun(kinds[kind], KIND_NOUNS[kind]) for kind in LISTED_KINDS if kinds[kind]]


def describe_on_demand(report: AgentReport) -> str:
    """`1`, `4 skills`, `1, 4 skills`: how many files, and skills, come later."""
    later = report.of("on_demand")
    return count_texts_and_skills(filter_texts(later), filter_kind(later, "skill"))


def count_texts_and_skills(texts: Sequence[AgentFile], skills: Sequence[AgentFile]) -> str:
    """`1, 4 skills`: how many instruction files, and how many skills."""
    return ", ".join([*([str(len(texts))] if texts else []), *([count_noun(len(skills), "skill")] if skills else [])])


def describe_skipped(report: AgentReport, printer: PathPrinter) -> str:
    """`AGENTS.md (hidden by CLAUDE.md), 14 skills`: what is meant for agents, and this one does not get."""
    texts, skills = list_missing_texts(report, printer.folder), list_missing_skills(report, printer.folder)
    shown = texts if len(texts) <= MAX_NAMED else texts[:1]
    names = [escape_controls(printer(file.path)) for file in shown]
    if len(texts) == 1:
        why = printer.within(shorten_reason(report.title, texts[0].why))
        names = [f"{names[0]} ({escape_controls(why)})" if why.startswith("hidden by ") else names[0]]
    elif len(texts) > MAX_NAMED:
        names.append(count_noun(len(texts) - 1, "more file"))
    return ", ".join([*names, *([count_noun(len(skills), "skill")] if skills else [])])
