"""A project's own store is kept as small as the configuration says, after each run; what goes is said."""

from typing import Any

from ...terminal.gather_state import load_settings
from ...terminal.options import CommandOptions
from ...terminal.output import count_noun
from ..store.open_store import open_store
from .end_report import write_aside


def keep_small(place: str) -> None:
    """Remove what is older than `tap.days`, then the oldest until no more than `tap.megabytes` are used."""
    try:
        config = load_settings(CommandOptions())
        days, megabytes = (config.get(key).value for key in ("tap.days", "tap.megabytes"))
        if days is None and megabytes is None:
            return
        with open_store(place) as store:
            done = store.retain(age_days=days, bytes=None if megabytes is None else int(megabytes * 1e6))
    except Exception as problem:  # the program has ended as it has ended
        write_aside([f"  old calls can't be removed: {problem}"])
        return
    if done.calls:
        write_aside([f"  {_said(days, megabytes)}: {count_noun(done.calls, 'older call')} removed."])


def _said(days: Any, megabytes: Any) -> str:
    given = (
        f"tap.days = {days:g}" if days is not None else "",
        f"tap.megabytes = {megabytes:g}" if megabytes is not None else "",
    )
    return " and ".join(filter(None, given))
