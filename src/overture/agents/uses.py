"""Use: what one agent does with one file, made of the record of the agent's discovery in one folder."""

import posixpath
import re
from collections import Counter as Tally
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal, NamedTuple, get_args

from msgspec.structs import replace

from ..discovery.globs import matches_glob
from ..discovery.paths import contains_path, list_walk_folders
from ..known_agents import agent_wants, load
from ..known_agents.frames import list_templates
from ..model.agent_rules import Evidence, FileKind, SkillMenu, Step
from ..model.diagnostic import Diagnostic
from ..model.state.discovery import Look
from ..model.state.files import TextFile
from ..model.state.reasons import NO_REASON, Reason, because, explain_hidden, explain_reason
from ..model.struct import Frozen, note
from ..sections.agent_files import FileCut, cut_files, list_told_words
from ..sections.skill_menu import list_menu, report_shortened
from ..text.normalize import to_one_line
from ..text.path_printer import readable_path
from .agent_project import AgentFound, AgentProject
from .survey import InstructionFile, ProjectFiles, find_own_files

How = Literal["loaded", "truncated", "on_demand", "listed", "skipped"]
"""loaded: whole, at the start · truncated: in part · on_demand: later · listed: its name and description · skipped"""
DELIVERED: tuple[How, ...] = ("loaded", "truncated", "on_demand", "listed")
LISTED_KINDS: tuple[FileKind, ...] = ("skill", "command", "agent")
"""The kinds of files that lists name, sometimes without a description."""
ORDER: Mapping[How, int] = {"loaded": 0, "truncated": 0, "listed": 0, "on_demand": 1, "skipped": 2}
NOTHING = ("absent", "off")
"""Outcomes of paths at which nothing is, or is looked for."""
BARE_OUTCOMES = {"cleared": "empty", "duplicate": "same-file", "waiting": "untrusted"}
"""The reasons of outcomes that need no further words."""
CODES = {
    "checkout": "elsewhere", "excluded": "ignored", "manual": "matches", "model": "matches", "never": "ignored",
    "no-file": "invalid", "no-folder": "invalid", "not-followed": "link", "not-utf-8": "invalid",
    "only-import": "same-file", "same-text": "same-file", "unapproved": "untrusted", "unlisted": "invalid",
    "unreadable": "invalid", "user-only": "matches",
}  # fmt: skip
"""What the record tells more finely than the table: there one code stands for each."""
KINDS: dict[str, FileKind] = {kind: kind for kind in get_args(FileKind)}
"""The kinds of files by what they were looked for; all others are instructions."""
Span = tuple[int, int]


class Use(Frozen, frozen=True):
    """What one agent, started in one folder, does with one file."""

    agent: str
    start: Annotated[str, note("the folder that the agent is started in")]
    path: str
    kind: FileKind
    how: How
    reason: Reason = NO_REASON
    tokens: Annotated[int, note("tokens of its text as the agent gets it; as often as it gets it")] = 0
    spans: Annotated[
        tuple[Span, ...], note("first and last lines that are loaded; others are replaced or stripped")
    ] = ()
    last_line: Annotated[int | None, note("of a truncated file: the last line that is loaded in full; 0: none")] = None
    lines: Annotated[int | None, note("of a truncated file: how many lines it has")] = None
    times: Annotated[int, note("how often the agent gets its text")] = 1
    again: Annotated[Reason, note("why it gets it more than once: the import")] = NO_REASON
    same_as: Annotated[str | None, note("of a skipped file: the path under which the agent gets the same text")] = None
    personal: Annotated[bool, note("outside the project, or ignored by git: others do not have it")] = False
    evidence: Annotated[Evidence, note("how the agent's rule is known")] = "run"
    step: Annotated[str, note("the step of the agent's rules that found it")] = ""
    order_fixed: Annotated[bool, note("false: the agent's order, or its choice among several, may differ")] = True

    @property
    def code(self) -> str:
        """The code of its reason, of those that the table has."""
        return CODES.get(self.reason.code, self.reason.code)

    @property
    def is_delivered(self) -> bool:
        """Whether the agent gets the file, or its line in a list."""
        return self.how != "skipped"

    @property
    def is_text(self) -> bool:
        """Whether it is a file whose text instructs."""
        return self.kind in ("instructions", "rule")


