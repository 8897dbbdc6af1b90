"""Our messages in each provider's form: calls, results, blocks of its own."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from overture import Call, Message, StateError

from .sendable import PROVIDERS, SHOWN, long, paced, said

TALK = [
    Message("user", "Look."),
    Message("assistant", "I look.", "reply", calls=(Call("c1", "ls", {"b": "ü", "a": [1]}), Call("c2", "cat"))),
    Message("tool", "a.txt", "result", call="c1"),
    Message("tool", "no such file", "result", call="c2", failed=True),
    Message("user", "On."),
]


def test_anthropic() -> None:
    """Results are blocks at the head of the user's message, a failed one an error."""
    assert said("anthropic", TALK) == [
        {"role": "user", "content": [{"type": "text", "text": "Look."}]},
        {"role": "assistant", "content": [
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "c1", "name": "ls", "input": {"a": [1], "b": "ü"}},
            {"type": "tool_use", "id": "c2", "name": "cat", "input": {}},
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": "a.txt"},
            {"type": "tool_result", "tool_use_id": "c2", "content": "no such file", "is_error": True},
            {"type": "text", "text": "On."},
        ]},
    ]  # fmt: skip


def test_openai_chat() -> None:
    """Arguments are JSON texts with sorted keys, results are messages of their own."""
    assert said("openai-chat", TALK) == [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": "I look.", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": '{"a": [1], "b": "ü"}'}},
            {"id": "c2", "type": "function", "function": {"name": "cat", "arguments": "{}"}},
        ]},
        {"role": "tool", "tool_call_id": "c1", "content": "a.txt"},
        {"role": "tool", "tool_call_id": "c2", "content": "no such file"},
        {"role": "user", "content": "On."},
    ]  # fmt: skip


def test_openai_responses() -> None:
    """Calls and results are items beside the messages."""
    assert said("openai-responses", TALK) == [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": "I look."},
        {"type": "function_call", "call_id": "c1", "name": "ls", "arguments": '{"a": [1], "b": "ü"}'},
        {"type": "function_call", "call_id": "c2", "name": "cat", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "a.txt"},
        {"type": "function_call_output", "call_id": "c2", "output": "no such file"},
        {"role": "user", "content": "On."},
    ]


def test_gemini() -> None:
    """A result names its tool, found by the call; a failed one is an error."""
    assert said("gemini", TALK) == [
        {"role": "user", "parts": [{"text": "Look."}]},
        {"role": "model", "parts": [
            {"text": "I look."},
            {"function_call": {"id": "c1", "name": "ls", "args": {"a": [1], "b": "ü"}}},
            {"function_call": {"id": "c2", "name": "cat", "args": {}}},
        ]},
        {"role": "user", "parts": [
            {"function_response": {"id": "c1", "name": "ls", "response": {"output": "a.txt"}}},
            {"function_response": {"id": "c2", "name": "cat", "response": {"error": "no such file"}}},
            {"text": "On."},
        ]},
    ]  # fmt: skip


def test_bedrock() -> None:
    """Results are blocks at the head of the user's message, a failed one with the status error."""
    assert said("bedrock", TALK) == [
        {"role": "user", "content": [{"text": "Look."}]},
        {"role": "assistant", "content": [
            {"text": "I look."},
            {"toolUse": {"toolUseId": "c1", "name": "ls", "input": {"a": [1], "b": "ü"}}},
            {"toolUse": {"toolUseId": "c2", "name": "cat", "input": {}}},
        ]},
        {"role": "user", "content": [
            {"toolResult": {"toolUseId": "c1", "content": [{"text": "a.txt"}]}},
            {"toolResult": {"toolUseId": "c2", "content": [{"text": "no such file"}], "status": "error"}},
            {"text": "On."},
        ]},
    ]  # fmt: skip


def test_ollama() -> None:
    """Arguments are objects, and a result names its tool."""
    assert said("ollama", TALK) == [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": "I look.", "tool_calls": [
            {"function": {"name": "ls", "arguments": {"a": [1], "b": "ü"}}},
            {"function": {"name": "cat", "arguments": {}}},
        ]},
        {"role": "tool", "content": "a.txt", "tool_name": "ls"},
        {"role": "tool", "content": "no such file", "tool_name": "cat"},
        {"role": "user", "content": "On."},
    ]  # fmt: skip


