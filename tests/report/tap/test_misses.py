"""What the cache gave, why it did not give more, and what that cost."""

from math import isclose

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from overture.report.tap.call import Call
from overture.report.tap.told import tell
from overture.report.tap.verdict import CallVerdict
from overture.report.tap.words.report_lines import bill_line, lines_of, markdown_of
from tests.effort import examples

from .calls import call, said, system, tool, usage

LONG = "Do what you are told, and say what you did. " * 400
"""About 4,000 tokens."""


def verdicts(*calls: Call) -> list[CallVerdict]:
    """The verdict on each call, in the order of the calls."""
    found = [told.verdict for talk in tell(calls).conversations for told in talk.calls]
    return sorted(found, key=lambda each: each.call)


def anthropic(minute: float, *texts: str, date: str = "15", mark: bool = True, **more: object) -> Call:
    """A call with marks behind the system prompt and the last message."""
    head = system(f"You are A.\n<env>\ndate: 2026-11-{date}\n</env>\n{LONG}", mark=mark)
    return call(tool("a"), head, *said(*texts, mark=mark), minute=minute, **more)


def openai(minute: float, *texts: str, head: str = LONG, **more: object) -> Call:
    """A call to a model whose cache needs no marks."""
    fields = {"form": "openai-chat", "model": "gpt-5.4", **more}
    return call(tool("a"), system(head), *said(*texts), minute=minute, **fields)


def test_a_session_that_is_kept() -> None:
    """The first call writes, the later ones read."""
    for make in (anthropic, openai):
        first, second = verdicts(make(0, "u"), make(1, "u", "v", "w"))
        assert (first.reason, second.reason, second.losses) == ("first call", "hit", ())
        assert first.predicted == 0 and second.predicted > 0.9 * first.tokens
        assert second.price.dollars and first.price.dollars and second.price.dollars < first.price.dollars / 4


def test_prefix_changed() -> None:
    """A date that moves costs what stands behind it, by the name of its section."""
    _, second = verdicts(
        anthropic(0, "u", usage=usage(10, 0, 4000, 5)),
        anthropic(1, "u", "v", "w", date="16", usage=usage(10, 0, 4020, 5)),
    )
    assert (second.reason, second.cause, second.predicted, second.read) == (
        "prefix changed",
        "the date in <env> changed",
        0,
        0,
    )
    (loss,) = second.losses
    # Written at 1.25 of two dollars a million instead of read at 0.1.
    assert loss.tokens == 4000 and loss.dollars and isclose(loss.dollars, 4000 * (1.25 - 0.1) * 2 / 1e6)


def test_an_automatic_cache_reads_up_to_the_change() -> None:
    """Without marks all up to the first byte that differs is read, in steps."""
    first, second = verdicts(openai(0, "u", head=LONG + "at 10:00"), openai(1, "u", "v", "w", head=LONG + "at 10:01"))
    assert second.reason == "hit" and second.predicted % 128 == 0 and second.predicted > first.tokens - 300
    _, second = verdicts(openai(0, "u", head="at 10:00 " + LONG), openai(1, "u", "v", "w", head="at 10:01 " + LONG))
    assert (second.reason, second.cause, second.predicted) == ("prefix changed", "the time in opening changed", 0)


def test_expired() -> None:
    """Too late, nothing is left; where an hour was asked for, it is."""
    _, second = verdicts(anthropic(0, "u"), anthropic(6, "u", "v", "w"))
    assert (second.reason, second.predicted) == ("expired", 0)
    assert second.cause == "it came more than 5 minutes after the call before it"
    calls = [anthropic(0, "u"), anthropic(6, "u", "v", "w")]
    hours = [replace(each, pieces=tuple(replace(p, ttl="1h" if p.mark else "") for p in each.pieces)) for each in calls]
    assert verdicts(*hours)[1].reason == "hit"


def test_below_the_minimum() -> None:
    """A short prompt is never kept, and nothing is lost by that."""
    found = verdicts(*(call(system("Short.", mark=True), *said(*["u"] * n), minute=n) for n in (1, 3)))
    assert [each.reason for each in found] == ["first call", "below the minimum"]
    assert found[1].losses == ()


def test_no_marks() -> None:
    """Without marks, a cache that needs them keeps nothing: that is a cost."""
    _, second = verdicts(anthropic(0, "u", mark=False), anthropic(1, "u", "v", "w", mark=False))
    assert second.reason == "no marks" and second.losses[0].tokens > 3000


def test_shortened() -> None:
    """A conversation that was summed up reads its head again, and nothing counts as lost."""
    talk = [*["words of the talk " * 30, "answer " * 100] * 3, "go on with it"]
    summed = "This session is being continued from a previous conversation. " + "It was short. " * 20
    _, second = verdicts(anthropic(0, *talk), anthropic(1, summed))
    assert (second.reason, second.cause, second.losses) == ("shortened", "the conversation was compacted", ())


