"""A call whole: taken along, its request as a tree, its tools and events, and words found in all calls."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from overture.tap.store.store import open_store
from tests.contract.browser.conftest import Open, Served, harbor
from tests.contract.cli.run import run

from ..tap.judge.calls import call, said, system, tool
from ..tap.store.made_calls import make_wire
from .test_calls import tapped as tapped

pytestmark = pytest.mark.slow


LARGE = {
    "messages": [{"role": "user", "content": f"{at} " + "ship " * 2_000} for at in range(500)],
    "it's": "é",
    "n": 1.0,
}
"""Five megabytes of JSON."""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The example project, with one call that is large and one that was kept without its wire."""
    root = harbor(tmp_path_factory.mktemp("large"))
    with open_store(root.parent / "calls.sqlite") as store:
        store.add(call(system("Greet."), *said("Who?"), id="old", run="r"))
        wire = make_wire(json.dumps(LARGE))
        words = [f"part {number}" for number in range(400)]
        store.add(call(tool("Read", "Reads the ledger."), *said(*words), minute=1, id="big", run="r"), wire)
    found = Served(root, "--calls", str(root.parent / "calls.sqlite"))
    yield found
    found.end()


def copied(page: Page, button: Locator, what: str) -> str:
    """What lies in the clipboard after a click."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button.click()
    expect(page.get_by_text(f"copied: {what}")).to_be_visible()
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def shown(served: Served, id: str, option: str) -> str:
    """What the command line says of a call."""
    done = run("tap", "show", id, option, "--store", served.root.parent / "calls.sqlite", "--cwd", served.root)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_request_is_copied_as_the_command_prints_it(large: Served, look: Open) -> None:
    """Byte for byte, and as cURL."""
    page = look(large, "#/calls/call%2Fbig")
    assert copied(page, page.get_by_role("button", name="Copy the request"), "the request") == json.dumps(LARGE)
    assert copied(page, page.get_by_role("button", name="Copy as cURL"), "cURL") == shown(large, "big", "--curl")


def test_a_large_request_is_a_tree_that_opens_by_keyboard(large: Served, look: Open) -> None:
    """What is closed has no elements; long texts show their beginning, and numbers are as they were written."""
    page = look(large, "#/calls/call%2Fbig%2Frequest")
    tree = page.get_by_role("list", name="Body")
    expect(tree.get_by_text("1.0", exact=True)).to_be_visible()
    assert tree.locator("*").count() < 40
    fold = tree.get_by_role("button", name=re.compile("^messages"))
    fold.focus()
    page.keyboard.press("ArrowRight")
    expect(fold).to_have_attribute("aria-expanded", "true")
    assert tree.locator("li").count() < 120
    tree.get_by_role("button", name="show 400 more").click()
    inner = tree.get_by_role("button", name=re.compile("^499"))
    inner.press("Enter")
    more = tree.get_by_role("button", name=re.compile("show all 10,0.. characters"))
    expect(more).to_have_count(1)
    more.press("Enter")
    expect(more).to_have_count(0)
    fold.press("ArrowLeft")
    assert tree.locator("*").count() < 40
    page.get_by_role("button", name="As sent").click()
    plain = page.get_by_role("region", name="Body")
    expect(plain).to_contain_text('{"messages": [{"role": "user", "content": "0 ship')
    assert len(plain.inner_text()) < 30_000


def test_heads_and_tools(tapped: Served, look: Open) -> None:
    """Heads of both sides; a tool with its parameters."""
    page = look(tapped, "#/calls/call%2Fmain9%2Frequest")
    page.get_by_text("Request headers").click()
    expect(page.get_by_text("x-api-key")).to_be_visible()
    page.get_by_role("link", name="Made of").click()
    page.get_by_role("button", name="Read").click()
    expect(page.get_by_role("table", name="Tools")).to_contain_text("Reads.")
    assert page.evaluate("window.ran") is None


def test_words_are_found_and_a_click_leads_there(large: Served, look: Open) -> None:
    """From the field to the call, and in it to the words; Esc leads back to what was found."""
    page = look(large, "#/calls")
    expect(page.get_by_role("searchbox", name="Find in all calls")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("PART 7")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="1 call found")).to_be_visible()
    found = page.get_by_role("listitem").filter(has_text="in a message (assistant)")
    expect(found.locator(".found-text")).to_have_text("part 79")
    found.get_by_role("link").click()
    expect(page.locator("mark.hit").last).to_be_in_viewport()
    expect(page.locator(".message")).to_have_count(400)
    page.keyboard.press("Escape")
    field = page.get_by_role("searchbox", name="Find in all calls")
    expect(field).to_have_value("PART 7")
    field.fill("nobody says this")
    field.press("Enter")
    expect(page.get_by_text("No call contains these words")).to_be_visible()
    field = page.get_by_role("searchbox", name="Find in all calls")
    field.fill("ledger")
    field.press("Enter")
    page.get_by_role("listitem").filter(has_text="in the tool Read").get_by_role("link").click()
    expect(page.locator(".tool-told mark.hit")).to_be_in_viewport()
