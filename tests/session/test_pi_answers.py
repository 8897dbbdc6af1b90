"""What pi's `before_agent_start` hooks see and return."""

import asyncio
from typing import Any

import pytest

from overture import Change, SealedError, Session, Turn
from overture.session.hooks import AgentStart
from tests.contract.session.worlds import session


def turned(live: Session, how: str = "turn") -> Turn:
    """A turn, on a thread or on an event loop."""
    return live.turn("Go") if how == "turn" else asyncio.run(live.aturn("Go"))


def with_hook(value: Any, recipe: str = "pi", **options: Any) -> Session:
    """A session whose hook returns that, or what that makes of the event."""
    live = session(recipe, **options)
    live.hook("before_agent_start", lambda event: value(event) if callable(value) else value, name="audit")
    return live


def test_the_event_has_the_text_under_pis_name() -> None:
    """`event.systemPrompt` is the text of the prompt as the hooks before it left it."""
    live = session("pi")
    seen: list[str] = []

    def look(event: AgentStart) -> Change:
        seen.append(event.systemPrompt)
        return Change.append("More.")

    live.hook("before_agent_start", look)
    live.hook("before_agent_start", look)
    live.turn("Go")
    assert seen == [live.prompt.text, f"{live.prompt.text}\n\nMore."]


@pytest.mark.parametrize("how", ["turn", "aturn"])
@pytest.mark.parametrize("recipe", ["pi", "opal", "house", "moltis", "ptc"])
def test_a_text_that_goes_on_is_appended(recipe: str, how: str) -> None:
    """A text that begins with the prompt is that prompt, block by block as it was, and what follows is the hook's."""
    live = with_hook(lambda event: {"systemPrompt": event.systemPrompt + "\n\nBe brief."}, recipe)
    base = live.prompt
    turn = turned(live, how)
    assert turn.prompt.text == f"{base.text}\n\nBe brief."
    assert turn.prompt.blocks[: len(base.blocks)] == base.blocks
    assert str(turn.prompt.source_at(len(turn.prompt.text) - 1)) == "hook audit"
    assert turn.entry.diagnostics == ()
    assert live.prompt is base


def test_another_text_takes_the_place_of_all() -> None:
    """A text that is not the prompt and more replaces it whole, for this one prompt, with the hook as its source."""
    answers = [{"systemPrompt": "You are a ferry."}]
    live = with_hook(lambda _: answers.pop() if answers else None)
    base = live.prompt
    turn = live.turn("Go")
    assert turn.prompt.text == "You are a ferry."
    assert {str(span.source) for span in turn.prompt.spans} == {"hook audit"}
    assert turn.prompt.edits == ("audit: replace the whole",)
    assert live.turn("Again").prompt is base


@pytest.mark.parametrize("how", ["turn", "aturn"])
def test_a_message_stands_behind_the_users(how: str) -> None:
    """A message in pi's form is a user's message of kind hook; `display` says whether people see it."""
    message = {"customType": "plan", "content": "Plan first.", "display": False, "details": {"step": 1}}
    live = with_hook({"systemPrompt": "All.", "message": message})
    turn = turned(live, how)
    last = turn.messages[-1]
    assert (last.role, last.kind, last.text, last.name, last.shown) == ("user", "hook", "Plan first.", "plan", False)
    assert last.details == {"step": 1}
    assert turn.prompt.text == "All."
    assert "step" not in str(turn.to_openai())


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"systemprompt": "x"}, "unknown key 'systemprompt'. Did you mean 'systemPrompt'?"),
        ({"systemPrompt": 7}, "systemPrompt: expected"),
        ({"systemPrompt": "x", "message": "y"}, "message: expected"),
        ({"systemPrompt": "x", "message": {}}, "the key 'content' is missing"),
        ({"message": {"content": "y", "contents": "z"}}, "unknown key 'contents'"),
        ({"message": {"content": 7}}, "message.content: expected"),
        (
            {"message": {"content": [{"type": "image", "data": "…"}]}},
            "content[0].type: 'image' is not one of",
        ),
        ({"message": {"content": [{"type": "text", "text": 7}]}}, "message.content[0].text: expected"),
        ({"message": {"content": "y", "display": "no"}}, "message.display: expected"),
        ({"message": {"content": "y", "customType": 7}}, "message.customType: expected"),
        ({"message": {"content": "y", "details": {1, 2}}}, "message.details is {1, 2}; pass a JSON value"),
    ],
)
def test_a_wrong_answer_is_passed_over_whole(value: Any, said: str) -> None:
    """A key that is not known or a value of the wrong type: nothing of the answer counts, and one line says what."""
    live = with_hook(value)
    turn = live.turn("Go")
    assert turn.prompt is live.prompt
    assert len(turn.messages) == 1
    (note,) = turn.entry.diagnostics
    assert note.code == "hook-failed"
    assert said in note.message
    assert "'audit'" in note.message
    assert "\n" not in note.message


def test_a_sealed_recipe_takes_the_message_alone() -> None:
    """Another text for a sealed recipe is an error that names it; a message, or the same text, is none."""
    with pytest.raises(SealedError, match=r"'nova'.*'audit'"):
        with_hook({"systemPrompt": "All."}, "nova").turn("Go")
    live = with_hook(lambda e: {"systemPrompt": e.systemPrompt, "message": {"content": "Hm."}}, "nova")
    turn = live.turn("Go")
    assert turn.prompt is live.prompt
    assert turn.messages[-1].text == "Hm."
