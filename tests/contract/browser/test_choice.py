"""What the page opens on, and the one choice of agent, recipe and model that every view follows."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from .conftest import Open, Served
from .seen import built, is_whole, section
from .test_axe import faults

pytestmark = pytest.mark.slow


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[Served]:
    """A project with instructions for Codex, served without the name of a recipe."""
    root = tmp_path / "quay"
    (root / ".codex").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "home").mkdir()
    (root / "AGENTS.md").write_text("Mind the tide.\n", "utf-8")
    found = Served(root, recipe=None)
    yield found
    found.end()


def choose(page: Page, name: str, option: str) -> None:
    """Choose in the header."""
    page.get_by_role("banner").get_by_role("combobox", name=name).select_option(option)


def test_the_page_opens_on_an_agent_that_is_used_here(plain: Served, look: Open) -> None:
    """Without a recipe's name the page shows what the agent of this project is told, and names it."""
    page = look(plain)
    expect(page.get_by_role("combobox", name="Agent or recipe")).to_have_value("codex")
    expect(page.get_by_text("Mind the tide.")).to_be_visible()
    assert is_whole(page, built(plain, "codex"))
    # What Codex says of its own accord is not here: a request is longer, and costs more.
    expect(page.get_by_role("heading", level=1)).to_contain_text("without the agent's own prompt and tools")
    expect(page.locator(".summary")).to_contain_text("at least $")


def test_the_agent_has_its_name_before_the_others_are_known(plain: Served, browser: Browser) -> None:
    """The header says Codex, not codex, also while the list of agents is still being made."""
    page = browser.new_page()
    page.route("**/page/choices", lambda route: route.abort())
    page.goto(plain.address)
    expect(page.get_by_role("combobox", name="Agent or recipe").locator("option:checked")).to_have_text("Codex")
    page.close()


@pytest.mark.parametrize("width", [390, 768])
def test_on_a_narrow_screen_the_choice_is_a_row_of_its_own(served: Served, look: Open, width: int) -> None:
    """Agent and model stand side by side below the name of the project, also before the prompt is there."""
    page = look(served, width=width)
    name = page.get_by_role("banner").get_by_text("berths").bounding_box()
    boxes = [page.get_by_role("combobox", name=field).bounding_box() for field in ("Agent or recipe", "Model")]
    assert name and boxes[0] and boxes[1]
    assert boxes[0]["y"] == boxes[1]["y"] > name["y"] + name["height"]
    assert boxes[0]["width"] == pytest.approx(boxes[1]["width"], abs=2)


def test_sections_that_are_empty_are_one_folded_line(own: Served, look: Open) -> None:
    """One line says how many there are; opened, it names each with its reason."""
    page = look(own)
    choose(page, "Agent or recipe", "house")
    line = page.locator(".left-out")
    expect(line).to_have_count(1)
    expect(line.locator("summary")).to_have_text(re.compile(r"^\d+ sections are empty here$"))
    # Only then is it the line of house: that of the recipe before it would fold up again.
    expect(line.get_by_text("no soul is given")).to_be_attached()
    expect(page.get_by_text("no soul is given")).to_be_hidden()
    line.locator("summary").click()
    expect(page.get_by_text("no soul is given")).to_be_visible()


def test_an_agent_that_loads_no_file_leads_to_those_that_are_here(plain: Served, look: Open) -> None:
    """Beside an AGENTS.md nobody is told to write one; the next step is visible on a phone, too."""
    page = look(plain, width=390)
    expect(page.get_by_text("Mind the tide.")).to_be_visible()
    choose(page, "Agent or recipe", "gemini-cli")
    expect(page.locator(".summary")).to_contain_text("No instruction file is part of this prompt.")
    expect(page.get_by_text("Write an AGENTS.md")).to_have_count(0)
    assert faults(page) == []
    page.get_by_role("link", name="Show what each agent loads").click()
    expect(page.get_by_role("table").get_by_role("rowheader", name="AGENTS.md")).to_be_visible()


def test_what_one_chose_is_not_new(plain: Served, look: Open) -> None:
    """The badge on Turns counts saves, not choices."""
    page = look(plain)
    turns = page.get_by_role("navigation", name="Views").get_by_role("link", name="Turns")
    expect(page.get_by_text("follows your edits")).to_be_visible()
    choose(page, "Agent or recipe", "opal")
    expect(section(page, "project-context")).to_contain_text("Mind the tide.")
    expect(turns).not_to_contain_text("new")
    (plain.root / "AGENTS.md").write_text("Mind the wind.\n", "utf-8")
    expect(turns).to_contain_text("1 new")


