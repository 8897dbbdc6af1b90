"""A project in memory -> what is found in it: the whole way, from the files to the findings."""

from collections.abc import Mapping

from overture.assemble.build import build
from overture.check.collect_facts import collect_check_input
from overture.check.findings_and_input import CheckInput, Finding
from overture.check.run_rules import RuleSelection, run_rules
from overture.discovery.place import locate
from overture.project.resolve import resolve
from overture.testing import FakeWorld


def findings(
    code: str,
    files: Mapping[str, str],
    *,
    cwd: str = "/p",
    recipe: str = "house",
    links: Mapping[str, str] | None = None,
) -> list[Finding]:
    """What is found of one code in the project /p, whose files are named below it."""
    placed = {(path if path.startswith("/") else f"/p/{path}"): text for path, text in files.items()}
    linked = {f"/p/{path}": target for path, target in (links or {}).items()}
    world = FakeWorld({"/p/.git/HEAD": "", **placed}, links=linked, cwd=cwd)
    return [*run_rules(collect(world, recipe), RuleSelection(select=(code,))).findings]


def collect(world: FakeWorld, recipe: str = "house") -> CheckInput:
    """All that rules look at, in a world's working directory."""
    project = resolve(recipe, locate(home="/home/user", world=world))
    found = project.find()
    return collect_check_input(project, build(project.recipe, found.state, found=found.diagnostics), found)


def places(code: str, files: Mapping[str, str], *, cwd: str = "/p") -> list[tuple[str, int | None]]:
    """Where something is found: the file below /p, and the line."""
    return [((each.path or "").removeprefix("/p/"), each.line) for each in findings(code, files, cwd=cwd)]
