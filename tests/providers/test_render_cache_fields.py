"""What requests tell a provider's cache: fields that its SDK knows, at places where they are worth their price."""

from typing import Any

import pytest

import overture
from overture import Prompt
from tests.contract.providers.arriving import Loopback, assert_arrived, send_openai_chat, send_openai_responses
from tests.contract.providers.sendable import FOUR_PACES, WHERE, long, paced

OPENAI = ("openai-chat", "openai-responses")
MARK = "prompt_cache_breakpoint"
MOVING = (("identity", "static", long(1500)), ("user-clock", "turn", "It is noon."))


def openai(provider: str, prompt: Prompt, **more: Any) -> dict[str, Any]:
    body: dict[str, Any] = overture.render(provider, prompt, **{"model": "gpt-6-sol", **more})
    return body


@pytest.mark.parametrize("provider", OPENAI)
@pytest.mark.parametrize("model", ["gpt-5.6", "gpt-5.6-luna", "openai/gpt-6.1-sol", "gpt-6-astra", "gpt-7"])
def test_gpt_since_56_is_told_how_to_keep(provider: str, model: str) -> None:
    """The mode, and the time for which it keeps at least."""
    assert openai(provider, paced(*FOUR_PACES), model=model)["prompt_cache_options"] == {
        "mode": "implicit",
        "ttl": "30m",
    }


@pytest.mark.parametrize("provider", OPENAI)
@pytest.mark.parametrize("model", ["gpt-5.5", "gpt-5.4-mini", "gpt-5", "gpt-4o", "o3", "gpt-oss-120b", "mistral-large"])
def test_older_models_get_no_field_that_they_refuse(provider: str, model: str) -> None:
    """Neither options nor breakpoints: with them, the request is an error 400."""
    conversation = [{"role": "user", "content": long(1500)}, {"role": "user", "content": "Go."}]
    for prompt in (paced(*FOUR_PACES), paced(*MOVING)):
        for cache in (True, False):
            body = openai(provider, prompt, model=model, messages=conversation, tools=True, cache=cache)
            assert "prompt_cache_options" not in body
            assert MARK not in str(body)


@pytest.mark.parametrize("provider", OPENAI)
@pytest.mark.parametrize("taken", [0, 1, 2, 3])
def test_gpt_gets_three_marks_beside_its_own_and_none_on_tools(provider: str, taken: int) -> None:
    """A request writes four entries: the one of the provider, and at most three of ours and the caller's."""
    kind = "text" if provider == "openai-chat" else "input_text"
    own = [{"type": kind, "text": str(number), MARK: {"mode": "explicit"}} for number in range(taken)]
    conversation = [{"role": "user", "content": [*own, {"type": kind, "text": "Go."}]}]
    body = openai(provider, paced(*FOUR_PACES), messages=conversation, tools=True)
    assert str(body).count(f"{MARK}'") <= 3
    assert MARK not in str(body["tools"])


@pytest.mark.parametrize("provider", OPENAI)
def test_a_section_that_moves_on_gets_a_mark_before_it(provider: str) -> None:
    """The provider's own mark stands behind the newest message, which the next request has otherwise."""
    conversation = [{"role": "user", "content": "One."}, {"role": "assistant", "content": "Two."}]
    last = {"role": "user", "content": "Three."}
    rows = openai(provider, paced(*MOVING), messages=[*conversation, last])[WHERE.get(provider, "messages")]
    first = next(row for row in rows if row["role"] == "user")
    assert [part.get(MARK) for part in first["content"]] == [{"mode": "explicit"}]
    assert MARK not in str(rows[-1])
    still = openai(provider, paced(MOVING[0]), messages=[*conversation, last])[WHERE.get(provider, "messages")]
    assert [row["content"] for row in still[-3:]] == ["One.", "Two.", "Three."]


@pytest.mark.parametrize(("provider", "send"), [(OPENAI[0], send_openai_chat), (OPENAI[1], send_openai_responses)])
@pytest.mark.parametrize("cache", [True, False])
def test_the_sdk_sends_the_fields(loopback: Loopback, provider: str, send: Any, cache: bool) -> None:
    """Options and breakpoints reach the API as render gave them."""
    conversation = [
        {"role": "user", "content": "One."},
        {"role": "assistant", "content": "Two."},
        {"role": "user", "content": "3"},
    ]
    body = openai(provider, paced(*MOVING), messages=conversation, cache=cache)
    send(loopback.url, body)
    assert_arrived(loopback.body, body)