def test_an_id_that_comes_twice_is_that_of_the_latest_call() -> None:
    """Who makes up ids may begin anew with every turn: a result belongs to the call before it."""
    again = [
        *TALK, Message("assistant", calls=(Call("c1", "rm"),)), Message("tool", "gone", call="c1"),
    ]  # fmt: skip
    names = [row["tool_name"] for row in said("ollama", again) if row["role"] == "tool"]
    assert names == ["ls", "cat", "rm"]


@pytest.mark.parametrize(
    ("provider", "block", "content"),
    [
        ("anthropic", {"type": "thinking", "thinking": "Hm.", "signature": "s"}, ["thinking", "text", "tool_use"]),
        ("bedrock", {"reasoningContent": {"reasoningText": {"text": "Hm."}}}, ["reasoningContent", "text", "toolUse"]),
        ("gemini", {"text": "Hm.", "thought": True}, ["text", "text", "function_call"]),
    ],
)
def test_the_providers_own_blocks_lead(provider: str, block: dict[str, Any], content: list[str]) -> None:
    """Thinking has to precede what it led to."""
    (row,) = said(provider, [Message("assistant", "Yes.", calls=(Call("c", "ls"),), blocks=(block,))])
    parts = row.get("content") or row["parts"]
    assert parts[0] == block
    assert [part.get("type") or next(iter(part)) for part in parts] == content


def test_openais_own_blocks() -> None:
    """What the user showed stands beside the text; in Responses, what the model gave is an item and leads."""
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,"}}
    (row,) = said("openai-chat", [Message("user", "See.", blocks=(image,))])
    assert row["content"] == [{"type": "text", "text": "See."}, image]
    image = {"type": "input_image", "image_url": "data:image/png;base64,"}
    (row,) = said("openai-responses", [Message("user", "See.", blocks=(image,))])
    assert row["content"] == [{"type": "input_text", "text": "See."}, image]
    thought = {"type": "reasoning", "id": "r", "summary": []}
    items = said("openai-responses", [Message("assistant", "Yes.", blocks=(thought,))])
    assert items == [thought, {"role": "assistant", "content": "Yes."}]


def test_ollamas_own_blocks_are_fields() -> None:
    """A content is one text there: images and thinking are fields of the message."""
    (row,) = said("ollama", [Message("user", "See.", blocks=({"images": ["aGk="]},))])
    assert row == {"role": "user", "content": "See.", "images": ["aGk="]}


RESULTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "anthropic": lambda row: row["content"][0]["content"],
    "openai-chat": lambda row: row["content"],
    "openai-responses": lambda row: row["output"],
    "gemini": lambda row: row["parts"],
    "bedrock": lambda row: row["content"][0]["toolResult"]["content"],
    "ollama": lambda row: [row["content"], {"images": row["images"]}],
}
"""Where a result's content is."""


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_a_tool_showed_is_sent(provider: str) -> None:
    """An image in a result stands behind the result's text, and nothing of it is lost."""
    image = SHOWN[provider]
    conversation = [
        Message("assistant", calls=(Call("c", "look"),)),
        Message("tool", "a ship", call="c", blocks=(image,)),
    ]
    first, second = RESULTS[provider](said(provider, conversation)[-1])
    assert second == image
    assert "a ship" in str(first)
    if provider not in ("gemini", "ollama"):  # which want the text in any case
        silent = [conversation[0], Message("tool", "", call="c", blocks=(image,))]
        assert RESULTS[provider](said(provider, silent)[-1]) == [image]


def test_a_failed_result_with_an_image_is_no_error_for_anthropic() -> None:
    """Anthropic refuses an error that is not all text: the image is sent, and the flag is not."""
    conversation = [Message("assistant", calls=(Call("c", "look"),))]
    (seen,) = said(
        "anthropic", [*conversation, Message("tool", "no", call="c", failed=True, blocks=(SHOWN["anthropic"],))]
    )[1]["content"]
    assert "is_error" not in seen
    text = {"type": "text", "text": "more"}
    (read,) = said("anthropic", [*conversation, Message("tool", "no", call="c", failed=True, blocks=(text,))])[1][
        "content"
    ]
    assert (read["is_error"], read["content"]) == (True, [{"type": "text", "text": "no"}, text])