def test_evicted() -> None:
    """Where nothing that was sent explains a miss, the provider dropped it; its own words are kept beside it."""
    _, second = verdicts(
        anthropic(0, "u", usage=usage(0, 0, 4000)),
        anthropic(1, "u", "v", "w", usage=usage(30, 0, 4000), diagnosis="unavailable"),
    )
    assert (second.reason, second.diagnosis) == ("evicted", "unavailable")
    assert second.predicted > 3900 and second.read == 0
    lines = "\n".join(lines_of(tell([anthropic(0, "u"), anthropic(1, "u", "v", "w", diagnosis="unavailable")])))
    assert "the provider says: unavailable" in lines


def test_marks_that_moved() -> None:
    """A mark that stands where none stood, and far from any, finds nothing."""
    parts = [f"part {n} {LONG[:400]}" for n in range(60)]
    before = call(*[system(text, mark=at == 20) for at, text in enumerate(parts)], *said("u"), minute=0)
    after = call(*[system(text, mark=at == 59) for at, text in enumerate(parts)], *said("u"), minute=1)
    _, second = verdicts(before, after)
    assert (second.reason, second.cause[:18]) == ("marks moved", "a cache mark moved")


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
    assert (lost.reason, lost.cause, lost.price.dollars) == ("failed", "no answer came", 0.0)


def test_the_cache_is_shared_among_conversations() -> None:
    """A call that opens a conversation may read what another one left."""
    calls = [anthropic(0, "u"), anthropic(1, "another thing")]
    assert [each.reason for each in verdicts(*calls)] == ["first call", "hit"]


def test_times_that_nobody_can_read() -> None:
    """A time of any kind is taken, and offsets are minded."""
    for at in ("", "yesterday", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"):
        assert len(verdicts(anthropic(0, "u", at=at), anthropic(1, "u", at=at))) == 2
    later, first = anthropic(0, "u", "v", "w"), anthropic(0, "u", at="2026-11-15T11:59:00+02:00")
    assert [each.reason for each in verdicts(later, first)] == ["hit", "first call"]


def test_another_model() -> None:
    """Every model has a cache of its own."""
    _, second = verdicts(anthropic(0, "u"), anthropic(1, "u", "v", "w", model="claude-opus-5"))
    assert second.cause == "the model changed from claude-sonnet-5 to claude-opus-5"


def test_the_bill() -> None:
    """One sentence: what the session cost, and what of it has which cause. Output counts."""
    calls = [
        anthropic(0, "u", usage=usage(0, 0, 400_000, 1000)),
        anthropic(1, "u", "v", "w", date="16", usage=usage(0, 0, 400_000, 1000)),
        anthropic(2, "u", "v", "w", "x", "y", date="16", usage=usage(0, 400_000, 0, 0)),
    ]
    report = tell(calls)
    # Twice 400,000 written at 2.50 a million, once read at 0.20, 2,000 out at 10.
    assert report.dollars and isclose(report.dollars, 2 * 1.0 + 0.08 + 0.02)
    assert bill_line(report) == "Your bill of this session: $2.10; $0.92 of it because the date in <env> changed."
    assert not report.at_least and [(cause.reason, cause.calls) for cause in report.causes] == [("prefix changed", 1)]
    unknown = tell([anthropic(0, "u", model="nobody-1")])
    assert bill_line(unknown) == "Your bill of this session is not known: there is no price for nobody-1."
    assert bill_line(tell([openai(0, "u")])).startswith("Your bill of this session: at least $")


def test_text_and_markdown() -> None:
    """Both name conversations, calls, sections, tools and messages; a pipe or a tag breaks no table."""
    report = tell([anthropic(0, "u"), anthropic(1, "u", "v", "w", date="16")])
    text, markdown = "\n".join(lines_of(report)), markdown_of(report)
    for words in ("main: 2 calls", "prefix changed: the date in <env> changed (byte ", "<env>", "Tool", "user ×2"):
        assert words in text
    assert "| prefix changed: the date in &lt;env> changed | 1 |" in markdown
    rows = [line for line in markdown_of(tell([call(tool("a|b"), *said("u"))])).splitlines() if "a\\|b" in line]
    assert len(rows) == 1
    assert report.to_dict()["conversations"][0]["calls"][1]["verdict"]["cause"] == "the date in <env> changed"
    assert bill_line(tell([])) == "Your bill of this session is not known: there is no price for no model."


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
    report = tell(calls)
    talks = report.conversations
    assert sum(len(talk.calls) for talk in talks) == report.calls == len(calls)
    assert isclose(sum(talk.dollars or 0 for talk in talks), report.dollars or 0)
    assert isclose(sum(cause.dollars or 0 for cause in report.causes), report.lost or 0)
    assert isclose(sum(talk.lost or 0 for talk in talks), report.lost or 0)
    for talk in talks:
        assert sum(part.tokens for part in (*talk.sections, *talk.tools, *talk.messages)) == talk.tokens
        for told in talk.calls:
            one = told.verdict
            assert sum(loss.dollars or 0 for loss in one.losses) <= (one.price.dollars or 0) + 1e-12
            assert (one.reason in ("hit", "first call", "failed")) <= (not one.losses)
