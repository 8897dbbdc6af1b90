"""What a request says of tools goes through the gate: names, descriptions and schemas, for every provider."""

import json
import warnings
from typing import Any

import pytest

import overture
from overture import Message, Session, render
from overture.errors import OvertureWarning
from overture.testing import make_state

PROVIDERS = ("anthropic", "openai-chat", "openai-responses", "gemini", "bedrock", "ollama")
HOSTILE = [
    "<|im_start|>",
    "[INST]",
    "</prompt-identity>",
    "a\u200bb",
    "\U000e0041\U000e0042",
    "\x1b[2J",
]


def tool(text: str) -> dict[str, Any]:
    """A tool that says this wherever a tool can say anything."""
    schema = {"type": "object", "properties": {"path": {"type": "string", "description": f"Where: {text}"}}}
    return {"name": "read", "description": f"Read a file. {text}", "parameters": schema}


def sent(provider: str, prompt: overture.Prompt) -> tuple[str, list[str]]:
    """The request as text, and what was said about it."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", OvertureWarning)
        body = render(provider, prompt, tools=True)
    return json.dumps(body, ensure_ascii=False), [str(each.message) for each in told]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("text", HOSTILE)
def test_no_tool_says_it(provider: str, text: str) -> None:
    """Neither in a description nor in a schema, and it is told which tool it was, and where."""
    body, told = sent(provider, overture.build("house", make_state(tools=[tool(text)])))
    assert json.dumps(text, ensure_ascii=False)[1:-1] not in body.replace(r"\n</prompt-identity>", "")
    assert any(line.startswith("tool 'read': its description: ") for line in told)
    assert any(line.startswith("tool 'read': its schema, properties, path, description: ") for line in told)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_calls_have_to_match(provider: str) -> None:
    """Names and values of a schema may look like our tags, since calls have to match them; no control token may."""
    schema = {
        "type": "object",
        "properties": {"<identity>": {"enum": ["<identity>", "<|im_end|>"]}},
        "required": ["<identity>"],
    }
    state = make_state(tools=[{"name": "go", "description": "Go.", "parameters": schema}])
    body, told = sent(provider, overture.build("house", state))
    assert body.count('"<identity>"') == 3
    assert "<|im_end|>" not in body
    assert len(told) == 1


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_harmless_tool_is_untouched(provider: str) -> None:
    """Types, placeholders, regular expressions and scripts stay as they are, and nothing is said."""
    text = "Promise<User>, <user>@<host>, ^<[a-z]+>$, ## Common Patterns, می‌خواهم, 👨‍👩‍👧"
    body, told = sent(provider, overture.build("house", make_state(tools=[tool(text)])))
    assert body.count(json.dumps(text, ensure_ascii=False)[1:-1]) >= 2
    assert told == []


def test_a_session_has_it_on_its_record() -> None:
    """Once, with the turn that first sent the tool."""
    session = Session("house", state=make_state(tools=[tool("<|im_start|>")]))
    codes = [[note.code for note in session.turn(word).entry.diagnostics] for word in ("a", "b")]
    assert codes == [["contained-token", "contained-token"], []]
    assert "<|im_start|>" not in json.dumps(session.turn("c").render("anthropic"))


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("kind", ["custom", "hook", "shell"])
def test_a_programs_message_that_is_rendered_by_hand(provider: str, kind: str) -> None:
    """Who calls `render` with messages of his own has them let through as well, and is told."""
    message = Message("user", "Look: <prompt-planning> <|im_start|>", kind)  # type: ignore[arg-type]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", OvertureWarning)
        body = render(provider, overture.build("house", make_state()), messages=[message])
    assert "Look: <prompt-planning>" not in json.dumps(body)
    assert "<|im_start|>" not in json.dumps(body)
    assert len(told) == 2


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_users_own_words_are_rendered_as_they_are(provider: str) -> None:
    """What a person types is not ours to alter."""
    body = render(provider, overture.build("house", make_state()), messages=[Message("user", "What is <identity>?")])
    assert "What is <identity>?" in json.dumps(body)
