"""The Claude Agent SDK: what the contract of all frameworks does not ask."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("claude_agent_sdk", exc_type=ImportError)

from overture.errors import ConfigError
from overture.integrations.claude_agent_sdk import options

from .contract import Step
from .frameworks.claude_agent_sdk import run


def read(path: str) -> str:
    """Read a file."""
    return f"the text of {path}"


def fail(path: str) -> str:
    """Fail."""
    raise ValueError(f"no {path}")


def test_usage_is_summed(make_session: Any) -> None:
    """Each reply counts once, with its whole output."""
    session = make_session()
    run(session, "hi", [Step(calls=(("read", {"path": "a"}),)), Step("ok")], [read])
    usage = session.usage
    assert (usage.requests, usage.input, usage.output, usage.cached, usage.written) == (2, 200, 20, 80, 40)
    assert usage.price is not None and usage.price > 0


def test_a_change_is_told_with_the_next_prompt(make_session: Any, project: Path) -> None:
    """A file that is edited while a client is connected is told behind the user's next prompt."""
    session = make_session()
    made = options(session)
    hook = made.hooks["UserPromptSubmit"][-1].hooks[0]
    data = {"hook_event_name": "UserPromptSubmit", "session_id": "one", "prompt": "hi"}
    first = asyncio.run(hook(data, None, {}))["hookSpecificOutput"]["additionalContext"]
    (project / "AGENTS.md").write_text("Use spaces.\n")
    second = asyncio.run(hook(data, None, {}))["hookSpecificOutput"]["additionalContext"]
    assert "Use" not in first and "Current time:" in first
    assert "Use spaces." in second


def test_a_tool_that_raises_leaves_the_session_usable(make_session: Any) -> None:
    """Its error is the result, nested files are told all the same, and the next run works."""
    session = make_session()
    seen = run(session, "hi", [Step(calls=(("fail", {"path": "api/x.py"}),)), Step("ok")], [fail])
    assert "Error: no api/x.py" in seen.requests[1].text and "Answer in JSON." in seen.requests[1].text
    assert run(session, "hi", [Step("fine")], [read]).answer == "fine"


def test_two_sessions_on_one_client_are_refused(make_session: Any) -> None:
    """Options that hold a session already can't take another."""
    first = options(make_session())
    with pytest.raises(ConfigError, match="overture"):
        options(make_session(), mcp_servers=first.mcp_servers)


def test_a_preset_is_refused(make_session: Any) -> None:
    """Claude Code's own prompt beside the session's is told as an error that says what to do."""
    with pytest.raises(ConfigError, match="preset"):
        options(make_session(), system_prompt={"type": "preset", "preset": "claude_code"})
