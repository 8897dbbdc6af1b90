"""`overture tap report`: what was sent and what it cost, also as a page in a single file; and `overture tap --demo`."""

import json
import os
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec
from msgspec.structs import asdict

from ...errors import ConfigError
from ...known_models.model_facts import TableForm
from ...terminal.options import AS_JSON, CommandOptions, refuse_combinations
from ...terminal.output import print_error, print_hint, print_line, print_lines, write, write_json, write_text
from ...terminal.progress import report_step
from ..store.stored_calls import StoredCall
from ..wire.cut_body import BodyPart, CutOnce, join_parts
from .which_store import CWD, SINCE, STORE, TOKENIZER, format_store_option, open_recorded_store, select_calls

if TYPE_CHECKING:
    from ..page.call_contents import MessageRow, WrittenRequest
    from ..page.call_rows import CallRow
    from ..page.calls_page import CallsPage

WRITER_COUNT = 8
"""A part of a body is encoded as one number: this times its text's number, plus its writer."""


class SharedTexts:
    """Texts by their numbers, as long as there is room."""

    def __init__(self, limit: int) -> None:
        self.texts: list[str] = []
        self.chars_left = limit
        self._numbers: dict[str, int] = {}
        self._cut = CutOnce()

    def add_request(self, request: "WrittenRequest") -> dict[str, Any] | None:
        """A request whose body is encoded as numbers; None: there is no room for it."""
        parts = self._cut_parts(request.body)
        if not self._has_room([part.text for part in parts]):
            return None
        body = [WRITER_COUNT * self._add_text(part.text) + part.writer for part in parts]
        return {**asdict(request), "body": "", "parts": body}

    def _cut_parts(self, body: str) -> list[BodyPart]:
        parts = self._cut(body) if body else []
        return parts if join_parts(parts) == body else [BodyPart(body)]

    def add_messages(self, messages: "tuple[MessageRow, ...]") -> list[dict[str, Any]] | None:
        """Messages whose texts are encoded as numbers."""
        if not self._has_room([row.text for row in messages]):
            return None
        return [{**asdict(row), "text": "", "at": self._add_text(row.text)} for row in messages]

    def reserve(self, size: int) -> bool:
        """Whether there is room for so many characters that nothing shares; then they are taken."""
        fits = size <= self.chars_left
        self.chars_left -= size if fits else 0
        return fits

    def _has_room(self, texts: list[str]) -> bool:
        return sum(len(text) for text in {*texts} if text not in self._numbers) <= self.chars_left

    def _add_text(self, text: str) -> int:
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
"""Characters for messages, requests and events of these calls, each text once; the page lists what it omits."""


def make_calls_file(store_path: str, table: TableForm, run: str | None = None) -> str:
    """The page about a run; without an id, about the newest that has calls."""
    from ...web.page.page_files import single_page
    from ..page.calls_page import CallsPage

    page = CallsPage(store_path, table)
    try:
        return single_page({path: _encode_raw(answer) for path, answer in _collect_answers(page, run).items()}, "Calls")
    finally:
        page.end()


def _collect_answers(page: "CallsPage", run: str | None) -> dict[str, Any]:
    from ..page.judge_run import CallFilter

    listing = page.list_calls(run, CallFilter(limit=MAX_LISTED_CALLS), inf)
    answers: dict[str, Any] = {"/page/calls": listing}
    full_ids = {row.id for row in sorted(listing.calls, key=_rank_by_cost)[:MAX_WHOLE_CALLS]}
    for row in listing.calls:
        details = answers[f"/page/call/{row.id}"] = page.make_details(row.id)
        if row.id in full_ids:
            answers[f"/page/call/{row.id}/prompt"] = page.make_prompt(row.id)
            if details.before:
                answers[f"/page/call/{row.id}/changes"] = page.find_changes(row.id)
    return answers | _collect_sides([page.find_call(row.id) for row in listing.calls if row.id in full_ids])


def _collect_sides(calls: Sequence[StoredCall]) -> dict[str, Any]:
    """The contents of calls, as text and as sent: texts that they share are in `/page/texts`."""
    from ..page import call_contents as sides

    shared, written, tools = SharedTexts(MAX_PAGE_TEXT), dict[str, Any](), dict[bytes, str]()
    for call in calls:
        written[f"/page/call/{call.id}/messages"] = shared.add_messages(sides.load_messages(call))
        written[f"/page/call/{call.id}/request"] = shared.add_request(sides.load_request(call))
        path, offered = f"/page/call/{call.id}/tools", _encode_raw(sides.load_tools(call))
        there = tools.setdefault(bytes(offered), path)
        written[path] = offered if there == path else {"same_as": there}
    for call in calls:
        events = _encode_raw(sides.load_events(call))
        written[f"/page/call/{call.id}/events"] = events if shared.reserve(len(bytes(events))) else None
    return {"/page/texts": shared.texts} | {path: each for path, each in written.items() if each is not None}


