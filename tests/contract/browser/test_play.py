"""Play: what would be sent if something were otherwise, and how to take it along."""

import re
import shlex
import subprocess
import sys

import pytest
from playwright.sync_api import Locator, Page, expect

from .conftest import Open, Served
from .seen import is_whole, section

pytestmark = pytest.mark.slow


TRYING = "Active changes: "


@pytest.fixture
def shown(served: Served, look: Open) -> Page:
    """The play view of the example project."""
    page = look(served, "#/play")
    expect(page.get_by_role("heading", name=re.compile("tokens as it is sent"))).to_be_visible()
    return page


def result(page: Page) -> Locator:
    """The prompt with these changes."""
    return page.get_by_role("region", name="The prompt with these changes")


def field(page: Page, name: str) -> Locator:
    """The JSON of a field of the state."""
    page.get_by_role("combobox", name="Any field of the state").select_option(name)
    return page.get_by_role("textbox", name=f"The field {name} as JSON")


def copied(page: Page, what: str) -> str:
    """What lies in the clipboard once this was copied."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    choice = page.get_by_role("combobox", name="What to copy")
    choice.select_option(what)
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_text(f"copied: {choice.locator('option:checked').inner_text()}", exact=True)).to_be_visible()
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def test_tools_and_skills_are_switched(shown: Page) -> None:
    """Without a tool its rules go, without a skill its line; switched on again, all is as it was."""
    expect(result(shown)).to_contain_text("tide-check")
    shown.get_by_role("checkbox", name="tide-check").uncheck()
    expect(result(shown)).not_to_contain_text("tide-check")
    shown.get_by_role("checkbox", name="read_file").uncheck()
    expect(result(shown)).not_to_contain_text("Use the `read_file` tool")
    expect(shown.get_by_text(f"{TRYING}without 1 tool · without 1 skill")).to_be_visible()
    shown.get_by_role("checkbox", name="read_file").check()
    shown.get_by_role("checkbox", name="tide-check").check()
    expect(shown.get_by_text(TRYING)).to_have_count(0)


def test_clock_channel_and_task(own: Served, look: Open) -> None:
    """Each is in the prompt of a recipe that tells it, as one types."""
    shown = look(own, "#/play")
    shown.get_by_role("combobox", name="Agent or recipe").select_option("nova")
    shown.get_by_label("Clock").fill("2031-05-06T07:08:09")
    expect(result(shown)).to_contain_text("May 6, 2031")
    shown.get_by_role("textbox", name="Task").fill("Paint the quay")
    expect(result(shown)).to_contain_text("Paint the quay")
    expect(result(shown)).to_contain_text("no channel is given")
    shown.get_by_role("textbox", name="Channel").fill("telegram")
    expect(result(shown)).not_to_contain_text("no channel is given")
    shown.get_by_role("combobox", name="Agent or recipe").select_option("opal")
    expect(result(shown)).to_contain_text("You are Opal")


def test_any_field_as_json_with_its_faults_at_their_line(shown: Page) -> None:
    """A fault of the syntax and one of the value are told with the line; the prompt stays as it was."""
    box = field(shown, "agent")
    box.fill('{\n  "name": "Ada",\n  "system_prompt": "You are Ada of the quay."\n}')
    expect(result(shown)).to_contain_text("You are Ada of the quay.")
    box.fill('{\n  "name": "Ada",\n  "system_prompt": oh\n}')
    expect(shown.get_by_text("Line 3: not valid JSON yet")).to_be_visible()
    box.fill('{\n  "name": "Ada",\n  "system_prompt": 5\n}')
    expect(shown.get_by_text(re.compile(r"^Line 3: .*agent\.system_prompt"))).to_be_visible()
    expect(result(shown)).to_contain_text("You are Ada of the quay.")
    shown.get_by_role("button", name="As found").click()
    expect(result(shown)).to_contain_text("You are Opal")


def test_what_is_copied_makes_this_very_prompt(served: Served, shown: Page) -> None:
    """The text is the prompt; the command, run in a shell, and the Python print the same bytes."""
    shown.get_by_role("checkbox", name="shell").uncheck()
    expect(result(shown)).not_to_contain_text("Do NOT use `cat`")
    text = copied(shown, "text")
    assert is_whole(shown, text)
    command = re.sub("^overture ", f"{shlex.quote(sys.executable)} -m overture ", copied(shown, "command"))
    done = subprocess.run(["sh", "-c", command], capture_output=True, check=True, text=True)
    assert done.stdout == f"{text}\n"  # a command's last line has an end
    python = copied(shown, "python")
    assert (
        subprocess.run([sys.executable, "-c", python], capture_output=True, check=True, text=True).stdout == f"{text}\n"
    )
    assert '"system"' in copied(shown, "anthropic")


def test_what_is_tried_out_is_seen_in_every_view(shown: Page) -> None:
    """A wish stays from view to view until it is taken back."""
    shown.get_by_role("checkbox", name="tide-check").uncheck()
    expect(result(shown)).not_to_contain_text("tide-check")
    shown.keyboard.press("1")
    expect(section(shown, "skills")).to_be_visible()
    expect(section(shown, "skills")).not_to_contain_text("tide-check")
    shown.keyboard.press("Escape")
    expect(section(shown, "skills")).to_contain_text("tide-check")
