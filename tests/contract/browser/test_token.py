"""A page that others can reach asks for its token, and says it in no address."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from .conftest import Open, Served, strange
from .seen import section

pytestmark = pytest.mark.slow


TOKEN = "quay-7-harbour-master"


def test_the_token_is_asked_for_and_stays_in_the_tab(
    tmp_path: Path, look: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong one is asked for again; the right one opens the page, and no address holds it."""
    monkeypatch.setenv("OVERTURE_TOKEN", TOKEN)
    served = Served(strange(tmp_path))
    try:
        page = look(served)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        expect(page.get_by_text("This page needs a token")).to_be_visible()
        page.get_by_label("Token").fill("wrong")
        page.get_by_role("button", name="Open").click()
        expect(page.get_by_role("alert")).to_have_text("Wrong token. Try again.")
        page.get_by_label("Token").fill(TOKEN)
        page.get_by_label("Token").press("Enter")
        expect(section(page, "identity")).to_be_visible()
        expect(page.get_by_text("follows your edits")).to_be_visible()
        page.reload()
        expect(section(page, "identity")).to_be_visible()
        assert not any(TOKEN in each for each in [*asked, page.url])
        page.goto("about:blank")
    finally:
        served.end()
