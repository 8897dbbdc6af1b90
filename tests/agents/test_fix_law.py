"""After a fix, whoever can be helped is told the same as all others, and nobody is told less."""

import random
from collections.abc import Sequence

import pytest

from overture.agents.advice.shared_files import SharedFile
from overture.known_agents import AGENTS
from overture.testing import FakeWorld

from .places import carry_out, everyone, plan, project

pytestmark = pytest.mark.slow


NAMES = (
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    ".github/copilot-instructions.md",
    "QWEN.md",
    ".cursorrules",
    "CLAUDE.local.md",
)
BELOW = ("/p/pkg/_", "/p/pkg/inner/_")
TEXTS = ("Use tabs.", "Run the tests.", "Be brief.", "Say why.", "Never push.", "Ask first.")


def tree(seed: int) -> tuple[FakeWorld, list[str]]:
    """A small project, and some agents."""
    chance = random.Random(seed)
    files = {}
    for folder in ("", "pkg/", "pkg/inner/"):
        for name in chance.sample(NAMES, chance.choice((0, 1, 1, 2))):
            files[folder + name] = "\n\n".join(chance.sample(TEXTS, chance.choice((1, 1, 2)))) + "\n"
    if chance.random() < 0.3 and "AGENTS.md" in files:
        files["CLAUDE.md"] = files["AGENTS.md"]
    files["pkg/code.py"] = "pass\n"
    cwd = chance.choice(("/p", "/p", "/p/pkg"))
    return project(files, cwd=cwd), chance.sample(sorted(AGENTS), chance.choice((2, 3, 4)))


def missing(texts: Sequence[SharedFile], told: dict[str, set[str]]) -> set[tuple[str, str]]:
    """Which agents are not told all of which files."""
    return {
        (name, shared.path)
        for name, lines in told.items()
        for shared in texts
        if not {line.key for line in shared.lines} <= lines
    }


@pytest.mark.parametrize("seed", [*range(40), 150])
def test_a_fix_brings_the_same_to_all_and_takes_nothing_from_any(seed: int) -> None:
    """What is not brought is named; nothing is overwritten; a second fix finds nothing to do."""
    world, names = tree(seed)
    before, later = everyone(world, names), everyone(world, names, BELOW)
    kept = dict(world.files)
    made = plan(world, *names)
    assert all(change.before is None or kept[change.path] == change.before.encode() for change in made.changes)
    assert all(change.before is not None or change.path not in kept for change in made.changes)
    carry_out(world, made)
    after, then = everyone(world, names), everyone(world, names, BELOW)

    for name in names:
        assert before[name] <= after[name], name
        assert later[name] <= then[name], name
    told_below = {name: then[name] for name in made.later}
    assert missing(made.shared, after) | missing(made.below, told_below) == {each.key for each, _ in made.unsolved}
    for path, text in kept.items():
        lines = {line.strip() for line in text.decode().split("\n")}
        assert lines <= {line.strip() for line in world.files[path].decode().split("\n")}, path
    assert plan(world, *names).changes == ()
