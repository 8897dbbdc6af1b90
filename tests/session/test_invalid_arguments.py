"""What a model gets wrong in a tool call is told to the model, and ends no run."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from overture import Session, SessionError
from overture.model.message import Call
from overture.providers.read.pieces_and_calls import INVALID
from tests.contract.session.six_sdks import ANSWERS
from tests.contract.session.worlds import project, session

TEXTS = ['{"path": ', "[1]", "5", '"x"', "{path: 1}", "\x00", "[" * 50_000]
TEXTS += ['{"x": NaN}', '{"x": 1e999}', '{"x": ' + "[" * 300 + "]" * 300 + "}"]
OBJECTS = [{"x": float("nan")}, {"x": {1}}]
"""What a program makes of a text, and JSON can't contain."""


def with_arguments(value: Any, given: Any) -> Any:
    """The response with other arguments, wherever its form has them."""
    if isinstance(value, list):
        return [with_arguments(item, given) for item in value]
    if not isinstance(value, dict):
        return value
    keys = {"arguments", "input", "args"} if "name" in value else set()
    return {key: given if key in keys else with_arguments(inner, given) for key, inner in value.items()}


@pytest.mark.parametrize("given", [*TEXTS, *OBJECTS, [1], 5, True], ids=lambda value: repr(value)[:12])
@pytest.mark.parametrize("provider", ANSWERS)
def test_a_call_with_arguments_that_are_no_object_is_kept_and_answered(provider: str, given: Any) -> None:
    """In the form of each provider: the record says so, the model is told, and the next request is JSON again."""
    live = session()
    live.turn("Go")
    (call,) = live.reply(with_arguments(copy.deepcopy(ANSWERS[provider]), given))
    assert call.name == "read_file" and list(call.arguments) == [INVALID]
    if isinstance(given, str):
        assert call.arguments[INVALID] == given
    assert live.answer(call) is True
    assert live.messages[-1].failed and "not a JSON object" in live.messages[-1].text
    turn = live.turn("And?")
    assert "tool-call-invalid" in [note.code for note in turn.entry.diagnostics]
    for to in ANSWERS:
        assert json.loads(json.dumps(turn.render(to), allow_nan=False))


@pytest.mark.parametrize("written", TEXTS[:3])
def test_calls_that_are_handed_over_by_hand_are_kept_too(written: str, tmp_path: Path) -> None:
    """As are the calls of an SDK's object; they are there again after a resume, and a result takes them as any."""
    live = session()
    live.turn("Go")
    call = {"id": "c1", "function": {"name": "ls", "arguments": written}}
    live.assistant("", [call])
    live.save(tmp_path / "save.json")
    again = Session.resume(tmp_path / "save.json", world=project())
    assert again.messages[-1].calls == (Call("c1", "ls", {INVALID: written}),)
    live.result(call, "none")
    assert again.answer(call) is True and again.messages[-1].failed


@pytest.mark.parametrize("arguments", [{"name": "tides"}, {"name": "tide"}, "{", {}])
@pytest.mark.parametrize("why", ["answered before", "never made"])
def test_an_answer_to_a_call_that_is_not_open_changes_nothing(arguments: Any, why: str) -> None:
    """It is an error, and neither a skill nor a result is added."""
    live = session()
    live.turn("Go")
    call = {"id": "c1", "name": "use_skill", "arguments": arguments}
    if why == "answered before":
        live.assistant("", [call])
        assert live.answer(call) is True
    before = live.messages
    with pytest.raises(SessionError, match=r"The call 'c1' to 'use_skill' is not open\. Open: none\."):
        live.answer(call)
    assert live.messages == before
    live.turn("Go on")
    assert live.messages[:-1] == before


def test_a_call_of_somebody_else_is_left_to_him() -> None:
    """Where its arguments can be read, it stays open."""
    live = session()
    live.turn("Go")
    live.assistant("", [{"id": "c1", "name": "shell", "arguments": {"command": "ls"}}])
    assert live.answer(live.messages[-1].calls[0]) is False
    live.result("c1", "none")
