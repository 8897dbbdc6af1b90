"""After a fix nobody gets less, or a text twice; a second fix finds nothing; what is left is said."""

import random
from collections import Counter

import pytest

from overture.agents.fix.plan import FixPlan, plan_fix
from overture.agents.table import Table, ask, list_starts, make_table, open_agents_in
from overture.agents.verdicts import Verdicts
from overture.known_agents import AGENTS
from overture.testing import FakeWorld

pytestmark = pytest.mark.slow


NAMES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md", "QWEN.md", ".cursorrules",
    "CLAUDE.local.md")  # fmt: skip
TEXTS = ("Use tabs in all files.", "Run the tests each time.", "Be brief with all people.", "Say why you do it.",
    "Never push to main here.", "Ask first when in doubt.")  # fmt: skip
SIGNS = {".claude/settings.json": "{}\n", ".cursor/a": "", ".gemini/settings.json": "{}\n", ".crush/crush.json": "{}\n"}
SKILL = "---\nname: {0}\ndescription: Reads the {0} table.\n---\nSteps.\n"


def tree(seed: int) -> tuple[FakeWorld, list[str]]:
    """A small project, and some agents; with none, those in use."""
    chance = random.Random(seed)
    files = {"/p/.git/HEAD": "", "/p/pkg/code.py": "pass\n"}
    links = {}
    for folder in ("", "pkg/", "pkg/inner/"):
        for name in chance.sample(NAMES, chance.choice((0, 1, 1, 2))):
            files[f"/p/{folder}{name}"] = "\n\n".join(chance.sample(TEXTS, chance.choice((1, 2, 3)))) + "\n"
    if "/p/AGENTS.md" in files and chance.random() < 0.6:
        files.pop("/p/CLAUDE.md", None)
        if chance.random() < 0.5:
            files["/p/CLAUDE.md"] = "@AGENTS.md\n"
        else:
            links["/p/CLAUDE.md"] = "AGENTS.md"
    for name in chance.sample(sorted(SIGNS), chance.choice((0, 1, 2))):
        files[f"/p/{name}"] = SIGNS[name]
    for name in chance.sample(("tides", "berths", "cranes"), chance.choice((0, 0, 1, 2))):
        files[f"/p/{chance.choice(('.agents', '.claude', '.github'))}/skills/{name}/SKILL.md"] = SKILL.format(name)
    names = chance.sample(sorted(AGENTS), chance.choice((0, 2, 3)))
    return FakeWorld(files, links=links, cwd=chance.choice(("/p", "/p", "/p/pkg"))), names


def table_of(world: FakeWorld) -> Table:
    """What all agents do, from everywhere, as others have the project."""
    question = ask(open_agents_in(world=world), everyone=True, shared=True)
    return make_table(question, list_starts(question.files, question.base.cwd))


def texts_of(world: FakeWorld, table: Table, agent: str, start: str) -> Counter[str]:
    """How often an agent is told each line, whenever it is."""
    lines: Counter[str] = Counter()
    for use in table.at(agent, start):
        if use.is_delivered and use.is_text:
            text = world.read(world.real(use.path)).decode().splitlines()[: use.last_line]
            lines.update({line: use.times for line in text if line.strip() and not line.startswith("@")})
    return lines


def carry_out(world: FakeWorld, made: FixPlan) -> None:
    """Write what a plan says."""
    for change in made.changes:
        if change.target is not None:
            world.files.pop(change.path, None)
            world.links[change.path] = change.target
        else:
            world.files[change.path] = (change.after or "").encode()


@pytest.mark.parametrize("seed", range(60))
def test_a_fix_takes_nothing_from_anybody_and_leaves_nothing_to_fix(seed: int) -> None:
    """For all agents, from all folders; only files that hold nothing but an import are replaced."""
    world, names = tree(seed)
    before, kept = table_of(world), dict(world.files)
    made = plan_fix(open_agents_in(world=world), names)
    assert all(change.before is None or kept[change.path] == change.before.encode() for change in made.changes)
    assert all(change.before is not None or change.path not in kept for change in made.changes)
    here = {*made.state.question.names, *(agent.name for agent in before.agents if agent.signs.project)}
    told = {(a, s): texts_of(world, before, a, s) for a in AGENTS for s in before.starts}
    carry_out(world, made)
    after = table_of(world)
    for (agent, start), lines in told.items():
        then = texts_of(world, after, agent, start)
        assert lines.keys() <= then.keys(), (agent, start)
        if agent in here:
            files = Counter(
                (world.real(use.path), use.how == "on_demand" and use.path.rpartition("/")[0])
                for use in after.at(agent, start) for _ in range(use.times) if use.is_delivered
            )  # fmt: skip
            old = Counter(
                world.real(use.path) for use in before.at(agent, start) for _ in range(use.times) if use.is_delivered
            )
            assert all(number <= max(1, old[path]) for (path, _), number in files.items()), (agent, start)
    again = plan_fix(open_agents_in(world=world), names)
    assert again.changes == ()
    problems = {(e.cause, agent, path) for e in _findings(again) for agent in e.agents for path in e.paths}
    left = {
        (goal.finding.cause, agent, path) for goal in again.left for agent in goal.finding.agents for path in goal.paths
    }
    assert {each for each in problems if each[0] != "nothing" and ".local." not in each[2]} <= left


def _findings(plan: FixPlan) -> tuple:  # type: ignore[type-arg]
    return Verdicts(plan.state.verdicts.table, plan.state.files).findings


@pytest.mark.parametrize("cwd", ["/p", "/p/pkg"])
def test_agents_agree_after_a_fix(cwd: str) -> None:
    """The same lines at the same places, those on demand included."""
    files = {
        "/p/.git/HEAD": "",
        "/p/AGENTS.md": f"{TEXTS[0]}\n",
        "/p/CLAUDE.md": "@AGENTS.md\n",
        "/p/pkg/AGENTS.md": f"{TEXTS[1]}\n",
    }
    world, names = FakeWorld(files, cwd=cwd), ("claude-code", "copilot-cli", "cursor")
    carry_out(world, plan_fix(open_agents_in(world=world), names))
    table = table_of(world)
    first, *others = [texts_of(world, table, name, "/p") for name in names]
    assert len(first) == 2 and all(each == first for each in others)