def explain_use(use: Use, title: str, show: Callable[[str], str] = str) -> str:
    """Why an agent does with a file what it does, in a sentence; `show` writes paths."""
    texts = [explain_hidden(shorten_reason(use.reason, show), title)]
    if use.times > 1:
        again = explain_reason(shorten_reason(use.again, show), title)
        texts.append(f"loaded {use.times} times" + (f", also {again}" if again else ""))
    texts += [] if use.order_fixed else ["its order is not fixed"]
    return "; ".join(filter(None, texts))


def shorten_reason(reason: Reason, show: Callable[[str], str]) -> Reason:
    """A reason with its paths as `show` writes them."""
    args = tuple(show(each) if isinstance(each, str) and each.startswith("/") else each for each in reason.args)
    return Reason(reason.code, show(reason.path) if reason.path else "", args)


class StartedAgent(NamedTuple):
    """What an agent finds as it starts in a folder, and what it adds as it works in folders below."""

    project: AgentProject
    found: AgentFound
    more: AgentFound | None
    """What it finds when it works in all of these folders; None if that is nothing else."""

    @property
    def start(self) -> str:
        return self.project.cwd

    @property
    def title(self) -> str:
        return self.project.facts.title


def find_start(project: AgentProject) -> AgentFound:
    """What an agent finds as it starts; every caller shares one search."""
    key = "start", project.name, project.parts, project.location[1:4], project.touching
    return project.world.recall(key, project.find)


def start_agent(project: AgentProject, folders: Iterable[str]) -> StartedAgent:
    """An agent as it starts, and as one that works on a file in each of these folders would go on."""
    found, cwd = find_start(project), project.cwd
    wants = found.wants
    lists_later = wants.listed is not None and wants.listed.later
    is_lazy = any(look.outcome == "lazy" for look in found.looked_at)
    below = [f"{folder.rstrip('/')}/_" for folder in dict.fromkeys(folders) if folder != cwd]
    # One that works in the root, wherever it is started, reads the start's own files later.
    is_below = cwd != found.top and any(step.from_root for step in wants.steps)
    if not (below or is_lazy or is_below) or not (lists_later or any(step.place == "later" for step in wants.steps)):
        return StartedAgent(project, found, None)
    # Skills that are the same in every folder are not searched again.
    parts = "all" if lists_later and project.parts == "all" else "files" if project.parts == "all" else project.parts
    searched = project._replace(parts=parts, touching=(*project.touching, *below, f"{cwd.rstrip('/')}/_"))
    return StartedAgent(project, found, searched.find(found))


def list_uses(agent: StartedAgent, files: ProjectFiles) -> tuple[tuple[Use, ...], tuple[Diagnostic, ...]]:
    """What an agent does with each file, in the order in which it loads them, and what it cuts, as notes."""
    counts = count_loaded(agent.project.name, agent.found, files.count)
    rows = _Rows(agent, files)
    uses: dict[str, Use] = {}
    for use in (*rows.loaded(counts), *rows.on_demand(), *rows.refused(), *rows.not_looked_for()):
        uses.setdefault(use.path, use)
    return tuple(sorted(uses.values(), key=lambda use: ORDER[use.how])), counts.notes


class Counts(NamedTuple):
    """The tokens of what an agent loads: of files their raw text, of a list's entries their names and descriptions."""

    tokens: dict[str, int]
    """By path, in the agent's order."""
    bare: frozenset[str]
    """Skills that are listed by their names alone."""
    notes: tuple[Diagnostic, ...] = ()
    """What is truncated or shortened."""


