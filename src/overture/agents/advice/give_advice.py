"""Turns a plan into advice: one sentence for each cause of a missing file, and its change."""

import posixpath
from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec.structs import replace

from ...discovery.paths import contains_path
from ...known_agents import agent_facts
from ...known_agents.kit.read_file import REPLACED
from ...model.state.reasons import because
from ...model.struct import Frozen, note
from ...sections.agent_files import FileCut, cut_files
from ...text.words import join_words
from ...tokens.counter import Counter, format_tokens
from ...tokens.load_tokenizer import find_counter
from ..agent_project import AgentProject
from ..agent_report import AgentReport
from ..file_answers import NOT_LOOKED_FOR, shorten_reason
from .plan_changes import ChangePlan, PlannedChange, plan_in_folder
from .possible_changes import AgentChange
from .shared_files import SHARED_NAME, MissingFile
from .simulated_world import LoadResult
from .skill_links import SkillLink


class Advice(Frozen, frozen=True, omit_defaults=False):
    """One problem with its fix, as a sentence and as data."""

    agents: tuple[str, ...]
    files: Annotated[tuple[str, ...], note("the files that these agents skip or truncate")]
    tokens: Annotated[int, note("tokens that the fix adds for one agent, at the most")]
    exact: Annotated[bool, note("false: the tokens are an estimate")]
    sentence: str
    change: Annotated[AgentChange | None, note("the automatic fix; none: fix it by hand")] = None
    problem: Annotated[str, note("what is wrong; `{files}` stands for the files")] = ""
    fix: Annotated[str, note("what to do about it")] = ""
    on_demand: Annotated[
        bool, note("the tokens are loaded when the agent works in folders below, not at the start")
    ] = False


MissingCause = tuple[str, bool]
"""A reason, the same for several texts and agents: a sentence without its end, in which `{files}` are the texts; and
whether the agent would load them on demand, in folders below."""


def _find_reason(plan: ChangePlan, missing: MissingFile, report: AgentReport | None) -> str:
    """Why an agent misses a file, as the first part of the advice: the first of its rules that explains it."""
    title, result = missing.agent.title, plan.get_result(missing)
    files = result.found.files
    for index, cut in cut_files(files, result.found.wants.limits, {}).items():
        if files[index].path == missing.shared.path:
            return _explain_limit(title, cut, files[index].line + files[index].content.count("\n"))
    look = next((look for look in result.found.looked_at if look.path == missing.shared.path and look.step), None)
    if look and look.reason.code == "hidden" and look.reason.kind in ("everywhere", "anywhere"):
        return f"{title} skips {{files}} because {plan.printer(look.reason.path)} exists"
    entry = next((file for file in report.files if file.path == missing.shared.path), None) if report else None
    why = shorten_reason(title, entry.why) if entry and entry.status not in ("loaded", "truncated") else NOT_LOOKED_FOR
    # That it skips what it does not look for goes without saying.
    reason = "" if why == NOT_LOOKED_FOR else f": {plan.printer.within(why)}"
    return f"{title} skips {{files}}{reason}"


def _explain_limit(title: str, cut: FileCut, lines: int) -> str:
    room = f"{cut.limit.most:,} {cut.limit.unit}"
    if not cut.chars:
        return f"{title} skips {{files}} because the files before it use up its {room}"
    per = "a file" if cut.limit.over == "file" else "all such files together"
    at = f"after line {cut.last_line:,} of {lines:,}" if cut.last_line else "in its first line"
    return f"{title} truncates {{files}} {at} because its limit for {per} is {room}"


def describe_advised_change(plan: ChangePlan, change: AgentChange) -> str:
    """What to do, as a command."""
    path, what = plan.printer(change.path), change.said.partition(": ")[2]
    return {
        "import": f"add {what} to {path}",
        "setting": f"set {what} in {path}",
        "file": f"create {path} with {what}",
        "link": f"make {path} {what}",
    }[change.kind]


def describe_manual_fix(plan: ChangePlan, missing: Sequence[MissingFile], hints: Sequence[str]) -> str:
    """What the user can do by hand where no change is safe."""
    if hints:
        return hints[0]
    result = plan.get_result(missing[0])
    replaced = next((each for each in result.found.diagnostics if each.code == REPLACED and each.path), None)
    if replaced and replaced.path and all("@" in line for line in _find_missing_lines(plan, missing)[0]):
        return f"put backticks around the names with `@` in {plan.printer(replaced.path)} by hand"
    looks = (look for look in result.found.looked_at if look.path == missing[0].shared.path)
    if any(look.reason == because("not-followed") for look in looks):
        return f"replace the symlink {plan.printer(missing[0].shared.path)} with a copy of the file by hand"
    read = [f.path for f in result.found.files if f.path.startswith(f"{plan.place.root.rstrip('/')}/")]
    names = [
        name for step in result.found.wants.steps if step.place != "home" for name in step.names if "*" not in name
    ]
    # A file below would be read elsewhere: the nearest one, from the folder of the missing text upward.
    above = [path for path in read if contains_path(posixpath.dirname(path), missing[0].shared.folder)]
    nearest = max(map(posixpath.dirname, above), key=len, default="")
    same_folder = [path for path in above if posixpath.dirname(path) == nearest] or read
    # What others read, too, is better than a file that only imports it.
    shared = [path for path in same_folder if posixpath.basename(path) == SHARED_NAME] or same_folder
    where = plan.printer(shared[-1]) if shared else next(iter(names), "").partition("|")[0]
    return f"copy what it should know into {where} by hand" if where else "none"


