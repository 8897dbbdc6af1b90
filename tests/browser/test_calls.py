"""Calls: what a tap has recorded, as it is recorded; one call from all sides; and a store that can't be read."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from overture.tap.recorded_call import CallWire, RecordedCall, Run
from overture.tap.store.store import open_store
from tests.contract.browser.conftest import STRANGE, Open, Served, harbor
from tests.contract.cli.run import run

from ..tap.judge.calls import call, said, system, tool, usage

pytestmark = pytest.mark.slow


WORDS = "Every ship is greeted by name, and none leaves before the tide. " * 120


def conversation_calls(folder: Path, count: int = 12) -> Iterator[RecordedCall]:
    """A conversation in which a tool comes and the day changes; a sub-agent, a title, and a call that failed."""
    rules = (folder / "AGENTS.md").read_text("utf-8")
    fields = {"program": "claude", "cwd": str(folder), "run": "r1", "first_ms": 240.0, "whole_ms": 2100.0}
    asked = (system("Write a title for this conversation."), *said("Which ships?"))
    yield call(*asked, minute=0, id="title", usage=usage(40, 0, 0, 4), **fields)
    kept = 0
    for at in range(1, count):
        tools = [tool("Read", "Reads."), *([tool("Ledger", "Finds.")] if at > 4 else [])]
        text = f"# Today\nIt is 2026-03-{7 + (at > 8):02}.\n\n# Ways\n{WORDS}\n# Project\n{rules}"
        words = [f"{who} {n} " * 9 for n in range(at) for who in ("ask", "answer")][:-1]
        whole, missed = 2_600 + 60 * at, at in (1, 5, 9)
        read = 0 if missed else kept
        kept = whole - 20
        yield call(
            *tools, system(text, mark=True), *said(*words, mark=True), minute=at, id=f"main{at}",
            usage=usage(20, read, whole - read - 20, 50), reply=f"Answer {at}.", **fields,
        )  # fmt: skip
    yield call(
        tool("Grep"), system("You search the ledger."), *said("find who left"), minute=7.5, id="sub", **fields,
        usage=usage(90, 0, 0, 9),
    )  # fmt: skip
    yield call(
        system(STRANGE[0] + "\n".join(STRANGE[1:8])), *said(STRANGE[2]), minute=30, id="odd", **fields, status=529,
        error="<b>overloaded</b>",
    )  # fmt: skip


TABS = ("changes", "prompt", "files", "messages", "request")
SCHEMA = {"type": "object", "required": ["ship"], "properties": {"ship": {"type": "string", "description": "Whose."}}}


def wired(call: RecordedCall) -> CallWire:
    """How it may have been on the wire: strange texts in its body."""
    tools = [{"name": "Read", "description": "Reads.", "input_schema": SCHEMA}]
    body = {"model": call.model, "temperature": 1.0, "tools": tools, "system": STRANGE[1] + WORDS, "odd": STRANGE[2:5]}
    heads: tuple[tuple[str, str], ...] = (("x-api-key", "[hidden]"), ("x-odd", STRANGE[1]))
    return CallWire("POST", call.path, "https", heads, (("Server", "s"),), request=json.dumps(body))


@pytest.fixture(scope="module")
def tapped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The example project, of which calls are recorded."""
    root = harbor(tmp_path_factory.mktemp("tapped"))
    place = root.parent / "calls.sqlite"
    with open_store(place) as store:
        store.add_run(Run("r0", "2026-11-14T10:00:00+00:00", "codex", ("codex",), ended="2026-11-14T10:09:00+00:00"))
        store.add(
            call(
                system("You are B."),
                *said("hi"),
                at="2026-11-14T10:00:00+00:00",
                id="older",
                run="r0",
                usage=usage(9, 0, 0, 1),
            )
        )
        store.add_run(Run("r1", "2026-11-15T10:00:00+00:00", "claude", ("claude", "-p", "hi")))
        for each in conversation_calls(root):
            store.add(each, wired(each) if each.id == "main9" else None)
    found = Served(root, "--calls", str(place))
    yield found
    found.end()


def rows(page: Page) -> list[str]:
    """The rows of the table of calls."""
    return page.get_by_role("table", name="Calls, newest first").get_by_role("row").all_inner_texts()[1:]


def test_the_bill_and_the_calls(tapped: Served, look: Open) -> None:
    """The sentence at the top, what was paid again, and a row for each call with its verdict in words."""
    page = look(tapped, "#/calls")
    expect(page.get_by_role("heading", level=1)).to_have_text(
        re.compile(r"This session cost \$[\d.]+; \$[\d.]+ of it because .+")
    )
    expect(page.get_by_role("region", name="Paid again")).to_contain_text("the date in Today changed")
    conversations = page.get_by_role("region", name="Conversations")  # each by the user's first words
    expect(conversations.get_by_role("link", name=re.compile("^ask 0 ask 0 .*main$"))).to_be_visible()
    expect(conversations.get_by_role("link", name=re.compile("^find who left sub-agent$"))).to_be_visible()
    totals = r"[\d,]+ in, [\d,]+ out, [\d,]+ cached \(\d+ % hit rate\), \$[\d.]+, \$[\d.]+ lost"
    expect(page.locator(".totals")).to_have_text(re.compile(totals))
    told = rows(page)
    assert len(told) == 14
    assert all("claude-sonnet-5" in row for row in told if "overloaded" not in row)
    assert "failed" in told[0] and "<b>overloaded</b>" in told[0]
    changed = next(row for row in told if "the date in Today changed" in row)
    assert re.search(r"prefix changed.*byte [\d,]+", changed, re.DOTALL) and "lost" in changed and "2.1 s" in changed
    assert "tool 'Ledger' was added" in "".join(told)
    conversations.get_by_role("link", name="sub-agent").click()
    expect(page.get_by_role("table").get_by_role("row")).to_have_count(2)


