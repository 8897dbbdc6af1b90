"""The line of each call while the tap listens."""

from typing import Any

import pytest
from msgspec.structs import replace

from overture.tap.run.live_view import print_call

from ..judge.calls import read

pytestmark = pytest.mark.slow


BODY = {"model": "claude-sonnet-5", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}
ANSWER = {
    "type": "message",
    "role": "assistant",
    "content": [],
    "usage": {"input_tokens": 5, "cache_read_input_tokens": 0, "output_tokens": 7},
}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"status": 429, "error": "slow down"}, "status 429"),
        ({"status": 0, "error": "the upstream refused the connection"}, "no response"),
        ({"status": 200, "error": "overloaded:\nno"}, "failed during the response: overloaded: no"),
    ],
)
def test_a_line_says_how_a_call_failed(capsys: pytest.CaptureFixture[str], fields: dict[str, Any], said: str) -> None:
    """A refusal, an upstream that is not there, and an error in a response that had begun."""
    print_call(replace(read("/v1/messages", BODY, ANSWER), usage=None, **fields))
    assert capsys.readouterr().out.endswith(f"  {said}\n")
