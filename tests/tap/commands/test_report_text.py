"""A report of many conversations or calls stays short: the dearest are shown, and the others are one line."""

import re

import pytest
from msgspec.structs import replace

from overture.tap.commands.report_text import make_markdown, make_report_lines
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


def test_markdown_holds_no_markup_of_a_model(capsys: pytest.CaptureFixture[str]) -> None:
    """Names that a provider or a program writes show no picture, address or mention, and turn no text around."""
    name = "m\u202e![x](https://evil.example/p.png) @ada <img src=x>"
    text = make_markdown(make_report([call(*said("u"), usage=USAGE, model=name)]))
    shown = r"m\\u{202E}!\[x\](https\://evil.example/p.png) @<!-- -->ada \<img src=x\>"
    assert f"| {shown} |" in text
    assert not [mark for mark in ("\u202e", "![x]", "https://", " @ada", "\\@ada", " <img") if mark in text]
