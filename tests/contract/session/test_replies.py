"""`session.reply(response)`: text, calls, reasoning and usage, out of any SDK's response as object, dict or JSON."""

import json
from typing import Any

import pytest

from overture import Call, Message, Session, Usage

from ..providers.sendable import PROVIDERS, SOME, WHERE
from .six_sdks import ANSWERS, ARGUMENTS, OPENED, TEXT, USAGE, ask, scripted
from .worlds import session

MODELS = {"gemini": "gemini-3.8-flash", "bedrock": "anthropic.claude-opus-5-v1:0"}


def dumped(provider: str) -> Any:
    """The SDK's object as a dict with a key for every field, set or not."""
    made: Any = OPENED[provider](ANSWERS[provider])
    return made.model_dump() if hasattr(made, "model_dump") else made


FORMS: dict[str, Any] = {
    "object": lambda provider: OPENED[provider](ANSWERS[provider]),
    "dict": lambda provider: ANSWERS[provider],
    "model_dump": dumped,
    "json": lambda provider: json.dumps(ANSWERS[provider]),
}


def started() -> Session:
    """A session whose first turn was sent."""
    live = session()
    live.turn("Why is the tide wrong?")
    return live


def rows(live: Session, provider: str) -> list[dict[str, Any]]:
    """The conversation that the next turn sends to a provider."""
    body = live.turn().render(provider, model=MODELS.get(provider, SOME[provider]), cache=False)
    told: list[dict[str, Any]] = body[WHERE.get(provider, "messages")]
    return [row for row in told if row.get("role") != "system"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_response_is_taken_whole(provider: str, form: str) -> None:
    """Text, calls and usage come out of it, and the calls come back for the author to run."""
    live = started()
    calls = live.reply(FORMS[form](provider))
    (call,) = calls
    assert isinstance(call, Call)
    made = provider in ("gemini", "ollama")
    assert call == Call("call_1" if made else "call_a", "read_file", ARGUMENTS)
    message = live.messages[-1]
    assert (message.role, message.kind, message.text, message.calls) == ("assistant", "reply", TEXT, calls)
    entry = live.record[-1]
    input, output, read, _ = USAGE
    told = {"ollama": (input, output, 0, 0), "gemini": (input, output, read, 0)}.get(provider, USAGE)
    assert entry.usage == message.usage == Usage(*told)
    assert entry.to_dict()["usage"] == dict(zip(("input", "output", "cache_read", "cache_write"), told, strict=True))


@pytest.mark.slow(unless=("anthropic", "openai-responses"))
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("to", PROVIDERS)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_reply_of_one_goes_to_any_other(provider: str, to: str, form: str) -> None:
    """Its own provider gets its reasoning back as it came; the others get the text, the call and the result."""
    live = started()
    (call,) = live.reply(FORMS[form](provider))
    live.result(call, "print()")
    told = json.dumps(rows(live, to), default=str)
    assert TEXT in told
    assert "read_file" in told and "quay/tides.py" in told and "print()" in told
    assert told.count(TEXT) == 1
    assert ("Hm." in told or "gAAA" in told) == (provider == to and provider != "openai-chat")
    plain = session()
    plain.turn("Why is the tide wrong?")
    plain.assistant(TEXT, [call])
    plain.result(call, "print()")
    if provider != to or provider == "openai-chat":
        assert rows(live, to) == rows(plain, to)


def test_anthropics_content_goes_back_unchanged() -> None:
    """All blocks, in their order, with their signatures."""
    live = started()
    live.reply(OPENED["anthropic"](ANSWERS["anthropic"]))
    live.result(None, "The call was interrupted.", failed=True)
    assert rows(live, "anthropic")[1] == {"role": "assistant", "content": ANSWERS["anthropic"]["content"]}


def test_the_items_of_a_response_go_back_unchanged() -> None:
    """Reasoning stands before the item that it led to, and every item keeps its id."""
    live = started()
    live.reply(OPENED["openai-responses"](ANSWERS["openai-responses"]))
    live.result(None, "The call was interrupted.", failed=True)
    assert rows(live, "openai-responses")[1:4] == ANSWERS["openai-responses"]["output"]


def test_geminis_parts_go_back_with_their_signature_and_an_id() -> None:
    """Gemini gave no id: call and result have the same one."""
    live = started()
    live.reply(OPENED["gemini"](ANSWERS["gemini"]))
    live.result(None, "The call was interrupted.", failed=True)
    _, model, result = rows(live, "gemini")
    thought, text, call = model["parts"]
    assert (thought, text) == ({"text": "Hm.", "thought": True}, {"text": TEXT})
    assert call == {
        "function_call": {"id": "call_1", "name": "read_file", "args": ARGUMENTS}, "thought_signature": "-_8Ac2ln",
    }  # fmt: skip
    assert result["parts"][0]["function_response"]["id"] == "call_1"


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_a_hook_changes_is_what_is_sent(provider: str) -> None:
    """A `context` hook that takes a secret out of a reply takes it out of the provider's own blocks too."""
    live = started()
    (call,) = live.reply(OPENED[provider](ANSWERS[provider]))
    live.result(call, "ok")

    @live.hook("context")
    def redact(messages: list[Message]) -> list[Message]:
        from msgspec.structs import replace

        return [replace(m, text=m.text.replace("look", "****")) for m in messages]

    told = json.dumps(rows(live, provider))
    assert "I ****." in told
    assert TEXT not in told
    assert told.count("read_file") == json.dumps(rows(started_plain(call), provider)).count("read_file")


def started_plain(call: Call) -> Session:
    """The same talk, without anything but text and call."""
    live = started()
    live.assistant("I ****.", [call])
    live.result(call, "ok")
    return live


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_save_keeps_the_reply(provider: str, tmp_path: Any) -> None:
    """Reasoning, made ids and usage are there after a resume, and the next request has the same bytes."""
    live = started()
    (call,) = live.reply(OPENED[provider](ANSWERS[provider]))
    live.result(call, "ok")
    live.save(tmp_path / "s.json")
    again = Session.resume(tmp_path / "s.json")
    assert again.messages == live.messages
    for to in PROVIDERS:
        assert rows(again, to) == rows(live, to)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_loop_through_the_real_sdk(provider: str) -> None:
    """turn, request, response object, reply, result, turn: and what the next request says, the SDK sends."""
    live = session()
    with scripted() as server:
        server.answer = ANSWERS[provider]
        model = MODELS.get(provider, SOME[provider])
        response = ask(provider, server.url, live.turn("Why is the tide wrong?").render(provider, model=model))
        (call,) = live.reply(response)
        assert call.arguments == ARGUMENTS
        live.result(call, "print()")
        ask(provider, server.url, live.turn().render(provider, model=model))
        arrived = json.dumps(server.arrived[1])
    assert TEXT in arrived and "print()" in arrived
    if provider != "openai-chat":
        assert "Hm." in arrived or "gAAA" in arrived
    for other in PROVIDERS:
        assert "read_file" in json.dumps(rows(live, other))


def test_the_usage_of_several_replies_is_added_up() -> None:
    """A turn whose reply was asked for twice cost both; without a turn before it, the message alone has it."""
    live = session()
    live.reply({**ANSWERS["anthropic"], "content": [{"type": "text", "text": "Hello."}]})
    assert live.record == ()
    assert live.messages[-1].usage == Usage(*USAGE)
    turn = live.turn("Go")
    assert turn.entry.usage is None
    for text in ("One.", "Two."):
        live.reply({**ANSWERS["anthropic"], "content": [{"type": "text", "text": text}]})
    assert turn.entry.usage == Usage(260, 40, 200, 20)


def test_a_plain_reply_is_what_assistant_adds() -> None:
    """Where text and calls are all, nothing else is kept, and both ways give the same message but for the usage."""
    live, other = started(), started()
    live.reply(OPENED["openai-chat"](ANSWERS["openai-chat"]))
    other.assistant(TEXT, ANSWERS["openai-chat"]["choices"][0]["message"]["tool_calls"])
    mine, theirs = live.messages[-1], other.messages[-1]
    assert (mine.text, mine.calls, mine.blocks, mine.provider) == (theirs.text, theirs.calls, (), None)


def test_a_message_of_a_choice_is_taken_too() -> None:
    """`choices[0].message` is what many hold in their hands."""
    live = started()
    calls = live.reply(OPENED["openai-chat"](ANSWERS["openai-chat"]).choices[0].message)
    assert [call.id for call in calls] == ["call_a"]
    assert live.record[-1].usage is None


def test_of_several_choices_the_first_is_taken_and_noted() -> None:
    """The next turn's entry says that there were others."""
    for provider, key in (("openai-chat", "choices"), ("gemini", "candidates")):
        live = started()
        answer = ANSWERS[provider]
        live.reply({**answer, key: answer[key] * 3})
        live.result(None, "The call was interrupted.", failed=True)
        (note,) = [n for n in live.turn().entry.diagnostics if n.code == "several-replies"]
        assert f"3 {key}: the first is used" in note.message


def chat(message: dict[str, Any], **choice: Any) -> dict[str, Any]:
    """A chat completion with that message."""
    return {"object": "chat.completion", "choices": [{"message": {"role": "assistant", **message}, **choice}]}


def test_a_refusal_is_what_the_model_said() -> None:
    """In both of OpenAI's forms, and a text that was cut short stands as it is."""
    live = started()
    live.reply(chat({"content": None, "refusal": "I can't."}))
    live.reply({"output": [{"type": "message", "content": [{"type": "refusal", "refusal": "I won't."}]}]})
    live.reply(chat({"content": "Half a sent"}, finish_reason="length"))
    assert [m.text for m in live.messages][1:] == ["I can't.", "I won't.", "Half a sent"]


def test_a_reply_without_a_word_is_noted() -> None:
    """It is added, and the record says why the model stopped."""
    live = started()
    assert live.reply({"candidates": [{"finishReason": "MAX_TOKENS"}]}) == ()
    (note,) = [n for n in live.turn("Go on").entry.diagnostics if n.code == "empty-reply"]
    assert "gemini" in note.message and "MAX_TOKENS" in note.message


def test_what_a_compatible_server_wants_back_goes_back() -> None:
    """Reasoning beside a chat message, a signature on a call and a custom call: to Chat Completions and nobody else."""
    signed = {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{}"},
              "extra_content": {"google": {"thought_signature": "c2ln"}}}  # fmt: skip
    custom = {"id": "c2", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}}
    live = started()
    live.reply(chat({"content": None, "reasoning_content": "Hm.", "tool_calls": [signed, custom]}))
    live.result(None, "The call was interrupted.", failed=True)
    row = rows(live, "openai-chat")[1]
    assert (row["reasoning_content"], row["tool_calls"], row["content"]) == ("Hm.", [signed, custom], None)
    assert "c2ln" not in json.dumps(rows(live, "openai-responses"))
    assert '{"input": "SELECT 1"}' in rows(live, "openai-responses")[2]["arguments"]