MAX_NAMED_FILES = 3
"""Files that a sentence names."""


def give_advice(
    reports: Sequence[AgentReport], base: AgentProject, counter: Counter | None = None
) -> tuple[Advice, ...]:
    """Advice on files that these agents could load and do not. All reports are of the folder of `base`."""
    if not reports:
        return ()
    return advise_on_plan(plan_in_folder(base, [report.name for report in reports]), reports, counter)


def advise_on_plan(
    plan: ChangePlan, reports: Sequence[AgentReport] = (), counter: Counter | None = None
) -> tuple[Advice, ...]:
    """The advice for a plan: first the differences at the start, then the folders below."""
    known = {report.name: report for report in reports}
    counter = counter or find_counter()
    advice = [
        *merge_agents([*_advise_on_changes(plan, known, counter)]),
        *(_advise_on_skills(plan, link, counter) for link in plan.skill_links),
        *merge_agents([*_advise_on_rest(plan, known, counter)]),
    ]
    return tuple(sorted(advice, key=lambda each: (each.on_demand, each.change is None)))


def _advise_on_changes(plan: ChangePlan, known: dict[str, AgentReport], counter: Counter) -> Iterator[Advice]:
    """The advice to make each planned change, by the cause that it removes."""
    for index, planned in enumerate(plan.planned):
        changed = {each.change.path for each in plan.planned[:index]}
        for cause, missing in _group_by_cause(plan, planned.missing_files, known).items():
            fix = describe_advised_change(plan, planned.change)
            others = [plan.printer(path) for path in _list_files(missing) if path != planned.target]
            if planned.target in changed and others:
                fix += f" once {plan.printer(planned.target)} imports {join_words(others)}"
            # A change that loads several files is counted with the one that it names.
            own = _count_change(plan, counter, planned, missing) if planned.target in _list_files(missing) else 0
            yield _make_advice(plan, counter, cause, fix, missing, planned.change, own)


def _advise_on_skills(plan: ChangePlan, link: SkillLink, counter: Counter) -> Advice:
    agents = join_words([agent_facts(name).title for name in link.change.helps])
    skills = f"{len(link.folder.skills)} skills" if len(link.folder.skills) > 1 else "the skill"
    problem = f"{agents} {'skip' if link.change.helps[1:] else 'skips'} {skills} in {{files}}"
    fix, tokens = describe_advised_change(plan, link.change), link.count_tokens(counter)
    if (listed := link.count_skills()) < len(link.folder.skills):
        fix += f", which lists {listed} of them"
    filled = fill_in_files(problem, [plan.printer(link.folder.path)])
    sentence = describe_advice(filled, fix, tokens, exact=counter.exact)
    files = (link.folder.path,)
    return Advice(link.change.helps, files, tokens, counter.exact, sentence, link.change, problem, fix)


def _advise_on_rest(plan: ChangePlan, known: dict[str, AgentReport], counter: Counter) -> Iterator[Advice]:
    """The advice on files for which no change is safe: what the user can do by hand."""
    hints = {each.key: reasons for each, reasons in plan.unsolved}
    folders: dict[str, list[MissingFile]] = {}
    for each, _ in plan.unsolved:  # what is for a folder below stays there
        folders.setdefault(each.shared.folder if each.agent.project.touching else "", []).append(each)
    groups = (_group_by_cause(plan, missing_files, known).items() for missing_files in folders.values())
    for cause, missing in (each for group in groups for each in group):
        fix = describe_manual_fix(plan, missing, [hint for each in missing for hint in hints[each.key]])
        if _find_missing_lines(plan, missing)[1]:
            fix = fix.replace("what it should know", "the lines it lacks")
        yield _make_advice(plan, counter, cause, fix, missing)


def merge_agents(advice: Sequence[Advice]) -> list[Advice]:
    """Merges equal advice for several agents into one."""
    groups: dict[object, list[Advice]] = {}
    for index, each in enumerate(advice):
        cause = each.problem.removeprefix(f"{agent_facts(each.agents[0]).title} ")
        # Advice on the limit of one agent does not apply to others.
        alike = not each.agents[1:] and " its " not in cause
        key = (cause, each.fix, each.change, each.files, each.tokens, each.on_demand) if alike else index
        groups.setdefault(key, []).append(each)
    return [_join_agents(group) if group[1:] else group[0] for group in groups.values()]


