"""What only LiteLLM's requests have: cache marks for Claude, and messages that stay at their places."""

from pathlib import Path
from typing import Any

import pytest

from overture import ConfigError, Session

pytestmark = pytest.mark.filterwarnings("default")
litellm = pytest.importorskip("litellm")


def make_session(tmp_path: Path, **more: Any) -> Session:
    """A session with instructions that are long enough to be cached."""
    (tmp_path / "AGENTS.md").write_text("".join(f"Rule {number} is a rule of this project.\n" for number in range(900)))
    return Session(cwd=tmp_path, home=tmp_path, root=tmp_path, **more)


def raw_request(session: Session, model: str) -> dict[str, Any]:
    """What LiteLLM would send to the provider."""
    from litellm.utils import CallTypes, return_raw_request

    from overture.integrations.litellm import write_request

    sent = write_request(session.turn("hi"), model, {})
    body = return_raw_request(CallTypes.completion, sent)["raw_request_body"]
    assert isinstance(body, dict)
    return body


def test_claude_gets_its_cache_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system prompt is marked where it is stable, and the last message too."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "x")
    body = raw_request(make_session(tmp_path), "anthropic/claude-opus-4-5")
    marked = [block for block in body["system"] if "cache_control" in block]
    assert marked and marked[-1]["text"].startswith("<prompt-identity>")
    assert "cache_control" in body["messages"][-1]["content"][-1]


def test_others_get_plain_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider that takes no marks is sent none."""
    monkeypatch.setenv("MISTRAL_API_KEY", "x")
    body = raw_request(make_session(tmp_path), "mistral/mistral-large-latest")
    assert isinstance(body["messages"][0]["content"], str)
    assert "cache_control" not in str(body)


def test_messages_are_the_session_s(tmp_path: Path) -> None:
    """Messages and tools beside the session's are refused before anything is sent."""
    from overture.integrations.litellm import completion

    with pytest.raises(ConfigError, match="`messages` is set by the session"):
        completion(make_session(tmp_path), "hi", model="gpt-5", messages=[])
