"""A record has one version: the one that the runs in tests/agents/seen were of."""

import tomllib
from pathlib import Path

import pytest

from overture.known_agents import AGENTS, agent_facts

AGENTS_FOLDER = Path(__file__).parents[1] / "agents"
SEEN = {path.stem: path for path in (AGENTS_FOLDER / "seen").glob("*.toml")}


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