def test_what_anthropics_own_tools_gave_goes_back_in_its_place() -> None:
    """A search between two texts stays between them; the text is one, and the search is no call of ours."""
    content = [
        {"type": "text", "text": "I search. "},
        {"type": "server_tool_use", "id": "srv", "name": "web_search", "input": {"query": "tides"}},
        {"type": "web_search_tool_result", "tool_use_id": "srv", "content": []},
        {"type": "text", "text": "High tide is at noon."},
    ]
    live = started()
    assert live.reply({**ANSWERS["anthropic"], "content": content}) == ()
    assert live.messages[-1].text == "I search. High tide is at noon."
    live.turn("Thanks")
    assert rows(live, "anthropic")[1]["content"] == content
    assert rows(live, "openai-chat")[1]["content"] == "I search. High tide is at noon."


def test_bytes_of_bedrock_survive_a_save(tmp_path: Any) -> None:
    """Redacted reasoning is bytes in boto3's answer, and bytes again after a resume."""
    hidden = {"reasoningContent": {"redactedContent": b"\x00\xff"}}
    live = started()
    live.reply({"output": {"message": {"role": "assistant", "content": [hidden, {"text": "Done."}]}}})
    live.turn("Go on")
    live.save(tmp_path / "s.json")
    again = Session.resume(tmp_path / "s.json")
    assert rows(again, "bedrock")[1]["content"][0] == hidden


