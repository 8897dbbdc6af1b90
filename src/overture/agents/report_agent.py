"""One agent in one place -> what becomes of each instruction file there."""

from collections.abc import Iterable

from ..project.project import Settled
from .report.agent_report import AgentFile, AgentReport
from .statuses.seen import Place, seen_by
from .statuses.told import told_files
from .statuses.untold import untold_files


def report_agent(settled: Settled, place: Place, used: tuple[str, ...] = ()) -> AgentReport:
    """What the agent of a project reads."""
    seen = seen_by(settled, place)
    facts = settled.recipe.agent
    assert facts is not None
    files = _in_order(_each_once([*told_files(seen), *untold_files(seen)]))
    return AgentReport(
        settled.recipe.name,
        facts.title,
        facts.version,
        facts.checked,
        facts.known,
        files,
        sum(file.tokens for file in files if file.status in ("loaded", "cut")),
        tuple(dict.fromkeys((*seen.prompt.diagnostics, *place.notes))),
        used,
        facts.own,
        exact=place.counter.exact,
    )


def _each_once(files: Iterable[AgentFile]) -> Iterable[AgentFile]:
    found: dict[str, AgentFile] = {}
    for file in files:
        found.setdefault(file.path, file)
    return found.values()


def _in_order(files: Iterable[AgentFile]) -> tuple[AgentFile, ...]:
    """Those that are told as they are told, then what is read later, then what is not."""
    return tuple(sorted(files, key=lambda file: ("cut", "lazy", "unread").index(file.status.replace("loaded", "cut"))))
