"""Verdicts: does each instruction file arrive at each agent in use, from which starts; and what is wrong about it."""

import re
from collections import Counter as Tally
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from itertools import combinations
from posixpath import basename, dirname
from typing import Literal, NamedTuple, get_args

from ..discovery.paths import contains_path
from ..known_agents import agent_wants
from ..model.diagnostic import Level
from ..model.state.reasons import Reason
from ..model.struct import Frozen
from ..text.words import count_noun, join_words
from .survey import InstructionFile, ProjectFiles
from .table import AgentInfo, Table
from .uses import Use

State = Literal["start", "on-demand", "own-folder", "cut", "twice", "never", "unread", "excluded", "same"]
"""start: whole, at the root · on-demand: from the root, once the agent works near it · own-folder: only where it is
started in that folder · unread: the agent reads no such name there · excluded: on purpose · same: under another name"""
GOT: tuple[State, ...] = ("start", "on-demand", "own-folder", "twice", "same")
"""With these an agent gets all of a file."""
LOST = ("limit", "hidden", "link", "invalid", "untrusted", "outside")
"""Why a file never arrives that should."""
ON_PURPOSE = ("ignored", "overridden", "elsewhere")
MIN_SHARED_LINES = 10
"""Lines that two files have in common before one of them repeats the other."""
STUB_LINES = 3
STUB = re.compile(r"@\S+\.md|\b(?:AGENTS|CLAUDE|GEMINI)\.md\b")
HIDING = ("hidden", "overridden")
"""Codes of a file that another one keeps from an agent."""
SURE = ("run", "code")
"""Evidence with which a finding is a warning."""


class Verdict(NamedTuple):
    """What becomes of a file for an agent."""

    agent: str
    file: InstructionFile
    state: State
    use: Use | None
    """The row that says why."""
    starts: tuple[str, ...] = ()
    """Where that is so, if not everywhere near the file."""


Cause = Literal["hidden", "limit", "lost", "cut", "imported", "repeats", "nothing", "unread", "beside", "skills"]


VerdictCode = Literal["never-arrives", "truncated", "loaded-twice", "agents-disagree"]
VERDICT_CODES: tuple[VerdictCode, ...] = get_args(VerdictCode)
"""The codes of findings, the worst first."""


class VerdictFinding(Frozen, frozen=True):
    """Something that the project can change: one for all files and agents with one cause."""

    code: VerdictCode
    level: Level
    agents: tuple[str, ...]
    paths: tuple[str, ...]
    cause: Cause
    use: Use | None = None
    line: int | None = None
    other: str = ""
    """The file or name that it is about: what hides, imports or repeats it, or would have to be there."""
    numbers: tuple[int, ...] = ()
    starts: tuple[str, ...] = ()
    """Where; empty: from everywhere near the file."""

    @property
    def path_names(self) -> set[str]:
        return {basename(path) for path in self.paths}


def is_stub(files: ProjectFiles, path: str) -> bool:
    """Whether a file only names or imports another: nothing of its own is lost."""
    return len(files.lines(path)) <= STUB_LINES and STUB.search(files.text(path)) is not None


def find_companion(agent: str, name: str) -> str:
    """The name beside a file by which an agent would get the same: AGENTS.md where it reads that; empty: none."""
    names = [each for step in agent_wants(agent).steps if step.place != "home" for each in step.names]
    plain = [each for each in names if not set(each) & set("/~*{|")]
    usual = (each for each in ("AGENTS.md", "CLAUDE.md") if each in plain and each != name)
    return next(usual, "" if name in plain else next(iter(plain), ""))