def test_a_choice_in_the_header_counts_in_every_view_and_is_in_the_address(plain: Served, look: Open) -> None:
    """Another recipe and another model: prompt, window, price and files are theirs, also after a reload and a click."""
    page = look(plain)
    expect(page.get_by_text("Mind the tide.")).to_be_visible()
    choose(page, "Agent or recipe", "opal")
    expect(section(page, "project-context")).to_contain_text("Mind the tide.")
    expect(page.get_by_role("combobox", name="Agent or recipe")).to_have_value("opal")
    assert is_whole(page, built(plain, "opal"))
    choose(page, "Model", "claude-opus-5")
    expect(page.locator(".summary")).to_contain_text("of the window of claude-opus-5")
    expect(page).to_have_url(re.compile(r"#/prompt\?recipe=opal&model=claude-opus-5$"))
    page.reload()
    expect(page.locator(".summary")).to_contain_text("of the window of claude-opus-5")
    page.keyboard.press("2")
    expect(page).to_have_url(re.compile(r"#/turns\?recipe=opal&model=claude-opus-5$"))
    expect(page.get_by_text("1 prompt since the page was opened")).to_be_visible()
    page.keyboard.press("1")
    page.go_back()
    page.go_back()
    page.go_back()
    expect(page.get_by_role("combobox", name="Model")).not_to_have_value("claude-opus-5")


def test_a_copied_address_shows_the_same(plain: Served, look: Open) -> None:
    """Agent, model and budget of one window are those of another that gets its address; the first is left alone."""
    one = look(plain)
    expect(one.get_by_text("Mind the tide.")).to_be_visible()
    other = look(plain, "#/prompt?recipe=opal&model=gpt-5&budget=300")
    expect(other.get_by_role("combobox", name="Agent or recipe")).to_have_value("opal")
    expect(other.get_by_role("combobox", name="Model")).to_have_value("gpt-5")
    expect(other.get_by_text("Active changes: at most 300 tokens")).to_be_visible()
    expect(other.locator(".summary")).to_contain_text("of the window of gpt-5")
    expect(one.get_by_role("combobox", name="Agent or recipe")).to_have_value("codex")
    for page in (one, other):
        expect(page.get_by_text("follows your edits")).to_be_visible()
    (plain.root / "AGENTS.md").write_text("Mind the wind.\n", "utf-8")
    expect(one.locator(".text-row.is-new")).to_contain_text("Mind the wind.")
    expect(section(other, "project-context")).to_contain_text("Mind the wind.")


def test_an_address_that_names_nothing_says_so(plain: Served, look: Open) -> None:
    """A strip says that it can't be used and why; the next choice that works takes it away."""
    page = look(plain)
    expect(page.get_by_text("Mind the tide.")).to_be_visible()
    page.evaluate("location.hash = '#/prompt?recipe=no-such'")
    strip = page.locator(".strip", has_text="This choice can't be used.")
    expect(strip).to_contain_text("no-such")
    expect(page.get_by_text("Mind the tide.")).to_be_visible()
    choose(page, "Agent or recipe", "opal")
    expect(section(page, "project-context")).to_contain_text("Mind the tide.")
    expect(strip).to_have_count(0)


def test_what_an_agent_says_itself_is_said_not_to_be_counted(plain: Served, look: Open) -> None:
    """Its own prompt and tools are unknown: no room is called free, and no share cached."""
    page = look(plain)
    panel = page.get_by_role("complementary", name="Where the text comes from")
    expect(panel).to_contain_text("Not counted: the agent's own prompt and tools")
    expect(panel).not_to_contain_text("free in the window")
    expect(page.get_by_text("follows your edits")).to_be_visible()
    (plain.root / "AGENTS.md").write_text("Mind the wind.\n", "utf-8")
    page.keyboard.press("2")
    expect(page.get_by_role("heading", name="Turn 1 → 2")).to_be_visible()
    sentence = page.locator(".turn-headline .sentence").nth(1)
    expect(sentence).to_contain_text("sending it costs at least $")
    expect(sentence).to_contain_text("Not counted: the agent's own prompt and tools.")
    expect(page.locator(".turn-list")).not_to_contain_text("cached")
