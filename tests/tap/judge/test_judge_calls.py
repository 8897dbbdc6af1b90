"""What the cache gave, why it did not give more, and what that cost."""

from math import isclose

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from overture.tap.commands.report_text import format_bill, make_markdown, make_report_lines
from overture.tap.judge.miss_causes import CallVerdict
from overture.tap.judge.report_data import make_report
from overture.tap.recorded_call import RecordedCall
from tests.contract.effort import examples

from .calls import call, said, system, tool, usage

LONG = "Do what you are told, and say what you did. " * 400
"""About 4,000 tokens."""


def verdicts(*calls: RecordedCall) -> list[CallVerdict]:
    """The verdict on each call, in the order of the calls."""
    found = [told.verdict for conversation in make_report(calls).conversations for told in conversation.calls]
    return sorted(found, key=lambda each: each.call)


def anthropic(minute: float, *texts: str, date: str = "15", mark: bool = True, **more: object) -> RecordedCall:
    """A call with marks behind the system prompt and the last message."""
    head = system(f"You are A.\n<env>\ndate: 2026-11-{date}\n</env>\n{LONG}", mark=mark)
    return call(tool("a"), head, *said(*texts, mark=mark), minute=minute, **more)


def openai(minute: float, *texts: str, head: str = LONG, **more: object) -> RecordedCall:
    """A call to a model whose cache needs no marks."""
    fields = {"form": "openai-chat", "model": "gpt-5.4", **more}
    return call(tool("a"), system(head), *said(*texts), minute=minute, **fields)


@pytest.mark.parametrize(("minute", "told"), [(10, "5 minutes"), (70, "1 hour")])
def test_of_mixed_times_to_live_the_one_that_passed_is_named(minute: float, told: str) -> None:
    """After ten minutes, what was kept for five is gone; after more than an hour, all is."""
    calls = [anthropic(0, "u", LONG, "v"), anthropic(minute, "u", LONG, "v", "w", "x")]
    mixed = [
        replace(each, pieces=tuple(replace(p, ttl="1h" if p.mark and p.kind == "system" else "") for p in each.pieces))
        for each in calls
    ]
    second = verdicts(*mixed)[1]
    assert (second.reason, second.cause) == ("expired", f"it came more than {told} after the previous call")
    assert (second.predicted > 0) == (minute < 60)


def test_below_the_minimum() -> None:
    """A short prompt is never kept, and nothing is lost by that: with marks or without, which would not help."""
    for mark in (True, False):
        found = verdicts(*(call(system("Short.", mark=mark), *said(*["u"] * n), minute=n) for n in (1, 3)))
        assert [each.reason for each in found] == ["first call", "below the minimum"]
    assert found[1].losses == ()


def test_no_marks() -> None:
    """Without marks, a cache that needs them keeps nothing: that is a cost."""
    _, second = verdicts(anthropic(0, "u", mark=False), anthropic(1, "u", "v", "w", mark=False))
    assert second.reason == "no marks" and second.losses[0].tokens > 3000


def test_shortened() -> None:
    """A conversation that was summed up reads its head again, and nothing counts as lost."""
    conversation = [*["words of the talk " * 30, "answer " * 100] * 3, "go on with it"]
    summed = "This session is being continued from a previous conversation. " + "It was short. " * 20
    _, second = verdicts(anthropic(0, *conversation), anthropic(1, summed))
    assert (second.reason, second.cause, second.losses) == ("shortened", "the conversation was compacted", ())


def test_sent_meanwhile() -> None:
    """A call that was sent before the first was answered finds nothing yet."""
    _, second = verdicts(anthropic(0, "u", first_ms=90_000.0), anthropic(1, "u", "v", "w"))
    assert second.reason == "sent meanwhile"


