"""Opal over the turns of a session: what is found once, what follows the tools, and what a skill costs."""

import json

import pytest

import overture
from overture.testing import FakeWorld

SKILL = "---\nname: tides\ndescription: Reads tide tables.\nglobs: ['*.py']\n---\nHigh water comes twice a day.\n"
FILES = {"/p/AGENTS.md": "Use tabs.", "/p/.agents/skills/tides/SKILL.md": SKILL, "/p/quay.py": "x = 1"}
BODY = "High water comes twice a day."


def live(**options: object) -> overture.Session:
    """A session of Opal in a project with one file and one skill."""
    return overture.Session("opal", world=FakeWorld(FILES), **options)  # type: ignore[arg-type]


def test_only_name_and_description_are_in_the_prompt() -> None:
    """A skill's instructions are never in the system prompt: once it is loaded they are a user's message."""
    session = live()
    before = session.turn("Go").prompt
    session.assistant("", [{"id": "1", "name": "use_skill", "arguments": {"name": "tides"}}])
    assert session.answer(session.messages[-1].calls[0])
    after = session.turn("On")
    assert "- **tides**: Reads tide tables." in before.text
    assert BODY not in before.text
    assert after.prompt is before
    assert [message.role for message in after.messages if BODY in message.text] == ["user"]


def test_globs_load_nothing() -> None:
    """A skill with `globs` is listed without a complaint, and a file that they match does not load it."""
    session = live()
    session.turn("Go")
    session.assistant("", [{"id": "1", "name": "read_file", "arguments": {"path": "/p/quay.py"}}])
    session.result("1", "x = 1", touched=["quay.py"])
    turn = session.turn()
    assert "**tides**" in turn.prompt.text
    assert turn.prompt.diagnostics == ()
    assert not any(BODY in message.text for message in turn.messages)


def test_guidelines_follow_the_tools_from_turn_to_turn() -> None:
    """Rules are held against the tools that are active on that turn; a tool that no rule knows changes none."""
    session = live(tools=["shell"])
    assert "Use shell commands like" in session.turn("Go").prompt.text
    session.set_tools(["shell", "read_file"])
    later = session.turn("On").prompt
    assert "Use shell commands like" not in later.text
    assert "- Use the `read_file` tool to read files." in later.text
    session.register({"name": "mcp_search", "description": "Search.", "parameters": {"type": "object"}})
    assert session.turn("On").prompt.text == later.text


def test_the_plan_lies_in_the_folder_of_the_live_session() -> None:
    """The path of the plan has the id of the session that is attached, on every turn."""
    session = live()
    first, second = session.turn("Go").prompt, session.turn("On").prompt
    assert session.prompt.state.session is not None
    assert f"/.opal/sessions/{session.prompt.state.session.id}/plan.md\n\nWrite your plan" in first.text
    assert first is second


@pytest.mark.parametrize("provider", ["openai-chat", "ollama"])
def test_the_system_prompt_is_one_message_and_the_first(provider: str) -> None:
    """All six sections are the text of one system message, which stands before the conversation."""
    session = live()
    turn = session.turn("Go")
    messages = json.loads(json.dumps(turn.render(provider)))["messages"]
    assert [message["role"] for message in messages] == ["system", "user"]
    assert messages[0]["content"] == turn.prompt.text
    assert len(turn.prompt.blocks) == 6


def test_the_program_starts_a_sub_agent() -> None:
    """A session answers no call to `sub_agent`: whoever runs the loop starts it, and gives back what it found."""
    session = live()
    session.turn("Go")
    session.assistant("", [{"id": "1", "name": "sub_agent", "arguments": {"task": "Count."}}])
    (call,) = session.messages[-1].calls
    assert not session.answer(call)
    assert session.subagent(call.arguments["task"]).turn().messages[0].text == "Count."
    session.result(call, "Three.")
    assert session.turn().messages[-1].text == "Three."
