"""What people use of a session: its names, its parameters and its options; everything else is private."""

import pytest

from overture import ConfigError, Session, StateError
from overture.testing import FakeWorld

"""Names that a session shows; another one needs a reason. What only frameworks need is in `session.framework`."""


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
