"""Turns a plan into advice: one sentence for each cause of a missing file, and its change."""

import json
import posixpath
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...discover.disk.location import Path
from ...discover.disk.world import World
from ...discover.load_tokenizer import find_counter
from ...model.state.discovery import Look
from ...model.wants.instruction_files import FileStep
from ...sections.agent_files import FileCut, cut_files
from ...text.normalize import join_words
from ...tokens.counter import Counter
from ..agent_report import AgentReport
from .advice import Advice, AgentChange
from .plan_changes import ChangePlan, plan_in_folder
from .simulate_changes import MissingFile

HIDDEN_MARK = ": where that exists"


class MissingCause(NamedTuple):
    """A reason, the same for several texts and agents."""

    words: str
    """A sentence without its end; `{files}` are the texts."""
    where: str = ""
    """The file that is in the way."""
    room: bool = False
    """There is not enough of it."""


def explain_missing(plan: ChangePlan, missing: MissingFile, report: AgentReport | None) -> MissingCause:
    """The first of the agent's rules that explains it."""
    title, told = missing.standing.title, plan.told(missing)
    files = told.found.state.context_files
    for index, cut in cut_files(files, told.wants.limits, {}).items():
        if files[index].path == missing.shared.path:
            return _explain_limit(title, cut, files[index].line + files[index].content.count("\n"))
    look = next((look for look in told.found.looked_at if look.path == missing.shared.path and look.step), None)
    step = next((step for step in told.wants.files if look and step.step == look.step), None)
    if look and step and look.outcome == "shadowed" and step.unless and HIDDEN_MARK in look.detail:
        return _explain_hidden(plan, title, step, look, report)
    found = next((file for file in report.files if file.path == missing.shared.path), None) if report else None
    why = found.why if found and found.status not in ("loaded", "cut") else ""
    # That it does not read what it is not told, goes without saying.
    plain = why.startswith(f"{title} does not read ")
    return MissingCause(f"{title} is not told {{files}}{f': {plan.printer.within(why)}' if why and not plain else ''}")


def _explain_limit(title: str, cut: FileCut, lines: int) -> MissingCause:
    limit = cut.limit
    room = f"{limit.most:,} {limit.unit}"
    if not cut.chars:
        return MissingCause(f"{title} drops {{files}}, because the files before it use up its {room}", room=True)
    per = "of a file" if limit.over == "file" else "of all such files together"
    return MissingCause(
        f"{title} reads {{files}} only up to line {cut.last_line:,} of {lines:,}, because {room} {per} is its most",
        room=True,
    )


def _explain_hidden(
    plan: ChangePlan, title: str, step: FileStep, look: Look, report: AgentReport | None
) -> MissingCause:
    """One file switches others off."""
    by = look.detail.removeprefix("by ").partition(HIDDEN_MARK)[0]
    names = {posixpath.basename(name) for name in step.names}
    off = [f for f in report.of("unread") if posixpath.basename(f.path) in names and not f.same] if report else []
    far = "anywhere above" if step.up == "root" else "between here and the repository's root"
    some = f"{len(off)} of yours" if len(off) > 1 else "{files}"
    return MissingCause(
        f"{title} reads {step.names[0]} only where no {posixpath.basename(step.unless[0])} lies {far}; "
        f"the one at {plan.printer(by)} switches off {some}",
        by,
    )


def describe_setting(plan: ChangePlan, change: AgentChange, cause: MissingCause, title: str) -> str | None:
    """The sentence for a setting by which a further file is read; None for other changes."""
    if change.kind != "setting" or cause.room or cause.where:
        return None
    key, _, value = change.said.partition(": ")[2].partition(" = ")
    given = json.loads(value)
    does = f"names {given[-1]}" if isinstance(given, list) else f"is {value}"
    return f"{title} reads {{files}} once {key} in {plan.printer(change.path)} {does}"


def describe_change(plan: ChangePlan, change: AgentChange, cause: MissingCause) -> str:
    """What a change does, for the end of a sentence."""
    path = "it" if cause.where == change.path else plan.printer(change.path)
    line = change.said.partition(": ")[2]
    return {
        "import": f"{line} in {path} brings the text back" if cause.where else f"{line} in {path} brings it",
        "setting": f"{line} in {path} {'makes room' if cause.room else 'brings it'}",
        "file": f"a new {path} with {line} brings it",
        "link": f"{path}, {line}, brings it",
    }[change.kind]


