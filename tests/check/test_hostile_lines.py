"""No line of a page costs the rules more than its length: each of these would take minutes if it cost its square."""

import pytest

import overture
from overture.check.findings_and_input import CheckedFile, CheckInput, ProjectFacts
from overture.check.project_tree import ProjectTree
from overture.check.run_rules import RuleSelection, run_rules
from overture.testing import FakeWorld, make_state

PIECES = [
    "`",
    "`a ",
    "```a",
    "# ",
    " #",
    "<!-- overture: ignore x ",
    "<!--",
    "[a](",
    "](",
    "[",
    "@a/",
    "**A",
    "src/",
    "`src/b.py` ",
    "[a](b.md) ",
    "not `src/",
]


@pytest.mark.slow(unless=("# ", "[a](", "src/", "`src/b.py` "))
@pytest.mark.parametrize("piece", PIECES)
def test_it_ends(piece: str) -> None:
    """All rules look at a page of one long line."""
    page = CheckedFile("/p/AGENTS.md", f"# {piece * (100_000 // len(piece))}x", "instructions")
    facts = ProjectFacts(ProjectTree(FakeWorld({"/p/src/a.py": ""}), "/p"))
    run_rules(CheckInput(overture.build("house", make_state()), (page,), facts, root="/p"), RuleSelection())
