"""The prompt: all of it, and where each text of it comes from."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from .conftest import KEY, Open, Served, harbor
from .seen import built, is_whole, section, told


@pytest.fixture
def shown(served: Served, look: Open) -> Page:
    """The prompt of the example project."""
    page = look(served)
    expect(section(page, "identity")).to_be_visible()
    return page


@pytest.fixture(scope="module")
def coding(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The example project, as Codex reads it."""
    root = harbor(tmp_path_factory.mktemp("codex"))
    found = Served(root, recipe="codex", cwd=root / "services" / "berths")
    yield found
    found.end()


def test_what_is_seen_is_what_is_sent(served: Served, shown: Page) -> None:
    """The text on the page is that of `overture build`, to the character."""
    assert is_whole(shown, built(served))


@pytest.mark.slow
def test_what_an_agent_is_told_is_seen_whole(coding: Served, look: Open) -> None:
    """The prompt of an agent is shown by the same page, with what stands in its messages."""
    page = look(coding)
    expect(page.get_by_role("heading", level=1)).to_contain_text("tokens, without the agent's own prompt and tools")
    assert is_whole(page, built(coding, "codex"))


@pytest.mark.slow
def test_each_section_says_its_name_its_size_and_how_often_it_changes(shown: Page) -> None:
    """Tokens, the share of the whole, and a pace in words."""
    for name, pace in (("identity", "never changes"), ("project-context", "once a session")):
        expect(section(shown, name)).to_contain_text(re.compile(rf"^{name}{pace}[\d,]+ tokens\d+ %"))
    shares = shown.locator(".block .share").all_inner_texts()
    assert sum(int(share.split()[0]) for share in shares) == pytest.approx(100, abs=3)


@pytest.mark.slow
def test_pointing_at_text_tells_its_source(shown: Page) -> None:
    """A file with its line, a value of the state, the recipe's own text, a rule with its reason."""
    expect(told(shown)).to_contain_text("Point at any text to see where it comes from")
    for text, source in (
        ("Two ships never share a berth", "services/berths/AGENTS.md:4"),
        ("You are Opal", "the recipe's own text"),
        ("Use the `read_file` tool to read", "read_vs_shell"),
    ):
        shown.get_by_text(re.compile(text)).first.hover()
        expect(told(shown)).to_contain_text(source)
    expect(told(shown)).to_contain_text("Why it is there")


@pytest.mark.slow
def test_a_click_keeps_it_and_shows_the_file_at_that_line(shown: Page) -> None:
    """Pinned text stays when the pointer goes on, beside the lines of its file; Escape lets it go."""
    shown.get_by_text(re.compile("Two ships never share a berth")).click()
    lines = told(shown).get_by_role("region", name="Lines of services/berths/AGENTS.md")
    expect(lines.locator(".on")).to_contain_text(re.compile("^4- Two ships never share"))
    shown.get_by_text(re.compile("You are Opal")).hover()
    expect(told(shown).get_by_role("heading", name="services/berths/AGENTS.md:4")).to_be_visible()
    told(shown).get_by_role("link", name="Show the whole file").click()
    expect(shown.get_by_role("region", name="services/berths/AGENTS.md", exact=True).locator(".on")).to_contain_text(
        "Two ships"
    )
    shown.go_back()
    shown.get_by_text(re.compile("Two ships never share a berth")).click()
    shown.keyboard.press("Escape")
    expect(told(shown)).to_contain_text("Click or press Enter to pin it")


@pytest.mark.slow
def test_the_keyboard_tells_sources_too(shown: Page) -> None:
    """From a section's head the arrows go through its text; Enter keeps one in view."""
    section(shown, "project-context").locator("header").focus()
    shown.keyboard.press("ArrowDown")
    expect(told(shown).get_by_role("heading", name="opal.project-context")).to_be_visible()
    shown.keyboard.press("ArrowRight")
    expect(told(shown).get_by_role("heading", name="context_files[0].path")).to_be_visible()
    shown.keyboard.press("ArrowDown")
    expect(told(shown).get_by_role("heading", name="AGENTS.md:1")).to_be_visible()
    shown.keyboard.press("Enter")
    expect(told(shown).get_by_role("region", name="Lines of AGENTS.md")).to_be_visible()


@pytest.mark.slow
def test_a_section_that_is_empty_says_why(odd: Served, look: Open) -> None:
    """Behind the last section, one line opens to each empty one with its reason."""
    page = look(odd)
    page.get_by_text(re.compile("sections? (is|are) empty here$")).click()
    expect(page.locator(".prompt-text > :last-child")).to_contain_text("skills there are no skills")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shown_as", "kind", "was"),
    [
        ("\\u{200B}", "An invisible character was here", "zero width space"),
        ("&lt;", "This would look like a part of the prompt's own frame", "In the source:<"),
        ("[secret: GitHub token]", "A secret is not shown here", "GitHub token"),
    ],
)
def test_what_was_changed_is_marked_with_what_was_there(
    odd: Served, look: Open, shown_as: str, kind: str, was: str
) -> None:
    """Hidden characters, forged tags and keys: each is marked, and says what stood there. A key is never said."""
    page = look(odd)
    page.locator("mark", has_text=shown_as).first.hover()
    expect(told(page)).to_contain_text(kind)
    expect(told(page)).to_contain_text(was)
    assert KEY not in page.content()


@pytest.mark.slow
def test_find_lights_each_hit_and_goes_from_one_to_the_next(shown: Page) -> None:
    """`/` begins, Enter goes on, and what is not there is said."""
    shown.keyboard.press("/")
    field = shown.get_by_role("searchbox", name="Find in the prompt")
    expect(field).to_be_focused()
    shown.keyboard.type("berth")
    expect(shown.get_by_role("search")).to_contain_text(re.compile(r"1 of \d+"))
    shown.keyboard.press("Enter")
    expect(shown.get_by_role("search")).to_contain_text(re.compile(r"2 of \d+"))
    field.fill("no such word")
    expect(shown.get_by_role("search")).to_contain_text("nothing found")


@pytest.mark.slow
def test_an_address_leads_to_a_section(served: Served, look: Open) -> None:
    """Who gets `#/prompt/planning` sees that section."""
    expect(section(look(served, "#/prompt/planning"), "planning")).to_be_in_viewport()


@pytest.mark.slow
def test_a_kept_line_is_opened_in_an_editor_or_copied(served: Served, shown: Page) -> None:
    """Beside the lines of a file: a link for VS Code, `path:line`, and a command for the editor of the shell."""
    shown.context.grant_permissions(["clipboard-read", "clipboard-write"])
    shown.get_by_text(re.compile("Two ships never share a berth")).click()
    file = served.cwd / "AGENTS.md"
    link = told(shown).get_by_role("link", name="Open in VS Code")
    expect(link).to_have_attribute("href", f"vscode://file{file}:4")
    for name, text in {
        "Copy path:line": "services/berths/AGENTS.md:4",
        "Copy $EDITOR command": f"$EDITOR +4 '{file}'",
    }.items():
        told(shown).get_by_role("button", name=name).click()
        expect(shown.get_by_text(f"copied: {text}")).to_be_visible()
        assert shown.evaluate("navigator.clipboard.readText()") == text
