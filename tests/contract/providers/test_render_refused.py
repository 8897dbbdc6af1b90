"""What can't be sent is refused in one line that says what, with which value, and what to do."""

from collections.abc import Callable
from typing import Any

import pytest

import overture
from overture import Call, ConfigError, CountError, Message, StateError
from overture.testing import assert_prefix_stable

from .sendable import FOUR_PACES, PROVIDERS, long, paced, said


def fails(text: str) -> int:
    raise RuntimeError("no network")


COUNTERS: list[Callable[[str], Any]] = [
    fails,
    lambda text: -1,
    lambda text: float("nan"),
    lambda text: len(text) / 4,
    lambda text: None,
    lambda text: True,
]


@pytest.mark.parametrize("count", COUNTERS)
def test_a_counter_that_fails_or_lies_is_refused(count: Callable[[str], Any]) -> None:
    """Whoever counts with it, the error is one line that names it."""
    prompt, other = paced(*FOUR_PACES), paced(("identity", "static", long(20)))
    for use in (
        lambda: overture.render("anthropic", prompt, count=count),
        lambda: assert_prefix_stable(prompt, other, count=count),
        lambda: prompt.counted(count).tokens,
    ):
        with pytest.raises(CountError, match=r"^The counter '(fails|<lambda>)' (failed|returned)[^\n]*$"):
            use()


def test_any_function_counts() -> None:
    """A prompt takes a plain function as it takes a counter."""
    prompt = paced(("identity", "static", "You are Ada."))
    assert prompt.counted(len).tokens == len(prompt.text)
    assert prompt.counted(prompt.counter) is prompt


@pytest.mark.parametrize("model", [5, b"gpt-4o", ["gpt-4o"]])
def test_a_model_is_named_with_a_text(model: Any) -> None:
    """Anything else is refused before a request is made with it."""
    with pytest.raises(ConfigError, match=r"^model: .* is not the name of a model\. Pass a text[^\n]*$"):
        overture.render("openai-chat", paced(*FOUR_PACES), model=model)


@pytest.mark.parametrize("messages", [None, 5, "Hello", {"role": "user", "content": "Hello"}, Message("user", "Hello")])
def test_messages_are_a_list(messages: Any) -> None:
    """One message alone, a text and nothing at all are refused."""
    with pytest.raises(StateError, match=r"^messages: .* is not a list of messages\. Pass a list, \[\] for none\.$"):
        overture.render("anthropic", paced(*FOUR_PACES), messages=messages)


def test_messages_that_can_be_read_once_are_all_sent() -> None:
    """A generator is as good as a list."""
    assert said("ollama", (Message("user", text) for text in "ab")) == said(
        "ollama", [Message("user", t) for t in "ab"]
    )


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("wrong", [{"a": {1, 2}}, {"a": [{"b": b"x"}]}, {"a": 1, 2: "b"}])
def test_arguments_are_json(provider: str, wrong: dict[Any, Any]) -> None:
    """A set, bytes, or keys that can't be sorted: the error says in which call."""
    calls = (Call("c1", "ls", {"a": 1}), Call("c2", "cat", wrong))
    with pytest.raises(StateError, match=r"^messages\[1\]: the arguments of call 'c2' to 'cat' are not JSON: [^\n]*$"):
        said(provider, [Message("user", "Go."), Message("assistant", calls=calls)])
    assert said(provider, [Message("user", "Go."), Message("assistant", calls=calls, sent=False)])
