"""What the page asks about turns: the list of them, and how two of them differ."""

from datetime import datetime
from typing import Any

from ...discover.load_tokenizer import COUNTER_NAMES, find_counter
from ...known_models.model_facts import TableForm
from ...providers.render import facts_for
from ...report.cache.cache_report import CachedCounter
from ...report.sheet.compare_sheets import SheetDifference, SheetWithTools, compare_sheets, predict_cache_between
from ...report.sheet.sheet import Sheet
from ..service.problems import RefusedError, problem_of
from .history import History


def listed(history: History, *, follows: bool) -> dict[str, Any]:
    """All turns that are kept, oldest first; `follows`: whether edits are seen."""
    return {"turns": history.rows, "live": history.live, "title": history.title, "follows": follows}


def kept(history: History, number: int | None, name: str) -> SheetWithTools:
    """A turn by its number, or the newest; one that is not there is a refusal."""
    shown = history.turn(number)
    if shown is None:
        said = f"Turn {number} is not kept: it is too old, or yet to come. GET /page/turns lists those that are."
        raise RefusedError(problem_of("not-found", said, name))
    return shown


def difference(history: History, models: TableForm, a: int | None, b: int | None) -> SheetDifference:
    """How turn `b` differs from turn `a`; without numbers, the newest from the one before it."""
    later = kept(history, b, "b")
    number = later.sheet.turn
    rows = history.rows
    earlier = kept(history, max(number - 1, rows[0].turn) if a is None else a, "a")
    price = later.sheet.price
    day = datetime.fromisoformat(later.sheet.at).date() if later.sheet.at else None
    facts = facts_for(price.provider, price.model, models, day)
    note = predict_cache_between(earlier, later, facts, counting(later.sheet), timed=history.live == "session")
    told = [each for row in rows if earlier.sheet.turn < row.turn <= number for each in row.changed]
    return compare_sheets(earlier.sheet, later.sheet, note, told)


def counting(sheet: Sheet) -> CachedCounter:
    """What counted a sheet; a counter of somebody's own is not here, and the best that there is takes its place."""
    return CachedCounter(find_counter(sheet.tokenizer if sheet.tokenizer in COUNTER_NAMES else None))
