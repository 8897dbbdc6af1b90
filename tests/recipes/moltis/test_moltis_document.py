"""What Moltis's document shows or says in so many words, where no section's own test holds it."""

import json

import pytest

import overture
from overture.testing import FakeWorld, make_state
from tests.contract.recipes.moltis.moltis_states import EXEC, FALLBACK, FULL, RUNTIME

HOST = (
    "Host: host=moltis-devbox | os=macos | arch=aarch64 | shell=zsh | provider=openai | model=gpt-5 | session=main"
    " | sudo_non_interactive=true | timezone=Europe/Paris\n"
)
SANDBOX = (
    "Sandbox(exec): enabled=true | mode=all | backend=docker | scope=session | image=moltis-sandbox:abc123"
    " | workspace_mount=ro | network=disabled\n"
)
SKILLS = """## Available Skills
<available_skills>
<skill name="commit" source="skill" path="/skills/commit">
Create git commits
</skill>
</available_skills>"""


def test_the_examples_come_out_as_they_are_printed() -> None:
    """Its two lines on host and sandbox, and its menu of one skill, are made of the values in them."""
    runtime = {**RUNTIME, "accept_language": None, "timezone": "Europe/Paris"}
    text = overture.build("moltis", make_state(runtime=runtime, skills=FULL["skills"][:1], tools=[EXEC])).text
    assert f"## Runtime\n\n{HOST}{SANDBOX}\nExecution routing:\n" in text
    assert f"\n\n{SKILLS}\n\n" in text


def test_facts_are_those_of_the_request() -> None:
    """What a browser, a router or a user tells in the middle of a session stands in the next turn's lines."""
    world = FakeWorld({"/home/user/.moltis/USER.md": "---\ntimezone: Asia/Tokyo\nlocation: Kyoto\n---\n"}, host="box")
    live = overture.Session("moltis", world=world, tools=["exec"], state={"session": {"id": "main"}})
    host = "Host: host=box | os=linux | arch=x86_64"
    first = live.turn("Go").prompt.text
    assert f"{host} | session=main | timezone=Asia/Tokyo | location=Kyoto\n\nExecution" in first
    live.update(runtime={"model": "gpt-5", "provider": "openai"})
    browser = {"timezone": "Europe/Paris", "accept_language": "fr", "location": "Lyon"}
    live.update(runtime={**browser, "sandbox": {"enabled": True, "backend": "docker"}})
    told = "session=main | timezone=Europe/Paris | accept_language=fr | location=Lyon"
    second = live.turn("On").prompt.text
    assert f"{host} | provider=openai | model=gpt-5 | {told}\nSandbox(exec): enabled=true | backend=docker\n" in second


@pytest.mark.parametrize("native", [True, False])
def test_schemas_go_one_way_or_the_other(native: bool) -> None:
    """A native provider is sent the schema and the whole description as a tool, any other reads them in the prompt."""
    described = "Run a shell command, and wait. " * 8
    tool = {**FALLBACK["tools"][0], "description": described}
    prompt = overture.build("moltis", make_state(tools=[tool], native_tools=native))
    sent = overture.render("openai-chat", prompt, tools=True).get("tools", [])
    assert [(each["function"]["description"], each["function"]["parameters"]) for each in sent] == (
        [(described, tool["parameters"])] if native else []
    )
    assert ("the command line" in prompt.text) is not native
    assert (described.strip() in prompt.text) is not native


def test_a_file_that_git_ignores_is_read() -> None:
    """CLAUDE.local.md is kept out of a repository, not out of the prompt."""
    files = {"/p/.git/HEAD": "", "/p/.gitignore": "CLAUDE.local.md\n", "/p/CLAUDE.local.md": "Mine."}
    found = overture.discover("moltis", world=FakeWorld(files, cwd="/p"))
    assert [file.path for file in found.state.context_files] == ["/p/CLAUDE.local.md"]


@pytest.mark.parametrize("description", ["Finds words.", ""])
def test_a_signature_is_said_as_a_schema_where_tools_are_not_native(description: str) -> None:
    """As a request would send it: a model that calls by text has to know the arguments of every tool."""
    tool = {"name": "find", "description": description, "signature": "(word :string, most :int?) -> :any"}
    text = overture.build("moltis", {"native_tools": False, "tools": [tool]}).text
    schema = json.loads(text.partition("```json\n")[2].partition("```")[0])
    native = overture.build("moltis", {"tools": [tool]})
    assert schema == overture.render("openai-chat", native, tools=True)["tools"][0]["function"]["parameters"]
    assert list(schema["properties"]) == ["most", "word"] and schema["required"] == ["word"]
