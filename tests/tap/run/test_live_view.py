"""Calls as they happen, a line each: told as the report tells them, without judging all that went before anew."""

import time

import pytest

from overture.known_models.model_table import packaged_table
from overture.tap.judge.group_conversations import group_calls
from overture.tap.judge.judge_calls import judge_calls
from overture.tap.recorded_call import CallPiece, CallUsage, RecordedCall
from overture.tap.run.live_view import MAX_REMEMBERED_CALLS, MIN_REMEMBERED_CALLS, LiveLines, format_live_line
from overture.tokens.counter import ESTIMATE


def calls(count: int) -> list[RecordedCall]:
    """Two conversations in turn, each longer with every call; the day changes now and then."""
    made = []
    for number in range(count):
        who, turn = ("main", "side")[number % 2], number // 2
        system = f"You are {who}. Today is 2026-03-{turn // 7 + 1:02}. " + f"Greet every {who} ship by name. " * 300
        said = [CallPiece("message", "user", f"{who} {n}: which ships lie here?", message=n) for n in range(turn + 1)]
        at = f"2026-03-07T08:{number // 60:02}:{number % 60:02}+00:00"
        made.append(RecordedCall(
            f"c{number}", at, "anthropic", "api.anthropic.com", "/v1/messages", "claude-sonnet-4-5", 200,
            (CallPiece("system", "system", system, mark=True), *said), "r1",
            usage=CallUsage(3000, 0 if turn % 7 == 0 else 2900, 100, 5),
        ))  # fmt: skip
    return made


def test_each_line_is_what_the_report_says(capsys: pytest.CaptureFixture[str]) -> None:
    """Of as many calls as are remembered, whichever conversation they are of."""
    live, made = LiveLines(packaged_table()), calls(MAX_REMEMBERED_CALLS)
    for call in made:
        live.print_call(call)
    said = capsys.readouterr().out.splitlines()
    talks, places = group_calls(made)
    found = judge_calls(made, places, packaged_table(), ESTIMATE.by_lines)
    names = {number: talk.name for talk in talks for number in talk.calls}
    assert said == [format_live_line(call, found[number], names[number]) for number, call in enumerate(made)]
    assert sum("prefix changed" in line for line in said) > 4


def test_a_long_run_is_told_without_growing(capsys: pytest.CaptureFixture[str]) -> None:
    """No more calls are remembered than it says, none is told as a first one for that, and the last takes no longer."""
    live, made = LiveLines(packaged_table()), calls(2 * MAX_REMEMBERED_CALLS + 20)
    took = []
    for call in made:
        began = time.process_time()
        live.print_call(call)
        took.append(time.process_time() - began)
        assert len(live.calls) <= MAX_REMEMBERED_CALLS
    # The last thirty take no longer than thirty with the memory full for the first time.
    assert sum(took[-30:]) < 4 * sum(took[MAX_REMEMBERED_CALLS - 30 : MAX_REMEMBERED_CALLS])
    said = capsys.readouterr().out.splitlines()
    assert len(live.calls) > MIN_REMEMBERED_CALLS
    assert [("first call" in line) for line in said] == [True, True, *([False] * (len(made) - 2))]