def _rank_by_cost(row: "CallRow") -> float:
    return -(row.cost or 0.0)


def _encode_raw(value: object) -> msgspec.Raw:
    """JSON; halves of characters, which programs may send, are written as escapes."""
    try:
        return msgspec.Raw(msgspec.json.encode(value))
    except UnicodeEncodeError:
        return msgspec.Raw(json.dumps(msgspec.to_builtins(value)).encode())


def write_page(path: str, store_path: str, table: TableForm, calls: Sequence[StoredCall]) -> int:
    """Write the page; it shows the calls of one run only."""
    runs = {call.head.run for call in calls}
    if len(runs) != 1:
        message = "No calls recorded in that time." if not runs else f"These are calls of {len(runs)} runs."
        raise ConfigError(f"{message} -o writes one run: omit --since, or pass the id of a run.")
    report_step("searching for the files in the calls")
    page = make_calls_file(store_path, table, runs.pop())
    write_text(path, page, mode=0o600)
    print_hint(f"{path}: {len(page.encode()):,} bytes; open it in a browser")
    return 0


@click.command("report")
@SINCE
@STORE
@CWD
@TOKENIZER
@AS_JSON
@click.option("--markdown", is_flag=True, help="For a pull request or an issue.")
@click.option("-o", "--output", metavar="FILE", help="Write one run as an HTML page.")
def command(
    since: str | None, store: str | None, cwd: str | None, tokenizer: str | None, as_json: bool, markdown: bool,
    output: str | None,
) -> int:  # fmt: skip
    """Show what was sent and what it cost.

    For each conversation: the calls with their tokens, predicted and measured cache reads, and the causes of
    misses; the sections, tools and messages of the last call with their shares; and the files in the prompt.
    Of more than twelve conversations, those that cost most are shown, and the others are added up.

    \b
    overture tap report                  the newest run
    overture tap report --since 7d       the last week
    overture tap report --markdown       for an issue
    overture tap report -o calls.html    a page that you can share
    """
    refuse_combinations(("--json", "--markdown"), ("-o", "--json", "--markdown"))
    from ...terminal.option_values import models_for
    from ..run.end_report import find_report_counter, make_file_lines, read_main_call, recall_report, view_files
    from .list_calls import RunNames, describe_no_call
    from .report_lines import make_file_table, make_markdown, make_report_lines

    table, count = models_for(CommandOptions(cwd=cwd)), find_report_counter(tokenizer)
    with open_recorded_store(store, cwd, or_empty=True) as open_store:
        calls = select_calls(open_store, since)
        if output is not None:
            return write_page(output, store or open_store.where, table, calls)
        names = RunNames(open_store.list_runs(), calls, since)
        report = recall_report(open_store, calls, table, count)
        main_call = read_main_call(calls, report)
    if as_json:
        call_files = view_files(main_call)
        write_json(
            {**names.to_data(), **report.to_dict(), "files": None if call_files is None else call_files.make_summary()}
        )
    elif markdown:
        call_files = view_files(main_call)
        files = (
            []
            if call_files is None
            else make_file_table(call_files.call.id, call_files.describe_share(), list(call_files.list_rows()))
        )
        title, _, rest = make_markdown(report).rstrip("\n").partition("\n")
        write("\n".join([title, "", *names.make_lines(), rest, *files]).rstrip("\n"))
    elif report.calls:
        print_lines((*names.make_lines(), "", *make_report_lines(report), "", *make_file_lines(main_call)))
    else:
        for line in (describe_no_call(since), *names.make_lines()):
            print_line(line)
    return 0


RECORDING = Path(__file__).parents[1] / "demo.har"
"""Made by docs/make_demo.py."""
MISS = ("0840", "61b5")
"""The calls before and after its first cache miss."""


def play_demo(context: click.Context, store: str | None) -> int:
    """Import the recording into a store of its own, unless another is given, and report on it."""
    from ..importer import Importer
    from ..open_log import LogFile
    from ..store.open_store import find_store_path, open_store

    path = store or os.path.join(os.path.dirname(find_store_path(os.getcwd())), "demo.sqlite")
    with open_store(path) as opened:
        done = Importer(opened, program="demo").import_log(LogFile(str(RECORDING), True), "har")
    code: int = context.invoke(command, store=path, since=next(iter(done.runs)))
    print_error(f"hint: `overture tap diff {' '.join(MISS)}{format_store_option(path)}` shows what the clock changed")
    return code