def _join_agents(group: Sequence[Advice]) -> Advice:
    first = group[0]
    titles = [agent_facts(each.agents[0]).title for each in group]
    problem = first.problem.replace(f"{titles[0]} skips", f"{join_words(titles)} skip", 1)
    fix = first.fix.replace("it should know", "they should know").replace("it lacks", "they lack")
    filled = first.sentence.partition(". Fix: ")[0].replace(f"{titles[0]} skips", f"{join_words(titles)} skip", 1)
    sentence = describe_advice(filled, fix, first.tokens, exact=first.exact, on_demand=first.on_demand)
    agents = tuple(each.agents[0] for each in group)
    return replace(first, agents=agents, problem=problem, fix=fix, sentence=sentence)


def _group_by_cause(
    plan: ChangePlan, missing_files: Sequence[MissingFile], known: dict[str, AgentReport]
) -> dict[MissingCause, list[MissingFile]]:
    causes: dict[MissingCause, list[MissingFile]] = {}
    for each in missing_files:
        cause = _find_reason(plan, each, known.get(each.agent.name)), bool(each.agent.project.touching)
        causes.setdefault(cause, []).append(each)
    return causes


def _list_files(missing: Sequence[MissingFile]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.shared.path for each in missing))


def fill_in_files(problem: str, names: Sequence[str]) -> str:
    """A problem with the names of its files; of many, the first few."""
    rest = [f"{len(names) - MAX_NAMED_FILES} more"] if len(names) > MAX_NAMED_FILES else []
    return problem.replace("{files}", join_words([*names[:MAX_NAMED_FILES], *rest]))


def describe_advice(problem: str, fix: str, tokens: int, *, exact: bool, on_demand: bool = False) -> str:
    """One line: the problem, the fix, and its effect in tokens at the start, or on demand where it is marked so."""
    unit = f"{'token' if tokens == 1 else 'tokens'}{' on demand' if on_demand else ''}"
    return f"{problem}. Fix: {fix} (+{format_tokens(tokens, exact=exact)} {unit})."


def _make_advice(
    plan: ChangePlan,
    counter: Counter,
    cause: MissingCause,
    fix: str,
    missing: Sequence[MissingFile],
    change: AgentChange | None = None,
    own_tokens: int = 0,
) -> Advice:
    """The advice on files that agents miss for one cause, with its effect in tokens."""
    agents = tuple(dict.fromkeys(each.agent.name for each in missing))
    files = _list_files(missing)
    count = _count_missing_tokens if change else _count_missing_lines
    tokens = max(count(plan, counter, [each for each in missing if each.agent.name == name]) for name in agents)
    tokens += own_tokens
    words, is_below = cause
    problem = fill_in_files(words, list(map(plan.printer, files)))
    sentence = describe_advice(problem, fix, tokens, exact=counter.exact, on_demand=is_below)
    return Advice(agents, files, tokens, counter.exact, sentence, change, words, fix, is_below)


def _count_change(plan: ChangePlan, counter: Counter, planned: PlannedChange, missing: Sequence[MissingFile]) -> int:
    """The words of the change itself: an agent loads the line with `@path` too, unless the file takes its place."""
    change = planned.change
    steps = plan.get_result(missing[0]).found.wants.steps
    places = {step.imports.place for step in steps if step.imports}
    if change.kind not in ("import", "file") or places <= {"inline"}:
        return 0
    return max(counter((change.after or "").strip()) - counter((change.before or "").strip()), 0)


def _count_missing_tokens(plan: ChangePlan, counter: Counter, missing: Sequence[MissingFile]) -> int:
    """What the files of one agent have, less what it loads of them: the effect of loading them whole."""
    return sum(
        counter(each.shared.text) - _count_loaded(plan.get_result(each), each.shared.path, counter) for each in missing
    )


def _count_loaded(result: LoadResult, path: str, counter: Counter) -> int:
    files = result.found.files
    cuts = cut_files(files, result.found.wants.limits, {})
    texts = (file.content[: cuts[at].chars] if at in cuts else file.content for at, file in enumerate(files))
    return next((counter(text) for file, text in zip(files, texts, strict=True) if file.path == path), 0)


def _count_missing_lines(plan: ChangePlan, counter: Counter, missing: Sequence[MissingFile]) -> int:
    """How many lines are left to copy: those of the file that the agent does not get from another file."""
    lines, loads_some = _find_missing_lines(plan, missing)
    return counter("\n".join(lines)) if loads_some else _count_missing_tokens(plan, counter, missing)


def _find_missing_lines(plan: ChangePlan, missing: Sequence[MissingFile]) -> tuple[list[str], bool]:
    """The lines that the agents do not get from anywhere, and whether they get others of these files."""
    lines = {
        line.key: line.text
        for each in missing
        for line in each.shared.lines
        if line.key not in plan.get_result(each).lines
    }
    return list(lines.values()), any(line.key not in lines for each in missing for line in each.shared.lines)
