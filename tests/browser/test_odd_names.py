"""A file's name is shown as it is: nothing in it turns the direction of text, in any view."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from overture.tap.recorded_call import Run
from overture.tap.store.store import open_store
from tests.contract.browser.conftest import VIEWS, Open, Served

from ..tap.judge.calls import call, said, system, usage

pytestmark = pytest.mark.slow


TURNED = "\u202etxt"
SEEN = """() => {
  const words = [document.title, document.body.innerText];
  for (const each of document.querySelectorAll("[title], [aria-label]"))
    words.push(each.getAttribute("title") || "", each.getAttribute("aria-label") || "");
  return words.filter(text => /[\\u000b-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]/.test(text));
}"""
"""Every text of the page, and every word that is read aloud or shown beside the pointer, with such a character."""


@pytest.fixture(scope="module")
def turned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A project whose folders, rules and recorded calls have such names."""
    root = tmp_path_factory.mktemp("turned") / f"{TURNED}project"
    (root / ".git").mkdir(parents=True)
    (root / "home").mkdir()
    cwd = root / f"{TURNED}\x1b[31m"
    (cwd / ".cursor" / "rules").mkdir(parents=True)
    (cwd / ".cursor" / "rules" / f"{TURNED}.mdc").write_text("---\nalwaysApply: true\n---\nUse knots.\n")
    (root / "AGENTS.md").write_text("Moor every boat.\n")
    (cwd / "AGENTS.md").write_text("Count the fenders before you leave the quay.\n")
    store = root.parent / "calls.sqlite"
    with open_store(store) as calls:
        calls.add_run(Run("r1", "2026-11-15T10:00:00+00:00", f"{TURNED}codex", (f"{TURNED}codex",)))
        rules = (cwd / "AGENTS.md").read_text()
        calls.add(call(system(rules), *said("hi"), id="one", run="r1", cwd=str(cwd), usage=usage(9, 0, 0, 1)))
    found = Served(root, "--calls", str(store), cwd=cwd)
    yield found
    found.end()


def at_rest(page: Page) -> None:
    expect(page.locator("main h1")).to_be_visible()
    expect(page.locator("main [aria-busy=true]")).to_have_count(0)


@pytest.mark.parametrize("view", VIEWS)
def test_names_turn_nothing(turned: Served, look: Open, view: str) -> None:
    """No text, title or label of a view holds a character that turns text or steers a terminal."""
    page = look(turned, f"#/{view}")
    at_rest(page)
    assert page.evaluate(SEEN) == []
