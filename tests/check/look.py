"""A project in memory -> what is found in it: the whole way, from the files to the findings."""

from collections.abc import Mapping

from overture.agents.table import open_agents_in
from overture.check.engine import RuleSelection, check_agents
from overture.check.findings import Finding
from overture.check.input import CheckInput
from overture.testing import FakeWorld


def findings(
    code: str,
    files: Mapping[str, str],
    *,
    cwd: str = "/p",
    links: Mapping[str, str] | None = None,
    agents: tuple[str, ...] = (),
) -> list[Finding]:
    """What is found of one code in the project /p, whose files are named below it."""
    placed = {(path if path.startswith("/") else f"/p/{path}"): text for path, text in files.items()}
    linked = {f"/p/{path}": target for path, target in (links or {}).items()}
    world = FakeWorld({"/p/.git/HEAD": "", **placed}, links=linked, cwd=cwd)
    base = open_agents_in(home="/home/user", world=world)
    return [*check_agents(base, agents, RuleSelection(select=(code,)))[1].findings]


def collect(world: FakeWorld) -> CheckInput:
    """All that rules look at, in a world's working directory."""
    return check_agents(open_agents_in(home="/home/user", world=world))[0]


def places(code: str, files: Mapping[str, str], *, cwd: str = "/p") -> list[tuple[str, int | None]]:
    """Where something is found: the file below /p, and the line."""
    return [((each.path or "").removeprefix("/p/"), each.line) for each in findings(code, files, cwd=cwd)]
