"""A session within a budget: every turn fits, and the stable part keeps its cuts until a reload."""

from pathlib import Path
from typing import Any

import pytest

import overture
from overture import Budget, BudgetError, Change, Prompt, Session
from overture.session.change_session import remove_hook
from overture.session.session import get_parts
from overture.testing import FakeWorld
from tests.contract.session.worlds import SKILL, project, session

O200K = overture.counter("o200k")
LONG = "Run the tests before you commit, and say in the message why the change is needed.\n\n"
NOTES = [f"Note {n}: the crane on quay {n} is out of order until Friday." for n in range(9)]


def large() -> FakeWorld:
    """A project whose files and skills do not fit."""
    skills = {f".agents/skills/s{n:02}/SKILL.md": SKILL.format(f"s{n:02}") for n in range(30)}
    return project(**{"AGENTS.md": LONG * 40, **skills})


def slow(prompt: Prompt) -> list[str]:
    """The blocks that may change at most once a session."""
    return [block.text for block in prompt.blocks if block.pace != "turn"]


def nova(**options: Any) -> Session:
    """A session of Nova whose responsibilities and memories are long."""
    duties = [{"title": f"Duty {n}", "content": LONG * 5} for n in range(6)]
    state = {"agent": {"identity": "You tend the harbour.", "responsibilities": duties}, "memories": NOTES}
    return session("nova", count=O200K, **{"state": state, **options})


@pytest.mark.parametrize("recipe", ["opal", "pi", "moltis", "house"])
def test_every_turn_is_within_the_budget(recipe: str) -> None:
    """The prompt of each turn has at most so many tokens, by the given count, and its cuts are on record."""
    live = session(recipe, large(), budget=900, count=O200K)
    for text in ("Go", "On"):
        turn = live.turn(text)
        assert O200K(turn.prompt.text) == turn.prompt.tokens == turn.entry.tokens <= 900
        assert turn.prompt.cuts
    assert live.prompt.text == turn.prompt.text


def test_later_turns_keep_the_cuts_of_the_stable_part() -> None:
    """Memories and tasks that come and go every turn change nothing of what a cache keeps."""
    live = nova(budget=700)
    task = {"id": 7, "title": "Dredge"}
    live.update(task={**task, "description": LONG * 3})
    first = live.turn("Go").prompt
    assert {cut.block for cut in first.cuts} >= {"responsibilities"}
    for count in (4, 1, 5, 6, 3):
        live.update(memories=(NOTES * 2)[: count * 2], task={**task, "description": LONG * count})
        prompt = live.turn("On").prompt
        assert prompt.text.count(LONG.strip()) >= first.text.count(LONG.strip()) - 3 + min(count, 4)
        assert slow(prompt) == slow(first)
        assert prompt.tokens <= 700


def test_a_reload_cuts_anew() -> None:
    """What has become shorter stays as it was cut, until a reload looks at all of it again."""
    world = large()
    live = session("opal", world, budget=900, count=O200K)
    first = live.turn("Go").prompt
    world.files["/p/AGENTS.md"] = b"Use tabs."
    live.refresh()
    turn = live.turn("On")
    assert "Use tabs." in turn.prompt.text
    assert slow(turn.prompt)[2:] == slow(first)[2:]
    assert [cut.block for cut in turn.prompt.cuts]
    live.reload()
    assert live.turn("On").prompt.cuts == ()


@pytest.mark.parametrize("recipe", ["opal", "pi", "moltis", "house", "nova"])
def test_a_resumed_session_keeps_its_cuts(recipe: str, tmp_path: Path) -> None:
    """Saved and resumed, a session sends the bytes that it would have sent, although its cuts have a history."""
    live = session(recipe, large(), budget=Budget("9%", {}, 10_000), count=O200K, state={"memories": NOTES})
    live.turn("Go")
    live.update(memories=NOTES * 2)
    live.turn("On")
    live.save(tmp_path / "s.json")
    again = Session.resume(tmp_path / "s.json", world=FakeWorld(cwd="/elsewhere"))
    assert again.prompt.cuts == live.prompt.cuts
    for one in (live, again):
        one.update(memories=NOTES[:4])
    assert again.turn("Next").prompt.text == live.turn("Next").prompt.text


def test_what_a_hook_adds_counts() -> None:
    """A hook's text is within the budget like everything else, and leaves no trace in the turns after it."""
    live = session("opal", large(), budget=900, count=O200K)
    base = live.turn("Go").prompt.text
    hook = live.hook("before_agent_start", lambda _: Change.append("Mind the tide. " * 10), name="tide")
    turn = live.turn("On")
    assert "Mind the tide." in turn.prompt.text
    assert turn.prompt.tokens <= 900
    assert turn.prompt.edits == ("tide: append",)
    remove_hook(get_parts(live), hook)
    assert live.turn("On").prompt.text == base


def test_a_subagent_has_the_same_budget() -> None:
    """A sub-agent keeps to its parent's budget and counts like it."""
    live = session("opal", large(), budget=900, count=O200K)
    turn = live.subagent("Count the berths").turn()
    assert O200K(turn.prompt.text) == turn.prompt.tokens <= 900


def test_a_budget_that_can_not_be_met_is_an_error_until_it_is_raised(tmp_path: Path) -> None:
    """The turn says what does not fit; nothing is lost, the session can be saved, and goes on with another budget."""
    live = session("pi", large(), budget=20, count=O200K)
    with pytest.raises(BudgetError, match=r"The budget of 20 tokens can't be met."):
        live.turn("Go")
    live.save(tmp_path / "s.json")
    with pytest.raises(BudgetError, match=r"The budget of 20 tokens can't be met."):
        Session.resume(tmp_path / "s.json", world=FakeWorld()).turn("Go")
    live.update(budget=900)
    turn = live.turn("Go")
    assert turn.prompt.tokens <= 900
    assert [message.text for message in turn.messages] == ["Go"]
    assert [trigger.reason for trigger in turn.entry.triggers if trigger.name == "budget"] == ["at most 900"]
    live.update(budget=None)
    assert live.turn("On").prompt.cuts == ()
