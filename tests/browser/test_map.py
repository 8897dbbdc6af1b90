"""The map: what takes how much room, what the window has left, and what a request costs."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from overture.tap.commands.report_text import format_amount
from overture.web.page.serve_and_save_page import STATIC
from tests.contract.browser.conftest import Open, Served
from tests.contract.browser.test_axe import THEMES, faults

pytestmark = pytest.mark.slow


PICTURE = "Sections, files, skills and tools by size"


@pytest.fixture
def shown(served: Served, look: Open) -> Page:
    """The map of the example project."""
    return look(served, "#/map")


def picture(page: Page) -> Locator:
    """The boxes."""
    return page.get_by_role("group", name=PICTURE)


def places(page: Page) -> list[dict[str, Any]]:
    """Where each box is, with what it says when pointed at and what it shows."""
    expect(picture(page).get_by_role("link").first).to_be_visible()
    found: list[dict[str, Any]] = (
        picture(page)
        .get_by_role("link")
        .evaluate_all(
            "all => all.map(box => { const { x, y, width, height } = box.getBoundingClientRect();"
            " return { x, y, width, height, title: box.title, name: box.querySelector('.name, b')?.textContent } })"
        )
    )
    return found


def figure(text: str) -> int:
    """`1,025` -> 1025."""
    return int(text.replace(",", "").replace("~", ""))


def test_prices_are_written_as_commands_write_them(browser: Browser) -> None:
    """From hundredths of a cent to thousands, and as a lower bound; for less than that, the page has a sign."""
    prices = [0, 0.00001, 0.00005, 0.0994, 0.1, 1, 12.349, 1_234.56, 1_234_567.8]
    modules = {f"overture/{name}": (STATIC / name).read_text("utf-8") for name in ("words.js", "say.js", "strings.js")}
    imports = {name: f"data:text/javascript,{quote(text)}" for name, text in modules.items()}
    page = browser.new_page()
    page.set_content(f'<script type="importmap">{json.dumps({"imports": imports})}</script>')
    ours = page.evaluate(
        "all => import('overture/words.js').then(w => all.map(n => [w.bound(n, false), w.bound(n, true)]))", prices
    )
    page.close()
    amounts = [[format_amount(each, at_least=bound) for bound in (False, True)] for each in prices]
    assert ours == [[text.replace("less than", "<") for text in both] for both in amounts]


def test_each_part_of_a_request_is_a_box_with_its_tokens(shown: Page) -> None:
    """Sections, files, skills, tools and rules stand there, each with its tokens and its share."""
    said = [place["title"] for place in places(shown)]
    assert all(re.search(r": [\d,]+ tokens?, (<1|\d+) %$", title) for title in said)
    names = {title.rpartition(": ")[0] for title in said}
    assert names >= {
        "identity",
        "project-context",
        "project-context › AGENTS.md",
        "project-context › services/berths/AGENTS.md",
        "skills › services/berths/.agents/skills/tide-check/SKILL.md",
        "skills › the recipe's own text",
        "Tools › read_file",
        "tool-guidelines › rules",
    }
    expect(picture(shown).get_by_role("link", name=re.compile("^Tools › read_file: 1"))).to_be_visible()


def test_more_tokens_are_a_larger_box(shown: Page) -> None:
    """A tool that takes twice the tokens of another has about twice the room."""
    tools = [place for place in places(shown) if place["title"].startswith("Tools › ")]
    sizes = [(figure(box["title"].rpartition(": ")[2].split()[0]), box["width"] * box["height"]) for box in tools]
    (most, largest), (least, smallest) = max(sizes), min(sizes)
    assert largest / smallest == pytest.approx(most / least, rel=0.25)


def test_a_click_leads_to_the_block(shown: Page) -> None:
    """A click on a file shows the section in which it stands."""
    picture(shown).get_by_role("link", name=re.compile("skills › .*tide-check")).click()
    expect(shown).to_have_url(re.compile("#/prompt/skills$"))
    expect(shown.get_by_role("region", name="skills", exact=True)).to_be_in_viewport()


def test_the_keyboard_goes_from_box_to_box(shown: Page) -> None:
    """`j` goes on, the largest first, and Enter opens the section."""
    expect(picture(shown).get_by_role("link").first).to_be_visible()
    shown.keyboard.press("j")
    expect(picture(shown).get_by_role("link").nth(0)).to_be_focused()
    shown.keyboard.press("j")
    expect(picture(shown).get_by_role("link").nth(1)).to_be_focused()
    picture(shown).get_by_role("link", name=re.compile("^identity")).focus()
    shown.keyboard.press("Enter")
    expect(shown).to_have_url(re.compile("#/prompt/identity$"))


def test_a_table_says_the_same_as_the_picture(shown: Page) -> None:
    """Who does not see the picture reads it in rows: every section with its tokens and share, and they add up."""
    table = shown.get_by_role("table", name="Tokens by section, file, skill and tool")
    rows = table.locator("tr.top")
    expect(rows.first).to_be_visible()
    sizes = [figure(row.get_by_role("cell").nth(1).inner_text()) for row in rows.all()]
    assert sum(sizes) == figure(shown.get_by_role("heading", level=1).inner_text().split()[0])
    expect(table.get_by_role("row", name=re.compile(r"^tide-check skill \d+ \d+ %$"))).to_have_count(1)


def test_a_box_without_room_for_its_name_has_its_title(served: Served, look: Open) -> None:
    """On a narrow screen small boxes show no name, and say it when pointed at."""
    page = look(served, "#/map", width=400)
    small = [place for place in places(page) if " › " in place["title"] and place["width"] < 40]
    assert small
    assert all(place["name"] is None for place in small)


def test_the_map_follows_the_window(served: Served, look: Open) -> None:
    """A narrower window has a tall map, all of it inside, and nothing scrolls sideways."""
    page = look(served, "#/map")
    expect(picture(page).get_by_role("link").first).to_be_visible()
    wide = picture(page).evaluate("picture => picture.clientWidth")
    page.set_viewport_size({"width": 400, "height": 860})
    expect(picture(page)).not_to_have_js_property("clientWidth", wide)
    page.wait_for_timeout(300)  # boxes glide to their places
    whole = picture(page).bounding_box()
    assert whole is not None
    assert whole["height"] > 1.4 * whole["width"]
    assert all(box["x"] + box["width"] <= whole["x"] + whole["width"] + 1 for box in places(page))
    assert page.evaluate("document.querySelector('main').scrollWidth <= document.querySelector('main').clientWidth")


def test_a_model_says_how_much_of_its_window_is_free(shown: Page) -> None:
    """The window is that of the model whose prices are used."""
    card = shown.get_by_role("region", name="The model's window")
    expect(card).to_contain_text("-token window of claude-sonnet-5-5")
    expect(card.get_by_role("row", name=re.compile("^Free [\\d,]+ "))).to_be_visible()
    expect(shown.get_by_role("region", name="The price")).to_contain_text("At the prices of claude-sonnet-5-5")


def test_the_price_is_told_fresh_and_cached(shown: Page) -> None:
    """One request and a hundred, by which model, as known on which day."""
    card = shown.get_by_role("region", name="The price")
    expect(card.get_by_role("row", name=re.compile(r"^One request \$[\d.]+ \$[\d.]+$"))).to_be_visible()
    expect(card.get_by_role("row", name=re.compile(r"^100 requests \$[\d.]+ \$[\d.]+$"))).to_be_visible()
    expect(card).to_contain_text(re.compile(r"At the prices of \S+ of \w+ \d+, \d{4}"))
    expect(card).to_contain_text("the cache")


def test_less_room_makes_a_smaller_map(shown: Page) -> None:
    """The budget is here too: what it takes away is gone from the map."""
    before = figure(shown.get_by_role("heading", level=1).inner_text().split()[0])
    shown.get_by_label("Budget in tokens").fill(str(before // 2))
    shown.get_by_label("Budget in tokens").press("Enter")
    expect(shown.get_by_text("Active changes")).to_be_visible()
    expect(shown.get_by_text(re.compile("shortened or dropped"))).to_be_visible()
    assert figure(shown.get_by_role("heading", level=1).inner_text().split()[0]) < before


def test_a_long_file_is_split_by_its_headings_and_zoomed_into(tmp_path: Path, look: Open) -> None:
    """One file that is most of the prompt is a box a heading; a click goes into one, and the trail leads back."""
    root = tmp_path / "quay"
    (root / ".git").mkdir(parents=True)
    (root / "home").mkdir()
    deep = "\n".join(f"### Crane {at}\n" + "Lift with care and look up. " * 40 for at in range(3))
    text = "\n".join(f"## Part {at}\n" + "Mind the tide and the wind. " * 80 for at in range(4))
    (root / "AGENTS.md").write_text(f"# Quay\n\n{text}\n## Cranes\n{deep}\n```sh\n## no heading\n```\n", "utf-8")
    served = Served(root)
    page = look(served, "#/map")
    titles = [place["title"] for place in places(page)]
    assert sum("AGENTS.md › Part" in title for title in titles) == 4
    assert not any("no heading" in title for title in titles)
    picture(page).get_by_role("link", name=re.compile("AGENTS.md › Cranes")).click()
    trail = page.get_by_role("navigation", name="Zoom")
    expect(trail).to_contain_text("The whole request › project-context › AGENTS.md › Cranes")
    assert sum("Crane " in place["title"] for place in places(page)) == 3
    expect(page.get_by_role("row", name=re.compile("^Crane 1"))).to_be_visible()
    picture(page).get_by_role("link", name=re.compile("Crane 2")).click()
    expect(page).to_have_url(re.compile("#/prompt/project-context$"))
    page.go_back()
    trail.get_by_role("link", name="The whole request").click()
    expect(trail).to_have_count(0)
    page.goto("about:blank")
    served.end()


def skills(root: Path, count: int) -> None:
    """So many skills, in one folder."""
    for number in range(count):
        folder = root / ".agents" / "skills" / f"{'abcdefgh'[number % 8]}-skill-{number:04}"
        folder.mkdir(parents=True)
        head = f"name: {folder.name}\ndescription: Moors ship {number} at the quay, by night and by day."
        (folder / "SKILL.md").write_text(f"---\n{head}\n---\nMind the tide.\n", "utf-8")


def test_fifteen_hundred_skills_are_boxes_that_can_be_read(tmp_path: Path, look: Open) -> None:
    """They stand in a few ranges by name, each with its tokens; a click goes into one, whose skills are named."""
    root = tmp_path / "quay"
    (root / ".git").mkdir(parents=True)
    (root / "home").mkdir()
    skills(root, 1500)
    served = Served(root)
    try:
        page = look(served, "#/map")
        boxes = [place for place in places(page) if place["title"].startswith("skills › ")]
        assert 5 < len(boxes) < 40
        assert sum(int(found[1]) for box in boxes if (found := re.search(r", (\d+) skills:", box["title"]))) == 1500
        assert all(box["name"] for box in boxes if "skills:" in box["title"])
        picture(page).get_by_role("link", name=re.compile("a-skill-0000 – ")).click()
        trail = page.get_by_role("navigation", name="Zoom")
        expect(trail).to_contain_text("The whole request › skills › a-skill-0000 – ")
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            assert faults(page) == [], theme
        inside = places(page)[1:]
        assert 20 < len(inside) <= 64
        assert sum(bool(box["name"]) for box in inside) > 0.9 * len(inside)
        expect(page.get_by_role("row", name=re.compile("^a-skill-0000 skill"))).to_be_visible()
        trail.get_by_role("link", name="skills").click()
        expect(trail).to_contain_text(re.compile("› skills$"))
        page.keyboard.press("1")
        overview = page.get_by_role("complementary", name="Where the text comes from")
        expect(overview).to_contain_text("1,500 skills")
        expect(overview).not_to_contain_text("SKILL.md")
        page.goto("about:blank")
    finally:
        served.end()


def test_a_thousand_headings_are_boxes_that_can_be_read(tmp_path: Path, look: Open) -> None:
    """They stand in a few ranges in the order of the file; a click goes into one, whose headings are named."""
    root = tmp_path / "quay"
    (root / ".git").mkdir(parents=True)
    (root / "home").mkdir()
    text = "\n".join(f"## Berth {at}\n" + "Mind the tide and the wind. " * 8 for at in range(1000))
    (root / "AGENTS.md").write_text(f"# Quay\n\n{text}\n", "utf-8")
    served = Served(root)
    try:
        page = look(served, "#/map")
        boxes = [place for place in places(page) if "Berth" in place["title"]]
        assert 5 < len(boxes) < 40 and all(box["name"] for box in boxes)
        picture(page).get_by_role("link", name=re.compile("Berth 62 – Berth 124, 63 headings")).click()
        expect(page.get_by_role("navigation", name="Zoom")).to_contain_text("AGENTS.md › Berth 62 – Berth 124")
        expect(picture(page).get_by_role("link", name=re.compile("^AGENTS.md › Berth 64: "))).to_be_visible()
        page.goto("about:blank")
    finally:
        served.end()
