"""What is discovered is the main agent's, planning included; a sub-agent's form is asked for."""

from pathlib import Path
from typing import Any

import pytest

import overture
from overture import State
from overture.recipes import BUILTIN
from overture.testing import FakeWorld, make_state
from tests.contract.discover.disk import find, put

TEAM = [{"name": name} for name in ("read_file", "sub_agent", "ask_user")]


def with_tools(tmp_path: Path) -> None:
    """A project whose configuration activates tools of the main agent alone."""
    put(tmp_path / "p/overture.toml", '[recipes.opal]\ntools = ["read_file", "sub_agent", "ask_user"]\n')


@pytest.mark.parametrize("recipe", BUILTIN)
def test_every_recipe_finds_the_main_agents_session(recipe: str) -> None:
    """A discovered state has a session; as a sub-agent's it has none."""
    world = FakeWorld()
    session = overture.discover(recipe, world=world).state.session
    assert session is not None
    assert session.id == "main"
    assert overture.discover(recipe, world=world, subagent=True).state.session is None


@pytest.mark.parametrize("recipe", ["opal", "house"])
def test_build_says_what_the_main_agent_sends(tmp_path: Path, recipe: str) -> None:
    """`build` and `discover` agree: planning is there for the main agent, and left out for a sub-agent."""
    (tmp_path / "p").mkdir()
    where: dict[str, Any] = {"cwd": tmp_path / "p", "home": tmp_path / "home"}
    main, sub = overture.build(recipe, **where), overture.build(recipe, **where, subagent=True)
    assert "/sessions/main/plan.md" in main.text
    assert "<planning>" not in sub.text
    assert "planning" in {left.name for left in sub.omitted}
    found = overture.discover(recipe, **where)
    assert overture.build(recipe, found.state.replace(now=main.state.now)).text == main.text


def test_a_subagent_has_no_tools_of_the_main_agent_alone(tmp_path: Path) -> None:
    """`sub_agent` and `ask_user` are not among what a sub-agent's form finds."""
    with_tools(tmp_path)
    assert [tool.name for tool in find(tmp_path).state.tools] == ["read_file", "sub_agent", "ask_user"]
    first = find(tmp_path, subagent=True)
    assert [tool.name for tool in first.state.tools] == ["read_file"]
    again = find(tmp_path, subagent=True, since=first)
    assert again.state.tools is first.state.tools


def test_a_state_is_taken_as_it_stands_or_as_a_subagents() -> None:
    """Given a state, `build` adds no session, and `subagent` takes away what only a main agent has."""
    bare = make_state(runtime={"cwd": "/p"})
    assert "<planning>" not in overture.build("opal", bare).text
    full = make_state(session={"id": "s1"}, tools=TEAM)
    assert "/s1/plan.md" in overture.build("opal", full).text
    sub = overture.build("opal", full, subagent=True)
    assert sub.state.session is None
    assert [tool.name for tool in sub.state.tools] == ["read_file"]
    assert overture.build("opal", full.to_dict(), subagent=True).text == sub.text


def test_what_was_saved_builds_the_same_bytes() -> None:
    """The JSON form of a discovered state holds the session, and gives the same prompt."""
    found = overture.discover("opal", world=FakeWorld({"/p/AGENTS.md": "Mind the tide."}))
    saved = found.state.to_dict()
    assert saved["session"] == {"id": "main"}
    assert overture.build("opal", State.from_dict(saved)).text == overture.build("opal", found.state).text


def test_a_live_session_has_an_id_of_its_own() -> None:
    """A session says its own id, also over a state that was discovered; one that the caller gives counts."""
    world = FakeWorld()
    found = overture.discover("opal", world=world).state
    own = [
        overture.Session("opal", world=world, state=state).prompt.state.session
        for state in (None, found, found.to_dict())
    ]
    assert all(own)
    assert [info.id == "main" for info in own if info] == [False, False, True]
    named = overture.Session("opal", world=world, state=make_state(session={"id": "main"}))
    assert named.prompt.state.session is not None
    assert named.prompt.state.session.id == "main"
    assert overture.Session("opal", world=world).subagent("Count.").prompt.state.session is None


def test_two_looks_give_one_session() -> None:
    """A second look takes the session over as it was, so that planning is not said anew."""
    world = FakeWorld()
    first = overture.discover("opal", world=world)
    prompt = overture.build("opal", first.state)
    later = overture.build("opal", overture.discover("opal", world=world, since=first).state, since=prompt)
    assert later.blocks[-1] is prompt.blocks[-1]