def test_one_call_from_all_sides(tapped: Served, look: Open) -> None:
    """From the row to what changed, what it is made of, its prompt with sources, files and answer; Esc leads back."""
    page = look(tapped, "#/calls")
    page.get_by_role("row").filter(has_text="the date in Today changed").get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("prefix changed: the date in Today changed")
    first = page.get_by_role("group", name="The first difference")
    expect(first.locator("mark")).to_have_text(["7", "8"])
    expect(page.get_by_role("region", name="section Today")).to_contain_text("rewritten")
    tabs = page.get_by_role("navigation", name="About this call")
    tabs.get_by_role("link", name="Made of").click()
    expect(page.get_by_role("row", name=re.compile("Ways"))).to_contain_text("%")
    expect(page.get_by_role("row", name=re.compile("Ledger"))).to_be_visible()
    tabs.get_by_role("link", name="Prompt").click()
    told = page.get_by_role("complementary", name="Where the text comes from")
    page.locator("[aria-label='Ways'] .run").first.hover()
    expect(told).to_contain_text("the agent's own text")
    page.locator("[aria-label='Harbor'] .run").first.click()
    expect(told.get_by_role("heading").first).to_contain_text("AGENTS.md:")
    expect(page.get_by_role("region", name="Lines of AGENTS.md")).to_be_visible()
    tabs.get_by_role("link", name="Files").click()
    expect(page.get_by_role("main")).to_contain_text("whole, 8 lines")
    tabs.get_by_role("link", name="Answer").click()
    expect(page.get_by_role("region", name="Reply")).to_have_text("Answer 9.")
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", level=1)).to_contain_text("This session cost")


WRITER = """
import sys, msgspec
from overture.tap.store.store import open_store
with open_store(sys.argv[1]) as store:
    last = store.list_calls(newest_first=True, limit=2)[1].read_call()
    for number in range(int(sys.argv[2])):
        at = f"2026-11-15T10:40:{number:02}+00:00"
        store.add(msgspec.structs.replace(last, id=f"new{number}", at=at, status=200))
"""


def test_a_new_call_appears_and_nobody_is_moved(own: Served, look: Open, tmp_path: Path) -> None:
    """A call that another process records is there without a reload; what one looks at stays where it is."""
    place = tmp_path / "live.sqlite"
    with open_store(place) as store:
        for each in conversation_calls(own.root, 20):
            store.add(each)
    own.end()
    served = Served(own.root, "--calls", str(place))
    try:
        page = look(served, "#/calls", height=500)
        table = page.get_by_role("table", name="Calls, newest first").get_by_role("row")
        expect(table).to_have_count(23)
        expect(page.get_by_text("follows your edits")).to_be_visible()
        watched = page.get_by_role("row").filter(has_text="Which ships?")
        watched.scroll_into_view_if_needed()
        before = watched.bounding_box()
        subprocess.run([sys.executable, "-c", WRITER, str(place), "3"], check=True)
        expect(table).to_have_count(26, timeout=3_000)
        page.wait_for_timeout(100)
        after = watched.bounding_box()
        assert before and after and abs(before["y"] - after["y"]) < 3
    finally:
        served.end()


def test_a_run_in_one_file(tapped: Served, look: Open, tmp_path: Path) -> None:
    """`overture tap report -o` writes the same view, which asks nobody for anything; only its user can read it."""
    file = tmp_path / "calls.html"
    place = tapped.root.parent / "calls.sqlite"
    done = run("tap", "report", "--store", place, "--cwd", tapped.root, "-o", file)
    assert done.returncode == 0, done.stderr
    assert file.stat().st_mode & 0o077 == 0
    page = look(file.as_uri())
    expect(page.get_by_role("heading", level=1)).to_contain_text("This session cost")
    assert page.get_by_role("navigation", name="Views").get_by_role("link").all_inner_texts() == ["Calls"]
    page.get_by_role("row").filter(has_text="the date in Today changed").get_by_role("link").click()
    expect(page.get_by_role("group", name="The first difference")).to_be_visible()
    page.get_by_role("link", name="Prompt").last.click()
    expect(page.get_by_role("region", name="Ways")).to_be_visible()
    assert page.title() == "Calls · Overture"
    refused = run("tap", "report", "--store", place, "--since", "all", "-o", file)
    assert refused.returncode == 2 and "2 runs" in refused.stderr
