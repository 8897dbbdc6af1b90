"""house, our own recipe: its words, its files, and what it does with what it is not given."""

from pathlib import Path
from typing import Any

import pytest

import overture
from overture.testing import FakeWorld, make_state

from ..full_state import FULL

GOLDENS = Path(__file__).parents[2] / "goldens" / "house"

STATES = {
    "full": FULL,
    "coding": {
        "tools": [{"name": n, "description": f"Does {n}."} for n in ("read", "edit", "write", "bash")],
        "context_files": [{"path": "/p/AGENTS.md", "content": "Use tabs."}],
        "skills": FULL["skills"],
        "runtime": {"cwd": "/p", "home": "/home/u"},
        "session": {"id": "s1"},
        "now": "2026-03-07T08:55:05-06:00",
    },
    "empty": {},
}


@pytest.mark.parametrize("name", STATES)
def test_golden(name: str) -> None:
    """house says exactly what is written down here."""
    prompt = overture.build("house", overture.State.from_dict(STATES[name]))
    assert prompt.text + "\n" == (GOLDENS / f"{name}.txt").read_text(encoding="utf-8")


def test_soul_is_missing_cleared_or_given() -> None:
    """No SOUL.md and an empty one both give no soul, for different reasons; a given one is said."""
    missing = overture.build("house", make_state(agent={"name": "Ada"}))
    cleared = overture.build("house", make_state(agent={"name": "Ada", "soul": ""}))
    given = overture.build("house", make_state(agent={"soul": "Be kind."}))
    reasons = {o.name: o.reason for o in missing.omitted}, {o.name: o.reason for o in cleared.omitted}
    assert [each["soul"] for each in reasons] == ["no soul is given", "SOUL.md is empty: no soul"]
    assert "<prompt-soul>\nBe kind.\n</prompt-soul>" in given.text


def test_an_empty_system_md_clears_the_identity() -> None:
    """SYSTEM.md replaces the identity; an empty one clears it."""
    assert "<prompt-identity>" not in overture.build("house", make_state(overrides={"system": ""})).text
    assert overture.build("house", make_state(overrides={"system": "X"})).text.startswith("<prompt-identity>\nX\n")


@pytest.mark.parametrize(
    ("tool", "way"),
    [("use_skill", "with `use_skill`"), ("read_file", "with `read_file`"), ("exec", "with `exec`")],
)
def test_skills_name_the_tool_that_loads_them(tool: str, way: str) -> None:
    """The menu names an active tool, and without one there is no menu."""
    state = make_state(skills=FULL["skills"], tools=[{"name": tool}])
    assert way in overture.build("house", state).text
    none = overture.build("house", make_state(skills=FULL["skills"], tools=[{"name": "other"}]))
    assert "<prompt-skills>" not in none.text
    assert "no active tool can load a skill" in {o.name: o.reason for o in none.omitted}["skills"]


def test_discovery_of_all_that_house_wants() -> None:
    """Everything lies in `.agents`, of the project or of home; what both say, the project says last."""
    world = FakeWorld(
        {
            "/p/AGENTS.md": "Use tabs.",
            "/p/.agents/agent.json": '{"identity": "You keep the book.", "name": "Ada"}',
            "/p/.agents/memories.json": '["likes tea"]',
            "/p/.agents/SYSTEM.md": "Be brief.",
            "/home/user/.agents/AGENTS.md": "Be kind.",
            "/home/user/.agents/IDENTITY.md": "---\nname: Bob\nvibe: dry\n---\n",
            "/home/user/.agents/USER.md": "---\nname: Robin\n---\n",
            "/home/user/.agents/SOUL.md": "Warm.",
            "/home/user/.agents/TOOLS.md": "Prefer rg.",
        }
    )
    state = overture.discover("house", world=world).state
    assert state.agent is not None
    assert (state.agent.identity, state.agent.name, state.agent.vibe) == ("You keep the book.", "Ada", "dry")
    assert state.agent.soul == "Warm."
    assert [f.path for f in state.context_files] == ["/home/user/.agents/AGENTS.md", "/p/AGENTS.md"]
    assert state.memories == ("likes tea",)
    assert [f.name for f in state.workspace_files] == ["TOOLS.md"]
    assert state.origins["agent.name"].path == "/p/.agents/agent.json"
    assert state.origins["agent.vibe"].path == "/home/user/.agents/IDENTITY.md"


@pytest.mark.parametrize(
    ("tools", "capabilities", "said"),
    [
        ([], None, True),
        ([], ["memory"], False),
        ([], ["files"], True),
        (["read"], ["memory"], True),
        (["bash"], [], True),
        (["browser"], [], False),
    ],
)
def test_directories_are_for_an_agent_that_reaches_files(tools: list[str], capabilities: Any, said: bool) -> None:
    """A tool for files reaches them whatever the capabilities say; without one the capabilities decide, as in nova."""
    agent = {} if capabilities is None else {"capabilities": capabilities}
    state = make_state(runtime={"cwd": "/p"}, agent=agent, tools=[{"name": name} for name in tools])
    assert ("<prompt-directories>" in overture.build("house", state).text) is said


def test_the_host_line_does_not_tell_sessions_apart() -> None:
    """house names its session in `planning`, which comes late: the host line is the same for all of them."""
    texts = [
        next(
            b.text
            for b in overture.build("house", make_state(session={"id": id}, runtime=given)).blocks
            if b.name == "host"
        )
        for id in ("s1", "s2")
        for given in ({"host": "box"}, {"host": "box", "session": "main"})
    ]
    assert texts[:2] == texts[2:]
    assert "session=main" in texts[1]


@pytest.mark.parametrize(("tools", "said"), [(["read", "use_skill"], False), (["use_skill"], False), (["send"], True)])
def test_a_plan_is_for_an_agent_that_can_write_one(tools: list[str], said: bool) -> None:
    """Who can only read is not told to keep a file; a tool with another name may be able to write."""
    state = make_state(session={"id": "s"}, tools=[{"name": name} for name in tools])
    assert ("keep a plan" in overture.build("house", state).text) is said
