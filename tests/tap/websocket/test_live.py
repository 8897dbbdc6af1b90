"""What is spoken live by WebSocket: each answer is a call, with the prompt in force and what was said before it."""

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.sync.client import ClientConnection, connect

from overture.report.tap.read_call.read_call import Seen, read_call
from overture.report.tap.read_call.which_form import live_form
from overture.tap.pass_through.kept.capture import Room
from overture.tap.pass_through.websocket.frames import Message
from overture.tap.pass_through.websocket.gemini_live import GeminiLive
from overture.tap.pass_through.websocket.realtime import Realtime

from ..wire import Tapped, tap_to
from .speaker import TOOL, Data, speaker
from .test_websocket import calls, opened

SOUND = base64.b64encode(b"\0" * 4800).decode()
USAGE = {"total_tokens": 42, "input_tokens": 40, "output_tokens": 2, "input_token_details": {"cached_tokens": 30}}
SESSION = {
    "id": "s",
    "model": "gpt-realtime",
    "instructions": "Be kind.",
    "client_secret": {"value": "ek_hush12345678"},
}


def _user(id: str, **part: Any) -> Data:
    return {"id": id, "type": "message", "role": "user", "content": [part]}


def _answer(id: str, words: str, status: str = "completed", **more: Any) -> list[Data]:
    """The events of a response that is spoken aloud."""
    part = {"type": "output_audio", "transcript": words}
    item = {"id": f"i{id}", "type": "message", "role": "assistant", "content": [part]}
    return [
        {"type": "response.created", "response": {"id": id, "status": "in_progress"}},
        {"type": "conversation.item.added", "previous_item_id": None, "item": {**item, "content": []}},
        {"type": "response.output_audio.delta", "response_id": id, "delta": SOUND},
        {"type": "response.done", "response": {"id": id, "status": status, "output": [item], "usage": USAGE, **more}},
    ]


def realtime(asked: Data, number: int) -> list[Data]:
    """OpenAI. As the provider answers: also by itself, when somebody has spoken."""
    match asked["type"]:
        case "session.update":
            return [{"type": "session.updated", "session": {**SESSION, **asked["session"]}}]
        case "conversation.item.create":
            item = {**asked["item"], "id": f"u{number}"}
            return [{"type": "conversation.item.added", "previous_item_id": None, "item": item}]
        case "input_audio_buffer.append":
            return [
                {"type": "input_audio_buffer.committed", "item_id": "spoken"},
                {"type": "conversation.item.added", "item": _user("spoken", type="input_audio", transcript=None)},
                *_answer(f"r{number}", "At dusk.")[:3],
                {
                    "type": "conversation.item.input_audio_transcription.completed",
                    "item_id": "spoken",
                    "transcript": "When is water due?",
                },
                *_answer(f"r{number}", "At dusk.")[3:],
            ]
        case "response.create" if asked.get("response", {}).get("fails"):
            return [{"type": "error", "error": {"type": "invalid_request_error", "message": "There is no such voice."}}]
        case "response.create":
            return _answer(f"r{number}", "The red ones.")
    return [{"type": "pong"}]


def _say(line: ClientConnection, asked: Data, until: str) -> None:
    line.send(json.dumps(asked))
    while json.loads(line.recv(timeout=10))["type"] != until:
        pass


