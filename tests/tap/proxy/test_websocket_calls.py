"""The messages of a WebSocket become calls: what the model sees, whatever of it was sent."""

import json
from typing import Any

import pytest

from overture.tap.proxy.capture import CaptureMemory
from overture.tap.proxy.websocket import ResponseTurns, WebSocketCall, WebSocketMessage

from .speaker import Data, answer, create

pytestmark = pytest.mark.slow


def message(data: Any, at: float = 0.0) -> WebSocketMessage:
    """A message, as it is read."""
    return WebSocketMessage(json.dumps(data).encode(), at, at)


class RecordedWebSocket:
    """A connection."""

    def __init__(self, room: CaptureMemory | None = None) -> None:
        self.turns = ResponseTurns(room or CaptureMemory())
        self.done: list[WebSocketCall] = []

    def send(self, data: Data) -> "RecordedWebSocket":
        """The program says this."""
        self.turns.read_request(message(data))
        return self

    def receive(self, *events: Data) -> "RecordedWebSocket":
        """The provider says this."""
        for event in events:
            self.done += self.turns.read_event(message(event))
        return self

    def body(self, number: int = -1) -> Data:
        """What a call asked."""
        found: Data = json.loads(b"".join(self.done[number].request_body.parts))
        return found

    def texts(self, number: int = -1) -> list[str]:
        """The texts that the model saw."""
        content = [item["content"] for item in self.body(number)["input"]]
        return [each if isinstance(each, str) else each[0]["text"] for each in content]


def test_a_request_that_goes_on_holds_all_that_came_before() -> None:
    """Input and output of the earlier calls of the connection stand before what is new."""
    conversation = RecordedWebSocket().send(create("one")).receive(*answer("r1", "Aye."))
    conversation.send(create("two", previous_response_id="r1")).receive(*answer("r2", "Aye aye."))
    conversation.send(create("three", previous_response_id="r2")).receive(*answer("r3"))
    assert conversation.texts() == ["one", "Aye.", "two", "Aye aye.", "three"]
    assert "previous_response_id" not in conversation.body()
    assert [each.continues for each in conversation.done] == ["", "r1", "r2"]
    list(conversation.turns.end())
    assert conversation.turns.memory.used == sum(each.size for each in conversation.done)


def test_an_earlier_response_that_is_not_known_is_named() -> None:
    """The request keeps its name, also in those that go on from it, with all that is known since."""
    conversation = RecordedWebSocket().send(create("two", previous_response_id="r1")).receive(*answer("r2", "Aye aye."))
    conversation.send(create("three", previous_response_id="r2")).receive(*answer("r3"))
    assert [(conversation.texts(n), conversation.body(n)["previous_response_id"]) for n in (0, 1)] == [
        (["two"], "r1"),
        (["two", "Aye aye.", "three"], "r1"),
    ]
















def test_memory_has_a_bound() -> None:
    """The oldest responses are forgotten, what they share with later ones is counted once, and all is given back."""
    room = CaptureMemory(max_total=1 << 20, max_body=20_000)
    conversation, last = RecordedWebSocket(room), ""
    for number in range(300):
        conversation.send(
            create(f"{number} " + "x" * 40, **({"previous_response_id": last} if last and number % 50 else {}))
        )
        last = f"r{number}"
        conversation.receive(*answer(last))
        for each in conversation.done:
            room.release(each.size)
        conversation.done.clear()
        assert room.used <= 20_000
    list(conversation.turns.end())
    assert room.used == 0
