"""Attached: the turns of an agent in another process, as they happen."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from ..session.publish.agents_that_publish import agent, own_home

pytestmark = pytest.mark.slow


AGENT = """
s = session(state={"session": {"id": "boats-1"}})
for line in sys.stdin:
    s.update(memories=[line.strip()]); say(s.turn(line).prompt.fingerprint)
s.close()
"""


def test_the_turns_of_an_agent_appear_as_it_takes_them(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page waits for an agent, shows each of its turns and what changed, and says when it has ended."""
    own_home(monkeypatch, tmp_path)
    where = ("--cwd", str(tmp_path), "--home", str(tmp_path))
    line = [sys.executable, "-m", "overture", "serve", "--attach", "--port", "0", *where]
    server = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=os.environ)
    assert server.stdout is not None
    page = browser.new_page()
    try:
        page.goto(f"{server.stdout.readline().strip()}#/turns")
        expect(page.get_by_text("There is nothing to show yet")).to_be_visible()
        expect(page.get_by_text("waits for a session")).to_be_visible()
        with agent(AGENT, tmp_path) as process:
            assert process.stdin is not None
            process.stdin.write("The quay is wet.\n")
            process.stdin.flush()
            expect(page.get_by_text("1 prompt of a running session")).to_be_visible()
            expect(page.get_by_text("follows the session")).to_be_visible()
            process.stdin.write("The quay is dry.\n")
            process.stdin.flush()
            expect(page.get_by_role("heading", name="Turn 1 → 2")).to_be_visible()
            expect(page.get_by_role("insertion").first).to_contain_text("dry")
            page.keyboard.press("1")
            expect(page.get_by_text("The quay is dry.")).to_be_visible()
            views = page.get_by_role("navigation", name="Views").get_by_role("link").all_inner_texts()
            assert [view.split()[0] for view in views] == ["Prompt", "Map", "Turns", "Calls"]
            expect(page.get_by_role("slider")).to_have_count(0)  # a budget is tried out on a project alone
            process.stdin.close()
            expect(page.get_by_text("the session has ended")).to_be_visible()
    finally:
        page.close()
        server.terminate()
        server.communicate(timeout=20)