def test_realtime_answers_are_calls() -> None:
    """Instructions and tools in force, what was said so far as text, sound as its size, and the provider's counts."""
    with speaker(realtime) as (_, port), tap_to(f"http://127.0.0.1:{port}") as tap:
        with opened(tap, "/realtime?model=gpt-realtime") as line:
            told = {"instructions": "You are Ada.", "tools": [TOOL]}
            _say(line, {"type": "session.update", "session": told}, "session.updated")
            typed = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Which roses?"}]}
            _say(line, {"type": "conversation.item.create", "item": typed}, "conversation.item.added")
            _say(line, {"type": "response.create"}, "response.done")
            _say(line, {"type": "input_audio_buffer.append", "audio": SOUND}, "response.done")
            aside = {
                "conversation": "none",
                "instructions": "Sum up.",
                "input": [{"type": "item_reference", "id": "spoken"}],
            }
            _say(line, {"type": "response.create", "response": aside}, "response.done")
            _say(line, {"type": "response.create", "response": {"fails": True}}, "error")
            _say(line, {"type": "response.create"}, "response.done")
        first, second, third, fourth, last = calls(tap.recorded(5))
    assert (first.model, first.form, first.reply, first.path) == (
        "gpt-realtime", "openai-responses", "The red ones.", "/v1/realtime",
    )  # fmt: skip
    assert [(piece.kind, piece.name) for piece in first.pieces] == [
        ("tool", "look"), ("system", "system"), ("message", "user"),
    ]  # fmt: skip
    assert first.usage is not None
    assert (first.usage.input, first.usage.read, first.usage.output, first.stop) == (40, 30, 2, "completed")
    said = [(piece.name, piece.text) for piece in second.of("message")]
    assert said[:3] == [("user", "Which roses?"), ("assistant", "The red ones."), ("user", "When is water due?")]
    assert "4,800 bytes of sound" in said[3][1]
    assert "sound is not kept, but for its size" in second.missing
    assert [piece.text for piece in third.of("system")] == ["Sum up."] and len(third.of("message")) == 2
    assert (fourth.status, fourth.error) == (400, "invalid_request_error: There is no such voice.")
    assert [piece.text for piece in last.of("message") if piece.name == "assistant"] == ["The red ones.", "At dusk."]
    assert "ek_hush" not in repr((first, second, third, fourth)) and SOUND[:40] not in repr(second)
    assert tap.tap.lost == ()


def test_a_realtime_answer_that_breaks_off_is_recorded_so_far() -> None:
    """With what it was asked, and that its end was not seen."""

    def reply(asked: Data, number: int) -> list[Data]:
        return _answer("r1", "")[:1] if asked["type"] == "response.create" else []

    with speaker(reply) as (_, port), tap_to(f"http://127.0.0.1:{port}") as tap:
        with opened(tap, "/realtime?model=gpt-realtime") as line:
            _say(line, {"type": "response.create", "response": {"instructions": "You are Ada."}}, "response.created")
        (call,) = calls(tap.recorded())
    assert ([piece.text for piece in call.pieces], call.reply) == (["You are Ada."], "")
    assert call.missing


def test_a_realtime_line_without_an_answer_is_named() -> None:
    """One that only writes down what it hears has no calls of a model that could be recorded."""
    with speaker(realtime) as (_, port), tap_to(f"http://127.0.0.1:{port}") as tap:
        with opened(tap, "/realtime?intent=transcription") as line:
            _say(line, {"type": "ping"}, "pong")
        assert tap.recorded(0) == []
    assert tap.tap.lost[0].endswith("by WebSocket: its messages are no calls that are known")


GEMINI = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent"
SETUP = {
    "model": "models/gemini-live-2.5", "systemInstruction": {"parts": [{"text": "You are Ada."}]},
    "tools": [{"functionDeclarations": [{"name": "look", "parameters": {"type": "object"}}]}],
}  # fmt: skip


def _counted(prompt: int) -> Data:
    return {"promptTokenCount": prompt, "responseTokenCount": 3, "totalTokenCount": prompt + 3}


def google(asked: Data, number: int) -> list[Data]:
    """Google."""
    if "setup" in asked:
        return [{"setupComplete": {}}]
    if "clientContent" in asked or "client_content" in asked:
        return [
            {"toolCall": {"functionCalls": [{"id": "f", "name": "look", "args": {}}]}, "usageMetadata": _counted(9)}
        ]
    if "toolResponse" in asked or "tool_response" in asked:
        return [
            {"serverContent": {"modelTurn": {"parts": [{"text": "The red "}]}}},
            {"serverContent": {"modelTurn": {"parts": [{"text": "ones."}]}}},
            {"serverContent": {"turnComplete": True}, "usageMetadata": _counted(20)},
        ]
    sound = {"inlineData": {"mimeType": "audio/pcm", "data": SOUND}}
    return [
        {"serverContent": {"inputTranscription": {"text": "And the "}}},
        {"serverContent": {"modelTurn": {"parts": [sound]}, "outputTranscription": {"text": "They are fine."}}},
        {"serverContent": {"inputTranscription": {"text": "lilies?"}}},
        {"serverContent": {"interrupted": True}},
        {"serverContent": {"turnComplete": True}, "usageMetadata": _counted(31)},
    ]


def _tell(tap: Tapped, *messages: Data) -> None:
    """Speak with the provider as Google's SDKs do, in binary frames."""
    with connect(tap.base("gemini").replace("http:", "ws:") + GEMINI, proxy=None) as line:
        for number, message in enumerate(messages, 1):
            line.send(json.dumps(message).encode())
            for _ in google(message, number):
                line.recv(timeout=10)