def count_loaded(name: str, found: AgentFound, count: Callable[[str], int]) -> Counts:
    """Count what an agent loads as it starts, in the order of its sections."""
    cuts = find_cuts(found)
    tokens: dict[str, int] = {}
    bare: set[str] = set()
    notes: list[Diagnostic] = []

    def add(path: str, text: str) -> None:
        tokens[path] = tokens.get(path, 0) + count(text)

    for section, template in list_templates(load(name).SECTIONS):
        if section.menu is not None and found.skills:
            menu = found.wants.listed.menu if found.wants.listed else None
            for skill, text in list_menu(section.menu, menu, found.skills):
                called = skill.called or skill.name
                bare |= {skill.location} if text == "" else set()
                if text is not None:
                    add(skill.location, f"{called}: {text}" if text else called)
                if "{{ description }}" in section.menu and text != to_one_line(skill.description):
                    notes.append(report_shortened(skill, text, menu or SkillMenu()))
        for file in filter(template.includes, found.files):
            if (words := list_told_words(template.choose_template(file), file)) is not None:
                add(file.path, ": ".join(words))
                continue
            for path, text in _split_loaded(file, cuts.get(file.path)):
                add(path, text)
    return Counts(tokens, frozenset(bare), tuple(notes))


def _split_loaded(file: TextFile, cut: FileCut | None) -> Iterator[tuple[str, str]]:
    """The texts of a file, and of those that it imports, up to where the agent cuts it."""
    rest = cut.chars if cut else len(file.content)
    for piece in file.all_pieces:
        if piece.path is not None and (text := piece.text[:rest]):
            yield piece.path, text
        rest = max(rest - len(piece.text), 0)


def find_cuts(found: AgentFound) -> dict[str, FileCut]:
    """The files that the agent truncates or drops, by path."""
    return {found.files[index].path: cut for index, cut in cut_files(found.files, found.wants.limits, {}).items()}


def count_times(found: AgentFound) -> dict[str, tuple[int, Reason]]:
    """The files whose text an agent gets more than once: how often, and the import by which."""
    times = Tally(path for file in found.files for path in {piece.path for piece in file.all_pieces} if path)
    looks = (look for look in reversed(found.looked_at) if look.outcome == "loaded" and look.reason.code == "imported")
    imports = {look.path: look.reason for look in looks}
    return {path: (number, imports.get(path, NO_REASON)) for path, number in times.items() if number > 1}


def find_loaded(found: AgentFound) -> dict[str, Look]:
    """Each file that is loaded, as it was met first."""
    loaded: dict[str, Look] = {}
    for look in found.looked_at:
        if look.outcome == "loaded":
            loaded.setdefault(look.path, look)
    return loaded


def find_base_folder(path: str, step: Step | None) -> str:
    """The folder to which a file's name belongs: `.claude/rules/x.md` is one of the folder that holds `.claude`."""
    for alternatives in step.names if step else ():
        for name in alternatives.split("|"):
            head = name.partition("*")[0].rpartition("/")[0]
            if head and f"/{head}/" in path:
                return path.rpartition(f"/{head}/")[0] or "/"
    return path.rpartition("/")[0] or "/"


WORDS = re.compile(r"[^\W_](?:.*[^\W_])?", re.DOTALL)


def find_spans(files: Iterable[TextFile]) -> dict[str, list[Span]]:
    """The ranges of loaded lines of each file; other lines are replaced by what they import, or stripped."""
    spans: dict[str, list[Span]] = {}
    for piece in (piece for file in files for piece in file.all_pieces if piece.path):
        if words := WORDS.search(piece.text):
            first = piece.line + piece.text.count("\n", 0, words.start())
            spans.setdefault(piece.path or "", []).append((first, first + words.group().count("\n")))
    return spans


def name_times(times: Mapping[str, tuple[int, Reason]], path: str) -> dict[str, Any]:
    return dict(zip(("times", "again"), times[path], strict=True)) if path in times else {}


