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


def test_a_call_of_a_dry_run_has_no_tokens_to_ask_about(capsys: pytest.CaptureFixture[str]) -> None:
    """It was not sent, and its line says so; other calls have what the provider reported."""
    call = read("/v1/messages", BODY, ANSWER)
    print_call(call)
    print_call(replace(call, usage=None, dry_run=True))
    lines = [line.partition("  c1  ")[2] for line in capsys.readouterr().out.splitlines()]
    assert lines == ["claude-sonnet-5  5 in (0 cached), 7 out", "claude-sonnet-5  dry run: not sent"]


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
