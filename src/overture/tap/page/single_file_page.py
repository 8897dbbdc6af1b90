"""The page about a run in a single file, with the answers that the page would ask for."""

import json
from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import asdict

from ...known_models.model_facts import TableForm
from ..store.stored_calls import StoredCall
from ..wire.cut_body import BodyPart, cut_body, join_body

if TYPE_CHECKING:
    from .call_contents import MessageRow, WrittenRequest
    from .page_answers import CallsPage

WRITER_COUNT = 8
"""A part of a body is encoded as one number: this times its text's number, plus its writer."""


class SharedTexts:
    """Texts by their numbers, as long as there is room."""

    def __init__(self, limit: int) -> None:
        self.texts: list[str] = []
        self.chars_left = limit
        self._numbers: dict[str, int] = {}

    def add_request(self, request: "WrittenRequest") -> dict[str, Any] | None:
        """A request whose body is encoded as numbers; None: there is no room for it."""
        parts = self._cut_parts(request.body)
        if not self._has_room([part.text for part in parts]):
            return None
        body = [WRITER_COUNT * self._add_text(part.text) + part.writer for part in parts]
        return {**asdict(request), "body": "", "parts": body}

    def _cut_parts(self, body: str) -> list[BodyPart]:
        """A body as parts that the single file holds once."""
        parts = cut_body(body) if body else []
        return parts if join_body(parts) == body else [BodyPart(body)]

    def add_messages(self, messages: "tuple[MessageRow, ...]") -> list[dict[str, Any]] | None:
        """Messages whose texts are encoded as numbers."""
        if not self._has_room([row.text for row in messages]):
            return None
        return [{**asdict(row), "text": "", "at": self._add_text(row.text)} for row in messages]

    def _has_room(self, texts: list[str]) -> bool:
        return sum(len(text) for text in {*texts} if text not in self._numbers) <= self.chars_left

    def _add_text(self, text: str) -> int:
        """The number of a text in the single file, to which it is added once."""
        if text not in self._numbers:
            self._numbers[text] = len(self.texts)
            self.texts.append(text)
            self.chars_left -= len(text)
        return self._numbers[text]


MAX_LISTED_CALLS = 500
"""Calls in the file, the newest."""
MAX_WHOLE_CALLS = 60
"""Calls with their prompts: those that cost most for nothing, and then the newest."""
MAX_PAGE_TEXT = 8_000_000
"""Characters for messages and requests of these calls, each text once; the page lists what it omits."""


def make_calls_file(store_path: str, table: TableForm, run: str | None = None) -> str:
    """The page about a run; without an id, about the newest that has calls."""
    from ...web.page.serve_and_save_page import single_page
    from .page_answers import CallsPage

    page = CallsPage(store_path, table)
    try:
        return single_page({path: _encode_raw(answer) for path, answer in _collect_answers(page, run).items()}, "Calls")
    finally:
        page.end()


def _collect_answers(page: "CallsPage", run: str | None) -> dict[str, Any]:
    """The answers that the page in the file may ask for, by their routes."""
    from .judge_run import CallFilter

    listing = page.list_calls(run, CallFilter(limit=MAX_LISTED_CALLS), inf)
    answers: dict[str, Any] = {"/page/calls": listing}
    dearest = sorted(listing.calls, key=lambda row: -(row.cost or 0.0))
    full_ids = {row.id for row in dearest[:MAX_WHOLE_CALLS]}
    for row in listing.calls:
        found = answers[f"/page/call/{row.id}"] = page.make_details(row.id)
        if row.id in full_ids:
            answers[f"/page/call/{row.id}/prompt"] = page.make_prompt(row.id)
            if found.before:
                answers[f"/page/call/{row.id}/changes"] = page.find_changes(row.id)
    return answers | _collect_sides([page.find_call(row.id) for row in listing.calls if row.id in full_ids])


def _collect_sides(calls: Sequence[StoredCall]) -> dict[str, Any]:
    """The contents of calls, as text and as sent: texts that they share are in `/page/texts`."""
    from .call_contents import load_messages, load_request, load_tools

    shared, written, tools = SharedTexts(MAX_PAGE_TEXT), dict[str, Any](), dict[bytes, str]()
    for call in calls:
        written[f"/page/call/{call.id}/messages"] = shared.add_messages(load_messages(call))
        written[f"/page/call/{call.id}/request"] = shared.add_request(load_request(call))
        path, offered = f"/page/call/{call.id}/tools", _encode_raw(load_tools(call))
        there = tools.setdefault(bytes(offered), path)
        written[path] = offered if there == path else {"same_as": there}
    return {"/page/texts": shared.texts} | {path: each for path, each in written.items() if each is not None}


def _encode_raw(value: object) -> msgspec.Raw:
    """JSON; halves of characters, which programs may send, are written as escapes."""
    try:
        return msgspec.Raw(msgspec.json.encode(value))
    except UnicodeEncodeError:
        return msgspec.Raw(json.dumps(msgspec.to_builtins(value)).encode())
