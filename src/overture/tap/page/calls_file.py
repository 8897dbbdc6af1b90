"""The calls of one run as a page in a single file."""

import json
from collections.abc import Sequence
from math import inf
from typing import Any

import msgspec
from msgspec.structs import asdict

from ...known_models.model_facts import TableForm
from ...web.page.saved_page import single_page
from ..store.cut_bodies import CutOnce
from ..store.stored_call import StoredCall
from ..wire.cut_body import BodyPart, joined
from . import call_sides as sides
from .call_list import CallFilter
from .call_rows import CallRow
from .call_sides import MessageRow, WrittenRequest
from .calls_page import CallsPage

WAYS = 8
"""A part of a body is told as one number: this times the number of its text, and the way in which it is written."""


class SharedTexts:
    """Texts by their numbers, as long as there is room."""

    def __init__(self, limit: int) -> None:
        self.texts: list[str] = []
        self.room = limit
        self._numbers: dict[str, int] = {}
        self._cut = CutOnce()

    def request(self, request: WrittenRequest) -> dict[str, Any] | None:
        """A request whose body is told by numbers; None: there is no room for it."""
        parts = self._parts(request.body)
        if not self._fits([part.text for part in parts]):
            return None
        body = [WAYS * self._number(part.text) + part.way for part in parts]
        return {**asdict(request), "body": "", "parts": body}

    def _parts(self, body: str) -> list[BodyPart]:
        parts = self._cut(body) if body else []
        return parts if joined(parts) == body else [BodyPart(body)]

    def messages(self, messages: tuple[MessageRow, ...]) -> list[dict[str, Any]] | None:
        """Messages whose texts are told by numbers."""
        if not self._fits([row.text for row in messages]):
            return None
        return [{**asdict(row), "text": "", "at": self._number(row.text)} for row in messages]

    def take(self, size: int) -> bool:
        """Whether there is room for so many characters that nothing shares; then they are taken."""
        fits = size <= self.room
        self.room -= size if fits else 0
        return fits

    def _fits(self, texts: list[str]) -> bool:
        return sum(len(text) for text in {*texts} if text not in self._numbers) <= self.room

    def _number(self, text: str) -> int:
        if text not in self._numbers:
            self._numbers[text] = len(self.texts)
            self.texts.append(text)
            self.room -= len(text)
        return self._numbers[text]


MAX_LISTED_CALLS = 500
"""Calls in the file, the newest."""
MAX_WHOLE_CALLS = 60
"""Calls with their prompts: those that cost most for nothing, and then the newest."""
MAX_PAGE_TEXT = 8_000_000
"""Characters for messages, requests and events of these calls, each text once; the page tells what it does not hold."""


def calls_file(store_path: str, table: TableForm, run: str | None = None) -> str:
    """The page about a run; without an id, about the newest that has calls."""
    page = CallsPage(store_path, table)
    try:
        return single_page({path: _raw(answer) for path, answer in _answers(page, run).items()}, "Calls")
    finally:
        page.end()


def _answers(page: CallsPage, run: str | None) -> dict[str, Any]:
    listing = page.answer(run, CallFilter(most=MAX_LISTED_CALLS), inf)
    answers: dict[str, Any] = {"/page/calls": listing}
    full_ids = {row.id for row in sorted(listing.calls, key=_dear)[:MAX_WHOLE_CALLS]}
    for row in listing.calls:
        found = answers[f"/page/call/{row.id}"] = page.details(row.id)
        if row.id in full_ids:
            answers[f"/page/call/{row.id}/prompt"] = page.prompt(row.id)
            if found.before:
                answers[f"/page/call/{row.id}/changes"] = page.changes(row.id)
    return answers | _sides([page.call(row.id) for row in listing.calls if row.id in full_ids])


def _sides(calls: Sequence[StoredCall]) -> dict[str, Any]:
    """What calls say and how it was written: texts that they share stand in `/page/texts`."""
    shared, written, tools = SharedTexts(MAX_PAGE_TEXT), dict[str, Any](), dict[bytes, str]()
    for call in calls:
        written[f"/page/call/{call.id}/messages"] = shared.messages(sides.messages(call))
        written[f"/page/call/{call.id}/request"] = shared.request(sides.request(call))
        path, offered = f"/page/call/{call.id}/tools", _raw(sides.tools(call))
        there = tools.setdefault(bytes(offered), path)
        written[path] = offered if there == path else {"same_as": there}
    for call in calls:
        events = _raw(sides.events(call))
        written[f"/page/call/{call.id}/events"] = events if shared.take(len(bytes(events))) else None
    return {"/page/texts": shared.texts} | {path: each for path, each in written.items() if each is not None}


def _dear(row: CallRow) -> float:
    return -(row.cost or 0.0)


def _raw(value: object) -> msgspec.Raw:
    """JSON; halves of characters, which programs may send, are written as escapes."""
    try:
        return msgspec.Raw(msgspec.json.encode(value))
    except UnicodeEncodeError:
        return msgspec.Raw(json.dumps(msgspec.to_builtins(value)).encode())