@pytest.mark.parametrize("own", [{"id": "c1", "name": "ls", "args": {"a": 1}}, {"name": "ls", "args": {"a": 1}}])
def test_a_signed_call_goes_back_to_gemini_as_it_came(own: dict[str, Any]) -> None:
    """A part that holds the call with its thought signature is not said a second time."""
    signed = {"function_call": own, "thought_signature": "c2ln"}
    calls = (Call("c1", "ls", {"a": 1}), Call("c2", "cat"))
    (row,) = said("gemini", [Message("assistant", calls=calls, blocks=(signed,))])
    assert row["parts"] == [signed, {"function_call": {"id": "c2", "name": "cat", "args": {}}}]


@pytest.mark.parametrize("provider", ["anthropic", "bedrock", "gemini"])
def test_blank_texts_are_left_away(provider: str) -> None:
    """These providers refuse them; a message that has nothing else is not sent, and its neighbours are joined."""
    blank = [Message("user", "One."), Message("assistant", " \n"), Message("user", "Two.")]
    (row,) = said(provider, blank)
    assert [part["text"] for part in row.get("content") or row["parts"]] == ["One.", "Two."]


def test_a_call_without_words() -> None:
    """OpenAI wants none for the content then, and an empty result is told where an empty text is refused."""
    conversation = [Message("assistant", calls=(Call("c", "ls"),)), Message("tool", "", call="c", failed=True)]
    assert said("openai-chat", conversation)[0]["content"] is None
    assert said("openai-chat", conversation)[1]["content"] == ""
    assert said("anthropic", conversation)[1]["content"][0]["content"] == "(no output)"
    assert said("bedrock", conversation)[1]["content"][0]["toolResult"]["content"] == [{"text": "(no output)"}]
    assert [item["type"] for item in said("openai-responses", conversation)] == [
        "function_call",
        "function_call_output",
    ]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_ours_and_the_providers_own_mix(provider: str) -> None:
    """A `Message` is said as the provider's own object of the same words is, wherever it stands."""
    own = {"role": "model", "parts": [{"text": "two"}]} if provider == "gemini" else None
    conversation = [Message("user", "one"), own or {"role": "assistant", "content": "two"}, Message("user", "three")]
    rows = said(provider, conversation)
    texts = [row.get("content") or row["parts"] for row in rows]
    flat = [text if isinstance(text, str) else "".join(part["text"] for part in text) for text in texts]
    assert flat == ["one", "two", "three"]


@pytest.mark.parametrize("provider", ["anthropic", "bedrock", "gemini"])
def test_neighbours_of_one_role_are_one_message(provider: str) -> None:
    """These providers want roles to alternate, whoever wrote the messages."""
    conversation = [{"role": role, "content": text} for role, text in zip(["user", "user", "assistant"] * 2, "abcdef")]
    rows = said(provider, conversation)
    assert [row["role"] for row in rows] == ["user", "model" if provider == "gemini" else "assistant"] * 2
    assert [part["text"] for part in rows[0].get("content") or rows[0]["parts"]] == ["a", "b"]


