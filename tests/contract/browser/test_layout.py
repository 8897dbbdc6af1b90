"""What stands where: at each width nothing leaves its place, and the result is above its controls."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from .conftest import Open, Served
from .test_axe import settled

pytestmark = pytest.mark.slow


WIDTHS = (390, 768, 1440)
SKILL = "---\nname: {}\ndescription: Mind the tide.\n---\nMind it.\n"


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A project with a long name for Codex, whose instructions are more than Codex takes, with skills all over."""
    root = tmp_path_factory.mktemp("large") / "the-harbour-of-the-northern-lighthouse-keepers"
    (root / ".codex").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "home").mkdir()
    chapters = [f"## Chapter {n}\n\n" + "Every ship is greeted by name.\n" * 300 for n in range(1, 6)]
    (root / "AGENTS.md").write_text("# Rules\n\n" + "\n".join(chapters), "utf-8")
    for place in (".agents/skills", "examples/a/skills", "examples/b/skills", "docs/skills"):
        skill = root / place / place.replace("/", "-").strip(".") / "SKILL.md"
        skill.parent.mkdir(parents=True)
        skill.write_text(SKILL.format(skill.parent.name), "utf-8")
    found = Served(root, recipe=None)
    yield found
    found.end()


def top(page: Page, selector: str) -> float:
    """How far down something stands."""
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    return box["y"]


@pytest.mark.parametrize("width", WIDTHS)
def test_the_head_has_one_line_for_name_and_buttons(large: Served, look: Open, width: int) -> None:
    """However long a project's name is, the buttons stand beside it."""
    page = look(large, width=width)
    settled(page)
    head = page.get_by_role("banner")
    name, keys = head.locator("b").bounding_box(), head.get_by_role("button", name="Keys").bounding_box()
    assert name and keys
    assert keys["y"] < name["y"] + name["height"] / 2 < keys["y"] + keys["height"]
    assert keys["x"] + keys["width"] > width - 40


def test_a_narrow_screen_has_the_result_above_the_controls(large: Served, look: Open) -> None:
    """The figures and the bar of the prompt, and the grid, come first."""
    page = look(large, width=390)
    settled(page)
    assert top(page, ".stack") < min(top(page, ".copy"), top(page, ".budget"))
    page.goto(f"{large.address}#/agents")
    expect(page.locator(".agents-grid")).to_be_visible()
    assert top(page, ".agents-grid") < top(page, ".agents-tools")


def test_skills_that_every_agent_skips_are_one_row(large: Served, look: Open) -> None:
    """They are in three folders that nobody looks into: one line says how many, and opens."""
    page = look(large, "#/agents")
    grid = page.get_by_role("region", name="Files and agents")
    fold = grid.get_by_role("button", name=re.compile("3 skills, skipped by all$"))
    expect(grid.get_by_text("examples/a/skills")).to_have_count(0)
    fold.click()
    expect(grid.get_by_text("examples/a/skills")).to_have_count(1)


def test_nothing_recorded_yet_leads_to_the_command(large: Served, look: Open) -> None:
    """One heading, one command, and where the calls will be; a long path without its beginning."""
    page = look(large, "#/calls", width=390)
    empty = page.locator("main .empty")
    expect(empty.locator("b")).to_have_text("No calls recorded here yet")
    assert empty.inner_text().count("overture tap") == 1
    expect(empty.locator(".path-line")).to_contain_text(".sqlite")


@pytest.mark.parametrize("width", [390, 768, 1440])
def test_the_bar_of_sections_can_be_read_and_hit(served: Served, look: Open, width: int) -> None:
    """At each width a section is wide and tall enough for a finger, and those with room have their name and share."""
    page = look(served, width=width)
    bar = page.get_by_role("group", name="Sections by size").get_by_role("link")
    expect(bar.first).to_be_visible()
    boxes = [box for part in bar.all() if (box := part.bounding_box())]
    assert len(boxes) > 4
    assert all(box["width"] >= 24 and box["height"] >= 40 for box in boxes)
    largest = bar.nth(max(range(len(boxes)), key=lambda at: boxes[at]["width"]))
    expect(largest.locator(".name")).to_be_visible()
    expect(largest).to_contain_text(re.compile(r"\d+ %"))
    assert float(largest.evaluate("part => parseFloat(getComputedStyle(part).fontSize)")) >= 13


@pytest.mark.parametrize("width", WIDTHS)
def test_no_text_scrolls_past_above_the_header_of_its_section(large: Served, look: Open, width: int) -> None:
    """The header of a long section sticks to the top of its column, without a gap."""
    page = look(large, width=width)
    settled(page)
    page.locator(".prompt-column").evaluate("column => { column.scrollTop = 3000 }")
    header = page.get_by_role("region", name="instructions", exact=True).locator("header")
    box, column = header.bounding_box(), page.locator(".prompt-column").bounding_box()
    assert box and column and box["y"] == pytest.approx(column["y"], abs=1)
