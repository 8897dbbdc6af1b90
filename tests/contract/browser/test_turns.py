"""The turns: what changed, where it begins, why, and what that does to the cache."""

import re
import time
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from .conftest import Open, Served, harbor

pytestmark = pytest.mark.slow


MARKUP = "- <script>alert(1)</script> \u202e and <b>bold</b>"


def edit(served: Served, old: str, new: str, name: str = "AGENTS.md") -> None:
    """Save a file, and wait until its turn is there. Saved again while it is not: at first nobody watches yet."""
    before, path = len(turns(served)), served.cwd / name
    text = path.read_text("utf-8").replace(old, new)
    for tried in range(300):
        if tried % 30 == 0:
            path.write_text(text, "utf-8")
        if len(turns(served)) > before:
            return
        time.sleep(0.05)
    raise AssertionError(f"no turn after an edit of {path}")


def turns(served: Served) -> list[dict[str, object]]:
    """As the server lists them."""
    found: list[dict[str, object]] = httpx.get(f"{served.address}page/turns", timeout=30).json()["turns"]
    return found


def text(served: Served, turn: int) -> str:
    """The prompt of a turn."""
    sheet = httpx.get(f"{served.address}page/sheet", params={"turn": turn}, timeout=30).json()
    return "".join(b["before"] + "".join(piece["text"] for piece in b["pieces"]) for b in sheet["blocks"])


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The example project after two edits: turns 1, 2 and 3."""
    root = harbor(tmp_path_factory.mktemp("edited"))
    found = Served(root, cwd=root / "services" / "berths")
    httpx.get(f"{found.address}page/sheet", timeout=30)
    edit(found, "Two ships", "Three ships")
    edit(found, "# Berths\n", f"# Berths\n\n- Ring the bell at night.\n{MARKUP}\n")
    yield found
    found.end()


def difference(page: Page) -> Locator:
    """What stands beside the list."""
    return page.get_by_role("region", name="Difference")


def test_one_turn_says_what_to_do(served: Served, look: Open) -> None:
    """As long as nothing has changed, the page says how to see something."""
    page = look(served, "#/turns")
    expect(
        page.get_by_text(re.compile(r"Edit and save a file, e\.g\. .*AGENTS\.md: the change appears here"))
    ).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("the page was opened"))).to_be_visible()


def test_turns_are_listed_newest_first(edited: Served, look: Open) -> None:
    """Each with its cause, its time, its tokens and how many more or fewer they are."""
    page = look(edited, "#/turns")
    rows = page.get_by_role("table", name=re.compile("^Turns")).get_by_role("row")
    expect(rows.nth(1)).to_contain_text(
        re.compile(r"AGENTS\.md changed.*turn 3.*\d\d:\d\d:\d\d.*% cached.*\+\d+", re.DOTALL)
    )
    expect(rows.nth(2)).to_contain_text(re.compile(r"AGENTS\.md changed.*turn 2", re.DOTALL))
    expect(rows.nth(3)).to_contain_text(re.compile(r"the page was opened.*turn 1", re.DOTALL))


def test_the_newest_is_compared_with_the_one_before(edited: Served, look: Open) -> None:
    """Without a wish, the last change is shown; markup and directions in it are text."""
    page = look(edited, "#/turns")
    expect(page.get_by_role("heading", name="Turn 2 → 3")).to_be_visible()
    new = difference(page).get_by_role("insertion")
    expect(new.first).to_be_visible()
    assert "- Ring the bell at night." in "".join(new.all_inner_texts())
    shown = "".join(difference(page).get_by_role("region", name="project-context").all_inner_texts())
    assert "<script>alert(1)</script>" in shown
    assert difference(page).locator("script, .text b").count() == 0


def test_words_are_marked_as_gone_and_new(edited: Served, look: Open) -> None:
    """A word in place of another: the old one struck out, the new one underlined."""
    page = look(edited, "#/turns/1..2")
    gone, new = difference(page).get_by_role("deletion"), difference(page).get_by_role("insertion")
    expect(gone).to_have_text(["Two"])
    expect(new).to_have_text(["Three"])
    expect(gone).to_have_css("text-decoration-line", "line-through")
    expect(new).to_have_css("text-decoration-line", "underline")


def test_a_sentence_says_where_it_begins_and_why(edited: Served, look: Open) -> None:
    """The first byte that differs, its section, the cause, and what the cache makes of it."""
    page = look(edited, "#/turns/1..2")
    first = text(edited, 1).encode().index(b"Two ships") + 1  # both begin with a T
    section = difference(page)
    expect(section).to_contain_text(f"The first difference is at byte {first:,}, in project-context, line ")
    expect(section).to_contain_text(re.compile(r"because services/berths/AGENTS\.md changed\."))
    expect(section).to_contain_text(re.compile(r"the cache: sending it costs \$[\d.]+"))
    expect(section).to_contain_text(re.compile("The same in both: .*identity"))


def test_two_turns_are_picked_and_the_address_is_shared(edited: Served, look: Open) -> None:
    """Any two can be picked; whoever gets the address sees the same; back goes back."""
    page = look(edited, "#/turns")
    page.get_by_label("From turn 1").check()
    expect(page).to_have_url(re.compile(r"#/turns/1\.\.3$"))
    expect(difference(page).get_by_role("deletion")).to_have_text(["Two"])
    page.get_by_label("To turn 2").check()
    expect(page.get_by_role("heading", name="Turn 1 → 2")).to_be_visible()
    page.go_back()
    expect(page.get_by_label("To turn 3")).to_be_checked()
    expect(page.get_by_label("From turn 1")).to_be_checked()


def test_an_earlier_turn_never_stands_behind_a_later_one(edited: Served, look: Open) -> None:
    """Moving one past the other takes it along."""
    page = look(edited, "#/turns/1..2")
    page.get_by_label("From turn 2").check()
    expect(page).to_have_url(re.compile(r"#/turns/2\.\.3$"))
    page.get_by_label("To turn 2").check()
    expect(page).to_have_url(re.compile(r"#/turns/1\.\.2$"))


def test_lines_that_stay_the_same_are_folded(edited: Served, look: Open) -> None:
    """A long stretch without a change is one line, which unfolds."""
    page = look(edited, "#/turns/1..2")
    fold = difference(page).get_by_role("button", name=re.compile("lines the same"))
    expect(fold.first).to_be_visible()
    expect(difference(page)).not_to_contain_text("# Harbor")
    fold.first.click()
    expect(difference(page)).to_contain_text("# Harbor")


def test_a_turn_that_is_gone_says_so(edited: Served, browser: Browser) -> None:
    """An address of a turn that is no longer kept tells that, and leads on."""
    page = browser.new_page()
    page.goto(f"{edited.address}#/turns/2..99")
    expect(page.get_by_role("alert")).to_contain_text("Turn 99 is not available")
    expect(page.get_by_role("alert")).to_contain_text("the newest 100 turns since it was started")
    expect(page.get_by_role("alert")).not_to_contain_text("/page/")
    page.get_by_role("link", name="Show the newest").click()
    expect(page.get_by_role("heading", name="Turn 2 → 3")).to_be_visible()
    page.close()


def test_a_turn_that_goes_while_it_is_shown_says_so(own: Served, browser: Browser) -> None:
    """After many more turns, or with another session in place of this one, no old difference stays."""
    page = browser.new_page()
    httpx.get(f"{own.address}page/sheet", timeout=30)
    edit(own, "Two ships", "Three ships")
    page.goto(f"{own.address}#/turns/1..2")
    expect(difference(page).get_by_role("insertion")).to_have_text(["Three"])
    page.route("**/page/diff*", lambda route: route.continue_(url=route.request.url.replace("a=1", "a=99")))
    edit(own, "Three ships", "Four ships")
    expect(page.get_by_role("alert")).to_contain_text("A turn was removed")
    expect(difference(page).get_by_role("insertion")).to_have_count(0)
    page.close()


def test_the_turns_fit_a_narrow_screen(edited: Served, look: Open) -> None:
    """At 400 pixels nothing scrolls sideways."""
    page = look(edited, "#/turns/1..3", width=400)
    expect(difference(page).get_by_role("deletion")).to_be_visible()
    assert page.evaluate("document.querySelector('main').scrollWidth <= document.querySelector('main').clientWidth")


def test_an_edit_appears_as_it_is_saved(own: Served, look: Open) -> None:
    """The newest change is shown as it happens; what was picked by hand stays."""
    page = look(own, "#/turns")
    expect(page.get_by_text("Nothing has changed yet")).to_be_visible()
    edit(own, "Two ships", "Three ships")
    expect(page.get_by_role("heading", name="Turn 1 → 2")).to_be_visible()
    expect(difference(page).get_by_role("insertion")).to_have_text(["Three"])
    page.get_by_role("link", name="AGENTS.md changed").click()
    edit(own, "Three ships", "Four ships")
    expect(page.get_by_label("To turn 3")).to_be_visible()
    expect(page.get_by_role("heading", name="Turn 1 → 2")).to_be_visible()
