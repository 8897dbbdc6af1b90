"""What people use of a session: its names, its parameters and its options; everything else is private."""

import inspect
from typing import Any

import pytest

import overture
from overture import ConfigError, OvertureError, Session, StateError
from overture.testing import FakeWorld

MAX_PUBLIC_NAMES = 31
"""Names that a session shows; another one needs a reason. What only frameworks need is in `session.framework`."""


def test_a_session_shows_what_people_use() -> None:
    """Each public name is a method or a property with a docstring; the object itself has one attribute, private."""
    names = [name for name in dir(Session) if not name.startswith("_")]
    assert len(names) <= MAX_PUBLIC_NAMES
    assert all(inspect.getdoc(getattr(Session, name)) for name in names)
    live = Session("opal", world=FakeWorld())
    live.turn("Go")
    assert list(vars(live)) == ["_parts"]


def _start_with_a_call() -> Any:
    """A session whose model waits for the result of a call."""
    live = Session("house", world=FakeWorld({"/p/sub/AGENTS.md": "Use tabs.", "/p/sub/x.py": ""}))
    live.register({"name": "read", "parameters": {"type": "object"}}, {"name": "find", "parameters": {}})
    live.turn("Look")
    live.assistant("", [{"id": "1", "name": "read", "arguments": {}}])
    return live


def test_an_update_of_fields_and_budget_is_all_or_nothing() -> None:
    """A wrong budget leaves the fields as they were, and a wrong field the budget."""
    live = Session("house", world=FakeWorld())
    before = live.turn("Go").prompt
    with pytest.raises(ConfigError, match="budget"):
        live.update(memories=["Tabs."], budget=-1)
    with pytest.raises(StateError, match="memoris"):
        live.update(memoris=["Tabs."], budget=5000)
    assert live.turn("On").prompt.text == before.text
    live.update(memories=["Tabs."], budget=5000)
    assert [trigger.name for trigger in live.turn("On").entry.triggers] == ["state", "budget"]


def test_a_field_can_be_taken_back() -> None:
    """`runtime=None` is no other model: the session has no runtime of its own any more."""
    live = Session("house", world=FakeWorld())
    live.turn("Go")
    live.update(runtime={"model": "gpt-5"})
    live.update(runtime=None)
    turn = live.turn("On")
    assert [trigger.reason for trigger in turn.entry.triggers] == ["model: gpt-5", "given: runtime"]


def test_none_is_a_call_only_where_it_failed() -> None:
    """A lookup that gives None answers no call by mistake."""
    live = _start_with_a_call()
    with pytest.raises(OvertureError):
        live.result(None, "done")
    live.result(None, "It stopped.", failed=True)
    assert live.turn("Go on").messages[-2].failed


def test_refreshing_names_paths_or_none() -> None:
    """With or without paths the next turn looks."""
    world = FakeWorld({"/p/AGENTS.md": "Use tabs."})
    live = Session("opal", world=world)
    live.turn("Go")
    live.refresh(touched=[])  # a tool that touched nothing
    assert not live.turn("On").entry.triggers
    for paths in ((), ("/p/AGENTS.md",), ("x/../AGENTS.md",)):
        live.refresh(*paths)
        assert [trigger.name for trigger in live.turn("On").entry.triggers] == ["file"]


def test_a_name_that_there_is_not_is_an_attribute_error() -> None:
    """Python's own words for it, so that hasattr and frameworks that probe objects work."""
    live = Session("opal", world=FakeWorld())
    with pytest.raises(AttributeError, match="'Session' object has no attribute 'talk'"):
        live.talk  # type: ignore[attr-defined]  # noqa: B018
    assert not hasattr(overture.Session, "talk")