def test_what_is_kept_is_not_sent() -> None:
    """A message of the session that is never sent stays at home here too, whatever it holds."""
    private = Message("user", "hunter2 \ud83d", sent=False)
    assert said("openai-chat", [private, Message("user", "Go.")]) == [{"role": "user", "content": "Go."}]


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (Message("tool", "ok"), "a result needs the id of its call"),
        (Message("assistant", "ok", sections="noon"), "a message of role 'assistant' has `sections`"),
    ],
)
def test_what_no_provider_takes_is_refused(message: Message, told: str) -> None:
    """The error says which message, and what is wrong with it."""
    with pytest.raises(StateError, match=r"^messages\[1\].*" + told.replace("(", r"\(")):
        said("anthropic", [Message("user", "Go."), message])


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    "message",
    [
        Message("user", "Hm \ud83d."),
        Message("user", "ok", sections="Hm \ud83d."),
        Message("assistant", "ok", calls=(Call("c", "ls", {"a": ["Hm \ud83d."]}),)),
        Message("assistant", "ok", blocks=({"type": "text", "text": "Hm \ud83d."},)),
        Message("tool", "Hm \ud83d.", call="c0"),
    ],
)
def test_half_a_surrogate_pair_does_not_end_a_conversation(provider: str, message: Message) -> None:
    """What a tool, a model or a user said is sent with `�` in its place; the message itself stays as it is."""
    rows = said(provider, [Message("assistant", calls=(Call("c0", "ls"),)), message])
    assert "Hm �." in str(rows)
    assert "\\ud83d" in str((message.text, message.sections, message.calls, message.blocks))
    json.dumps(rows, ensure_ascii=False).encode()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_result_answers_its_call_whatever_its_id(provider: str) -> None:
    """Half a pair in ids and names of tools is sent as `�` on both sides, or as `_` and a hash if that is refused."""
    call, result = Call("c\ud83d", "ls\udc00"), Message("tool", "ok", call="c\ud83d")
    rows = said(provider, [Message("assistant", calls=(call,)), result, Message("tool", "b", call="x", name="n\ud83d")])
    text = json.dumps(rows, ensure_ascii=False)
    text.encode()
    assert text.count("ls�") == (2 if provider in ("gemini", "ollama") else 1)
    sent = "c__a38395fe2cd101a5" if provider in ("anthropic", "bedrock") else "c�"
    assert text.count(sent) == (0 if provider == "ollama" else 2)


@pytest.mark.parametrize(
    ("message", "where"),
    [
        (
            {"role": "user", "content": [{"type": "text", "text": "ok"}, {"a": [{"b": "x\ud83d"}]}]},
            r"1 of content\[1\].a",
        ),
        ({"role": "assistant", "content": "ok", "tool_calls": [{"id": "\ud83d"}]}, r"0 of tool_calls\[0\].id"),
        ({"role": "user", "parts": [{"function_response": {"output\ud83d": 1}}]}, r"6 of the key 'output\\ud83d'"),
        ({"type": "function_call_output", "call_id": "c", "output": "\ud83d"}, "0 of output"),
        ({"role": "user\ud83d", "content": "ok"}, "4 of role"),
    ],
)
def test_half_a_pair_anywhere_in_an_object_is_refused(message: dict[str, Any], where: str) -> None:
    """No SDK could send it: the error says which message, and where in it."""
    told = rf"^messages\[1\] contains half a surrogate pair, U\+D83D, at character {where}[^\n]*$"
    with pytest.raises(StateError, match=told):
        said("openai-chat", [Message("user", "Go."), message])


@pytest.mark.parametrize(
    ("before", "after", "role"),
    [
        ("user", None, "system"), ("user", "assistant", "system"), ("user", "user", "user"),
        ("assistant", "user", "user"), ("assistant", None, "user"), (None, "user", "user"),
    ],
)  # fmt: skip
def test_a_system_message_stands_where_anthropic_takes_it(before: Any, after: Any, role: str) -> None:
    """Right after a user's message and before an assistant's, or last; elsewhere it is marked in a user's."""
    conversation = [{"role": who, "content": "Hm."} for who in (before, "system", after) if who is not None]
    rows = said("anthropic", conversation, model="claude-opus-5")
    assert ("system" in [row["role"] for row in rows]) is (role == "system")
    assert ("<system-reminder>" in str(rows)) is (role == "user")


QUIET: list[Any] = [
    Message("user", "secret", sent=False),
    Message("user", " "),
    {"role": "user", "content": ""},
    {"role": "user", "content": []},
]