class _Rows:
    """Makes the rows of one started agent."""

    def __init__(self, agent: StartedAgent, files: ProjectFiles) -> None:
        self.agent, self.files, self.project, self.found = agent, files, agent.project, agent.found
        self.near = files.near(agent.start, text=agent.project.parts == "text")
        self.name, self.cwd = self.project.name, readable_path(self.project.cwd)
        self.wants, self.facts = agent.found.wants, self.project.facts
        self.loaded_looks = find_loaded(agent.found)
        self.met = {look.path for look in self.found.looked_at if look.outcome not in NOTHING}
        inner = find_loaded(agent.more) if agent.more else {}
        self.later = {
            p: look for p, look in inner.items() if p not in self.loaded_looks and (look.step or look.what == "skill")
        }
        skipped = agent.more.looked_at if agent.more else ()
        self.inner = {look.path: look for look in skipped if look.outcome not in (*NOTHING, "loaded")}
        # Another name of a file that is read later, in another folder: an agent that works there reads it by that name.
        known = {files.real(path): look for path, look in self.later.items()}
        for path, look in self.inner.items():
            same = known.get(files.real(path)) if look.outcome == "duplicate" else None
            if same and posixpath.dirname(same.path) != posixpath.dirname(path):
                self.later[path] = same
        self.delivered = {files.real(path): path for path in (*self.later, *self.loaded_looks)}

    def make(self, path: str, kind: FileKind, how: How, reason: Reason, step: Step | None = None, **more: Any) -> Use:
        more["evidence"] = (step.known if step else None) or self.facts.known
        more["personal"], more["step"] = self.files.is_personal(path), step.step if step else ""
        return Use(self.name, self.agent.start, path, kind, how, reason, **more)

    # At the start

    def loaded(self, counts: Counts) -> Iterator[Use]:
        """The files that the agent loads at the start, in its order."""
        cuts, spans, times = find_cuts(self.found), find_spans(self.found.files), count_times(self.found)
        for_users = {skill.location for skill in self.found.skills if skill.disable_model_invocation}
        unordered = self.find_unordered()
        for path in dict.fromkeys((*(path for path in counts.tokens if path in self.loaded_looks), *self.loaded_looks)):
            look = self.loaded_looks[path]
            step, kind = self.wants.find(look.step), KINDS.get(look.what, "instructions")
            is_listed = kind in LISTED_KINDS or (step is not None and step.tells == "description")
            how: How = "on_demand" if path in for_users else "listed" if is_listed else "loaded"
            use = self.make(
                path, kind, how, self.explain_loaded(look, step, bare=path in counts.bare), step,
                tokens=counts.tokens.get(path, 0), spans=tuple(sorted(spans.get(path, ()))),
                order_fixed=path not in unordered, **name_times(times, path),
            )  # fmt: skip
            yield self.cut(use, cuts[path]) if path in cuts else use

    def cut(self, use: Use, cut: FileCut) -> Use:
        """The same of a file that the agent cuts; one of which nothing is left counts as skipped."""
        limit, file = cut.limit, next(file for file in self.found.files if file.path == use.path)
        kind = limit.over if limit.says else f"{limit.over}-silent"
        how: How = "truncated" if cut.chars else "skipped"
        lines = file.line + file.content.rstrip("\n").count("\n")
        reason = because("limit", "", kind, limit.most, limit.unit)
        return replace(use, how=how, reason=reason, last_line=cut.last_line if cut.chars else None, lines=lines)

    def explain_loaded(self, look: Look, step: Step | None, *, bare: bool) -> Reason:
        """The rule that loads it at the start."""
        if look.reason:
            return look.reason
        if look.what == "skill" or (step is not None and step.tells == "description"):
            return because("listed", "", *["bare"] * bare)
        if step is not None and step.tells != "text":
            return because("listed", "", "part", step.tells)
        if step is None and look.what != "settings":
            return NO_REASON
        folder, top = find_base_folder(look.path, step), self.found.top
        is_inside = contains_path(self.cwd, look.path) and not contains_path(self.cwd, self.project.home)
        if is_inside and (step is None or step.place == "project"):
            return because("at-start")
        if (step is not None and step.place == "home") or not contains_path(folder, self.cwd):
            own = step is None or step.place == "home" or any(name.startswith("~/") for name in step.names)
            return because("user") if own else because("works-in", "", "touched")
        if folder == self.cwd:
            return because("at-start")
        where = "root" if folder == top else "outside" if top and not contains_path(top, folder) else "between"
        return because("above", folder, where)

    def find_unordered(self) -> set[str]:
        """The loaded files whose order, or the choice among them, may differ from run to run."""
        skills, groups = self.wants.listed, dict[object, list[str]]()
        for path, look in self.loaded_looks.items():
            step = self.wants.find(look.step)
            if look.what == "skill" and skills and skills.unordered == "menu":
                groups.setdefault(posixpath.dirname(posixpath.dirname(path)), []).append(path)
            elif step and step.unordered and (step.unordered == "all" or look.what == "rule"):
                groups.setdefault((step.step, find_base_folder(path, step)), []).append(path)
        unsure = {look.reason.path for look in self.found.looked_at if look.reason.kind == "unordered"}
        return unsure.union(path for paths in groups.values() if len(paths) > 1 for path in paths)

    # Later

    def on_demand(self) -> Iterator[Use]:
        """Files that the agent loads once it works in certain folders, or on certain files."""
        for look in (*self.found.looked_at, *self.inner.values()):
            if look.outcome == "lazy":
                yield self.refuse(look, "on_demand")
        folders = {file.path: file.folder for file in self.near if file.path in self.later}
        more = self.agent.more
        texts = {file.path: file.content for file in more.files} if more else {}
        texts |= {skill.location: f"{skill.name}: {skill.description}" for skill in more.skills} if more else {}
        cuts = find_cuts(more) if more else {}
        spans, times = (find_spans(more.files), count_times(more)) if more else ({}, {})
        for path, look in self.later.items():
            # An import may be any file, such as a README, and is read for what imports it.
            if path in self.met or not (path in folders or look.reason):
                continue
            step, kind = self.wants.find(look.step), KINDS.get(look.what, "instructions")
            part = ["listed"] if look.what == "skill" else ["part", step.tells] if step and step.tells != "text" else []
            why = because("works-in", folders[path], *part) if path in folders else look.reason
            tokens = self.files.count(texts.get(path) or texts.get(look.path, ""))
            use = self.make(
                path,
                kind,
                "on_demand",
                why,
                step,
                tokens=tokens,
                spans=tuple(sorted(spans.get(path, ()))),
                **name_times(times, path),
            )
            if (cut := cuts.get(path)) and cut.limit.over == "file":
                file = next(file for file in more.files if file.path == path) if more else None
                use = replace(use, last_line=cut.last_line, lines=1 + file.content.count("\n") if file else None)
            yield use

    # Never

    def refused(self) -> Iterator[Use]:
        """Files that it met and does not load."""
        for look in self.found.looked_at:
            if look.outcome not in (*NOTHING, "loaded", "lazy") and not self.is_folder_again(look):
                yield self.refuse(look, "skipped")

    def is_folder_again(self, look: Look) -> bool:
        """Whether it is a folder of skills that is another by a link: its files are listed by their other names."""
        return look.outcome == "duplicate" and any(file.path.startswith(f"{look.path}/") for file in self.near)

    def refuse(self, look: Look, how: How) -> Use:
        step, same = self.wants.find(look.step), self.find_same(look.path)
        reason = self.explain_same(look.path, same) if same and look.outcome == "hidden" else look.reason
        reason = reason or because(BARE_OUTCOMES.get(look.outcome, "invalid"))
        folder = find_base_folder(look.path, step)
        if reason.code == "hidden" and reason.path and find_base_folder(reason.path, step) == folder:
            reason = replace(reason, code="overridden")
        return self.make(look.path, KINDS.get(look.what, "instructions"), how, reason, step, same_as=same)

    def find_same(self, path: str) -> str | None:
        """The name by which the agent reads the same file, or the one that this file only imports."""
        same = self.delivered.get(self.files.real(path))
        if same is None and (alias := self.files.find_alias(path)) is not None:
            same = self.delivered.get(self.files.real(alias))
        return same if same != path else None

    def explain_same(self, path: str, same: str) -> Reason:
        return because("same-file", same, *["import"] * (self.files.real(path) != self.files.real(same)))

    def not_looked_for(self) -> Iterator[Use]:
        """Files that it does not even look for here."""
        names = _LookedFor(self.agent)
        refused = {
            self.files.real(look.path): look
            for look in self.found.looked_at
            if look.what == "skill" and look.outcome not in ("absent", "off", "loaded")
        }
        # Settings may have put other names in the place of its own.
        steps = (*self.wants.steps, *agent_wants(self.name).steps)
        own = find_own_files(self.project.world, steps, list_walk_folders(self.agent.start, self.files.top))
        for file in (*self.near, *own):
            if file.path in self.met or file.path in self.later or not self.files.is_meant(file):
                continue
            kind: FileKind = (
                "skill" if file.skill else "rule" if "/" in file.name and "rule" in file.name else "instructions"
            )
            if same := self.find_same(file.path):
                reason = self.explain_same(file.path, same)
            elif inner := self.inner.get(file.path):
                yield replace(self.refuse(inner, "skipped"), kind=kind)
                continue
            else:
                reason = names.explain(file, refused.get(self.files.real(file.path)))
            yield self.make(file.path, kind, "skipped", reason, same_as=same)


