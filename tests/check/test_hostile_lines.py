"""No line of a page costs the rules more than its length: each of these would take minutes if it cost its square."""

import pytest

from overture.check.engine import RuleSelection, run_rules
from overture.check.input import CheckedFile, CheckInput
from overture.testing import FakeWorld

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
    world = FakeWorld({"/p/src/a.py": ""})
    run_rules(CheckInput((page,), root="/p", cwd="/p", world=world), RuleSelection())
