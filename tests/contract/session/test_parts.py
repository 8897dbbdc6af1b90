"""`session.turn([…])`: what the user shows is kept, saved, seen by hooks, and sent to whoever takes it."""

import asyncio
import base64
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from overture import Content, Message, Session, StateError

from ..providers.sendable import PROVIDERS, SOME, unmarked
from .six_sdks import ANSWERS, ask, scripted
from .worlds import project, session

DATA = base64.b64encode(b"\x89PNG\r\n\x1a\n\xfb\xff").decode()
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": DATA}}
PDF = Content("document", media="application/pdf", data=base64.b64encode(b"%PDF-1.7").decode())
CHAT = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{DATA}"}}


def sent(live: Session, provider: str = "anthropic") -> str:
    """The conversation of the turn that is going on, as JSON."""
    body = live.turn().render(provider, model=SOME[provider], cache=False)
    return json.dumps(body.get("messages") or body.get("contents") or body["input"], default=repr)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_texts_alone_give_the_request_of_the_plain_string(provider: str) -> None:
    """Byte for byte, in every form, with the recipe's sections in the user's message."""
    state = {"session": {"id": "s"}, "now": "2026-03-07T08:55:05-06:00"}
    forms: list[Any] = [
        "Hello.",
        ["Hello."],
        [{"type": "text", "text": "Hello."}],
        {"role": "user", "content": "Hello."},
    ]
    bodies = {
        json.dumps(session("house", state=state).turn(form).render(provider, model=SOME[provider])) for form in forms
    }
    assert len(bodies) == 1


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_turn_shows_an_image_to_anybody(provider: str) -> None:
    """Given in OpenAI's form, it goes through each SDK, and stays where it was when the talk goes on."""
    live = session("house")
    with scripted() as server:
        server.answer = ANSWERS[provider]
        model = {"gemini": "gemini-3.8-flash", "bedrock": "anthropic.claude-opus-5-v1:0"}.get(provider, SOME[provider])
        turn = live.turn([{"type": "text", "text": "What is this?"}, CHAT])
        (call,) = live.reply(ask(provider, server.url, turn.render(provider, model=model)))
        live.result(call, "ok")
        ask(provider, server.url, live.turn().render(provider, model=model))
        first, second = (json.dumps(unmarked(body)) for body in server.arrived)
    seen = DATA if provider != "gemini" else base64.urlsafe_b64encode(base64.b64decode(DATA)).decode()
    assert first.count(seen) == second.count(seen) == 1
    assert first.index("What is this?") < first.index(seen) or provider == "ollama"


def test_the_message_holds_it() -> None:
    """The text is the user's words; the image is beside it, with what is known of it."""
    live = session()
    message = live.turn(["What is this?", IMAGE]).messages[-1]
    assert (message.text, message.kind) == ("What is this?", "prompt")
    (image,) = message.parts
    assert (image.kind, image.media, image.data, image.provider) == ("image", "image/png", DATA, "anthropic")
    assert [part.kind for part in message.contents] == ["text", "image"]
    first = session().turn([IMAGE, "What is this?"]).messages[-1]
    assert first.text == "What is this?"
    assert [part.kind for part in first.contents] == ["image", "text"]
    assert session().turn([IMAGE]).messages[-1].text == ""


def test_a_save_keeps_the_bytes(tmp_path: Path) -> None:
    """An image and a PDF are the same after a resume, and so is the next request, to everybody."""
    live = session()
    live.turn([IMAGE, "Compare.", PDF])
    live.save(tmp_path / "s.json")
    again = Session.resume(tmp_path / "s.json")
    assert again.messages == live.messages
    assert again.messages[0].parts[-1].bytes == b"%PDF-1.7"
    for provider in PROVIDERS[:-1]:
        assert sent(again, provider) == sent(live, provider)


def test_a_template_and_a_skill_work_beside_an_image() -> None:
    """`/name arguments` in the text part is expanded, wherever the image stands."""
    world = project(**{".sf/prompts/look.md": "Look at $1 closely."})
    live = session("pi", world)
    for parts in (["/look berth", IMAGE], [IMAGE, {"type": "text", "text": "/look berth"}]):
        message = live.turn(parts).messages[-1]
        assert (message.text, message.typed, len(message.parts) > 0) == ("Look at berth closely.", "/look berth", True)
        assert "Look at berth closely." in sent(live)
    skilled = session().turn(["/skill:tides now", IMAGE]).messages[-1]
    assert skilled.text.endswith("\n\nnow") and "How to do tides." in skilled.text


