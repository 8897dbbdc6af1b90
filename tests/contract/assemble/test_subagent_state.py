import pytest

import overture
from overture import StateError
from overture.testing import make_state

PARENT = make_state(
    agent={"name": "Ada", "system_prompt": "You lead."},
    context_files=[{"path": "/p/AGENTS.md", "content": "Use tabs."}],
    skills=[{"name": "pdf", "description": "d", "location": "/s/SKILL.md"}],
    tools=[{"name": name} for name in ("shell", "sub_agent", "read_file", "ask_user", "use_skill")],
    session={"id": "s1"},
    runtime={"cwd": "/p"},
)


def test_a_sub_agent_inherits_context_and_skills_and_has_no_session() -> None:
    """The parent's files, skills and directory are the same objects; the session is gone."""
    child = overture.derive(PARENT)
    assert child.context_files is PARENT.context_files
    assert child.skills is PARENT.skills
    assert child.runtime is PARENT.runtime
    assert child.session is None


def test_a_sub_agent_never_gets_the_tools_of_a_top_level_agent() -> None:
    """`sub_agent` and `ask_user` are taken away even if they are asked for; the others keep their order."""
    assert [tool.name for tool in overture.derive(PARENT).tools] == ["shell", "read_file", "use_skill"]
    asked = overture.derive(PARENT, tools=["read_file", "ask_user", "shell"])
    assert [tool.name for tool in asked.tools] == ["shell", "read_file"]
    assert overture.derive(PARENT, tools=[]).tools == ()


def test_the_task_prompt_replaces_the_base_and_nothing_else() -> None:
    """`prompt` becomes the sub-agent's system prompt; the agent's other fields stay."""
    child = overture.derive(PARENT, prompt="You follow.")
    assert child.agent is not None
    assert (child.agent.name, child.agent.system_prompt) == ("Ada", "You follow.")
    assert overture.derive(PARENT).agent is PARENT.agent
    nobody = overture.derive(PARENT.replace(agent=None), prompt="You follow.").agent
    assert nobody is not None
    assert nobody.system_prompt == "You follow."


def test_a_tool_that_the_parent_does_not_have_is_an_error() -> None:
    """A sub-agent can't be given a tool that its parent lacks; the nearest name is given."""
    with pytest.raises(StateError, match=r"Tool 'read_fil' is not known.*Did you mean 'read_file'\?"):
        overture.derive(PARENT, tools=["read_fil"])


def test_the_guidelines_follow_the_sub_agents_own_tools() -> None:
    """Guidelines are those of the sub-agent's tool set, not of its parent's."""
    text = overture.build("opal", overture.derive(PARENT, tools=["read_file"])).text
    assert "via shell" in overture.build("opal", PARENT).text
    assert "via shell" not in text
    assert "<status>" in text
