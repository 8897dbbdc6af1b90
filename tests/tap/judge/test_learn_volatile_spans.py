"""What a cache is seen to ignore, and what it is known to: spans of text, headers, deferred tools, settings."""

from typing import Any

from msgspec.structs import replace

from overture.tap.judge.cache_key import list_compared_pieces
from overture.tap.recorded_call import CallPiece, RecordedCall

from .calls import call, said, system, tool, usage
from .test_judge_calls import LONG, anthropic, verdicts

BILLING = "x-anthropic-billing-header: cc_version=1; cch={}; cc_turn_index={};"
FIRST_PARTY = "api.anthropic.com"


def billed(minute: float, *texts: str, first: bool = True, host: str = FIRST_PARTY, **more: Any) -> RecordedCall:
    """A call with a billing header, as the first entry of its system prompt or behind it."""
    header, prompt = system(BILLING.format(f"{minute:.0f}a", minute)), system(f"You are A.\n{LONG}", mark=True)
    entries = (header, prompt) if first else (replace(prompt, mark=False), replace(header, mark=True))
    return call(tool("a"), *entries, *said(*texts, mark=True), minute=minute, host=host, **more)


def test_the_header_is_stripped_by_its_place() -> None:
    """It is not compared as the first entry at Anthropic's own endpoint, and compared anywhere else."""
    for make, seen in (
        (billed, False),
        (lambda *a, **k: billed(*a, first=False, **k), True),
        (lambda *a, **k: billed(*a, host="gateway.example", **k), True),
    ):
        calls = [make(0, "u"), make(1, "u", "v", "w")]
        compared = [calls[0].pieces[index].text.startswith("x-anthropic") for index in list_compared_pieces(calls[0])]
        assert any(compared) is seen
        second = verdicts(*calls)[1]
        assert second.reason == ("prefix changed" if seen else "hit")


def test_a_deferred_tool_is_no_part_of_the_prefix() -> None:
    """It may come and go."""
    late = CallPiece("tool", "late", '{"name":"late","defer_loading":true}', "tool")
    first = anthropic(0, "u", usage=usage(0, 0, 4000))
    second = anthropic(1, "u", "v", "w", usage=usage(30, 4000, 0))
    second = replace(second, pieces=(second.pieces[0], late, *second.pieces[1:]))
    told = verdicts(first, second)[1]
    assert (told.reason, told.predicted, told.read) == ("hit", 4000, 4000)
    assert told.change is not None and told.change.has_same_prefix