def test_reload_with_an_image_is_a_text() -> None:
    """What is shown is not thrown away: only `/reload` alone reloads."""
    live = session()
    assert live.turn(["/reload", IMAGE]).messages[-1].text == "/reload"
    assert live.turn(["/reload"]).messages[-1].parts


def test_hooks_see_it() -> None:
    """`before_agent_start` sees the parts, `context` may take them away, and neither can spoil ours."""
    live = session()
    seen: list[Any] = []

    @live.hook("before_agent_start")
    def start(event: Any) -> None:
        seen.append((event.text, [part.kind for part in event.parts]))

    @live.hook("context")
    def blind(messages: list[Message]) -> list[Message]:
        messages[0].parts[0].own.clear()
        return [replace(m, text=m.text + " (no images here)", parts=()) for m in messages]

    turn = live.turn(["See.", {**IMAGE, "cache_control": {"type": "ephemeral"}}])
    assert seen == [("See.", ["image"])]
    assert turn.messages[0].text == "See. (no images here)"
    assert live.messages[0].parts[0].own == {"cache_control": {"type": "ephemeral"}}


def test_sections_stand_behind_it() -> None:
    """What the recipe places with the user comes last, and the next turn sends the same bytes again."""
    live = session("house", state={"now": "2026-03-07T08:55:05-06:00"})
    turn = live.turn(["See.", IMAGE])
    assert turn.messages[0].sections
    content = turn.render("anthropic", model=SOME["anthropic"], cache=False)["messages"][0]["content"]
    assert [block["type"] for block in content] == ["text", "image", "text"]
    live.assistant("A ship.")
    later = live.turn("Thanks").render("anthropic", model=SOME["anthropic"], cache=False)["messages"]
    assert later[0]["content"] == content


def test_an_awaited_turn_takes_parts() -> None:
    """`aturn` is the same."""
    turn = asyncio.run(session().aturn(["See.", IMAGE]))
    assert turn.messages[-1].parts[0].kind == "image"


def test_a_result_shows_what_a_tool_saw() -> None:
    """A list of parts, as an MCP server gives them, or one part."""
    live = session()
    live.turn("Look.")
    live.assistant("", [{"id": "c1", "name": "look"}, {"id": "c2", "name": "look"}])
    live.result("c1", [{"type": "text", "text": "A ship."}, {"type": "image", "data": DATA, "mimeType": "image/png"}])
    live.result("c2", [IMAGE], failed=True)
    first, second = live.messages[-2:]
    assert (first.text, first.parts[0].data, second.text, second.failed) == ("A ship.", DATA, "", True)
    assert sent(live).count(DATA) == 2
    assert "is_error" not in sent(live)
    with pytest.raises(StateError, match="openai-chat does not take an image"):
        sent(live, "openai-chat")


def test_what_can_not_be_sent_stops_the_request_and_nothing_else() -> None:
    """The turn stands: another provider takes it, or the user's words are put anew."""
    live = session()
    turn = live.turn(["Sum it up.", PDF])
    with pytest.raises(StateError, match="ollama does not take a document"):
        turn.render("ollama")
    assert "application/pdf" in json.dumps(turn.render("gemini"))


def test_nonsense_stops_the_turn() -> None:
    """Nothing is said, no turn is counted, and the next one is as if it had never been."""
    live = session()
    with pytest.raises(StateError, match=r"The prompt\[1\]\.data: 'quay\.png' is not base64"):
        live.turn(["See.", {"type": "image", "data": "quay.png"}])
    assert (live.messages, live.record) == ((), ())
    assert live.turn("Go").number == 1


def test_half_a_character_in_a_part_is_reported() -> None:
    """As in any text that a user says."""
    live = session()
    turn = live.turn([IMAGE, "a", IMAGE, "b \ud83d"])
    assert [note.code for note in turn.entry.diagnostics if note.code == "half-character"] == ["half-character"]
    json.dumps(turn.render("anthropic"), ensure_ascii=False).encode()


def test_a_content_of_ours() -> None:
    """For those who have neither SDK nor form: `Content` with bytes in base64, an address, or a file."""
    live = session()
    live.turn(["See.", Content("image", url="https://example.com/q.png"), Content("image", data=DATA)])
    assert [part.media for part in live.messages[0].parts] == [None, "image/png"]
