"""smolagents, by the code of docs/integrations.md: what its table says of the six."""

from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip("smolagents")

from smolagents import Tool
from smolagents.models import (
    ChatMessage,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    MessageRole,
    Model,
    get_tool_json_schema,
)
from smolagents.monitoring import LogLevel, TokenUsage

from .programs import run_program

END = ("final_answer", {"answer": "ok"})


class Seen(NamedTuple):
    """One request."""

    system: str
    messages: list[str]
    tools: list[str]


class Script(Model):
    """A model that answers with calls, step by step; a text is a plan. It runs what a step has to happen first."""

    def __init__(self, *steps: Any) -> None:
        super().__init__(model_id="claude-opus-5")
        self.steps, self.seen = list(steps), list[Seen]()
        self.agent: Any = None

    def generate(self, messages: Any, tools_to_call_from: Any = None, **more: Any) -> ChatMessage:
        """The next step."""
        texts = ["".join(block["text"] for block in message.content) for message in messages]
        tools = [get_tool_json_schema(tool)["function"]["name"] for tool in tools_to_call_from or ()]
        own = messages[0].role == MessageRole.SYSTEM
        self.seen.append(Seen(texts[0] if own else "", texts[1:] if own else texts, tools))
        step, usage = self.steps[len(self.seen) - 1], TokenUsage(100, 10)
        step = step() if callable(step) else step
        if isinstance(step, str):
            return ChatMessage(role=MessageRole.ASSISTANT, content=step, token_usage=usage)
        function = ChatMessageToolCallFunction(name=step[0], arguments=step[1])
        call = ChatMessageToolCall(id=f"call-{len(self.seen)}", type="function", function=function)
        return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=[call], token_usage=usage)


class Read(Tool):
    """A tool that reads a file."""

    name = "read"
    description = "Read a file."
    inputs = {"path": {"type": "string", "description": "The file."}}
    output_type = "string"

    def forward(self, path: str) -> str:
        """The text."""
        return Path(path).name


class Late(Read):
    """A tool that comes later."""

    name = "late"


@pytest.fixture
def page(project: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the code of the page defines, run in the project."""
    monkeypatch.setenv("HOME", str(project.parent / "home"))
    (project / ".git").mkdir()
    found = run_program("integrations.md", "with_smolagents.py", project)
    monkeypatch.chdir(project)
    return found


def run(page: dict[str, Any], script: Script, **more: Any) -> Any:
    """An agent of the page that ran."""
    agent = page["make_agent"](script, [Read()])
    agent.logger.level = LogLevel.OFF
    for name, value in more.items():
        setattr(agent, name, value)
    script.agent = agent
    assert agent.run("hi") in ("ok", "final")
    return agent


def test_prompt_and_tools_follow_what_changes(page: dict[str, Any], project: Path) -> None:
    """An edited file and a new tool are in the next request, and the clock in each."""

    def change() -> tuple[str, dict[str, str]]:
        (project / "AGENTS.md").write_text("Use spaces.\n")
        script.agent.tools["late"] = Late()
        return "read", {"path": "a"}

    script = Script(change, END)
    run(page, script)
    first, second = script.seen
    assert "Use tabs." in first.system and "Use spaces." in second.system and "Use tabs." not in second.system
    assert first.tools == ["read", "use_skill", "final_answer"] and second.tools == [*first.tools, "late"]
    assert "- late" in second.system and "- late" not in first.system
    assert all(seen.messages[0].count("Current time:") == 1 for seen in script.seen)


def test_skills_nested_files_and_usage(page: dict[str, Any]) -> None:
    """A skill and a wrong name come back as text, nested files behind the observation, and usage is summed."""
    calls = [("use_skill", {"name": "gret"}), ("use_skill", {"name": "greet"}), ("read", {"path": "api/x.py"})]
    script = Script(*calls, END)
    run(page, script)
    assert "Did you mean 'greet'?" in script.seen[1].messages[-1]
    assert "Say hello twice." in script.seen[2].messages[-1]
    assert "x.py" in script.seen[3].messages[-1] and "Answer in JSON." in script.seen[3].messages[-1]
    usage = page["session"].usage
    assert (usage.requests, usage.input, usage.output, usage.cached) == (4, 400, 40, 0)


def test_what_is_sent_is_on_the_record_in_part(page: dict[str, Any]) -> None:
    """`last_request` has the prompt and the task; the steps have the rest."""
    agent = run(page, Script(("read", {"path": "a"}), END))
    assert {part.at for part in page["session"].last_request.parts} == {"system", "messages[0]"}
    assert len(agent.memory.steps[-1].model_input_messages) > 2


def test_requests_of_its_own_lack_the_prompt(page: dict[str, Any]) -> None:
    """A plan and the answer after the last step are asked for with other prompts."""
    script = Script("plan", ("read", {"path": "a"}), "final")
    run(page, script, planning_interval=5, max_steps=1)
    assert ["Use tabs." in seen.system for seen in script.seen] == [False, True, False]


def test_a_failed_step_tells_no_nested_file(page: dict[str, Any]) -> None:
    """It does not say what was called."""
    script = Script(("read", {"path": "api/x.py", "wrong": 1}), END)
    run(page, script)
    assert "Error" in script.seen[1].messages[-1] and "Answer in JSON." not in script.seen[1].messages[-1]
