"""Text of files and programs in messages: control characters shown, code blocks closed, both on the record."""

import json
import re

import pytest

from overture import Change, Message, Session
from overture.testing import FakeWorld, make_state

from .worlds import SKILL, load, project, session

RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
BODY = "One\x1b[2J.\rTwo.\n\n```sh\nls"


def noted(live: Session) -> list[tuple[str, str | None, int | None]]:
    """What the record says of the turns so far."""
    return [(note.code, note.path, note.line) for entry in live.record for note in entry.diagnostics]


def test_a_skill_that_is_loaded_is_contained_and_reported() -> None:
    """Its body has its control characters shown and its code block closed, with file and line on the next entry."""
    path = ".agents/skills/evil/SKILL.md"
    live = session(world=project(**{path: "---\nname: evil\ndescription: Does.\n---\n\n" + BODY}))
    live.turn("Go")
    load(live, "evil")
    text = live.messages[-1].text
    assert "\n\nOne\\u{001B}[2J.\nTwo.\n\n```sh\nls\n```\n</skill>" in text
    assert not RAW.search(text)
    live.turn("On")
    assert noted(live) == [("control-character", f"/p/{path}", 6), ("open-fence", f"/p/{path}", 9)]


def test_a_skill_that_the_user_loads_is_closed_before_his_words() -> None:
    """`/skill:name words`: the words are no part of a code block of the skill's."""
    path = ".agents/skills/evil/SKILL.md"
    live = session(world=project(**{path: SKILL.format("evil") + "```"}))
    turn = live.turn("/skill:evil Now.")
    assert turn.messages[-1].text.endswith("How to do evil.\n```\n```\n</skill>\n\nNow.")
    assert noted(live) == [("open-fence", f"/p/{path}", 6)]


def test_a_body_that_a_state_gives_is_reported_by_its_name() -> None:
    """There is no file to name: the skill is."""
    skill = {"name": "evil", "description": "Does.", "location": "/s/evil/SKILL.md", "body": BODY}
    live = Session("opal", state=make_state(skills=[skill]), world=FakeWorld({}))
    live.turn("Go")
    live.framework.use_skill("evil")
    live.turn("On")
    notes = [note for entry in live.record for note in entry.diagnostics]
    assert [note.code for note in notes] == ["control-character", "open-fence"]
    assert all("'evil'" in note.message for note in notes)


@pytest.mark.parametrize("recipe", ["moltis", "house"])
def test_a_nested_file_is_contained_and_reported(recipe: str) -> None:
    """A project file that is met on the way is a message like a block of the prompt, and its faults are reported."""
    name = "CLAUDE.md" if recipe == "moltis" else "AGENTS.md"
    live = session(recipe, project(**{f"sub/{name}": BODY, "sub/x.py": "x"}))
    live.turn("Go")
    live.refresh(touched=["sub/x.py"])
    turn = live.turn("On")
    (text,) = [m.text for m in turn.messages if m.kind == "context"]
    assert "One\\u{001B}[2J.\nTwo.\n\n```sh\nls\n```" in text
    assert noted(live) == [("control-character", f"/p/sub/{name}", 1), ("open-fence", f"/p/sub/{name}", 4)]


def test_a_template_is_shown_and_closed() -> None:
    """What a template holds is shown and closed before the user's message takes it over; its file is named."""
    live = session("pi", project(**{".sf/prompts/fix.md": "---\ndescription: d\n---\nFix\x07 $1.\r```"}))
    turn = live.turn("/fix it")
    assert turn.messages[-1].text == "Fix\\u{0007} it.\n```\n```"
    found = {(note.code, note.path, note.line) for note in turn.prompt.diagnostics}
    path = "/p/.sf/prompts/fix.md"
    assert {("control-character", path, 4), ("open-fence", path, 5)} <= found


def test_what_hooks_and_programs_say_is_shown_and_reported() -> None:
    """A hook's block and message, a program's message, a command's output and a summary reach nobody raw."""
    live = session("pi")
    live.hook("before_agent_start", lambda event: [Change.append("A\x1b"), Change.message("B\x1b")], name="h")
    live.send_message("C\x1b\r\nD", name="p")
    live.add(Message.shell("ls", "E\x1b[0m\rF"))
    turn = live.turn("Go\x1b")
    assert turn.prompt.text.endswith("A\\u{001B}")
    assert [note.code for note in turn.prompt.diagnostics] == ["control-character"]
    said = {message.kind: message.text for message in turn.messages}
    assert said["hook"] == "B\\u{001B}"
    assert said["custom"] == "C\\u{001B}\nD"
    assert "E\\u{001B}[0m\nF" in said["shell"]
    assert [code for code, _, _ in noted(live)] == ["control-character"] * 3
    live.compact("G\x1b")
    assert "G\\u{001B}" in live.messages[0].text


def test_what_is_said_in_the_conversation_is_sent_as_it_is() -> None:
    """The user's words, the model's and a tool's result are no text of the prompt: nobody rewrites them."""
    live = session("pi")
    live.turn("a\x1b")
    live.assistant("b\x1b", [{"id": "1", "name": "bash", "arguments": {}}])
    live.result("1", "c\x1b\r")
    assert [message.text for message in live.turn().messages] == ["a\x1b", "b\x1b", "c\x1b\r"]


@pytest.mark.parametrize("provider", ["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock", "ollama"])
def test_no_request_carries_a_control_character_of_a_file(provider: str) -> None:
    """The system text of every provider's request is that of the prompt."""
    live = session("house", project(**{"AGENTS.md": BODY}))
    body = live.turn("Go").render(provider)
    sent = json.dumps(body, ensure_ascii=True)
    assert "\\\\u{001B}[2J" in sent
    assert not re.search(r"(?<!\\)\\u00(?:[01][0-9a-f]|7f|[89][0-9a-f])", sent)