def test_a_custom_tool_is_answered_in_its_own_form() -> None:
    """Responses has an item of its own for results of custom tools; the others have one for all."""
    item = {"type": "custom_tool_call", "id": "ct_1", "call_id": "c1", "name": "sql", "input": "SELECT 1"}
    live = started()
    (call,) = live.reply({"output": [item]})
    assert call == Call("c1", "sql", {"input": "SELECT 1"})
    live.result(call, "1")
    assert rows(live, "openai-responses")[1:] == [
        item, {"type": "custom_tool_call_output", "call_id": "c1", "output": "1"}
    ]  # fmt: skip
    assert rows(live, "anthropic")[1]["content"][0]["input"] == {"input": "SELECT 1"}


def test_an_item_that_waits_for_another_answer_is_noted() -> None:
    """A computer's screen is no result of a call: the record says how to hand it over, and it goes where it belongs."""
    item = {"type": "computer_call", "id": "cu_1", "call_id": "c1", "actions": []}
    seen = {"type": "computer_call_output", "call_id": "c1", "output": {"type": "computer_screenshot"}}
    live = started()
    assert live.reply({"output": [item]}) == ()
    live.add(Message("assistant", blocks=(seen,), provider="openai-responses"))
    (note,) = [n for n in live.turn("Go on").entry.diagnostics if n.code == "unanswered-item"]
    assert "'computer_call'" in note.message
    assert rows(live, "openai-responses")[1:3] == [item, seen]


def test_saves_of_before_are_read_and_plain_talk_is_saved_as_before(tmp_path: Any) -> None:
    """What is new is only in the file where it is used, so that an older save and a newer one look alike."""
    live = started()
    live.assistant("I look.", [{"id": "c1", "name": "ls"}])
    live.result("c1", "ok")
    live.save(tmp_path / "s.json")
    data = json.loads((tmp_path / "s.json").read_text())
    assert not {"parts", "provider", "usage"} & {key for message in data["messages"] for key in message}
    assert Session.resume(tmp_path / "s.json").messages == live.messages