WILDCARD = re.compile(r"[*?\[{]")


class _LookedFor:
    """The names that an agent looks for in a project: by them a file is explained that it did not meet."""

    def __init__(self, agent: StartedAgent) -> None:
        self.agent, self.project, self.wants = agent, agent.project, agent.found.wants
        self.exact: dict[str, list[Step]] = {}
        self.globs: list[tuple[str, str, Step]] = []  # the prefix of all names that match, the pattern, and its step
        self.spellings: dict[str, str] = {}
        for step in self.wants.steps:
            for name in (each for alternatives in step.names for each in alternatives.split("|")):
                self.spellings.setdefault(name.casefold(), name)
                if step.place != "home":
                    self.exact.setdefault(name.casefold() if step.case == "any" else name, []).append(step)
                    if "*" in name:
                        head = WILDCARD.split(name.lstrip("/"))[0].rstrip("/")  # `a/**` matches `a`, too
                        self.globs.append((head, f"/{name.lstrip('/')}", step))

    def explain(self, file: InstructionFile, refused: Look | None) -> Reason:
        """Why the agent does not load a file: its folder, its name, or how that is spelled.

        `refused` is the look at a skill that it met under another name of the same file.
        """
        if file.skill:
            return self.explain_skill(file, refused)
        name, is_here = file.name, file.folder == self.project.cwd
        steps = [
            *self.exact.get(name, ()),
            *(step for step in self.exact.get(name.casefold(), ()) if step.case == "any"),
        ]
        steps += [step for head, glob, step in self.globs if name.startswith(head) and matches_glob(glob, name)]
        if steps:
            linked = is_here and not all(step.linked_folders for step in steps)
            return because("link", "", "folder") if linked else self.explain_folder(file, name)
        if right := self.spellings.get(name.casefold()):
            return because("case", "", right)
        return because("unknown", "", name)

    def explain_folder(self, file: InstructionFile, what: str) -> Reason:
        """It has a name that is read, and is in a folder that is not searched."""
        cwd, top = self.project.cwd, self.agent.found.top
        if file.folder != cwd and contains_path(cwd, file.folder):
            return because("below-start", "", what)
        if file.folder != cwd and not contains_path(file.folder, cwd):
            return because("elsewhere", "", "part")
        return because(
            "elsewhere", "", "here" if file.folder == cwd else "between" if contains_path(top, file.folder) else "above"
        )

    def explain_skill(self, file: InstructionFile, refused: Look | None) -> Reason:
        """Why the agent skips a skill: its folder, its form, a link, or git's ignore file."""
        in_folder = file.name.endswith("/SKILL.md")
        folder = file.name.rsplit("/", 2 if in_folder else 1)[0]
        skills, cwd = self.wants.listed, self.project.cwd
        if skills is None or folder not in skills.project:
            return because("unknown", "", "skills", f"{folder}/")
        if not in_folder:
            return because("invalid", "", "no-folder")
        if refused is not None and file.folder == cwd:
            return refused.reason or because("invalid")
        if skills.not_ignored and contains_path(cwd, file.folder) and file.folder != cwd:
            return because("ignored", "", "git")
        entry = self.project.world.find(file.path.rpartition("/")[0])
        if file.folder == cwd and entry is not None and entry.kind == "link":
            return because("link", "", "folder")
        return self.explain_folder(file, "skills")