def test_gemini_live_turns_are_calls() -> None:
    """The setup's prompt and tools, the turns so far, a tool's call and its answer, and the provider's counts."""
    turns = [{"role": "user", "parts": [{"text": "Which roses?"}]}]
    responses = [{"id": "f", "name": "look", "response": {"dry": "red"}}]
    spoken = {"realtimeInput": {"audio": {"mimeType": "audio/pcm;rate=16000", "data": SOUND}}}
    with speaker(google) as (_, port), tap_to(f"http://127.0.0.1:{port}") as tap:
        asked: Data = {"clientContent": {"turns": turns, "turnComplete": True}}
        _tell(tap, {"setup": SETUP}, asked, {"toolResponse": {"functionResponses": responses}}, spoken)
        first, second, third = calls(tap.recorded(3))
    assert (first.model, first.form, first.calls, first.stop) == ("gemini-live-2.5", "gemini", ("look",), "toolCall")
    assert [(piece.kind, piece.text) for piece in first.pieces[1:]] == [
        ("system", "You are Ada."), ("message", "Which roses?"),
    ]  # fmt: skip
    assert [piece.what for piece in second.of("message")] == ["text", "tool call", "tool result"]
    assert (second.reply, second.stop) == ("The red ones.", "turnComplete")
    assert second.usage is not None and (second.usage.input, second.usage.output) == (20, 3)
    assert [(piece.name, piece.what) for piece in third.of("message")[3:]] == [
        ("model", "text"), ("user", "text"), ("user", "audio"), ("user", "text"),
    ]  # fmt: skip
    heard = third.of("message")[4:]
    assert (heard[0].text, heard[2].text) == ("And the ", "lilies?") and "4,800 bytes" in heard[1].text
    assert (third.reply, third.stop) == ("They are fine.", "interrupted")
    assert third.usage is not None and third.usage.input == 31
    assert "sound is not kept, but for its size" in third.missing and SOUND[:40] not in repr(third)


WORDS = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 9), st.sampled_from(["", "r1", "u1", "message", SOUND, "text"])
)
NAMED = (
    "id type item item_id previous_item_id response response_id session content audio delta transcript output input "
    "instructions tools conversation status_details error reason usage turns parts text inlineData data mimeType "
    "functionCalls functionResponses modelTurn turnComplete interrupted usageMetadata inputTranscription setup "
    "serverContent clientContent realtimeInput toolCall toolResponse mediaChunks outputTranscription"
)
KINDS = (
    "session.update session.created response.create response.created response.done error conversation.item.added "
    "conversation.item.deleted input_audio_buffer.append input_audio_buffer.committed response.output_audio.delta "
    "conversation.item.input_audio_transcription.completed"
)
NAMES = st.sampled_from(NAMED.split())
VALUES = st.recursive(WORDS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4))
MESSAGES = st.builds(
    lambda kind, more: json.dumps({**more, **({"type": kind} if kind else {})}).encode(),
    st.none() | st.sampled_from(KINDS.split()),
    st.dictionaries(NAMES, VALUES, max_size=5),
)


@pytest.mark.parametrize("speech", [lambda room: Realtime(room, b"/v1/realtime?model=m"), GeminiLive])
@given(said=st.lists(st.tuples(st.booleans(), MESSAGES), max_size=12))
def test_whatever_is_said_is_read(speech: Any, said: list[tuple[bool, bytes]]) -> None:
    """No message breaks the reading of those that follow, every call can be read, and all room is given back."""
    room = Room()
    line, found = speech(room), []
    for number, (from_client, data) in enumerate(said):
        message = Message(data, float(number), float(number))
        found += [] if from_client else list(line.said(message))
        if from_client:
            line.asked(message)
    for spoken in (*found, *line.end()):
        body = b"".join(spoken.sent.parts)
        assert isinstance(json.loads(body), dict)
        form = live_form("/v1/realtime") if isinstance(line, Realtime) else live_form(GEMINI)
        path = "/v1/realtime" if isinstance(line, Realtime) else GEMINI
        call = read_call(Seen("c", "", "", path, body, spoken.status, b"".join(spoken.came.parts),
                              content_type="text/event-stream"))  # fmt: skip
        assert call is not None and call.form == form
        room.give(spoken.size)
    assert room.used == 0
