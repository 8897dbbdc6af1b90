"""Hooks, templates and queued messages do in every framework what they do in a turn of a session."""

import asyncio
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from overture import Change, Message

from .contract import Framework, Step

pytestmark = pytest.mark.filterwarnings("default")  # what others' packages warn of is theirs


def read(path: str) -> str:
    """Read a file."""
    return f"the text of {path}"


TWO_STEPS = [Step(calls=(("read", {"path": "a"}),)), Step("ok")]


def test_a_hook_edits_the_prompt_until_the_user_s_next_words(framework: Framework, make_session: Any) -> None:
    """What `before_agent_start` appends is in all requests that answer these words, and in none of the next."""
    session, texts = make_session(), []

    @session.hook("before_agent_start", name="tide")
    def tide(event: Any) -> Any:
        texts.append(event.text)
        return Change.append("The tide is low.") if "ferry" in event.text else None

    first = framework.run(session, "Move the ferry", TWO_STEPS, [read])
    second = framework.run(session, "And now?", [Step("fine")], [read], history=first.history)
    told = [request.system.count("The tide is low.") for request in (*first.requests, *second.requests)]
    assert told == [1, 1, 0]
    assert texts == ["Move the ferry", "And now?"]


def test_a_hook_s_message_stays_behind_the_user_s(framework: Framework, make_session: Any) -> None:
    """`Change.message` arrives with the user's words, and stays at its place in every later request."""
    session = make_session()

    @session.hook("before_agent_start")
    def tide(event: Any) -> Any:
        return Change.message("Ask before you move a ship.") if "ferry" in event.text else None

    first = framework.run(session, "Move the ferry", TWO_STEPS, [read])
    second = framework.run(session, "And now?", [Step("fine")], [read], history=first.history)
    requests = (*first.requests, *second.requests)
    assert [request.text.count("Ask before you move a ship.") for request in requests] == [1, 1, 1]
    for before, after in pairwise(requests):
        assert after.messages[: len(before.messages)] == before.messages


def test_two_conversations_have_their_own_edits(framework: Framework, make_session: Any) -> None:
    """What a hook changes for the words of one conversation is not in another."""
    session = make_session()
    session.hook("before_agent_start", lambda event: Change.append(f"Asked: {event.text}."), name="echo")
    first = framework.run(session, "one", [Step("ok")], [read])
    second = framework.run(session, "two", TWO_STEPS, [read])
    assert "Asked: one." in first.requests[0].system
    assert all("Asked: two." in each.system and "Asked: one." not in each.system for each in second.requests)


def test_a_context_hook_changes_what_is_sent(framework: Framework, make_session: Any) -> None:
    """`context` sees the messages before each request; other texts and further messages are what the model gets."""
    session, seen = make_session(), []

    @session.hook("context")
    def hide(messages: list[Message]) -> list[Message]:
        seen.append([message.role for message in messages])
        hidden = [replace(each, text="[hidden]") if each.role == "tool" else each for each in messages]
        return [*hidden, Message("user", "Remember the tide.", "custom")]

    run = framework.run(session, "Move the ferry", TWO_STEPS, [read])
    assert [set(roles) for roles in seen] == [{"user"}, {"user", "assistant", "tool"}]
    assert "the text of a" not in run.requests[1].text and "[hidden]" in run.requests[1].text
    assert [request.text.count("Remember the tide.") for request in run.requests] == [1, 1]
    assert "Move the ferry" in run.requests[1].text
    sent = session.last_request
    assert sent is not None and "[hidden]" in "".join(part.text for part in sent.parts)


def test_a_context_hook_drops_messages(framework: Framework, make_session: Any) -> None:
    """A call that is dropped with its result is in no request; all else stays, in its order."""
    session = make_session()

    @session.hook("context")
    def prune(messages: list[Message]) -> list[Message]:
        return [each for each in messages if each.role == "user" or each.text == "ok"]

    first = framework.run(session, "Move the ferry", TWO_STEPS, [read])
    second = framework.run(session, "And now?", [Step("fine")], [read], history=first.history)
    assert {message.role for message in first.requests[1].messages} == {"user"}
    assert [message.role for message in second.requests[0].messages if message.role != "user"] == ["assistant"]
    assert "the text of a" not in second.requests[0].text
    assert first.answer == "ok" and second.answer == "fine"


def test_a_hook_that_raises_ends_no_run(framework: Framework, make_session: Any) -> None:
    """It is passed over, the record says so, and the request is sent without it."""
    session = make_session()

    def fail(event: Any) -> None:
        raise ValueError("no tide table")

    session.hook("before_agent_start", fail, name="first")
    run = framework.run(session, "hi", [Step("ok")], [read])
    assert run.answer == "ok"
    found = [each.message for entry in session.record for each in entry.diagnostics if each.code == "hook-failed"]
    assert len(found) == 1 and "no tide table" in found[0]


def test_async_hooks_run_on_the_framework_s_loop(framework: Framework, make_session: Any) -> None:
    """An async hook may use what belongs to the event loop of the program."""
    session, loops = make_session(), []

    @session.hook("before_agent_start")
    async def note(event: Any) -> None:
        loops.append(asyncio.get_running_loop())

    @session.hook("context")
    async def note_again(messages: list[Message]) -> None:
        loops.append(asyncio.get_running_loop())

    framework.run(session, "hi", TWO_STEPS, [read])
    assert len(loops) == 3 and len(set(loops)) == 1


def test_a_message_in_the_queue_comes_with_the_user_s(framework: Framework, make_session: Any) -> None:
    """`send_message(when="next")` arrives behind the user's next words, once."""
    session = make_session()
    session.send_message("The build is red.", when="next")
    run = framework.run(session, "hi", TWO_STEPS, [read])
    assert [request.text.count("The build is red.") for request in run.requests] == [1, 1]


def test_templates_and_skills_of_the_user_are_filled(framework: Framework, make_session: Any, project: Path) -> None:
    """`/name arguments` and `/skill:name` are sent as what they stand for, in every request."""
    (project / ".agents/prompts").mkdir(parents=True)
    (project / ".agents/prompts/explain.md").write_text("Explain $1 to a sailor.\n")
    session = make_session()
    first = framework.run(session, "/explain tides", TWO_STEPS, [read])
    second = framework.run(session, "/skill:greet", [Step("fine")], [read], history=first.history)
    for request in (*first.requests, *second.requests):
        assert "Explain tides to a sailor." in request.text and "/explain" not in request.text
    assert "Say hello twice." in second.requests[0].text and "/skill:greet" not in second.requests[0].text