def test_failed_calls_cost_nothing() -> None:
    """What was refused is neither paid nor kept."""
    first, second = verdicts(anthropic(0, "u", status=529, error="overloaded"), anthropic(1, "u"))
    assert (first.reason, first.cause, first.price.dollars) == ("failed", "overloaded", 0.0)
    assert second.reason == "first call"
    (lost,) = verdicts(anthropic(0, "u", status=0))
    assert (lost.reason, lost.cause, lost.price.dollars) == ("failed", "no response", 0.0)


def test_the_bill() -> None:
    """One sentence: what the session cost, and what of it has which cause. Output counts."""
    calls = [
        anthropic(0, "u", usage=usage(0, 0, 400_000, 1000)),
        anthropic(1, "u", "v", "w", date="16", usage=usage(0, 0, 400_000, 1000)),
        anthropic(2, "u", "v", "w", "x", "y", date="16", usage=usage(0, 400_000, 0, 0)),
    ]
    report = make_report(calls)
    # Twice 400,000 written at 2.50 a million, once read at 0.20, 2,000 out at 10.
    assert report.dollars and isclose(report.dollars, 2 * 1.0 + 0.08 + 0.02)
    assert format_bill(report) == "This session cost $2.10; $0.92 of it because the date in <env> changed."
    assert not report.at_least and [(cause.reason, cause.calls) for cause in report.causes] == [("prefix changed", 1)]
    unknown = make_report([anthropic(0, "u", model="nobody-1")])
    assert format_bill(unknown) == "The cost of this session is unknown: there is no price for nobody-1."
    assert format_bill(make_report([openai(0, "u")])).startswith("This session cost at least $")


def test_text_and_markdown() -> None:
    """Both name conversations, calls, sections, tools and messages; a pipe or a tag breaks no table."""
    report = make_report([anthropic(0, "u"), anthropic(1, "u", "v", "w", date="16")])
    text, markdown = "\n".join(make_report_lines(report)), make_markdown(report)
    for words in ("main: 2 calls", "prefix changed: the date in <env> changed (byte ", "<env>", "Tool", "user ×2"):
        assert words in text
    assert "| prefix changed: the date in \\<env\\> changed | 1 |" in markdown
    rows = [
        line for line in make_markdown(make_report([call(tool("a|b"), *said("u"))])).splitlines() if "a\\|b" in line
    ]
    assert len(rows) == 1
    assert report.to_dict()["conversations"][0]["calls"][1]["verdict"]["cause"] == "the date in <env> changed"
    assert format_bill(make_report([])) == "The cost of this session is unknown: there is no price for no model."


STEPS = st.lists(
    st.tuples(
        st.integers(0, 8),
        st.sampled_from(["15", "16"]),
        st.booleans(),
        st.integers(1, 4),
        st.sampled_from([None, 0, 3000]),
    ),
    max_size=6,
)


@settings(max_examples=examples(60))
@given(STEPS)
def test_costs_add_up(steps: list[tuple[int, str, bool, int, int | None]]) -> None:
    """Conversations add up to the bill, causes to what is lost, and no call loses more than it cost."""
    calls = [
        anthropic(
            minute, *["words"] * size, date=date, mark=mark, usage=None if read is None else usage(500, read, 700, 9)
        )
        for minute, date, mark, size, read in steps
    ]
    report = make_report(calls)
    talks = report.conversations
    assert sum(len(conversation.calls) for conversation in talks) == report.calls == len(calls)
    assert isclose(sum(conversation.dollars or 0 for conversation in talks), report.dollars or 0)
    assert isclose(sum(cause.dollars or 0 for cause in report.causes), report.lost or 0)
    assert isclose(sum(conversation.lost or 0 for conversation in talks), report.lost or 0)
    for conversation in talks:
        assert (
            sum(part.tokens for part in (*conversation.sections, *conversation.tools, *conversation.messages))
            == conversation.tokens
        )
        for told in conversation.calls:
            one = told.verdict
            assert sum(loss.dollars or 0 for loss in one.losses) <= (one.price.dollars or 0) + 1e-12
            assert (one.reason in ("hit", "first call", "failed")) <= (not one.losses)
