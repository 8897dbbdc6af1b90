"""The page follows: edits appear as they are saved, and nobody who reads is moved."""

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from .conftest import Open, Served
from .seen import section, told

pytestmark = pytest.mark.slow


def save(path: Path, old: str, new: str) -> None:
    """Write a file as an editor does."""
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")


@pytest.fixture
def shown(own: Served, look: Open) -> Page:
    """The prompt of a project that is followed: nobody watches before the page is there."""
    page = look(own, height=500)
    expect(section(page, "identity")).to_be_visible()
    expect(page.get_by_text("follows your edits")).to_be_visible()
    return page


def test_an_edit_leaves_scroll_selection_and_what_was_typed(
    own: Served, shown: Page, record_property: Callable[[str, object], None]
) -> None:
    """What one reads stays where it is: the scroll, the kept text, the found word, the focus."""
    file = own.cwd / "AGENTS.md"
    shown.get_by_text(re.compile("Two ships never share a berth")).click()
    shown.keyboard.press("/")
    shown.keyboard.type("berth")
    expect(shown.get_by_role("search")).to_contain_text("1 of")
    column = shown.locator(".prompt-column")
    column.evaluate("column => { column.scrollTop = 300 }")
    began = time.monotonic()
    save(file, "Lengths and draughts", "Depths and draughts")
    expect(section(shown, "project-context")).to_contain_text("Depths and draughts")
    record_property("ms from the save to the page", round(1000 * (time.monotonic() - began)))
    assert column.evaluate("column => column.scrollTop") == pytest.approx(300, abs=2)
    expect(told(shown).get_by_role("heading", name="services/berths/AGENTS.md:4")).to_be_visible()
    expect(told(shown).locator(".excerpt")).to_contain_text("Depths and draughts")
    expect(shown.get_by_role("searchbox")).to_be_focused()
    expect(shown.get_by_role("searchbox")).to_have_value("berth")


def test_a_broken_file_shows_its_error_and_the_last_good_prompt(own: Served, shown: Page) -> None:
    """The error names the file; what stood there stays, until the file is mended."""
    settings = own.cwd / "overture.toml"
    settings.write_text("recipe = \n", "utf-8")
    strip = shown.get_by_role("alert")
    expect(strip).to_contain_text("The last edit can't be used.")
    expect(strip).to_contain_text("overture.toml")
    expect(strip).to_contain_text("This is the last good prompt.")
    expect(shown.get_by_text("an edit can't be used")).to_be_visible()
    expect(section(shown, "identity")).to_be_visible()
    settings.write_text("", "utf-8")
    expect(strip).to_have_count(0)
    expect(shown.get_by_text("follows your edits")).to_be_visible()


def test_a_broken_skill_is_told_with_its_line(own: Served, shown: Page) -> None:
    """A skill whose head is broken: the strip says where, and so does Check; the prompt stays as it was."""
    skill = own.cwd / ".agents" / "skills" / "tide-check" / "SKILL.md"
    skill.write_text("---\nname: [tide\n---\nbroken\n", "utf-8")
    expect(shown.get_by_role("alert")).to_contain_text("tide-check/SKILL.md:3: its frontmatter is not YAML")
    expect(section(shown, "skills")).to_contain_text("Works out whether")
    shown.keyboard.press("5")
    finding = shown.locator("li.finding").filter(has_text="tide-check/SKILL.md").first
    expect(finding).to_be_visible()


def test_a_server_that_is_gone_is_said_and_found_again(own: Served, shown: Page) -> None:
    """The page keeps what it has, says that nobody answers, and goes on once somebody does."""
    port = own.address.rstrip("/").rpartition(":")[2]
    own.end()
    expect(shown.get_by_text("not connected")).to_be_visible()
    banner = shown.get_by_role("alert").filter(has_text="The server does not respond.")
    expect(banner).to_contain_text("To see the newest, run overture serve in this project.")
    expect(section(shown, "identity")).to_be_visible()
    again = Served(own.root, cwd=own.cwd, port=port)
    expect(shown.get_by_text("follows your edits")).to_be_visible()
    expect(banner).to_have_count(0)
    shown.goto("about:blank")
    again.end()


def test_a_save_is_seen_where_one_reads(own: Served, shown: Page) -> None:
    """The changed lines are marked, with the tokens more, a link to the difference, and a badge on Turns."""
    expect(shown.locator(".text-row.is-new")).to_have_count(0)
    save(own.cwd / "AGENTS.md", "Lengths and draughts", "Lengths, beams and, since the storm, draughts")
    expect(shown.locator(".text-row.is-new")).to_have_count(1)
    expect(shown.locator(".text-row.is-new")).to_contain_text("since the storm")
    change = shown.get_by_role("status").filter(has_text="Show the difference")
    expect(change).to_contain_text(re.compile(r"^\+\d+ tokens.*1 line changed · services/berths/AGENTS\.md:\d+"))
    turns = shown.get_by_role("navigation", name="Views").get_by_role("link", name="Turns")
    expect(turns).to_contain_text("1 new")
    change.get_by_role("link", name="Show the difference").click()
    expect(shown.get_by_role("heading", name="Turn 1 → 2")).to_be_visible()
    expect(turns).not_to_contain_text("new")
    shown.keyboard.press("1")
    change.get_by_role("button", name="Hide the marks").click()
    expect(shown.locator(".text-row.is-new")).to_have_count(0)
    save(own.cwd / "AGENTS.md", ", beams and, since the storm,", "")
    expect(shown.locator(".text-row.is-gone")).to_have_count(1)
    expect(change).to_contain_text("−")


def test_another_file_in_the_place_of_a_deleted_one_is_named(tmp_path: Path, look: Open) -> None:
    """Where CLAUDE.md hid AGENTS.md and is deleted, the change names AGENTS.md, not a field of the state."""
    root = tmp_path / "quay"
    (root / ".git").mkdir(parents=True)
    (root / "home").mkdir()
    (root / "AGENTS.md").write_text("Mind the tide.\n", "utf-8")
    (root / "CLAUDE.md").write_text("Mind the gap.\n", "utf-8")
    quay = Served(root, recipe="claude-code")
    try:
        page = look(quay)
        expect(page.get_by_text("Mind the gap.")).to_be_visible()
        expect(page.get_by_text("follows your edits")).to_be_visible()
        (root / "CLAUDE.md").unlink()
        change = page.get_by_role("status").filter(has_text="Show the difference")
        expect(change).to_contain_text("lines changed · AGENTS.md:1")
        page.goto("about:blank")
    finally:
        quay.end()
