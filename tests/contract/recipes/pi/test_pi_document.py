"""What pi's document says and no golden shows."""

from typing import Any

import overture
from overture import Message, Session
from overture.testing import FakeWorld, make_state

SKILL = "---\nname: {0}\ndescription: Does {0}.\n---\nHow to do {0}.\n"
FILES = {
    "/home/user/.sf/agent/AGENTS.md": "Answer in English.",
    "/p/AGENTS.md": "Use tabs.",
    "/p/.sf/APPEND_SYSTEM.md": "Plan first.",
    "/p/.agents/skills/tow/SKILL.md": SKILL.format("tow"),
}
DEPLOY = {"name": "deploy", "description": "Ships it.", "promptGuidelines": ["Ask before you ship."]}
DOCS = {"docs": {"main": "/opt/pi/README.md"}}
BASE = ("You are a purpose-driven", "Available tools:", "custom tools", "Guidelines:", "Pi documentation")


def session(world: FakeWorld, **options: Any) -> Session:
    """A session of pi with its own tools, and one of the caller's."""
    live = Session("pi", world=world, state={"runtime": DOCS}, tools=["read", "edit", "write", "bash"], **options)
    live.register(DEPLOY)
    return live


def names(prompt: overture.Prompt) -> list[str]:
    """The blocks, in order."""
    return [block.name for block in prompt.blocks]


def test_system_md_takes_the_place_of_all_of_the_base() -> None:
    """Tool list, guidelines, those of tools and pointers are gone; what follows the base stands."""
    plain = session(FakeWorld(FILES)).prompt
    own = session(FakeWorld({**FILES, "/p/.sf/SYSTEM.md": "Own base."})).prompt
    for said in (*BASE, "Ask before you ship."):
        assert said in plain.text
        assert said not in own.text
    assert own.text.startswith("Own base.\n\nPlan first.\n\n# Project Context\n\n")
    assert own.text.partition("Plan first.")[2] == plain.text.partition("Plan first.")[2]
    assert names(own) == ["base", "append", "project-context", "skills", "clock-and-cwd"]


def test_beside_system_md_too_skills_need_the_read_tool() -> None:
    """Without `read` there is no listing, whichever base stands."""
    live = session(FakeWorld({**FILES, "/p/.sf/SYSTEM.md": "Own base."}))
    live.set_tools(["bash"])
    assert names(live.prompt) == ["base", "append", "project-context", "clock-and-cwd"]


def test_a_description_is_not_a_tools_line() -> None:
    """Without a snippet, a tool that is none of pi's own is said by its name; its description goes with its schema."""
    live = session(FakeWorld(FILES))
    turn = live.turn("Go")
    assert "\n- deploy: deploy\n" in turn.prompt.text
    assert "Ships it." not in turn.prompt.text
    assert [tool.description for tool in turn.tools if tool.name == "deploy"] == ["Ships it."]


def test_a_tools_guidelines_come_and_go_with_it() -> None:
    """They stand while the tool is active, and with the next prompt they do not."""
    live = session(FakeWorld(FILES))
    assert "- Ask before you ship." in live.turn("Go").prompt.text
    live.set_tools(["read", "bash"])
    assert "Ask before you ship." not in live.turn("On").prompt.text
    live.set_tools(["read", "deploy"])
    assert "- Ask before you ship." in live.turn("On").prompt.text


def test_a_tool_for_planning_has_neither_line_nor_guidelines() -> None:
    """It can't be called, and so is not active: nothing of it is said, and the record has it."""
    tools = [{**DEPLOY, "planning_only": True}]
    plain = overture.build("pi", make_state(tools=tools))
    filled = overture.build("pi", make_state(tools=tools, overrides={"system": "{{tools}}\n{{guidelines}}"}))
    for prompt in (plain, filled):
        assert "deploy" not in prompt.text
        assert "Ask before you ship." not in prompt.text
        assert "deploy is for planning only, which pi does not show" in [each.reason for each in prompt.omitted]


def test_a_request_has_the_active_tools_alone() -> None:
    """Name, description and schema of those that are active; the others are not sent."""
    live = session(FakeWorld(FILES))
    live.set_tools(["bash", "read"])
    sent = live.turn("Go").render("anthropic", model="claude-m")["tools"]
    assert sorted(tool["name"] for tool in sent) == ["bash", "read"]
    assert all({"name", "description", "input_schema"} <= tool.keys() for tool in sent)


def test_a_global_claude_md_is_not_read() -> None:
    """In pi's own folder under home only AGENTS.md counts."""
    prompt = session(FakeWorld({**FILES, "/home/user/.sf/agent/CLAUDE.md": "Claude's."})).prompt
    assert "Answer in English." in prompt.text
    assert "Claude's." not in prompt.text


def test_the_body_of_a_skill_is_not_in_the_prompt() -> None:
    """Name, description and path are; how to do it is not."""
    text = session(FakeWorld(FILES)).prompt.text
    assert "<description>Does tow.</description>\n<location>/p/.agents/skills/tow/SKILL.md</location>" in text
    assert "How to do tow." not in text


def test_a_reload_has_all_files_anew() -> None:
    """SYSTEM.md, APPEND_SYSTEM.md, project files and skills that changed are in the next prompt."""
    world = FakeWorld(FILES)
    live = session(world)
    live.turn("Go")
    changed = {"/p/.sf/SYSTEM.md": "Own base.", "/p/.sf/APPEND_SYSTEM.md": "Act first.", "/p/AGENTS.md": "Use blanks."}
    changed["/p/.sf/skills/moor/SKILL.md"] = SKILL.format("moor")
    world.files |= {path: text.encode() for path, text in changed.items()}
    live.reload()
    text = live.turn("On").prompt.text
    assert text.startswith("Own base.\n\nAct first.\n\n# Project Context\n\n")
    assert "Use blanks." in text
    assert "<name>moor</name>" in text
    assert not [old for old in ("Plan first.", "Use tabs.") if old in text]


def test_all_but_replies_and_results_speaks_as_the_user() -> None:
    """Summaries, commands and messages of programs and hooks are the user's; a private command is not sent."""
    live = session(FakeWorld(FILES))
    live.hook("before_agent_start", lambda event: {"message": {"customType": "tide", "content": "The tide is low."}})
    live.turn("Go")
    live.compact("They said Go.", keep=0)
    live.branch("They tried.", keep=1)
    live.add(Message.shell("!make", "ok", 0))
    live.add(Message.shell("!!env", "secret", 0))
    live.send_message("From a program.")
    messages = live.turn("On").messages
    assert [message.kind for message in messages] == ["summary", "branch", "shell", "custom", "prompt", "hook"]
    assert {message.role for message in messages} == {"user"}
    assert "secret" not in "".join(message.text for message in messages)
