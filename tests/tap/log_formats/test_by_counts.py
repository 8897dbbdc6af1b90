"""What became of the cache of calls of which a log does not hold all: what the counts say, and no more."""

from msgspec.structs import replace

from overture.tap.judge.report_data import make_report
from overture.tap.recorded_call import CallPiece, CallUsage, RecordedCall

SAID = tuple(CallPiece("message", "user", f"Look at bed {n}.", message=n) for n in range(4))


def _call(n: int, usage: CallUsage | None, *, minute: int = 0, pieces: tuple[CallPiece, ...] = SAID) -> RecordedCall:
    return RecordedCall(
        id=f"c{n}", at=f"2026-11-10T08:{minute or n:02}:00+00:00", form="anthropic", host="", path="", key="s",
        model="claude-sonnet-4-5", status=200, pieces=pieces[: n + 1], usage=usage, unknown=("tool", "system", "mark"),
    )  # fmt: skip


def _reasons(*calls: RecordedCall) -> list[str]:
    return [call.verdict.reason for talk in make_report(calls).conversations for call in talk.calls]


def test_a_miss_without_a_visible_change_has_no_cause_made_up() -> None:
    """It is not known: no prefix changed, no mark is missing, and the price of it is told."""
    report = make_report([_call(0, CallUsage(9000, 0, 8900, 5)), _call(1, CallUsage(9500, 0, 9400, 5))])
    (cause,) = report.causes
    assert (cause.reason, cause.cause) == (
        "unknown", "something changed that the log does not contain, or the provider kept less",
    )  # fmt: skip
    assert cause.dollars and cause.tokens == 8900


def test_a_change_that_the_log_shows_is_its_cause() -> None:
    """Words of a message that are others are a prefix that changed."""
    other = (replace(SAID[0], text="Look at bed 0 on 2026-11-11."), *SAID[1:])
    first, second = _call(1, CallUsage(9000, 0, 8900, 5)), _call(2, CallUsage(9500, 0, 9400, 5), pieces=other)
    changed = replace(second, continues="r", key="s")
    assert _reasons(replace(first, reply_id="r"), changed)[1] == "prefix changed"
