"""Reads a recorded session for `overture cache --session`: states to build, or prompts as sent."""

from typing import Any

import msgspec

from ..errors import ConfigError, StateError
from ..known_models.model_facts import ModelFacts
from ..model.prompt.prompt import Prompt
from ..model.prompt.saved_prompt import SavedPrompt
from ..model.state.state import State, derive
from ..report.cache.cache_report import CachedCounter, CacheReport, SessionSender, play_session, report_sessions
from ..report.cache.cause_of_miss import CacheTurn
from ..report.cache.predict_cache import TimedTurn
from ..session.saved_session import SavedSession, is_save
from ..terminal.saved_files import parse_saved, read_value

SessionItem = State | SavedPrompt | Prompt
"""A Prompt is that of a saved session, whose tools are known."""
ROWS = "states, saved prompts or saved sessions"


def read_session(path: str, *, subagent: bool = False) -> list[SessionItem]:
    """The turns in a file; those that are states, as a sub-agent's where that is asked for."""
    data = read_value(path)
    if is_save(data):
        return [_parse_session_item(data, path)]
    if not isinstance(data, list) or not data:
        raise StateError(f"{path}: a recorded session is a JSON list of {ROWS}, one for each turn; or a saved session.")
    items = [_parse_session_item(item, f"{path}: [{index}]") for index, item in enumerate(data)]
    return [derive(item) if subagent and isinstance(item, State) else item for item in items]


def _parse_session_item(item: Any, where: str) -> SessionItem:
    known = parse_saved(item, where)
    if isinstance(known, SavedPrompt):
        return known
    if isinstance(known, SavedSession):
        from ..terminal.saved_files import read_sent

        return read_sent(known, where).prompt
    try:
        return State.from_dict(known)
    except StateError as problem:
        raise problem.in_file(where) from None


def check_session(path: str, items: list[SessionItem], recipes: int, budget: bool, subagent: bool) -> None:
    """Saved prompts are what they are: no recipe says them anew, no budget cuts them, and no sub-agent's are made."""
    if all(isinstance(item, State) for item in items):
        return
    saved = f"{path} contains saved prompts, which are replayed as sent"
    if recipes > 1:
        raise ConfigError(
            f"{saved}: all {recipes} recipes would give the same result.", hint="Pass one recipe, or record states."
        )
    if budget:
        raise ConfigError(f"{saved}: --budget would cut nothing.", hint="Omit it, or record states.")
    if subagent:
        raise ConfigError(f"{saved}: --subagent would change nothing.", hint="Omit it, or record states.")


def report_recorded(
    path: str, items: list[SessionItem], sender: SessionSender, facts: ModelFacts, ttl: str | None
) -> CacheReport:
    """The report on a session from a file."""
    timed = _time_session_items(items, sender)
    tools = not any(isinstance(item, SavedPrompt) for item in items)
    if not tools:
        # A saved prompt holds no tools. Where some turns had theirs and others not, nothing could be compared.
        timed = [TimedTurn(CacheTurn(each.turn.prompt), each.at) for each in timed]
    count = CachedCounter(sender.counter)
    about = f"{len(timed)} turn{'s' if len(timed) > 1 else ''} from {path}"
    played = play_session("recorded", about, timed, facts, count, ttl)
    name = timed[0].turn.prompt.recipe
    report = report_sessions(name, timed[0].turn, facts, count, [played], sender.budget)
    return msgspec.structs.replace(report, tools=tools)


def _time_session_items(items: list[SessionItem], sender: SessionSender) -> list[TimedTurn]:
    turns = iter(sender.session(item for item in items if isinstance(item, State)))
    return [next(turns) if isinstance(item, State) else _make_timed_turn(item, sender) for item in items]


def _make_timed_turn(item: SavedPrompt | Prompt, sender: SessionSender) -> TimedTurn:
    if isinstance(item, SavedPrompt):
        return TimedTurn(CacheTurn(item))
    return TimedTurn(sender.turn(item), item.state.now)
