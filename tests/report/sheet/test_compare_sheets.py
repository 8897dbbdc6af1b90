"""The clock is named as a cause only of words that it changed."""

from datetime import UTC, datetime, timedelta

import overture
from overture.known_models.model_table import find_facts, packaged_table
from overture.report.sheet.compare_sheets import compare_sheets, predict_cache_between
from overture.report.sheet.sheet import SheetWithTools
from overture.tokens.counter import estimate

from .sheets import sheet_of

NOON = datetime(2026, 3, 7, 12, 0, 5, tzinfo=UTC)


def causes(later: datetime, cwd: str) -> tuple[str, ...]:
    """Why pi's clock and folder changed, between noon in /p and a later moment in another folder."""
    states = [{"now": when.isoformat(), "runtime": {"cwd": where}} for when, where in ((NOON, "/p"), (later, cwd))]
    a, b = (sheet_of(overture.build("pi", state=overture.State.from_dict(state))) for state in states)
    facts = find_facts(packaged_table(), "anthropic")
    note = predict_cache_between(SheetWithTools(a), SheetWithTools(b), facts, estimate)
    changed = [block for block in compare_sheets(a, b, note).blocks if block.change == "changed"]
    assert len(changed) == 1
    return changed[0].because


def test_a_moment_that_is_written_the_same_is_no_cause() -> None:
    """A part of a second later in another folder: the folder alone is why."""
    assert causes(NOON + timedelta(milliseconds=400), "/q") == ("runtime",)


def test_a_moment_that_is_written_otherwise_is_one() -> None:
    """An hour later the clock is a cause, alone or beside the folder."""
    assert causes(NOON + timedelta(hours=1), "/p") == ("now",)
    assert set(causes(NOON + timedelta(hours=1), "/q")) == {"now", "runtime"}
