"""A report of many conversations stays short: the dearest are shown, and the others are one line."""

import re

import pytest
from msgspec.structs import replace

from overture.tap.commands.report_text import MAX_REPORT_ROWS, make_markdown, make_report_lines
from overture.tap.judge.report_data import TapReport, make_report
from overture.tap.recorded_call import CallUsage

from ..judge.calls import call, said, usage

USAGE = usage(100, output=10)


def report_many(dollars: list[float | None], counted: CallUsage | None = USAGE) -> TapReport:
    """A report with a conversation of one call, and of 100 tokens, for each price."""
    one = make_report([call(*said("u"), usage=counted)])
    (conversation,) = one.conversations
    conversations = [
        replace(conversation, name=f"main {number}", dollars=each, at_least=False, input=100)
        for number, each in enumerate(dollars, 1)
    ]
    return replace(one, calls=len(dollars), conversations=tuple(conversations))


def shown_names(text: str) -> list[int]:
    """The numbers of the conversations that have a heading, in the order in which they come."""
    return [int(number) for number in re.findall(r"(?m)^(?:## )?main (\d+)(?::|$)", text)]


def both_views(report: TapReport) -> tuple[str, str]:
    """The report for a terminal, and as Markdown."""
    return "\n".join(make_report_lines(report)), make_markdown(report)


def test_the_dearest_are_shown_and_the_others_added_up() -> None:
    """Of a thousand conversations, the twelve that cost most are there in their usual order, and one line has the rest.

    JSON has all of them.
    """
    report = report_many([5.0 if number % 80 == 0 else 0.01 for number in range(1, 1_001)])
    for text in both_views(report):
        assert shown_names(text) == list(range(80, 1_000, 80))
        assert "988 other conversations: 988 calls, 98,800 tokens in, $9.88; --json has them all" in text
        assert len(text.splitlines()) < 200
    assert len(report.to_dict()["conversations"]) == 1_000


def test_a_sum_that_nobody_knows_is_left_away() -> None:
    """Without any price the line has none, and with some it says at least; tokens that we counted are marked."""
    for text in both_views(report_many([None] * 14)):
        assert shown_names(text) == list(range(1, MAX_REPORT_ROWS + 1))
        assert "2 other conversations: 2 calls, 200 tokens in; --json has them all" in text
    for text in both_views(report_many([1.0] * 13 + [None], counted=None)):
        assert "2 other conversations: 2 calls, ~200 tokens in, at least $1.00; --json has them all" in text


@pytest.mark.parametrize("count", [1, MAX_REPORT_ROWS])
def test_a_few_conversations_are_all_shown(count: int) -> None:
    """Then there is no such line."""
    for text in both_views(report_many([1.0] * count)):
        assert shown_names(text) == list(range(1, count + 1))
        assert "other conversation" not in text
