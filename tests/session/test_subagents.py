import pytest

import overture
from overture import SessionError
from overture.model.message import Usage
from overture.session.change_session import remove_hook
from overture.session.session import get_parts
from tests.contract.session.worlds import project, session


def test_a_sub_agent_shares_what_its_parent_found() -> None:
    """Context and skills are the parent's own objects: nothing is read again."""
    world = project()
    parent = session(world=world)
    parent.turn("Go")
    world.reads.clear()
    child = parent.subagent("Count the berths.", tools=["read_file"], prompt="You count.")
    turn = child.turn()
    assert world.reads == []
    assert child.prompt.state.context_files is parent.prompt.state.context_files
    assert child.prompt.state.skills is parent.prompt.state.skills
    assert turn.messages[0].text == "Count the berths."


def test_depth_is_limited() -> None:
    """A sub-agent has no sub-agents unless the first session allows it."""
    child = session().subagent("Go.")
    with pytest.raises(SessionError, match="max_depth is 1"):
        child.subagent("Deeper.")
    deep = session(max_depth=2).subagent("Go.").subagent("Deeper.")
    assert deep.turn().messages[0].text == "Deeper."


def test_parent_and_child_go_their_own_ways() -> None:
    """Messages, tools and hooks of one are not those of the other."""
    parent = session()
    parent.hook("before_agent_start", lambda _: overture.Change.append("Parent's."), name="p")
    before = parent.turn("Go")
    child = parent.subagent("Count.")
    child.set_tools(["shell"])
    assert "Parent's." not in child.turn().prompt.text
    child.assistant("Done: 4.")
    after = parent.turn("On")
    assert after.prompt.text == before.prompt.text
    assert [m.text for m in after.messages] == ["Go", "On"]


def test_a_task_is_not_lost_when_a_turn_fails() -> None:
    """A first turn that a sealed recipe refuses leaves the task for the next."""
    child = session("nova").subagent("Count.")
    hook = child.hook("before_agent_start", lambda _: overture.Change.append("x"))
    with pytest.raises(overture.SealedError):
        child.turn()
    remove_hook(get_parts(child), hook)
    assert child.turn().messages[0].text == "Count."


def test_what_a_sub_agent_costs_is_in_its_parents_sum() -> None:
    """A session's usage includes that of all sub-agents below it; the records of turns stay apart."""
    parent = session(max_depth=2)
    parent.update(runtime={"model": "claude-opus-5", "provider": "anthropic"})
    parent.turn("Go")
    child = parent.subagent("Count.")
    deep = child.subagent("Deeper.")
    for tokens, each in ((1, parent), (20, child), (300, deep)):
        each.turn()
        each.framework.add_usage(Usage(tokens, tokens), "claude-opus-5")
    assert [each.usage.input for each in (parent, child, deep)] == [321, 320, 300]
    assert [each.usage.requests for each in (parent, child, deep)] == [3, 2, 1]
    prices = [each.usage.price for each in (parent, child, deep)]
    assert all(price is not None for price in prices) and prices == sorted(prices, reverse=True, key=lambda x: x or 0)
    assert [entry.usage.input for entry in parent.record if entry.usage] == [1]
