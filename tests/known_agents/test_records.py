"""A record holds the only version, and the only program, that is known of its agent."""

import tomllib
from pathlib import Path

import pytest

from overture.known_agents import AGENTS, agent, agent_facts, agent_program
from overture.tap.run.programs import find_program, load_programs

AGENTS_FOLDER = Path(__file__).parents[1] / "agents"
SEEN = {path.stem: path for path in (AGENTS_FOLDER.parent / "contract/agents/seen").glob("*.toml")}


@pytest.mark.parametrize("name", sorted(SEEN))
def test_the_version_of_a_record_is_the_one_that_was_run(name: str) -> None:
    """What `check`, `agents` and the docs call a release is what was seen; only the head of the file is read."""
    head = SEEN[name].read_text(encoding="utf-8").partition("\n[")[0]
    assert agent_facts(name).version == tomllib.loads(head)["version"]


def test_agents_that_are_known_by_runs_are_those_of_the_lab() -> None:
    """Whoever is said to be seen in runs can be run again, and has results."""
    lab = tomllib.loads((AGENTS_FOLDER / "lab" / "agents.toml").read_text(encoding="utf-8"))
    known = {name for name in AGENTS if agent_facts(name).known == "run"}
    assert known == set(SEEN) == set(lab)


@pytest.mark.parametrize("name", [name for name in AGENTS if agent_program(name)])
def test_the_tap_starts_an_agent_as_its_record_says(name: str) -> None:
    """Each name of its program leads to its own row, and none of them to that of another agent or of the SDKs."""
    table = agent_program(name)
    assert table is not None
    assert {find_program(each).name for each in table["names"]} == {table["name"]}
    assert tuple(load_programs()[table["name"]].names) == tuple(table["names"])


def test_a_program_has_the_names_by_which_its_agent_is_recognized() -> None:
    """Where the record gives no others."""
    given = {name: table for name in AGENTS if (table := agent_program(name))}
    same = [name for name, table in given.items() if tuple(table["names"]) == agent_facts(name).signs.programs]
    assert sorted(set(given) - set(same)) == ["antigravity", "cursor", "kilo"]


def test_no_agent_has_a_row_outside_of_its_record() -> None:
    """The tap's own table is for programs that are no known agent."""
    text = (Path(__file__).parents[2] / "src/overture/tap/run/programs.toml").read_text(encoding="utf-8")
    others = {name for table in tomllib.loads(text).values() for name in table["names"]}
    assert others.isdisjoint(program for name in AGENTS for program in agent_facts(name).signs.programs)


@pytest.mark.parametrize(
    ("name", "folders"),
    [
        ("antigravity", (".agents/skills", ".agent/skills")),
        ("devin", (".windsurf/skills", ".agents/skills")),
    ],
)
def test_folders_that_documentation_names_beside_an_own_one(name: str, folders: tuple[str, ...]) -> None:
    """`.agent/skills` is where projects had theirs before; `.agents/skills` is shared by many agents."""
    skills = agent(name).wants.skills
    assert skills and skills.project == folders
