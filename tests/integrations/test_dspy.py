"""DSPy, by the code of docs/integrations.md: what its table says of the six."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("dspy")

import dspy
from dspy.utils.dummies import DummyLM

from .programs import run_program

END = [{"next_thought": "t", "next_tool_name": "finish", "next_tool_args": "{}"}, {"reasoning": "r", "answer": "ok"}]


def call(name: str, /, **arguments: Any) -> dict[str, str]:
    """A step that calls a tool."""
    return {"next_thought": "t", "next_tool_name": name, "next_tool_args": json.dumps(arguments)}


def read(path: str) -> str:
    """Read a file."""
    if path == "none":
        raise FileNotFoundError(path)
    return f"the text of {path}"


@pytest.fixture
def page(project: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the code of the page defines, run in the project."""
    monkeypatch.setenv("HOME", str(project.parent / "home"))
    (project / ".git").mkdir()
    found = run_program("integrations.md", "with_dspy.py", project)
    monkeypatch.chdir(project)
    return found


def run(page: dict[str, Any], lm: DummyLM, agent: Any = None, adapter: Any = None) -> Any:
    """What an agent of the page answers."""
    agent = agent or page["make_agent"]("question -> answer", [read])
    with dspy.context(lm=lm, adapter=adapter or page["adapter"]):
        return agent(question="hi")


def list_prompts(lm: DummyLM) -> list[str]:
    """The system prompts that were sent."""
    return [entry["messages"][0]["content"] for entry in lm.history]


def test_the_prompt_follows_what_changes(page: dict[str, Any], project: Path) -> None:
    """An edited file is in the next request, the clock and DSPy's own format in each."""

    def edit(text: str) -> str:
        (project / "AGENTS.md").write_text(text)
        return "done"

    lm = DummyLM([call("edit", text="Use spaces."), *END])
    assert run(page, lm, page["make_agent"]("question -> answer", [edit])).answer == "ok"
    first, *others = list_prompts(lm)
    assert "Use tabs." in first and all("Use spaces." in each for each in others)
    assert all("[[ ## completed ## ]]" in each for each in (first, *others))
    assert all(entry["messages"][-1]["content"].count("Current time:") == 1 for entry in lm.history)


def test_skills_and_nested_files(page: dict[str, Any]) -> None:
    """A skill and a wrong name come back as text, nested files behind the result; other errors with a traceback."""
    calls = [("use_skill", {"name": "gret"}), ("use_skill", {"name": "greet"}), ("read", {"path": "api/x.py"})]
    lm = DummyLM([*(call(name, **arguments) for name, arguments in calls), call("read", path="none"), *END])
    steps = run(page, lm).trajectory
    assert "Did you mean 'greet'?" in steps["observation_0"] and "Traceback" not in steps["observation_0"]
    assert "Say hello twice." in steps["observation_1"]
    assert "the text of" in steps["observation_2"] and "Answer in JSON." in steps["observation_2"]
    assert "Traceback" in steps["observation_3"]


def test_a_later_tool_can_t_be_called(page: dict[str, Any]) -> None:
    """The names of tools are part of the signature that `ReAct` made."""
    agent = page["make_agent"]("question -> answer", [read])
    agent.tools["late"] = dspy.Tool(read, name="late")
    with pytest.raises(dspy.utils.exceptions.AdapterParseError):
        run(page, DummyLM([call("late", path="a"), *END]), agent)


def test_the_fallback_lacks_the_prompt(page: dict[str, Any]) -> None:
    """After an answer that does not parse, DSPy asks again with an adapter of its own."""
    lm = DummyLM([{"other": "x"}, {"other": "x"}])
    with pytest.raises(dspy.utils.exceptions.AdapterParseError):
        run(page, lm, dspy.Predict("question -> answer"), page["SessionAdapter"]())
    assert ["Use tabs." in each for each in list_prompts(lm)] == [True, False]


def test_what_is_sent_is_on_the_record(page: dict[str, Any]) -> None:
    """The parts of `last_request`, joined, are the messages of the last request."""
    lm = DummyLM([call("read", path="a"), *END])
    run(page, lm)
    parts = page["session"].last_request.parts
    for at, message in zip(("system", "messages[0]"), lm.history[-1]["messages"], strict=True):
        texts = [part.text for part in parts if part.at == at]
        assert texts and all(text.strip() in message["content"] for text in texts)


def test_usage_has_cached_tokens(page: dict[str, Any]) -> None:
    """The history has what the provider said."""
    lm = DummyLM(END)
    run(page, lm)
    counts = {"prompt_tokens": 100, "completion_tokens": 10}
    lm.history[0]["usage"] = {**counts, "prompt_tokens_details": {"cached_tokens": 40, "cache_creation_tokens": 20}}
    page["add_usage"](lm)
    usage = page["session"].usage
    assert (usage.requests, usage.input, usage.output, usage.cached, usage.written) == (2, 100, 10, 40, 20)


def test_async_works(page: dict[str, Any]) -> None:
    """An agent that is awaited has the same prompt."""
    lm = DummyLM(END)
    agent = page["make_agent"]("question -> answer", [read])

    async def ask() -> Any:
        with dspy.context(lm=lm, adapter=page["adapter"]):
            return await agent.acall(question="hi")

    assert asyncio.run(ask()).answer == "ok" and "Use tabs." in list_prompts(lm)[0]