@pytest.mark.parametrize("quiet", QUIET)
def test_what_is_not_sent_does_not_move_a_system_message(quiet: Any) -> None:
    """Only what is in the request stands between a user's message and an assistant's."""
    user, system = {"role": "user", "content": "Hm."}, {"role": "system", "content": "Stop."}
    rows = said("anthropic", [user, quiet, system, quiet, Message("assistant", "Yes.")], model="claude-opus-5")
    assert [row["role"] for row in rows] == ["user", "system", "assistant"]
    rows = said("anthropic", [user, system, quiet], model="claude-opus-5")
    assert [row["role"] for row in rows] == ["user", "system"]
    rows = said("anthropic", [user, system, Message("assistant", " "), user], model="claude-opus-5")
    assert [row["role"] for row in rows] == ["user"]


@pytest.mark.parametrize("provider", ["anthropic", "bedrock", "gemini"])
@pytest.mark.parametrize("content", ["", [], None])
def test_an_object_without_content_is_left_out(provider: str, content: Any) -> None:
    """These providers refuse a message of no blocks; its neighbours stand side by side."""
    conversation = [
        {"role": role, "content": text} for role, text in [("user", "a"), ("assistant", content), ("user", "b")]
    ]
    (row,) = said(provider, [*conversation, {"role": "system", "content": content}])
    assert [part["text"] for part in row.get("content") or row["parts"]] == ["a", "b"]
    assert said("gemini", [conversation[0], {"role": "model", "parts": []}]) == [
        {"role": "user", "parts": [{"text": "a"}]}
    ]


@pytest.mark.parametrize("provider", ["anthropic", "bedrock"])
def test_a_blank_text_takes_no_mark(provider: str) -> None:
    """The provider refuses one there: it goes to the block before."""
    blank = {"text": " \n"} if provider == "bedrock" else {"type": "text", "text": " \n"}
    conversation = [{"role": "user", "content": "a"}, {"role": "assistant", "content": [blank]}]
    rows = said(provider, conversation, paced(("identity", "static", long(1500))))
    assert "cache" in str(rows[0])
    assert rows[1]["content"] == [blank]


@pytest.mark.parametrize("provider", ["anthropic", "bedrock"])
def test_an_object_of_the_sdk_takes_no_mark(provider: str) -> None:
    """What a model gave may go back as the SDK had it: the mark goes to the block before."""
    own = object()
    conversation = [{"role": "user", "content": "a"}, {"role": "assistant", "content": [own]}]
    rows = said(provider, conversation, paced(("identity", "static", long(1500))))
    assert "cache" in str(rows[0])
    assert rows[1]["content"] == [own]


def test_one_of_two_system_messages_is_marked() -> None:
    """Two in a row are not taken either: the first goes as a user's, and the second stands after it."""
    conversation = [{"role": "user", "content": "Hm."}, *[{"role": "system", "content": each} for each in "ab"]]
    rows = said("anthropic", conversation, model="claude-opus-5")
    assert [row["role"] for row in rows] == ["user", "system"]
    assert [block["text"] for block in rows[0]["content"]] == ["Hm.", "<system-reminder>\na\n</system-reminder>"]


@pytest.mark.parametrize("provider", ["gemini", "ollama"])
def test_a_result_needs_the_name_of_its_tool(provider: str) -> None:
    """Where the call is not among our messages, the result itself may say it; else the error tells what to do."""
    with pytest.raises(StateError, match=rf"call 'c1' has no matching call, and {provider} needs the tool's name"):
        said(provider, [Message("tool", "ok", call="c1")])
    assert "'ls'" in str(said(provider, [Message("tool", "ok", call="c1", name="ls")]))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_request_shares_nothing_that_can_be_spoiled(provider: str) -> None:
    """Whoever changes arguments or blocks in a request does not change the message."""
    given: dict[str, Any] = {"path": ["a"]}
    own: dict[str, Any] = {"thinking": {"text": ["Hm."]}}
    rows = said(provider, [Message("assistant", "", calls=(Call("c", "ls", given),), blocks=(own,))])
    for row in rows:
        for part in (row, *(row.get("content") or row.get("parts") or row.get("tool_calls") or ())):
            spoil(part)
    assert (given, own) == ({"path": ["a"]}, {"thinking": {"text": ["Hm."]}})


def spoil(value: Any) -> None:
    """Empty every list and object."""
    for item in list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else ():
        spoil(item)
    if isinstance(value, dict | list):
        value.clear()
