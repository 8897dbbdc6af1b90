"""The calls of one run as a page that needs no server: the list, each call, and of some the prompt and what changed."""

import json
from collections.abc import Sequence
from math import inf
from typing import Any

import msgspec

from ...known_models.model_facts import TableForm
from ...web.page.single_file import single_page
from ..store.kept_call import KeptCall
from . import sides_of_call as sides
from .call_list import Wanted
from .call_rows import CallRow
from .calls_page import CallsPage
from .shared_texts import SharedTexts

LISTED = 500
"""Calls in the file, the newest."""
WHOLE = 60
"""Calls with their prompts: those that cost most for nothing, and then the newest."""
ROOM = 8_000_000
"""Characters for messages, requests and events of these calls, each text once; the page tells what it does not hold."""


def calls_file(place: str, table: TableForm, run: str | None = None) -> str:
    """The page about a run; without an id, about the newest that has calls."""
    page = CallsPage(place, table)
    try:
        return single_page({path: _raw(told) for path, told in _answers(page, run).items()}, "Calls")
    finally:
        page.end()


def _answers(page: CallsPage, run: str | None) -> dict[str, Any]:
    told = page.answer(run, Wanted(most=LISTED), inf)
    answers: dict[str, Any] = {"/page/calls": told}
    whole = {row.id for row in sorted(told.calls, key=_dear)[:WHOLE]}
    for row in told.calls:
        found = answers[f"/page/call/{row.id}"] = page.details(row.id)
        if row.id in whole:
            answers[f"/page/call/{row.id}/prompt"] = page.prompt(row.id)
            if found.before:
                answers[f"/page/call/{row.id}/changes"] = page.changes(row.id)
    return answers | _sides([page.call(row.id) for row in told.calls if row.id in whole])


def _sides(calls: Sequence[KeptCall]) -> dict[str, Any]:
    """What calls say and how it was written: texts that they share stand in `/page/texts`."""
    shared, told, tools = SharedTexts(ROOM), dict[str, Any](), dict[bytes, str]()
    for call in calls:
        told[f"/page/call/{call.id}/messages"] = shared.messages(sides.messages(call))
        told[f"/page/call/{call.id}/request"] = shared.request(sides.request(call))
        path, offered = f"/page/call/{call.id}/tools", _raw(sides.tools(call))
        there = tools.setdefault(bytes(offered), path)
        told[path] = offered if there == path else {"same_as": there}
    for call in calls:
        events = _raw(sides.events(call))
        told[f"/page/call/{call.id}/events"] = events if shared.take(len(bytes(events))) else None
    return {"/page/texts": shared.texts} | {path: each for path, each in told.items() if each is not None}


def _dear(row: CallRow) -> float:
    return -(row.cost or 0.0)


def _raw(told: object) -> msgspec.Raw:
    """JSON; halves of characters, which programs may send, are written as escapes."""
    try:
        return msgspec.Raw(msgspec.json.encode(told))
    except UnicodeEncodeError:
        return msgspec.Raw(json.dumps(msgspec.to_builtins(told)).encode())
