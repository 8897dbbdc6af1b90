"""The printed address has a token: the browser keeps it in a cookie, and says it in no address."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from .conftest import Served, strange
from .seen import section

pytestmark = pytest.mark.slow


def test_the_token_leaves_the_address_and_nobody_gets_in_without_it(tmp_path: Path, browser: Browser) -> None:
    """The printed address opens the page and goes on following; without its token there is a plain page."""
    served = Served(strange(tmp_path), token=True)
    home, _, token = served.address.partition("?token=")
    mine, other = browser.new_context(), browser.new_context()
    try:
        page = mine.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{served.address}#/prompt/identity")
        expect(section(page, "identity")).to_be_visible()
        expect(page.get_by_text("follows your edits")).to_be_visible()
        assert page.url == f"{home}#/prompt/identity"
        assert not any(token in each for each in asked[1:])
        page.reload()
        expect(section(page, "identity")).to_be_visible()
        stranger = other.new_page()
        answer = stranger.goto(home)
        assert answer is not None and answer.status == 401
        expect(stranger.get_by_text("Open the address that `overture serve` printed")).to_be_visible()
    finally:
        mine.close()
        other.close()
        served.end()
