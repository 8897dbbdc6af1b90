from datetime import timedelta

import pytest

import overture
from overture import SessionError
from tests.contract.session.worlds import project, session


@pytest.mark.parametrize("recipe", ["opal", "pi", "moltis", "house"])
def test_a_turn_is_everything_that_the_model_sees(recipe: str) -> None:
    """A turn holds the system prompt of the current state, the messages, and the active tools."""
    with session(recipe) as live:
        turn = live.turn("Fix the failing test")
        assert turn.number == 1
        assert turn.prompt.text == overture.build(recipe, live.prompt.state).text
        assert turn.messages[-1].text == "Fix the failing test"
        assert turn.tools == live.prompt.state.tools


def test_the_clock_moves_with_the_users_prompt() -> None:
    """The time is that of the user's prompt: the model calls of one turn have the same prefix."""
    world = project()
    live = session("nova", world)
    first = live.turn("One")
    world.time += timedelta(minutes=7)
    assert live.turn().prompt is first.prompt
    later = live.turn("Two")
    assert later.prompt.text != first.prompt.text
    assert later.prompt.blocks[0] is first.prompt.blocks[0]
    assert [entry.name for entry in later.entry.changed] == ["context"]


def test_sections_of_the_user_go_into_the_message() -> None:
    """What a recipe places with the user goes with the message of its turn, beside the user's words, and stays."""
    world = project()
    live = session("house", world)
    first = live.turn("One").messages[0]
    assert (first.text, first.typed) == ("One", None)
    assert first.sections == "Current time: Thursday, January 1, 2026 at 12:00 PM (UTC)"
    world.time += timedelta(minutes=5)
    turn = live.turn("Two")
    assert turn.messages[0] is first
    assert (turn.messages[1].text, turn.messages[1].sections) == ("Two", first.sections.replace("12:00", "12:05"))
    assert "Current time" not in turn.prompt.text


def test_a_session_begins_when_it_is_first_used() -> None:
    """Making a session reads nothing; what a file of the project gets wrong is an error at each use."""
    world = project()
    live = session(world=world)
    assert world.reads == []
    live.turn("Go")
    assert world.reads != []
    bad = session(None, project(**{"overture.toml": 'recipe = "oppal"'}))
    for _ in range(2):
        with pytest.raises(overture.RecipeError, match="opal"):
            bad.turn("Go")


def test_a_turn_waits_for_the_results_of_calls() -> None:
    """With a call unanswered a turn is refused, with the call's id and the way out."""
    live = session()
    live.turn("Go")
    live.assistant("", [{"id": "c1", "name": "shell"}])
    with pytest.raises(SessionError, match=r"c1.*result\(None, why, failed=True\)"):
        live.turn("Hurry")
    live.result(None, "The call was interrupted.", failed=True)
    turn = live.turn("Hurry")
    assert [m.role for m in turn.messages] == ["user", "assistant", "tool", "user"]
    assert turn.messages[2].failed


def test_the_callers_state_wins_field_by_field() -> None:
    """What the caller gives stands on top of what is discovered, inside a struct too."""
    live = session("pi", state={"runtime": {"model": "m1"}, "memories": ["tabs"]})
    runtime = live.prompt.state.runtime
    assert runtime is not None
    assert (runtime.model, runtime.cwd) == ("m1", "/p")
    assert live.prompt.state.memories == ("tabs",)
