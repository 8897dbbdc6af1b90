"""`GET /page/agents`: what the agents that are used here make of each instruction file, and what would help."""

import posixpath
from collections.abc import Sequence
from typing import Annotated
from urllib.parse import unquote

from ...agents.advice.advice import Advice, AgentChange, ChangeKind
from ...agents.advice.give_advice import give_advice
from ...agents.agent_report import AgentReport
from ...agents.report_agents import report_agents
from ...check.fix import diff_texts
from ...discover.disk.paths import contains_path
from ...model.struct import Frozen, note
from ...project.resolve import ResolvedProject
from ...text.invisible import escape_invisible as visible
from ..service.problems import RefusedError, problem_of
from .agent_grid import AgentGrid, agent_grid, within
from .behind import Behind, Roots

LONGEST = 4_096
"""Characters of a path."""


class PageChange(Frozen, frozen=True, omit_defaults=False):
    """What would be written to one path. Nothing is."""

    path: str
    shown: str
    kind: ChangeKind
    said: str
    helps: tuple[str, ...]
    diff: Annotated[tuple[str, ...], note("the lines of a unified diff; none: a link is made")]


class PageAdvice(Frozen, frozen=True, omit_defaults=False):
    """Who is not told what, why, and what mends it."""

    agents: tuple[str, ...]
    files: tuple[str, ...]
    tokens: int
    sentence: str
    change: PageChange | None


class AgentsAnswer(AgentGrid, frozen=True, omit_defaults=False):
    """The grid, and what would let the agents read the same."""

    advice: Annotated[tuple[str, ...], note("in a sentence each, what can be mended first")]
    changes: Annotated[tuple[PageAdvice, ...], note("the same as data")]
    touching: Annotated[str | None, note("the path on which the agents are taken to work")]


def agents_here(behind: Behind, touched: str | None, *, everyone: bool) -> AgentsAnswer:
    """The grid; `touched` is an absolute path, which is matched and never shown."""
    settled = behind.settled
    if settled is None:
        return AgentsAnswer((), (), {}, (), (), (), (), None)
    reports = _reports(settled, (touched,) if touched else (), everyone=everyone)
    grid = agent_grid(reports, behind.shown)
    plain = _reports(settled, (), everyone=False) if touched else [each for each in reports if each.used]
    told = tuple(_advice(behind, each) for each in _advised(settled, plain))
    shown = behind.shown(touched) if touched else None
    said = tuple(dict.fromkeys(each.sentence for each in told))
    rows = (grid.agents, grid.files, grid.cells, grid.notes, grid.findings)
    return AgentsAnswer(*rows, said, told, shown)


def _reports(settled: ResolvedProject, touching: tuple[str, ...], *, everyone: bool) -> tuple[AgentReport, ...]:
    return report_agents(
        cwd=settled.cwd, home=settled.home, root=settled.root, touching=touching, everyone=everyone,
        world=settled.world, read_outside=settled.features.links_outside,
    )  # fmt: skip


def _advised(settled: ResolvedProject, reports: Sequence[AgentReport]) -> tuple[Advice, ...]:
    return give_advice(
        reports, cwd=settled.cwd, home=settled.home, root=settled.root, world=settled.world,
        read_outside=settled.features.links_outside,
    )  # fmt: skip


def _advice(behind: Behind, advice: Advice) -> PageAdvice:
    files = tuple(map(behind.shown, advice.files))
    change = _change(behind, advice.change) if advice.change else None
    return PageAdvice(advice.agents, files, advice.tokens, within(advice.sentence, behind.shown), change)


def _change(behind: Behind, change: AgentChange) -> PageChange:
    shown = behind.shown(change.path)
    lines = diff_texts(shown, change.before or "", change.after) if change.after is not None else ()
    return PageChange(change.path, shown, change.kind, change.said, change.helps, tuple(map(visible, lines)))


def touched_path(behind: Behind, roots: Roots, given: str) -> str | None:
    """The absolute path of what is touched, which lies in the project; none where none is given."""
    if not given.strip() or behind.settled is None:
        return None
    if len(given) > LONGEST:
        raise _refused(f"It has {len(given):,} characters; {LONGEST:,} is the most.")
    if "\0" in given:
        raise _refused("It holds a NUL character. Give a path such as src/main.py.")
    cwd, real = behind.settled.cwd, behind.settled.reader().real_or(behind.settled.cwd)
    for said in (given, given.replace("\\", "/"), unquote(given), unquote(unquote(given)).replace("\\", "/")):
        if said.startswith("/") or not contains_path(roots.project, posixpath.normpath(f"{real}/{said}")):
            raise _refused("It has to be a path in the project, from the working directory on, such as src/main.py.")
    return posixpath.normpath(f"{cwd}/{given}")


def _refused(said: str) -> RefusedError:
    return RefusedError(problem_of("invalid", f"touching: {said}", "touching"))
