"""OpenAI's own client speaks by WebSocket through the tap."""

import pytest
from openai import OpenAI

from ..raw_http import tap_to
from .speaker import speaker
from .test_websocket import calls

pytestmark = pytest.mark.slow


@pytest.mark.filterwarnings("ignore:connect\\(\\) must be used:DeprecationWarning")
def test_the_client_of_openai() -> None:
    """What it asks and hears is the same, and each turn is a call."""
    with speaker() as (_, port), tap_to(f"http://127.0.0.1:{port}") as tap:
        client = OpenAI(base_url=tap.base("openai"), api_key="sk-1234567890123", max_retries=0)
        with client.responses.connect() as line:
            line.response.create(model="gpt-5.5", input="one")
            done = next(event for event in line if event.type == "response.completed")
            line.response.create(model="gpt-5.5", input="two", previous_response_id=done.response.id)
            next(event for event in line if event.type == "response.completed")
        first, second = calls(tap.recorded(2))
    assert [piece.text for piece in second.select_pieces("message")] == ["one", "Aye 1.", "two"]
    assert (first.reply, second.reply, second.stream) == ("Aye 1.", "Aye 2.", True)
    assert "sk-1234567890123" not in repr(tap.raw_calls)
