"""What is equal in a new State is taken over from an earlier one, and only that."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest

import overture
from overture import Prompt, Recipe, State, section
from overture.model.source import Origin
from overture.model.state.agent_and_runtime import Agent, Responsibility, User
from overture.model.tool import Tool

SCHEMA = {"type": "object", "properties": {"at": {"type": "integer", "default": 1}}}


@section("tools", pace="session")
def tools(tools: tuple[Tool, ...]) -> str:
    """Everything that a tool says."""
    return "\n".join(f"{tool.name} {tool.parameters}" for tool in tools)


@section("user", pace="session")
def user(user: User | None) -> str:
    """Whom it works for."""
    return f"For {user.name if user else 'nobody'}."


RECIPE = Recipe("small", (tools, user))


def make(schema: dict[str, Any], name: str = "Ada", **more: Any) -> State:
    """A State of its own, as a service makes one of each request."""
    return State(tools=(Tool("moor", parameters=schema),), user=User(name), **more)


def build(state: State, since: Prompt | None = None) -> Prompt:
    """With what is known from before."""
    return overture.build(RECIPE, state, since=since)


def test_equal_values_keep_their_sections() -> None:
    """Nothing is rendered again: the earlier prompt itself is the answer."""
    before = build(make(SCHEMA))
    assert build(make(dict(SCHEMA)), before) is before


def test_a_prompt_that_is_counted_otherwise_is_still_known() -> None:
    """Another counter changes nothing of what a prompt was built of: the next build takes over as much."""
    before = build(make(SCHEMA)).counted(len)
    assert build(make(dict(SCHEMA)), before) is before
    assert before.tokens == len(before.text)


@pytest.mark.parametrize(
    "schema", [{"default": True}, {"default": 1.0}, {"default": "1"}, {"b": 1, "a": 2}], ids=str
)  # fmt: skip
def test_values_that_are_equal_and_written_otherwise_are_others(schema: dict[str, Any]) -> None:
    """1, True and 1.0 are equal to Python, and so are dicts in another order."""
    before = build(make({"a": 2, "b": 1} if "a" in schema else {"default": 1}))
    assert build(make(schema), before).text == build(make(schema)).text != before.text


def test_a_dict_that_its_owner_changes_is_told_as_it_is_now() -> None:
    """Both states hold the same dict: what it was when the first was built is what counts."""
    schema: dict[str, Any] = {"default": 1}
    before = build(make(schema))
    assert "1" in before.text
    schema["default"] = 2
    assert "2" in build(make(schema), before).text


@section("clock", pace="turn")
def clock(now: datetime | None) -> str:
    """The time, with the name of its zone."""
    return f"{now:%H:%M %Z}"


def test_an_equal_time_is_the_same_one_only_in_the_same_zone() -> None:
    """09:00 in Paris and 08:00 in London are equal to Python, and so are two zones of one offset."""
    recipe = Recipe("clock", (clock,))
    paris, utc = datetime(2026, 3, 7, 9, tzinfo=ZoneInfo("Europe/Paris")), datetime(2026, 3, 7, 8, tzinfo=UTC)
    named = utc.replace(tzinfo=timezone(timedelta(0), "GMT"))
    assert paris == utc == named
    before = overture.build(recipe, State(now=paris))
    assert overture.build(recipe, State(now=paris.replace()), since=before) is before
    texts = [overture.build(recipe, State(now=now), since=before).text for now in (utc, named)]
    assert texts == ["08:00 UTC", "08:00 GMT"] and before.text == "09:00 CET"
    assert overture.build(recipe, State(now=named), since=overture.build(recipe, State(now=utc))).text == texts[1]


@section("data", pace="turn")
def data(extra: dict[str, Any]) -> str:
    """What the caller passed."""
    return str(extra)


def test_data_of_the_callers_own_are_never_taken_for_equal() -> None:
    """In `extra`, 1 is not True, and what its owner has changed since is written as it is now."""
    recipe, extra = Recipe("data", (data,)), {"at": [1]}
    before = overture.build(recipe, State(extra={"at": 1}))
    assert "True" in overture.build(recipe, State(extra={"at": True}), since=before).text
    before = overture.build(recipe, State(extra=dict(extra)))
    assert before.text == "{'at': [1]}"
    extra["at"].append(2)
    assert "2" in overture.build(recipe, State(extra=dict(extra)), since=before).text


@section("duties", pace="session")
def duties(agent: Agent | None, limits: dict[str, int]) -> str:
    """What the agent has to do, and how often."""
    return f"{[duty.title for duty in agent.responsibilities] if agent else []} {limits}"


def test_a_list_that_its_owner_changes_is_told_as_it_is_now() -> None:
    """An agent with a list in place of a tuple, and a dict of limits: both states hold the very same."""
    recipe, given, limits = Recipe("duties", (duties,)), [Responsibility("Moor", "Moor ships.")], {"ships": 1}
    make_agent: Any = Agent
    before = overture.build(recipe, State(agent=make_agent(responsibilities=given), limits=dict(limits)))
    assert before.text == "['Moor'] {'ships': 1}"
    given.append(Responsibility("Sail", "Sail away."))
    after = overture.build(recipe, State(agent=make_agent(responsibilities=given), limits=limits), since=before)
    assert after.text == "['Moor', 'Sail'] {'ships': 1}"
    limits["ships"] = 2
    last = overture.build(recipe, State(agent=after.state.agent, limits={"ships": 2}), since=after)
    assert last.text == "['Moor', 'Sail'] {'ships': 2}"


def test_the_same_value_from_another_file_has_another_source() -> None:
    """An equal name is not taken over where its file is another."""
    states = [make(SCHEMA, origins={"user.name": Origin(path, 1)}) for path in ("/a.md", "/b.md")]
    after = build(states[1], build(states[0]))
    assert after.state.origins["user.name"].path == "/b.md"
    assert after.state.user is states[1].user


def test_what_cannot_be_written_is_rendered_again() -> None:
    """A value of a caller's own type: nobody knows whether it is the same."""
    before = build(make({"default": object}))
    after = build(make({"default": object}), before)
    assert after.text == before.text and after.state.tools is not before.state.tools
