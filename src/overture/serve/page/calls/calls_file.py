"""The calls of one run as a page that needs no server: the list, each call, and of some the prompt and what changed."""

import json
from math import inf
from typing import Any

import msgspec

from ....known_models.model_facts import TableForm
from ....report.tap.on_page.call_rows import CallRow
from ..single_file import single_page
from .call_list import Wanted
from .calls_page import CallsPage

LISTED = 500
"""Calls in the file, the newest."""
WHOLE = 60
"""Calls with their prompts: those that cost most for nothing, and then the newest."""


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
    return answers


def _dear(row: CallRow) -> float:
    return -(row.cost or 0.0)


def _raw(told: object) -> msgspec.Raw:
    """JSON; halves of characters, which programs may send, are written as escapes."""
    try:
        return msgspec.Raw(msgspec.json.encode(told))
    except UnicodeEncodeError:
        return msgspec.Raw(json.dumps(msgspec.to_builtins(told)).encode())
