"""A caller's own cache breakpoints: those of the request stand beside them, and all of them are taken."""

from typing import Any

import pytest

import overture
from overture import Message

from .sendable import long, paced

STABLE = (("identity", "static", long(1500)), ("context", "session", long(1500)))
MODELS = {"anthropic": "claude-opus-5", "bedrock": "anthropic.claude-opus-5-v1:0"}


def block(provider: str, ttl: str | None = None, *, ours: bool = False) -> Any:
    """A user's message with a caller's mark, as an object or as a `Message`."""
    lives = {"ttl": ttl} if ttl else {}
    if provider == "anthropic":
        blocks: list[Any] = [{"type": "text", "text": "one", "cache_control": {"type": "ephemeral", **lives}}]
    else:
        blocks = [{"text": "one"}, {"cachePoint": {"type": "default", **lives}}]
    return Message("user", blocks=tuple(blocks)) if ours else {"role": "user", "content": blocks}


def make_conversation(provider: str, marks: int, ttl: str | None = None, *, ours: bool = False) -> list[Any]:
    """A conversation with so many marks of the caller's."""
    return [block(provider, ttl, ours=ours), {"role": "assistant", "content": "two"}] * marks


def counted(value: Any) -> int:
    """How many breakpoints stand in a part of a request."""
    return str(value).count("'cache_control'") + str(value).count("'cachePoint'")


def sent(provider: str, messages: list[Any], sections: Any = STABLE, **more: Any) -> tuple[int, int, int]:
    """The breakpoints in tools, system prompt and conversation."""
    body = overture.render(
        provider, paced(*sections), model=MODELS[provider], tools=True, messages=messages,
        count=lambda text: 10 * len(text), **more,
    )  # fmt: skip
    return counted(body.get("tools") or body["toolConfig"]), counted(body["system"]), counted(body["messages"])


@pytest.mark.parametrize("provider", MODELS)
@pytest.mark.parametrize("ours", [False, True], ids=["objects", "messages"])
@pytest.mark.parametrize(
    ("theirs", "wanted"), [(1, (1, 2, 1)), (2, (0, 2, 2)), (3, (0, 1, 3)), (4, (0, 0, 4)), (5, (0, 0, 5))]
)
def test_all_of_them_are_four(provider: str, ours: bool, theirs: int, wanted: tuple[int, int, int]) -> None:
    """Ours get what the caller's leave, the longest prefix first, and none in a conversation that has some."""
    assert sent(provider, make_conversation(provider, theirs, ours=ours)) == wanted


def test_the_longest_prefix_is_kept() -> None:
    """With one left, it stands after what lasts a session."""
    body = overture.render(
        "anthropic", paced(*STABLE), model="claude-opus-5", messages=make_conversation("anthropic", 3)
    )
    assert ["cache_control" in piece for piece in body["system"]] == [True]
    assert body["system"][0]["text"] == paced(*STABLE).text


@pytest.mark.parametrize("provider", MODELS)
def test_a_callers_hour_makes_ours_an_hour(provider: str) -> None:
    """A longer time to live has to come first; with another one wanted, none of ours is set."""
    body = overture.render(
        provider, paced(*STABLE), model=MODELS[provider], messages=make_conversation(provider, 1, "1h")
    )
    assert counted(body["system"]) == str(body["system"]).count("'ttl': '1h'") == 2
    assert sent(provider, make_conversation(provider, 1, "1h"), ttl="1h") == (1, 2, 1)
    assert sent(provider, make_conversation(provider, 1, "1h"), ttl="5m") == (0, 0, 1)
    body = overture.render(
        provider, paced(*STABLE), model=MODELS[provider], messages=make_conversation(provider, 1, "5m")
    )
    assert "1h" not in str(body)


def test_where_a_model_has_no_hour_ours_are_not_set() -> None:
    """There is no mark of ours that could stand before the caller's."""
    body = overture.render(
        "bedrock", paced(*STABLE), model="amazon.nova-pro", messages=make_conversation("bedrock", 1, "1h")
    )
    assert (counted(body["system"]), counted(body["messages"])) == (0, 1)


def test_marks_within_results_count_and_words_in_arguments_do_not() -> None:
    """A result's own blocks may carry one; what a model said in JSON is only data."""
    deep = [{"type": "text", "text": "ok", "cache_control": {"type": "ephemeral"}}]
    result = {"type": "tool_result", "tool_use_id": "c", "content": deep}
    call = {"type": "tool_use", "id": "c", "name": "ls", "input": {"cache_control": {"type": "ephemeral"}}}
    user = {"role": "user", "content": "Go."}
    said = [user, {"role": "assistant", "content": [call]}, {"role": "user", "content": [result] * 2}]
    assert sent("anthropic", said) == (0, 2, 3)
    assert sent("anthropic", said[:2]) == (0, 2, 2)


def test_a_message_that_is_kept_takes_none() -> None:
    """What is not sent does not count."""
    kept = Message("user", sent=False, blocks=({"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}},))
    assert sent("anthropic", [kept, {"role": "user", "content": "Go."}]) == (0, 2, 1)


def test_openais_own_count_too() -> None:
    """A caller's explicit breakpoint on content takes the place of one of ours."""
    part = {"type": "text", "text": "one", "prompt_cache_breakpoint": {"mode": "explicit"}}
    body = overture.render(
        "openai-chat", paced(*STABLE), model="gpt-6-sol", messages=[{"role": "user", "content": [part] * 2}]
    )
    assert str(body).count("prompt_cache_breakpoint'") == 3


def test_caching_switched_off_leaves_the_callers_alone() -> None:
    """They are the caller's: they go as they are, and nothing beside them."""
    assert sent("anthropic", make_conversation("anthropic", 2), cache=False) == (0, 0, 2)