def describe_manual_fix(plan: ChangePlan, missing: Sequence[MissingFile], hints: Sequence[str]) -> str:
    """What somebody can do where no change is safe."""
    if hints:
        return hints[0]
    told = plan.told(missing[0])
    read = [f.path for f in told.found.state.context_files if f.path.startswith(f"{plan.place.root.rstrip('/')}/")]
    places = [name for step in told.wants.files if step.where != "home" for name in step.names if "*" not in name]
    near = [path for path in read if posixpath.dirname(path) == missing[0].shared.folder] or read
    where = plan.printer(near[-1]) if near else next(iter(places), "")
    return f"what it is to know has to be written into {where} by hand" if where else "nothing here can change that"


MAX_NAMED_FILES = 3
"""Files that a sentence names."""


def give_advice(
    reports: Sequence[AgentReport],
    *,
    cwd: Path | None = None,
    home: Path | None = None,
    root: Path | None = None,
    world: World | None = None,
    read_outside: bool = False,
    counter: Counter | None = None,
) -> tuple[Advice, ...]:
    """What the agents of these reports, which were made in the same place, could be told and are not."""
    if not reports:
        return ()
    names = [report.name for report in reports]
    plan = plan_in_folder(names, cwd=cwd, home=home, root=root, world=world, read_outside=read_outside)
    return advise_on_plan(plan, reports, counter)


def advise_on_plan(
    plan: ChangePlan, reports: Sequence[AgentReport] = (), counter: Counter | None = None
) -> tuple[Advice, ...]:
    """The advice that a plan stands for: what can be mended first."""
    known = {report.name: report for report in reports}
    counter = counter or find_counter()
    return (*_advise_on_changes(plan, known, counter), *_advise_on_rest(plan, known, counter))


def _advise_on_changes(plan: ChangePlan, known: dict[str, AgentReport], counter: Counter) -> Iterator[Advice]:
    for mended in plan.mended:
        said: dict[str, list[MissingFile]] = {}
        for cause, missing in _group_by_cause(plan, mended.brings, known).items():
            named = describe_setting(plan, mended.change, cause, missing[0].standing.title)
            said.setdefault(named or f"{cause.words}: {describe_change(plan, mended.change, cause)}", []).extend(
                missing
            )
        for words, missing in said.items():
            yield _make_advice(plan, counter, f"{_fill_in_files(plan, words, missing)}.", missing, mended.change)


def _advise_on_rest(plan: ChangePlan, known: dict[str, AgentReport], counter: Counter) -> Iterator[Advice]:
    hints = {each.key: said for each, said in plan.left}
    for cause, missing in _group_by_cause(plan, [each for each, _ in plan.left], known).items():
        hand = describe_manual_fix(plan, missing, [hint for each in missing for hint in hints[each.key]])
        yield _make_advice(plan, counter, f"{_fill_in_files(plan, cause.words, missing)}; {hand}.", missing)


def _group_by_cause(
    plan: ChangePlan, found: Sequence[MissingFile], known: dict[str, AgentReport]
) -> dict[MissingCause, list[MissingFile]]:
    """What is missing for one reason, together."""
    causes: dict[MissingCause, list[MissingFile]] = {}
    for each in found:
        causes.setdefault(explain_missing(plan, each, known.get(each.standing.name)), []).append(each)
    return causes


def _fill_in_files(plan: ChangePlan, words: str, missing: Sequence[MissingFile]) -> str:
    paths = list(dict.fromkeys(plan.printer(each.shared.path) for each in missing))
    rest = f"{len(paths) - MAX_NAMED_FILES} more" if len(paths) > MAX_NAMED_FILES else ""
    some = [*paths[:MAX_NAMED_FILES], *([rest] if rest else [])]
    named = join_words(some)
    return words.replace("{files}", named)


def _make_advice(
    plan: ChangePlan, counter: Counter, sentence: str, missing: Sequence[MissingFile], change: AgentChange | None = None
) -> Advice:
    agents = tuple(dict.fromkeys(each.standing.name for each in missing))
    files = tuple(dict.fromkeys(each.shared.path for each in missing))
    tokens = max(_count_missing_tokens(plan, counter, name, missing) for name in agents)
    return Advice(agents, files, tokens, counter.exact, sentence, change)


def _count_missing_tokens(plan: ChangePlan, counter: Counter, name: str, missing: Sequence[MissingFile]) -> int:
    """Of the lines that one agent is not told."""
    own = [each for each in missing if each.standing.name == name]
    lines = {line.key: line.text for each in own for line in each.shared.lines if line.key not in plan.told(each).lines}
    return counter("\n".join(lines.values()))
