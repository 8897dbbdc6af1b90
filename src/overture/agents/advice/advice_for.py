"""Reports of agents -> advice: what they are not told, why, and the change that brings it back."""

from collections.abc import Iterator, Sequence

from ...discover.disk.world import World
from ...project.project import Path
from ...tokens.estimate import estimate
from ..report.agent_report import AgentReport
from .advice import Advice, Change
from .agents_here import plan_here
from .missing import Missing
from .plan_changes import Plan
from .why_missing import Cause, by_hand, names_it, shown, what_helps, why_missing

FEW = 3
"""Files that a sentence names."""


def advice_for(
    reports: Sequence[AgentReport],
    *,
    cwd: Path | None = None,
    home: Path | None = None,
    root: Path | None = None,
    world: World | None = None,
    read_outside: bool = False,
) -> tuple[Advice, ...]:
    """What the agents of these reports, which were made in the same place, could be told and are not."""
    if not reports:
        return ()
    names = [report.name for report in reports]
    plan = plan_here(names, cwd=cwd, home=home, root=root, world=world, read_outside=read_outside)
    return advice_of(plan, reports)


def advice_of(plan: Plan, reports: Sequence[AgentReport] = ()) -> tuple[Advice, ...]:
    """The advice that a plan stands for: what can be mended first."""
    known = {report.name: report for report in reports}
    return (*_mended(plan, known), *_left(plan, known))


def _mended(plan: Plan, known: dict[str, AgentReport]) -> Iterator[Advice]:
    for mended in plan.mended:
        said: dict[str, list[Missing]] = {}
        for cause, missing in _by_cause(plan, mended.brings, known).items():
            named = names_it(plan, mended.change, cause, missing[0].standing.title)
            said.setdefault(named or f"{cause.words}: {what_helps(plan, mended.change, cause)}", []).extend(missing)
        for words, missing in said.items():
            yield _advice(plan, f"{_filled(plan, words, missing)}.", missing, mended.change)


def _left(plan: Plan, known: dict[str, AgentReport]) -> Iterator[Advice]:
    hints = {each.key: said for each, said in plan.left}
    for cause, missing in _by_cause(plan, [each for each, _ in plan.left], known).items():
        hand = by_hand(plan, missing, [hint for each in missing for hint in hints[each.key]])
        yield _advice(plan, f"{_filled(plan, cause.words, missing)}; {hand}.", missing)


def _by_cause(plan: Plan, found: Sequence[Missing], known: dict[str, AgentReport]) -> dict[Cause, list[Missing]]:
    """What is missing for one reason, together."""
    causes: dict[Cause, list[Missing]] = {}
    for each in found:
        causes.setdefault(why_missing(plan, each, known.get(each.standing.name)), []).append(each)
    return causes


def _filled(plan: Plan, words: str, missing: Sequence[Missing]) -> str:
    paths = list(dict.fromkeys(shown(plan, each.shared.path) for each in missing))
    rest = f"{len(paths) - FEW} more" if len(paths) > FEW else ""
    some = [*paths[:FEW], *([rest] if rest else [])]
    named = " and ".join([", ".join(some[:-1]), some[-1]] if len(some) > 1 else some)
    return words.replace("{files}", named)


def _advice(plan: Plan, sentence: str, missing: Sequence[Missing], change: Change | None = None) -> Advice:
    agents = tuple(dict.fromkeys(each.standing.name for each in missing))
    files = tuple(dict.fromkeys(each.shared.path for each in missing))
    return Advice(agents, files, max(_tokens(plan, name, missing) for name in agents), sentence, change)


def _tokens(plan: Plan, name: str, missing: Sequence[Missing]) -> int:
    """Of the lines that one agent is not told."""
    own = [each for each in missing if each.standing.name == name]
    lines = {line.key: line.text for each in own for line in each.shared.lines if line.key not in plan.told(each).lines}
    return sum(map(estimate, lines.values()))