class Verdicts:
    """The verdicts on all judged files of a table."""

    def __init__(self, table: Table, files: ProjectFiles) -> None:
        self.table, self.files = table, files
        self.rows: dict[tuple[str, str], dict[str, Use]] = defaultdict(dict)
        """Of an agent and a path, the row of each start; the same of a start alone is `table.at`."""
        for use in table.uses:
            if use.is_text:
                self.rows[use.agent, use.path][use.start] = use
        self.by_folder: dict[str, list[InstructionFile]] = defaultdict(list)
        for file in table.judged:
            self.by_folder[file.folder].append(file)
        self.delivered: Callable[[str, str], tuple[set[str], dict[str, list[str]]]] = cache(self._index_delivered)
        met = {use.path for use in table.uses if use.is_text and use.code != "unknown"}
        started = set(table.starts)
        self.judged = [file for file in table.judged if file.path in met and file.folder in started]
        self.all = {
            (agent.name, file.path): self.judge(agent.name, file) for agent in table.agents for file in self.judged
        }

    def judge(self, agent: str, file: InstructionFile) -> Verdict:
        home, path = file.folder, file.path
        at = self.rows.get((agent, path), {})
        arrives = {start for start, use in at.items() if use.is_delivered}
        same = {s for s, use in at.items() if s not in arrives and (use.same_as or self.is_covered(agent, s, path))}
        own, root = at.get(home), at.get(self.table.root)
        if not at:
            return Verdict(agent, file, "unread", None)
        if not arrives and not same:
            order = [use for start in (home, self.table.root, *at) if (use := at.get(start))]
            lost = next((use for code in (*LOST, *ON_PURPOSE) for use in order if use.code == code), None)
            if lost is None or (lost.code == "elsewhere"):
                return Verdict(agent, file, "unread", own or root or order[0])
            is_chosen = lost.code not in LOST or (lost.code == "hidden" and self.gets_beside(agent, file))
            return Verdict(agent, file, "excluded" if is_chosen else "never", lost)
        below = [start for start in at if contains_path(home, start)]
        cut = [s for s in below if at[s].last_line is not None or (s not in arrives | same and at[s].code == "limit")]
        if cut:
            worst = min((at[s] for s in cut), key=lambda use: use.last_line or 0)
            return Verdict(agent, file, "cut", worst, tuple(cut) if len(cut) < len(below) else ())
        twice = [start for start in at if start in arrives and at[start].times > 1]
        if twice:
            return Verdict(agent, file, "twice", at[twice[0]], tuple(twice))
        if not arrives:
            return Verdict(agent, file, "same", own or root)
        if self.table.root in arrives | same:
            first = root or own
            is_first = home == self.table.root and first is not None and first.how == "loaded"
            return Verdict(agent, file, "start" if is_first else "on-demand", first)
        return Verdict(agent, file, "own-folder", own or next(iter(at.values())))

    def gets_beside(self, agent: str, file: InstructionFile) -> bool:
        """Whether the agent gets another file of the same folder: who keeps two of them there means them so."""
        beside = [each.path for each in self.by_folder[file.folder] if each.path != file.path]
        beside = [path for path in beside if not is_stub(self.files, path)]
        return any(use.is_delivered for path in beside for use in self.rows.get((agent, path), {}).values())

    def _index_delivered(self, agent: str, start: str) -> tuple[set[str], dict[str, list[str]]]:
        """The real paths of the files that an agent gets from a start, and by each of their lines the paths."""
        reals, lines = set[str](), defaultdict[str, list[str]](list)
        for use in self.table.at(agent, start):
            if use.is_text and use.is_delivered:
                reals.add(self.files.real(use.path))
                for line in self.files.lines(use.path):
                    lines[line].append(use.path)
        return reals, lines

    def is_covered(self, agent: str, start: str, path: str) -> bool:
        """Whether the agent gets nearly all lines of a file in another from this start, such as a copy."""
        reals, by_line = self.delivered(agent, start)
        lines = self.files.lines(path)
        shared = Tally(other for line in lines for other in by_line.get(line, ()))
        most = max(shared.values(), default=0)
        return self.files.real(path) in reals or (bool(lines) and most >= 0.9 * len(lines))

    def of(self, agent: str) -> dict[State, list[str]]:
        """The files of each state for an agent."""
        states: dict[State, list[str]] = defaultdict(list)
        for file in self.judged:
            states[self.all[agent, file.path].state].append(file.path)
        return states

    @cached_property
    def lacking(self) -> dict[tuple[str, ...], list[str]]:
        """The instruction files that agents do not get whole, wherever they work: the agents that lack the same ones.

        A file of one vendor's own folder or name is not meant for the others, nor is one that is excluded on purpose.
        """
        groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
        meant = [f for f in self.judged if not f.name.startswith(".") and not is_stub(self.files, f.path)]
        for agent in self.table.agents:
            missing = (f.path for f in meant if self.lacks(agent.name, f))
            texts = {file.path: self.files.lines(file.path) for file in meant}
            got = frozenset[str]().union(*(texts[f.path] for f in meant if self.all[agent.name, f.path].state in GOT))
            # One with the same text by another name is not lacking.
            groups[tuple(path for path in missing if not texts[path] <= got)].append(agent.name)
        return dict(groups)

    def lacks(self, agent: str, file: InstructionFile) -> bool:
        """Whether the agent does not get a file whole; an ignore file or a setting leaves it out on purpose."""
        verdict = self.all[agent, file.path]
        is_hidden = verdict.state == "excluded" and verdict.use is not None and verdict.use.code in HIDING
        return is_hidden or verdict.state in ("never", "unread", "cut")

    @cached_property
    def findings(self) -> tuple[VerdictFinding, ...]:
        """All findings, the worst first; agents with equal ones are named together."""
        found = [each for agent in self.table.agents for each in self.judge_agent(agent)]
        found += [*self.find_uninstructed(), *self.find_unread_names(), *self.find_lacking_skills()]
        merged: dict[object, VerdictFinding] = {}
        for each in found:
            key = each.code, each.cause, each.paths, each.other, each.line
            agents = merged[key].agents if key in merged else ()
            level: Level = "warning" if "warning" in (each.level, key in merged and merged[key].level) else "info"
            merged[key] = VerdictFinding(
                each.code, level, (*agents, *each.agents), each.paths, each.cause, each.use, each.line, each.other,
                each.numbers, each.starts,
            )  # fmt: skip
        return tuple(
            sorted(merged.values(), key=lambda each: (each.level != "warning", VERDICT_CODES.index(each.code)))
        )

    def judge_agent(self, agent: AgentInfo) -> Iterator[VerdictFinding]:
        """What never arrives at one agent, what it cuts, and what it gets twice."""
        groups: dict[tuple[str, str, int | None], list[Verdict]] = defaultdict(list)
        for file in self.judged:
            verdict = self.all[agent.name, file.path]
            use, is_vendors = verdict.use, file.name.startswith(".")
            if (
                use is None
                or not self.files.text(file.path).strip()
                or is_stub(self.files, file.path)
                or (is_vendors and verdict.state != "cut")
            ):
                continue
            if verdict.state == "never":
                groups["never", use.reason.path if use.code == "hidden" else use.code, None].append(verdict)
            elif verdict.state == "cut":
                groups["cut", file.path, use.last_line].append(verdict)
            elif verdict.state == "twice":
                groups["twice", basename(use.again.path), None].append(verdict)
        for (state, _, _), verdicts in groups.items():
            paths, use = tuple(verdict.file.path for verdict in verdicts), verdicts[0].use
            assert use is not None
            level: Level = "warning" if use.evidence in SURE else "info"
            if state == "never":
                code = use.code
                if code == "hidden":
                    yield VerdictFinding(
                        "never-arrives", level, (agent.name,), paths, "hidden", use, other=use.reason.path
                    )
                elif code == "limit":
                    most = self.find_largest(agent.name, use.start)
                    yield VerdictFinding("never-arrives", level, (agent.name,), paths, "limit", use, other=most)
                else:
                    yield VerdictFinding("never-arrives", level, (agent.name,), paths, "lost", use)
            elif state == "cut":
                numbers = (use.last_line or 0, use.lines or 0)
                yield VerdictFinding(
                    "truncated", level, (agent.name,), paths, "cut", use, use.last_line, "", numbers, verdicts[0].starts
                )
            else:
                tokens = sum(v.use.tokens * (v.use.times - 1) // v.use.times for v in verdicts if v.use)
                line = use.again.args[0] if use.again.args else None
                line = line if isinstance(line, int) else None
                yield VerdictFinding(
                    "loaded-twice", level, (agent.name,), paths, "imported", use, line, use.again.path, (tokens,)
                )
        yield from self.find_repeats(agent)

    def find_largest(self, agent: str, start: str) -> str:
        """The file that uses up most of an agent's limit."""
        loaded = [use for use in self.table.at(agent, start) if use.is_text and use.how in ("loaded", "truncated")]
        return max(loaded, key=lambda use: use.tokens).path if loaded else ""

    def find_repeats(self, agent: AgentInfo) -> Iterator[VerdictFinding]:
        """Two files that say the same, and that the agent both loads at one start."""
        known, judged = set[tuple[str, str]](), {file.path for file in self.judged}
        for start in self.table.starts:
            here = [
                use for use in self.table.at(agent.name, start)
                if use.path in judged and use.how in ("loaded", "truncated")
            ]  # fmt: skip
            for one, two in combinations(here, 2):
                small, big = sorted((one, two), key=lambda use: len(self.files.lines(use.path)))
                shared = len(self.files.lines(small.path) & self.files.lines(big.path))
                pair, size = (small.path, big.path), len(self.files.lines(small.path))
                if pair in known or shared < MIN_SHARED_LINES or 2 * shared < size:
                    continue
                known.add(pair)
                if self.files.real(small.path) != self.files.real(big.path):
                    level: Level = "warning" if {one.evidence, two.evidence} <= {*SURE} else "info"
                    yield VerdictFinding(
                        "loaded-twice",
                        level,
                        (agent.name,),
                        (small.path,),
                        "repeats",
                        small,
                        None,
                        big.path,
                        (shared, size),
                    )

    # Agents that do not agree

    def get_lines(self, agent: str) -> frozenset[str]:
        """The lines that an agent gets at the root, whenever it does."""
        uses = self.table.at(agent, self.table.root)
        return frozenset().union(
            *(self.files.lines(use.path) for use in uses if use.is_text and use.is_delivered and not use.personal)
        )

    def find_uninstructed(self) -> Iterator[VerdictFinding]:
        """Agents that are set up here and get no instruction at all, where others do."""
        gets = {}
        for agent in self.table.agents:
            uses = self.table.at(agent.name, self.table.root)
            gets[agent.name] = any(use.is_text and use.is_delivered and not use.personal for use in uses)
        own = [file.path for file in self.judged if file.folder == self.table.root and not file.name.startswith(".")]
        for agent in self.table.agents:
            if agent.signs.project and not gets[agent.name] and any(gets.values()) and own:
                level: Level = "warning" if agent.known in SURE else "info"
                names = (name for step in agent_wants(agent.name).steps for name in step.names)
                plain = [n for n in names if n[0] not in "~/" and "*" not in n and "{" not in n]
                wanted = next((name for name in plain if "/" not in name), next(iter(plain), ""))
                yield VerdictFinding("agents-disagree", level, (agent.name,), tuple(own[:1]), "nothing", other=wanted)

    def find_unread_names(self) -> Iterator[VerdictFinding]:
        """Files of a name that some agents do not read there, without the companion beside them that these read."""
        gets = {agent.name: self.get_lines(agent.name) for agent in self.table.agents}
        groups: dict[tuple[str, str, bool, tuple[str, ...]], list[InstructionFile]] = defaultdict(list)
        arriving = ("start", "on-demand", "own-folder", "twice", "cut")
        there = {file.path for file in self.judged}
        for file in self.judged:
            if file.name.startswith(".") or is_stub(self.files, file.path):
                continue
            if not any(self.all[name, file.path].state in arriving for name in gets):
                continue
            lines, lacking = self.files.lines(file.path), defaultdict[tuple[str, bool], list[str]](list)
            for name, own in gets.items():
                other = find_companion(name, file.name)
                is_beside = f"{file.folder}/{other}" in there
                states = ("unread", "excluded") if is_beside else ("unread",)
                lacks = self.all[name, file.path].state in states and not self.has_twin(name, file)
                if lacks and other and own and len(lines & own) < 0.9 * len(lines):
                    lacking[other, is_beside].append(name)
            for (other, is_beside), names in lacking.items():
                groups[file.name, other, is_beside, tuple(names)].append(file)
        for (name, other, is_beside, who), files in groups.items():
            below = (f for f in self.judged if f.name == name and f.folder != self.table.root and f not in files)
            pairs = 0 if is_beside else sum(f"{file.folder}/{other}" in there for file in below)
            is_likely = not is_beside and (pairs or files[0].folder == self.table.root)
            paths = tuple(file.path for file in files)
            level: Level = "warning" if is_likely else "info"
            cause: Cause = "beside" if is_beside else "unread"
            yield VerdictFinding("agents-disagree", level, who, paths, cause, other=other, numbers=(pairs,))

    def has_twin(self, agent: str, file: InstructionFile) -> bool:
        """Whether a file with the same text beside it is read by the agent: the text is judged under that name."""
        lines = self.files.lines(file.path)
        beside = (each for each in self.by_folder[file.folder] if (agent, each.path) in self.all and each is not file)
        return any(self.files.lines(e.path) == lines and self.all[agent, e.path].state != "unread" for e in beside)

    def find_lacking_skills(self) -> Iterator[VerdictFinding]:
        """Agents that are set up here and list more than half, and not all, of the skills of a folder."""
        listed: dict[str, set[str]] = {}
        for agent in self.table.agents:
            uses = [use for use in self.table.at(agent.name, self.table.root) if use.kind == "skill"]
            got = [use.path for use in uses if not use.personal and (use.is_delivered or use.same_as)]
            listed[agent.name] = {self.files.real(path) for path in got} | {name_skill(path) for path in got}
        reals = {path for own in listed.values() for path in own if path.startswith("/")}
        folders: dict[str, list[str]] = defaultdict(list)
        for path in sorted(path for path in reals if sum(path in own for own in listed.values()) > 1):
            folders[dirname(dirname(path))].append(path)
        for agent in self.table.agents if any(agent.signs.project for agent in self.table.agents) else ():
            for paths in folders.values():
                own = listed[agent.name]
                lacking = tuple(path for path in paths if path not in own and name_skill(path) not in own)
                if lacking and agent.signs.project and 2 * len(lacking) < len(paths):
                    level: Level = "warning" if agent.known in SURE else "info"
                    numbers = (len(paths),)
                    yield VerdictFinding("agents-disagree", level, (agent.name,), lacking, "skills", numbers=numbers)


def name_skill(path: str) -> str:
    return basename(dirname(path))


# In words


def name_paths(paths: Sequence[str], show: Callable[[str], str], most: int = 2) -> str:
    """Two paths, and how many more."""
    named = [show(path) for path in paths[:most]]
    rest = len(paths) - most
    return f"{', '.join(named[:1] if rest > 0 else [])}{' and ' if rest > 0 else join_words(named)}" + (
        f"{rest + most - 1:,} more" if rest > 0 else ""
    )


def describe_limit(reason: Reason) -> str:
    """`at most 32,768 bytes of all these files together`."""
    over, most, unit = reason.args[:3]
    return f"at most {most:,} {unit} {'per file' if str(over).startswith('file') else 'of all these files together'}"


def explain_finding(finding: VerdictFinding, table: Table, show: Callable[[str], str]) -> str:
    """A finding in one sentence; `show` writes paths."""
    titles = [table.titles[name] for name in finding.agents]
    who, files = join_words(titles), name_paths(finding.paths, show)
    other = show(finding.other) if finding.other else ""
    many, use = len(finding.paths) > 1, finding.use
    never = f"{files} never {'reach' if many else 'reaches'} {who}"
    match finding.cause:
        case "hidden":
            there = {file.path for file in table.judged}
            is_free = all(f"{dirname(path)}/CLAUDE.md" not in there for path in finding.paths)
            fixable = is_free and finding.path_names == {"AGENTS.md"} and basename(finding.other) == "CLAUDE.md"
            fix = f". Fix: a CLAUDE.md link beside {'each' if many else 'it'}" if fixable else ""
            return f"{never}: {other} hides {'them' if many else 'it'}{fix}"
        case "limit":
            assert use is not None
            most, unit = use.reason.args[1:3]
            return f"{never}: {other or 'the files before'} {'use' if not other else 'uses'} up its {most:,} {unit}"
        case "lost":
            assert use is not None
            if use.code == "link":
                return f"{never}: {'they are symlinks' if many else 'it is a symlink'}, which it does not follow"
            return f"{never}: {table.explain(use, show)}"
        case "cut":
            assert use is not None
            last, lines = finding.numbers
            part = f"{last:,} of {lines:,} lines" if last else "not one whole line"
            where = f", started in {name_paths(finding.starts, show, 1)}" if finding.starts else ""
            load = "loads" if len(titles) == 1 else "load"
            return f"{who} {load} {part} of {files}{where}: {describe_limit(use.reason)}"
        case "imported":
            reach, times = "reach" if many else "reaches", use.times if use else 2
            word, them = "twice" if times == 2 else f"{times} times", "them" if many else "it"
            at = f"{other}:{finding.line}" if finding.line else other
            return f"{files} {reach} {who} {word} ({finding.numbers[0]:,} tokens more): {at} imports {them}"
        case "repeats":
            shared, lines = finding.numbers
            part = f"all its {lines:,} lines" if shared == lines else f"{shared:,} of its {lines:,} lines"
            load = "loads" if len(titles) == 1 else "load"
            return f"{who} {load} {files} and {other}, which repeats {part}"
        case "nothing":
            here = next(agent for agent in table.agents if agent.name == finding.agents[0])
            sign = show(here.signs.project[0])
            reads = f": it reads {finding.other}" if finding.other else ""
            return f"{who} is set up here ({sign}) and gets no instructions{reads}"
        case "beside":
            do = "do" if many else "does"
            return f"{files} {do} not reach {who}, for which {finding.other} there says something else"
        case "unread":
            reach = (
                f"{'reach' if many else 'reaches'} neither {' nor '.join(titles)}"
                if len(titles) == 2
                else (f"{'do' if many else 'does'} not reach {who}")
            )
            others = (
                f"{count_noun(finding.numbers[0], 'other folder')} {'has' if finding.numbers[0] == 1 else 'have'} both"
            )
            pairs = f" ({others})" if finding.numbers[0] else ""
            beside = f": no {finding.other} beside {'them' if many else 'it'}{pairs}" if finding.other else ""
            return f"{files} {reach}{beside}"
        case "skills":
            names = [name_skill(path) for path in finding.paths]
            return f"{name_paths(names, str)} (of {finding.numbers[0]:,} skills) never reach {who}"
